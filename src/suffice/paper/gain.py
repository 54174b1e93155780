"""The maximum information gain γ_t over a finite set: what t observations can at most tell about f.

X     (N, d)  candidates                     tau    float  noise variance / signal variance
A     a multiset of candidates               F(A)   float  its gain, 1/2 log det(I + K_A/tau), K of unit variance
v     (N,)    variance of f at the candidates given the chosen ones, 1 at first
Δ_i   float   gain of the i-th greedy choice, 1/2 log(1 + max v/tau); F_i = Δ_1 + … + Δ_i

γ_t = max of F over multisets of size t: a point may be observed again. F is submodular and monotone, so no set of
t points gains more than F_i + t Δ_{i+1}, for every i. The best of these bounds is never above Hadamard's
(t/2) log(1 + 1/tau), which is i = 0, nor above F_t/(1 − 1/e) [Nemhauser, Wolsey and Fisher 1978; Krause et al. 2008].
The gain that was realised is `Posterior.gain`.
"""

import math
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from suffice.gp.kernels import Stationary
from suffice.types import Array


@dataclass(frozen=True, eq=False)
class MaxGain:
    """lower[t − 1] ≤ γ_t ≤ upper[t − 1] over the candidates, t = 1 … n."""

    rows: NDArray[np.intp] = field(repr=False)  # (n,): the greedy choices
    lower: Array = field(repr=False)  # (n,): what the first t of them gain
    upper: Array = field(repr=False)  # (n,)


def max_gain(kernel: Stationary, X: Array, n: int, tau: float) -> MaxGain:
    """γ_1 … γ_n between the gain of greedy choices and a proven bound, O(nN(n + d)) by a pivoted Cholesky factor."""
    if not (len(X) and n >= 1 and 0 < tau < math.inf):
        raise ValueError(
            f"max_gain needs candidates, n >= 1 and tau > 0, got {len(X)} candidates, n={n!r}, tau={tau!r}"
        )
    rows = np.empty(n, dtype=np.intp)
    gains = np.empty(n + 1)
    L = np.empty((n, len(X)))  # row i: the covariance of the i-th choice's noisy value with f(X), over its deviation
    v = np.ones(len(X))
    for i in range(n):
        rows[i] = best = int(np.argmax(v))
        gains[i] = 0.5 * math.log1p(v[best] / tau)
        covariance = kernel(X, X[best : best + 1])[:, 0] - L[:i, best] @ L[:i]
        L[i] = covariance / math.sqrt(v[best] + tau)
        v = np.maximum(v - L[i] ** 2, 0.0)
    gains[n] = 0.5 * math.log1p(v.max() / tau)
    total = np.concatenate([[0.0], np.cumsum(gains[:n])])
    t = np.arange(1, n + 1)
    upper = np.min(total + t[:, None] * gains, axis=1)
    return MaxGain(rows, total[1:], upper)
