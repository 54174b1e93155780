"""Exact Gaussian-process posterior (paper, eqs. for μ and σ²), grown one observation at a time in O(n²).

X     (n, d)  observed points                     z      (n,)   observed values, model units
K     (n, n)  k(X, X), unit variance              tau    (n,)   noise variance / signal variance, each > 0
L     (n, n)  lower factor of K + diag(tau)       R      (n, n) L^-1, so (K + diag(tau))^-1 = R'R
s     float   prior standard deviation            m      float  prior mean
a     (n,)    (K + diag(tau))^-1 (z − m)          gain   float  1/2 log det(I + K/tau)

    mean(x)  = m + k(x)'a                         var(x) = s² (1 − |R k(x)|²)

R is kept rather than L: a product with it runs at the speed of a matrix product (about twice that of a
triangular solve), on any block of rows alone, and on a view of a larger buffer without a copy.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Self

import numpy as np
from numpy.typing import NDArray
from scipy.linalg.lapack import dpotrf, dtrtri

from suffice.gp.kernels import Stationary
from suffice.space import UnitCube
from suffice.types import Array, Domain

JITTERS = (0.0, 1e-10, 1e-9, 1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3)  # relative to k(x, x) = 1, tried in turn
FIRST_TAU = 1e-4  # of an observation appended to none: the centre of the default prior
VARIANCE_FLOOR = 1e-14  # of 1 − |Rk|², which rounding makes zero or negative at observed points
CACHE = 1 << 17  # float64 entries of k(X, block) that stay in a core's cache while they are worked on
FEW = 8  # columns whose products are bound by the calls
ROWS = 64  # rows of R in one product: few enough to profit from the triangle, enough for a full-speed product


@dataclass(frozen=True)
class Buffer:
    """Rows for R, shared by a factor and those grown from it; each row is written once, by who claims it first."""

    rows: Array  # (capacity, capacity), zero until written
    claims: dict[int, object] = field(default_factory=dict)

    def claim(self, start: int, stop: int) -> bool:
        """Whether rows start … stop − 1 are now the caller's to write."""
        token = object()
        # dict.setdefault is atomic, so two threads that grow one posterior cannot both get the rows.
        return stop <= len(self.rows) and self.claims.setdefault(start, token) is token


@dataclass(frozen=True)
class Factor:
    """What a posterior knows before it sees an output: the points and the inverse of their Cholesky factor."""

    kernel: Stationary
    X: Array
    tau: Array
    R: Array
    log_det: float  # sum of log diag(L)
    jitter: float  # added to tau where the matrix was not positive definite without it
    buffer: Buffer = field(repr=False, compare=False)

    @classmethod
    def condition(cls, kernel: Stationary, X: Array, tau: Array) -> Self:
        """From scratch, O(n³)."""
        n = len(X)
        K = kernel(X, X)
        for jitter in JITTERS:
            L, info = dpotrf(_with_diagonal(K, 1.0 + tau + jitter), lower=1, overwrite_a=1)
            pivots = np.diagonal(L)
            if info == 0 and (n == 0 or pivots.min() > 1e-8):
                break
        else:
            raise np.linalg.LinAlgError(
                f"the kernel matrix of {n} points is not positive definite even with {JITTERS[-1]:g} on its diagonal; "
                "this is a fault of the kernel: k(x, y) must be positive definite with k(x, x) = 1"
            )
        log_det = float(np.log(pivots).sum())
        del K  # as large as the two that follow
        buffer = Buffer(np.zeros((_capacity(n), _capacity(n))))
        buffer.rows[:n, :n] = dtrtri(L, lower=1, overwrite_c=1)[0] if n else 0.0  # dpotrf has cleared the other half
        return cls(kernel, X, tau + jitter, buffer.rows[:n, :n], log_det, jitter, buffer)

    def append(self, X: Array, tau: Array) -> "Factor":
        """With m more points, O(n²m): the new rows of L^-1 are [−T S'R, T], S = R k(X_old, X), T = chol(…)^-1."""
        n, m = len(self.X), len(X)
        if not m:
            return self
        S = self.half(self.kernel(self.X, X))
        found = _inverse_factor(self.kernel(X, X) - S.T @ S if m > 1 else 1.0 - S.T @ S, tau)
        if found is None:
            return Factor.condition(self.kernel, np.vstack([self.X, X]), np.concatenate([self.tau, tau]))
        T, log_det, jitter = found
        buffer = self.buffer
        if not buffer.claim(n, n + m):
            buffer = Buffer(np.zeros((_capacity(n + m), _capacity(n + m))), {n: object()})
            buffer.rows[:n, :n] = self.R
        buffer.rows[n : n + m, :n] = -T @ self.whole(S).T
        buffer.rows[n : n + m, n : n + m] = T
        return Factor(
            self.kernel,
            np.vstack([self.X, X]),
            np.concatenate([self.tau, tau + jitter]),
            buffer.rows[: n + m, : n + m],
            self.log_det + log_det,
            max(self.jitter, jitter),
            buffer,
        )

    def half(self, B: Array) -> Array:
        """R B = L^-1 B, (n, m)."""
        out = np.empty_like(B, order="C")
        for i, j in row_blocks(*B.shape):
            np.matmul(self.R[i:j, :j], B[:j], out=out[i:j])
        return out

    def whole(self, B: Array) -> Array:
        """R'B = L^-T B, (n, m)."""
        out = np.zeros_like(B, order="C")
        for i, j in row_blocks(*B.shape):
            out[:j] += self.R[i:j, :j].T @ B[i:j]
        return out

    def solve(self, b: Array) -> Array:
        """(K + diag(tau))^-1 b, (n,)."""
        return self.whole(self.half(b[:, None]))[:, 0]

    def explained(self, K: Array) -> Array:
        """|R k|² for each column k of K, (m,): the share of the prior variance that the data explain."""
        total = np.zeros(K.shape[1])
        for i, j in row_blocks(*K.shape):
            V = self.R[i:j, :j] @ K[:j]
            total += np.einsum("ij,ij->j", V, V)
        return total


