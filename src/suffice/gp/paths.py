"""Samples of the posterior: a path as a function of x, and an exact joint draw on a finite set.

omega  (M, d)  frequencies from the kernel's spectral density      w  (2M,)  standard normal weights
phi(x) (2M,)   [cos(omega x), sin(omega x)] / sqrt(M)              f0(x) = s phi(x)'w, a prior sample
v      (n,)    (K + diag(tau))^-1 (z − m − f0(X) − e),  e ~ N(0, s² tau)

    path(x) = m + f0(x) + k(x)'v     (pathwise conditioning: Wilson et al. 2020, eq. 13)

Averaged over the frequencies the covariance is exact; one path differs from an exact one by O(1/sqrt(M)).
"""

from dataclasses import dataclass

import numpy as np
from numpy.random import Generator
from scipy.linalg.lapack import dpotrf

from suffice.gp.factor import JITTERS
from suffice.gp.posterior import Posterior, column_blocks
from suffice.types import Array


@dataclass(frozen=True)
class Path:
    """One sample of the posterior: the same function at every call."""

    posterior: Posterior
    omega: Array  # (M, d), divided by the length-scales
    weights: Array  # (2, M): of the cosines and the sines, s/sqrt(M) multiplied in
    correction: Array  # (n,): v

    def __call__(self, X: Array) -> Array:
        """path(X), (m,)."""
        out = np.empty(len(X))
        for i, j in column_blocks(len(X), self.posterior.n + len(self.omega)):
            out[i:j] = self.prior(X[i:j]) + self.correction @ self.posterior.kernel(self.posterior.X, X[i:j])
        return out + self.posterior.constant

    def prior(self, X: Array) -> Array:
        """f0(X), (m,)."""
        phase = X @ self.omega.T
        value: Array = np.cos(phase) @ self.weights[0] + np.sin(phase) @ self.weights[1]
        return value

    def value_and_grad(self, X: Array) -> tuple[Array, Array]:
        """path(X), (m,), and its gradient, (m, d)."""
        p = self.posterior
        phase = X @ self.omega.T
        cos, sin = np.cos(phase), np.sin(phase)
        K, H = p.kernel.profile_and_slope(p.kernel.squared_distance(p.X, X))
        value = p.constant + cos @ self.weights[0] + sin @ self.weights[1] + self.correction @ K
        gradient = (cos * self.weights[1] - sin * self.weights[0]) @ self.omega
        return value, gradient + p.weighted_gradient(X, self.correction[:, None] * H)


def sample_path(posterior: Posterior, rng: Generator, features: int = 1024) -> Path:
    """One posterior sample as a function, with `features` frequencies for its prior part."""
    d = posterior.X.shape[1]
    omega = posterior.kernel.frequencies(features, d, rng) / np.asarray(posterior.kernel.lengthscale)
    weights = rng.standard_normal((2, features)) * (posterior.scale / np.sqrt(features))
    noise = posterior.scale * np.sqrt(posterior.factor.tau) * rng.standard_normal(posterior.n)
    prior = Path(posterior, omega, weights, np.zeros(posterior.n))
    residual = posterior.z - posterior.constant - prior.prior(posterior.X) - noise
    return Path(posterior, omega, weights, posterior.factor.solve(residual))


def joint_draw(posterior: Posterior, X: Array, rng: Generator) -> Array:
    """An exact draw of (f(x_1), …, f(x_m)), (m,), O(m³): for at most a few thousand points."""
    covariance = posterior.covariance(X, X)
    draw = rng.standard_normal(len(X))
    for jitter in JITTERS:
        C = covariance.copy(order="F")
        C[np.diag_indices(len(X))] += posterior.scale**2 * max(jitter, 1e-12)
        L, info = dpotrf(C, lower=1, overwrite_a=1)
        if info == 0:
            deviation: Array = np.tril(L) @ draw
            return posterior.mean(X) + deviation
    raise np.linalg.LinAlgError(
        f"the posterior covariance of {len(X)} points is not positive definite even with {JITTERS[-1]:g} s² "
        "on its diagonal; this is a fault of the kernel"
    )
