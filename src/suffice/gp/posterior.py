"""Exact Gaussian-process posterior (paper, eqs. for μ and σ²), grown one observation at a time in O(n²).

X     (n, d)  observed points                     z      (n,)   observed values, model units
K     (n, n)  k(X, X), unit variance              tau    (n,)   noise variance / signal variance, each > 0
R     (n, n)  (K + diag(tau))^-1 = R'R            gain   float  1/2 log det(I + K/tau)
s     float   prior standard deviation            m      float  prior mean
a     (n,)    (K + diag(tau))^-1 (z − m)

    mean(x)  = m + k(x)'a                         var(x) = s² (1 − |R k(x)|²)
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Self

import numpy as np

from suffice.gp.factor import Factor
from suffice.gp.kernels import Stationary
from suffice.types import Array

FIRST_TAU = 1e-4  # of an observation appended to none: the centre of the default prior
VARIANCE_FLOOR = 1e-14  # of 1 − |Rk|², which rounding makes zero or negative at observed points
CACHE = 1 << 17  # float64 entries of k(X, block) that stay in a core's cache while they are worked on


@dataclass(frozen=True)
class Posterior:
    """f given the data: a factor, the outputs, and the prior's scale and mean, all in model units."""

    factor: Factor
    z: Array
    scale: float = 1.0
    constant: float = 0.0

    def __repr__(self) -> str:
        return f"<Posterior of {self.n} values in {self.X.shape[1]} columns, {type(self.kernel).__name__}>"

    @classmethod
    def condition(
        cls,
        kernel: Stationary,
        X: Array,
        z: Array,
        tau: float | Array,
        *,
        scale: float = 1.0,
        constant: float = 0.0,
    ) -> Self:
        """The posterior given z = f(X) + noise of variance s² tau, from scratch."""
        X, z = np.asarray(X, dtype=float), np.asarray(z, dtype=float)
        factor = Factor.condition(kernel, X, np.broadcast_to(np.asarray(tau, dtype=float), z.shape).copy())
        return cls(factor, z, scale, constant)

    @property
    def kernel(self) -> Stationary:
        return self.factor.kernel

    @property
    def lengthscales(self) -> Array:
        """The kernel's, one for each column, (d,)."""
        return np.broadcast_to(np.asarray(self.kernel.lengthscale), self.X.shape[1])

    @property
    def X(self) -> Array:  # noqa: N802
        return self.factor.X

    @property
    def n(self) -> int:
        return len(self.z)

    @property
    def tau(self) -> float:
        """The smallest noise-to-signal ratio among the observations; 0 before there is one."""
        return float(self.factor.tau.min(initial=np.inf)) if self.n else 0.0

    @cached_property
    def w(self) -> Array:
        """R (z − m), (n,)."""
        return self.factor.half((self.z - self.constant)[:, None])[:, 0]

    @cached_property
    def a(self) -> Array:
        """(K + diag(tau))^-1 (z − m), (n,)."""
        return self.factor.whole(self.w[:, None])[:, 0]

    @cached_property
    def fitted(self) -> Array:
        """The mean at the observed points, (n,), without a kernel matrix: K a = (z − m) − tau a."""
        found: Array = self.z - self.factor.tau * self.a
        return found

    @cached_property
    def gain(self) -> float:
        """Realised information gain of all n observations: 1/2 log det(I + K/tau)."""
        return self.factor.log_det - 0.5 * float(np.log(self.factor.tau).sum())

    @cached_property
    def rkhs_norm(self) -> float:
        """|mean − m|_k = sqrt(a'Ka), in the norm of the unit-variance kernel."""
        # K a = (z − m) − tau a
        return math.sqrt(max(0.0, float(self.a @ (self.z - self.constant - self.factor.tau * self.a))))

    def append(self, X: Array, z: Array, tau: float | Array | None = None) -> "Posterior":
        """With m more observations, (m, d) and (m,), O(n²m); equal to conditioning from scratch."""
        z = np.asarray(z, dtype=float)
        if tau is None:
            tau = self.tau if self.n else FIRST_TAU
        tau = np.broadcast_to(np.asarray(tau, dtype=float), z.shape)
        return replace(self, factor=self.factor.append(np.asarray(X, dtype=float), tau), z=np.concatenate([self.z, z]))

    def believe(self, X: Array) -> "Posterior":
        """As if the mean had been observed at X: the mean stays, the deviation falls (pending points)."""
        return self.append(X, self.mean(X))

    def mean(self, X: Array) -> Array:
        """m + k(x)'a, (m,)."""
        out = np.empty(len(X))
        for i, j in column_blocks(len(X), self.n):
            out[i:j] = self.constant + self.a @ self.kernel(self.X, X[i:j])
        return out

    def predict(self, X: Array) -> tuple[Array, Array]:
        """Mean and standard deviation of f, (m,) each, in blocks that fit the cache."""
        mean, std = np.empty(len(X)), np.empty(len(X))
        for i, j in column_blocks(len(X), self.n):
            K = self.kernel(self.X, X[i:j])
            mean[i:j] = self.constant + self.a @ K
            std[i:j] = self._std(self.factor.explained(K))
        return mean, std

    def predict_grad(self, X: Array) -> tuple[Array, Array, Array, Array]:
        """Mean, standard deviation, (m,) each, and their gradients in X, (m, d) each."""
        K, H = self.kernel.profile_and_slope(self.kernel.squared_distance(self.X, X))
        V = self.factor.half(K)
        std = self._std(np.einsum("ij,ij->j", V, V))
        d_mean = self.weighted_gradient(X, self.a[:, None] * H)
        # var = s² (1 − k'R'Rk), so d std = −s² (R'Rk)' dk / std
        d_std = self.weighted_gradient(X, self.factor.whole(V) * H) * (-(self.scale**2) / std)[:, None]
        return self.constant + self.a @ K, std, d_mean, d_std

    def covariance(self, A: Array, B: Array) -> Array:
        """Posterior covariance of f(A) and f(B), (m, k)."""
        SA = self.factor.half(self.kernel(self.X, A))
        SB = SA if B is A else self.factor.half(self.kernel(self.X, B))
        return self.scale**2 * (self.kernel(A, B) - SA.T @ SB)

    def _std(self, explained: Array) -> Array:
        std: Array = self.scale * np.sqrt(np.maximum(1.0 - explained, VARIANCE_FLOOR))
        return std

    def weighted_gradient(self, X: Array, W: Array) -> Array:
        """sum_i W_ik/h_ik dk(X_i, x_k)/dx_k, (m, d), for W with the slope h multiplied in, (n, m)."""
        ell = np.asarray(self.kernel.lengthscale)
        gradient: Array = (X * W.sum(axis=0)[:, None] - W.T @ self.X) * (2.0 / ell**2)
        return gradient


def column_blocks(m: int, n: int) -> Iterator[tuple[int, int]]:
    """Blocks of m candidates such that a kernel block against n points fits the cache."""
    width = max(64, CACHE // max(n, 1))
    return ((i, min(i + width, m)) for i in range(0, m, width))