@dataclass(frozen=True)
class Posterior:
    """f given the data: a factor, the outputs, and the prior's scale and mean, all in model units."""

    factor: Factor
    z: Array
    scale: float = 1.0
    constant: float = 0.0
    domain: Domain = field(default=UnitCube(1))

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
        domain: Domain | None = None,
    ) -> Self:
        """The posterior given z = f(X) + noise of variance s² tau, from scratch."""
        X, z = np.asarray(X, dtype=float), np.asarray(z, dtype=float)
        factor = Factor.condition(kernel, X, np.broadcast_to(np.asarray(tau, dtype=float), z.shape).copy())
        return cls(factor, z, scale, constant, domain if domain is not None else UnitCube(X.shape[1]))

    @property
    def kernel(self) -> Stationary:
        return self.factor.kernel

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


def row_blocks(n: int, columns: int = FEW + 1) -> Iterator[tuple[int, int]]:
    """Blocks of rows of a triangular (n, n) matrix, for products with so many columns."""
    rows = ROWS if columns > FEW else 2 * ROWS
    return ((i, min(i + rows, n)) for i in range(0, n, rows))


def column_blocks(m: int, n: int) -> Iterator[tuple[int, int]]:
    """Blocks of m candidates such that a kernel block against n points fits the cache."""
    width = max(64, CACHE // max(n, 1))
    return ((i, min(i + width, m)) for i in range(0, m, width))


def _inverse_factor(schur: Array, tau: Array) -> tuple[Array, float, float] | None:
    """C^-1, sum log diag(C) and the jitter, C the lower factor of schur + diag(tau + jitter); None: no jitter helps."""
    for jitter in JITTERS:
        if len(tau) == 1:  # the usual case, one point: a square root
            pivot = float(schur[0, 0]) + float(tau[0]) + jitter
            if pivot > 1e-16:
                return np.array([[pivot**-0.5]]), 0.5 * math.log(pivot), jitter
            continue
        C, info = dpotrf(_with_diagonal(schur, np.diagonal(schur) + tau + jitter), lower=1, overwrite_a=1)
        if info == 0 and np.diagonal(C).min() > 1e-8:
            return np.tril(dtrtri(C, lower=1)[0]), float(np.log(np.diagonal(C)).sum()), jitter
    return None


def _capacity(n: int) -> int:
    """Rows reserved for n points: room for a tenth more, at least 32, before R moves to a new buffer."""
    return n + max(32, n // 10)


def _with_diagonal(K: Array, diagonal: Array) -> NDArray[np.float64]:
    """A Fortran-ordered copy of K with another diagonal."""
    out = K.copy(order="F")
    np.fill_diagonal(out, diagonal)
    return out
