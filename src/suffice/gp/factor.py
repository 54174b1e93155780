"""The inverse Cholesky factor of a kernel matrix with noise, grown one point at a time in O(n²).

X     (n, d)  observed points                     tau    (n,)   noise variance / signal variance, each > 0
K     (n, n)  k(X, X), unit variance              R      (n, n) L^-1, so (K + diag(tau))^-1 = R'R
L     (n, n)  lower factor of K + diag(tau)

R is kept rather than L: a product with it runs at the speed of a matrix product (about twice that of a
triangular solve), on any block of rows alone, and on a view of a larger buffer without a copy.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy.linalg.lapack import dpotrf, dtrtri

from suffice.gp.kernels import FEW, Stationary
from suffice.types import Array

JITTERS = (0.0, 1e-10, 1e-9, 1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3)  # relative to k(x, x) = 1, tried in turn
SMALLEST_PIVOT = 1e-8  # of L: its square is the rounding error of k(x, x) = 1, so below it is nothing but that
ROWS = 64  # rows of R in one product: few enough to profit from the triangle, enough for a full-speed product


@dataclass(frozen=True)
class Buffer:
    """Rows for R, shared without a lock by a factor and those grown from it: each is written by who claims it first."""

    rows: Array  # (capacity, capacity), zero until written
    claims: dict[int, object] = field(default_factory=dict)

    def claim(self, start: int, stop: int) -> bool:
        """Whether rows start … stop − 1 are now the caller's to write."""
        token = object()
        # dict.setdefault is atomic, so two threads that grow one posterior cannot both get the rows.
        return stop <= len(self.rows) and self.claims.setdefault(start, token) is token


def room(n: int) -> Buffer:
    """A buffer for n rows and a tenth more, at least 32, before R has to move to a new one."""
    capacity = n + max(32, n // 10)
    return Buffer(np.zeros((capacity, capacity)))


@dataclass(frozen=True)
class Factor:
    """The part of a posterior that does not depend on outputs: the points and the inverse of their Cholesky factor."""

    kernel: Stationary
    X: Array
    tau: Array
    R: Array
    log_det: float  # sum of log diag(L)
    jitter: float  # added to tau where the matrix was not positive definite without it
    buffer: Buffer = field(repr=False, compare=False)

    def __repr__(self) -> str:
        return f"<Factor of {len(self.X)} points in {self.X.shape[1]} columns, {type(self.kernel).__name__}>"

    @classmethod
    def condition(cls, kernel: Stationary, X: Array, tau: Array) -> Self:
        """From scratch, O(n³)."""
        n = len(X)
        K = kernel(X, X)
        for jitter in JITTERS:
            L, info = dpotrf(_with_diagonal(K, 1.0 + tau + jitter), lower=1, overwrite_a=1)
            pivots = np.diagonal(L)
            if info == 0 and (n == 0 or pivots.min() > SMALLEST_PIVOT):
                break
        else:
            raise np.linalg.LinAlgError(
                f"the kernel matrix of {n} points is not positive definite even with {JITTERS[-1]:g} on its diagonal; "
                "the kernel is at fault: k(x, y) must be positive definite with k(x, x) = 1"
            )
        log_det = float(np.log(pivots).sum())
        del K  # as large as the two that follow
        buffer = room(n)
        buffer.rows[:n, :n] = dtrtri(L, lower=1, overwrite_c=1)[0] if n else 0.0  # dpotrf has cleared the other half
        return cls(kernel, X, tau + jitter, buffer.rows[:n, :n], log_det, jitter, buffer)

    def __reduce__(self) -> tuple[Any, ...]:
        """A copy, pickled or deep, is the triangle of R alone; it grows in a buffer of its own, of the same size."""
        triangle = self.R[np.tri(len(self.X), dtype=bool)]
        capacity = len(self.buffer.rows)
        return _restored, (self.kernel, self.X, self.tau, triangle, self.log_det, self.jitter, capacity)

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
            buffer = room(n + m)
            buffer.claim(n, n + m)
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
        """|R k|² for each column k of K, (m,): the fraction of the prior variance that the data explain."""
        total = np.zeros(K.shape[1])
        for i, j in row_blocks(*K.shape):
            V = self.R[i:j, :j] @ K[:j]
            total += np.einsum("ij,ij->j", V, V)
        return total


def row_blocks(n: int, columns: int = FEW + 1) -> Iterator[tuple[int, int]]:
    """Blocks of rows of a triangular (n, n) matrix, for products with so many columns."""
    rows = ROWS if columns > FEW else 2 * ROWS
    return ((i, min(i + rows, n)) for i in range(0, n, rows))


def _restored(
    kernel: Stationary, X: Array, tau: Array, triangle: Array, log_det: float, jitter: float, capacity: int
) -> Factor:
    """The factor that `__reduce__` took apart."""
    n, buffer = len(X), Buffer(np.zeros((capacity, capacity)))
    R = buffer.rows[:n, :n]
    R[np.tri(n, dtype=bool)] = triangle
    return Factor(kernel, X, tau, R, log_det, jitter, buffer)


def _inverse_factor(schur: Array, tau: Array) -> tuple[Array, float, float] | None:
    """C^-1, sum log diag(C) and the jitter, C the lower factor of schur + diag(tau + jitter); None: no jitter helps."""
    for jitter in JITTERS:
        if len(tau) == 1:  # the usual case, one point: a square root
            pivot = float(schur[0, 0]) + float(tau[0]) + jitter
            if pivot > SMALLEST_PIVOT**2:
                return np.array([[pivot**-0.5]]), 0.5 * math.log(pivot), jitter
            continue
        C, info = dpotrf(_with_diagonal(schur, np.diagonal(schur) + tau + jitter), lower=1, overwrite_a=1)
        if info == 0 and np.diagonal(C).min() > SMALLEST_PIVOT:
            return np.tril(dtrtri(C, lower=1)[0]), float(np.log(np.diagonal(C)).sum()), jitter
    return None


def _with_diagonal(K: Array, diagonal: Array) -> NDArray[np.float64]:
    """A Fortran-ordered copy of K with another diagonal."""
    out = K.copy(order="F")
    np.fill_diagonal(out, diagonal)
    return out
