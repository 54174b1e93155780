"""One length-scale by maximum likelihood, all else known: the fit of the paper's experiments, made fast.

D    (n(n−1)/2,)  squared distances of all pairs of points       ell  float  the length-scale
K    (n, n)       k(D / ell²), 1 + tau on the diagonal           a    (n,)   K^-1 z
dK   (n, n)       dK / dlog ell = −2 h D / ell², 0 on the diagonal

    log p(z | ell) = −1/2 z'a − 1/2 log det K,    slope 1/2 a'dKa − 1/2 tr(K^-1 dK)
    Rasmussen and Williams (2006), eqs. 2.30 and 5.9.
"""

import math
from dataclasses import dataclass

import numpy as np
from scipy.linalg.lapack import dpotrf, dpotri
from scipy.optimize import minimize
from scipy.spatial.distance import pdist, squareform

from suffice.gp.kernels import Stationary
from suffice.types import Array


@dataclass(frozen=True)
class Likelihood:
    """log p(z | ell) up to a constant; the kernel is worked out once for each pair of points."""

    kernel: Stationary
    D: Array
    z: Array
    tau: Array  # (n,)

    def __call__(self, log_ell: float) -> tuple[float, float]:
        """Its value and its slope in log ell; −inf where K is not positive definite."""
        D = self.D * math.exp(-2.0 * log_ell)
        k, h = self.kernel.profile_and_slope(D.copy())
        K = squareform(k, checks=False)
        np.fill_diagonal(K, 1.0 + self.tau)
        L, info = dpotrf(K.T, lower=1, overwrite_a=1)
        if info != 0:
            return -math.inf, 0.0
        log_det = 2.0 * float(np.log(np.diagonal(L)).sum())
        inverse = dpotri(L, lower=1, overwrite_c=1)[0]  # lower triangle; the upper one is zero
        a = inverse @ self.z + self.z @ inverse - np.diagonal(inverse) * self.z
        D *= h
        dK = squareform(D, checks=False)  # without its factor −2
        return -0.5 * (float(self.z @ a) + log_det), 2.0 * float(np.vdot(inverse.T, dK)) - float(a @ (dK @ a))


def fit_lengthscale(
    kernel: Stationary, X: Array, z: Array, tau: Array, start: float, bounds: tuple[float, float]
) -> float | None:
    """The length-scale that L-BFGS-B reaches from `start` with SciPy's own settings; None where nothing is finite.

    X (n, d) in units of length-scales, z (n,) in units of the prior deviation.
    """
    likelihood = Likelihood(kernel, pdist(X, "sqeuclidean"), z, tau)

    def negative(log_ell: Array) -> tuple[float, Array]:
        value, slope = likelihood(float(log_ell[0]))
        # L-BFGS-B steps back from a large value
        return (-value, np.array([-slope])) if math.isfinite(value) else (1e25, np.zeros(1))

    limits = [(math.log(bounds[0]), math.log(bounds[1]))]
    found = minimize(negative, np.array([math.log(start)]), jac=True, method="L-BFGS-B", bounds=limits)
    return math.exp(float(found.x[0])) if found.fun < 1e25 else None
