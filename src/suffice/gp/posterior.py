"""Exact Gaussian-process posterior (paper, eqs. for μ and σ²), grown one observation at a time in O(n²).

X     (n, d)  observed points                     z      (n,)   observed values, model units
K     (n, n)  k(X, X), unit variance              tau    (n,)   noise variance / signal variance, each > 0
L     (n, n)  lower factor of K + diag(tau)       R      (n, n) L^-1, so (K + diag(tau))^-1 = R'R
s     float   prior standard deviation            m      float  prior mean
a     (n,)    (K + diag(tau))^-1 (z − m)          gain   float  1/2 log det(I + K/tau)

    mean(x)  = m + k(x)'a                         var(x) = s² (1 − |R k(x)|²)

R is kept rather than L: a product with it runs at the speed of a matrix product (about twice that of a triangular
solve), on any block of rows alone, and on a view of a larger buffer without a copy.

Further down: the posterior's second derivatives, every observation predicted from all others, and samples.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Self

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray
from scipy.linalg.lapack import dpotrf, dtrtri

from suffice.gp.kernels import FEW, Stationary
from suffice.space.domain import CACHE
from suffice.types import Array, Indices

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


# ---------------------------------------------------------------------- the posterior

FIRST_TAU = 1e-4  # of an observation appended to none, where nothing is said about its noise
# Of the values' standard deviation: noise below it is hardly any. Fitted to 12 to 40 values of functions without noise,
# models had 0.002 to 0.013.
HARDLY = 0.02
VARIANCE_FLOOR = 1e-14  # of 1 − |Rk|², which rounding makes zero or negative at observed points


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
    def noise(self) -> float:
        """The standard deviation of the noise in a usual observation; 0 before there is one."""
        return self.scale * math.sqrt(float(np.median(self.factor.tau))) if self.n else 0.0

    @cached_property
    def scaled(self) -> Array:
        """X in units of the length-scales, (n, d)."""
        return self.X / self.lengthscales

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
        """The mean at the observed points, (n,): m + K a = z − tau a, without a kernel matrix."""
        return self.z - self.factor.tau * self.a

    @cached_property
    def gain(self) -> float:
        """Realised information gain of all n observations: 1/2 log det(I + K/tau)."""
        return self.factor.log_det - 0.5 * float(np.log(self.factor.tau).sum())

    @cached_property
    def rkhs_norm(self) -> float:
        """|mean − m|_k = sqrt(a'Ka), in the norm of the unit-variance kernel."""
        return math.sqrt(max(0.0, float(self.a @ (self.fitted - self.constant))))  # K a = fitted − m

    def append(self, X: Array, z: Array, tau: float | Array | None = None) -> "Posterior":
        """With m more observations, (m, d) and (m,), O(n²m); equal to conditioning from scratch."""
        z = np.asarray(z, dtype=float)
        if tau is None:
            tau = self.tau if self.n else FIRST_TAU
        tau = np.broadcast_to(np.asarray(tau, dtype=float), z.shape)
        return replace(self, factor=self.factor.append(np.asarray(X, dtype=float), tau), z=np.concatenate([self.z, z]))

    def believe(self, X: Array) -> "Posterior":
        """As if the mean had been observed at X: only the standard deviation changes (pending points)."""
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


@dataclass(frozen=True)
class Bent:
    """Mean and deviation at m points, (m,) each, their gradients in p columns, (m, p), and what their curvature is.

    k, h, h' (n, m)    profile and its first two derivatives in D      e  (n, m, p)  (x − X_i)/ell, p columns
    c        (m,)      1 − |Rk|², so that std = s √c                   J  (n, m, p)  dk/d(x/ell) = 2 h e
    q        (n, m)    R'Rk

    In units of the length-scales dk = 2 h e and d²k = 4 h' ee' + 2 h I; everything is scaled at the end:

        d mean  = Σ a_i J_i                 d² mean = Σ a_i d²k_i
        d std   = −(s/√c) Σ q_i J_i         d² std  = −(s/√c) [(RJ)'(RJ) + Σ q_i d²k_i] − (d std)(d std)'/std
    """

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
    V: Array  # (n, m): Rk

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
    return Bent(mean, s * root, d_mean, d_std, ell[columns], posterior.a, q, h, bend, e, RJ, lean, V)


@dataclass(frozen=True, eq=False)
class Stacked:
    """K posteriors of the same n points, of kernels of one kind: `bent` of all of them in a few calls of NumPy.

    With few points most of the time is that of the calls, so that four posteriors cost little more than one.
    """

    posteriors: tuple[Posterior, ...]

    @cached_property
    def _arrays(self) -> tuple[Array, Array, Array, Array, Array, Array]:
        """ell (K, d), X/ell (K, n, d), a (K, n), R (K, n, n), s (K, 1), m (K, 1)."""
        each = self.posteriors
        columns = [np.array([[p.scale] for p in each]), np.array([[p.constant] for p in each])]
        stacks = zip(*((p.lengthscales, p.scaled, p.a, p.factor.R) for p in each), strict=True)
        ell, scaled, a, R = (np.array(stack) for stack in stacks)
        return ell, scaled, a, R, columns[0], columns[1]

    def bent(self, X: Array, columns: Indices) -> "BentStack":
        """All of them at X, (m, d), with derivatives in these columns, (p,)."""
        ell, scaled, a, R, s, constant = self._arrays
        (K, n, _), m, p = scaled.shape, len(X), len(columns)
        e = (X / ell[:, None])[:, None] - scaled[:, :, None]
        D = np.einsum("knmd,knmd->knm", e, e)
        e, ell = e[..., columns], ell[:, columns]
        k, h, bend = self.posteriors[0].kernel.profile_and_slopes(D)
        J = e * (2.0 * h)[..., None]
        V, RJ = R @ k, (R @ J.reshape(K, n, m * p)).reshape(K, n, m, p)
        root = np.sqrt(np.maximum(1.0 - np.einsum("knm,knm->km", V, V), VARIANCE_FLOOR))
        lean = -s / root
        d_mean = (a[:, None] @ J.reshape(K, n, m * p)).reshape(K, m, p) / ell[:, None]
        d_std = np.einsum("knm,knmp->kmp", V, RJ) * lean[..., None] / ell[:, None]
        q = (R.transpose(0, 2, 1) @ V) * lean[:, None]
        mean = constant + (a[:, None] @ k)[:, 0]
        return BentStack(mean, s * root, d_mean, d_std, ell, a, q, h, bend, e, RJ, lean)


@dataclass(frozen=True, eq=False)
class BentStack:
    """`Bent` with one more axis in front, (K, …)."""

    mean: Array
    std: Array
    d_mean: Array
    d_std: Array
    ell: Array
    a: Array
    q: Array
    h: Array
    bend: Array
    e: Array
    RJ: Array
    lean: Array

    def hessian(self, by_mean: Array, by_std: Array) -> Array:
        """by_mean · d² mean + by_std · d² std, (K, m, p, p), for weights of any sign, (K, m) each."""
        W = self.a[:, :, None] * by_mean[:, None] + self.q * by_std[:, None]
        H: Array = (self.e * (4.0 * W * self.bend)[..., None]).transpose(0, 2, 3, 1) @ self.e.transpose(0, 2, 1, 3)
        i = np.arange(self.ell.shape[1])
        H[..., i, i] += (2.0 * np.einsum("knm,knm->km", W, self.h))[..., None]
        H += (by_std * self.lean)[..., None, None] * (self.RJ.transpose(0, 2, 3, 1) @ self.RJ.transpose(0, 2, 1, 3))
        H /= (self.ell[:, :, None] * self.ell[:, None])[:, None]
        H -= (by_std / self.std)[..., None, None] * (self.d_std[..., :, None] * self.d_std[..., None, :])
        return H


@dataclass(frozen=True, eq=False)
class LeftOut:
    """What the others say about each observation, model units, (n,) each."""

    mean: Array
    deviation: Array  # of the observation about it, its noise included
    z: Array  # (observed − mean) / deviation: standard normal where the model is right
    explained: float  # 1 − Σ(observed − mean)² / Σ(observed − mean of the others)²: 1 is perfect, 0 no better than that


def leave_one_out(posterior: Posterior) -> LeftOut:
    """Every observation predicted from all others, n ≥ 2, O(n²), in closed form from q = diag((K + diag(tau))^-1).

    mean_i = z_i − a_i/q_i and var_i = s²/q_i, noise included (Rasmussen and Williams 2006, eq. 5.12). The
    length-scales, s, m and the noise are those of all data, so that the predictions are a little too good.
    """
    R, n = posterior.factor.R, posterior.n
    q = np.einsum("ij,ij->j", R, R)
    missed = posterior.a / q
    deviation = posterior.scale / np.sqrt(q)
    about = (posterior.z - posterior.z.mean()) * (n / (n - 1.0))
    whole = float(about @ about)
    explained = 1.0 - float(missed @ missed) / whole if whole > 0.0 else 0.0
    return LeftOut(posterior.z - missed, deviation, missed / deviation, explained)


@dataclass(frozen=True)
class Path:
    """One sample of the posterior: the same function at every call.

    omega  (M, d)  frequencies from the kernel's spectral density      w  (2M,)  standard normal weights
    phi(x) (2M,)   [cos(omega x), sin(omega x)] / sqrt(M)              f0(x) = s phi(x)'w, a prior sample
    v      (n,)    (K + diag(tau))^-1 (z − m − f0(X) − e),  e ~ N(0, s² tau)

        path(x) = m + f0(x) + k(x)'v     (pathwise conditioning: Wilson et al. 2020, eq. 13)

    Averaged over the frequencies the covariance is exact; one path differs from an exact one by O(1/sqrt(M)).
    """

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
        "on its diagonal; the kernel is at fault"
    )
