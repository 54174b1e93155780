"""The posterior with its first and second derivatives, for searches that know how the ground bends.

m, n, p  int        points, observations, columns that move        e  (n, m, p)  (x − X_i)/ell, the columns that move
k, h, h' (n, m)     profile and its first two derivatives in D     J  (n, m, p)  dk/d(x/ell) = 2 h e
c        (m,)       1 − |Rk|², so that std = s √c                  q  (n, m)     R'Rk

Everything is in units of the length-scales, where dk = 2 h e and d²k = 4 h' ee' + 2 h I, and is scaled at the end:

    d mean  = Σ a_i J_i                 d² mean = Σ a_i d²k_i
    d std   = −(s/√c) Σ q_i J_i         d² std  = −(s/√c) [(RJ)'(RJ) + Σ q_i d²k_i] − (d std)(d std)'/std
"""

from dataclasses import dataclass

import numpy as np

from suffice.gp.posterior import VARIANCE_FLOOR, Posterior
from suffice.types import Array, Indices


@dataclass(frozen=True)
class Bent:
    """Mean and deviation at m points, (m,) each, their gradients in p columns, (m, p), and what their curvature is."""

    mean: Array
    std: Array
    d_mean: Array
    d_std: Array
    ell: Array  # (p,): length-scales of these columns
    a: Array  # (n,): the weights of the mean
    q: Array  # (n, m): the weights of the deviation, −(s/√c) q
    h: Array  # (n, m)
    bend: Array  # (n, m): h'
    e: Array  # (n, m, p)
    RJ: Array  # (n, m, p)
    lean: Array  # (m,): −s/√c

    def hessian(self, by_mean: Array, by_std: Array) -> Array:
        """by_mean · d² mean + by_std · d² std, (m, p, p), for weights of any sign, (m,) each."""
        W = self.a[:, None] * by_mean + self.q * by_std
        left = (self.e * (4.0 * W * self.bend)[:, :, None]).transpose(1, 2, 0)
        H: Array = left @ self.e.transpose(1, 0, 2)
        H[:, np.arange(len(self.ell)), np.arange(len(self.ell))] += (2.0 * np.einsum("nm,nm->m", W, self.h))[:, None]
        spread = self.RJ.transpose(1, 2, 0) @ self.RJ.transpose(1, 0, 2)
        H += (by_std * self.lean)[:, None, None] * spread
        H /= self.ell[:, None] * self.ell
        H -= (by_std / self.std)[:, None, None] * (self.d_std[:, :, None] * self.d_std[:, None])
        return H


def bent(posterior: Posterior, X: Array, columns: Indices) -> Bent:
    """The posterior at X, (m, d), with derivatives in these columns, (p,)."""
    m, n, p, s = len(X), posterior.n, len(columns), posterior.scale
    ell: Array = posterior.lengthscales
    e = X / ell - posterior.scaled[:, None]
    D = np.einsum("nmd,nmd->nm", e, e)
    if p < e.shape[2]:
        e = e[:, :, columns]
    k, h, bend = posterior.kernel.profile_and_slopes(D)
    J = e * (2.0 * h)[:, :, None]
    V, RJ = posterior.factor.half(k), posterior.factor.half(J.reshape(n, m * p)).reshape(n, m, p)
    root = np.sqrt(np.maximum(1.0 - np.einsum("nm,nm->m", V, V), VARIANCE_FLOOR))
    lean = -s / root
    d_mean = (posterior.a @ J.reshape(n, m * p)).reshape(m, p) / ell[columns]
    d_std = np.einsum("nm,nmp->mp", V, RJ) * lean[:, None] / ell[columns]
    q = posterior.factor.whole(V) * lean
    mean = posterior.constant + posterior.a @ k
    return Bent(mean, s * root, d_mean, d_std, ell[columns], posterior.a, q, h, bend, e, RJ, lean)
