"""Which of very many candidates are among the best, for less than it takes to score them all.

N      candidates          n      observations        K  (n, w)  kernel against a block of w candidates
v_m    first m entries of R k(x);  σ_m(x) = s sqrt(1 − |v_m|²), the deviation given the first m observations
e_k    bound on the error of one kernel value
D      (n, w)  squared scaled distances;  e_D  bound on the rounding of one of them in float32

σ_m ≥ σ for every m, so a candidate whose μ + β σ_m is below the k-th best value is out before its solve is finished,
and so is one whose value at μ and σ_m is below a floor, if the value falls neither with μ nor with σ.

Most of the work is in float32 (half the memory traffic, twice the vector width); each value then carries an interval,
and the few candidates that are left are scored in float64. A kernel value that is wrong by e_k moves μ by at most
e_k |a|_1 and |v_m| by at most e_k | |R_m| 1 |. A profile falls ever more slowly with D, so that an error of e_D moves
it by at most 1 − k(e_D).
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from suffice.gp.posterior import ROWS, VARIANCE_FLOOR, Posterior, column_blocks, row_blocks
from suffice.space.domain import CACHE
from suffice.types import Array, Indices

KERNEL_ERROR = 5e-7  # of a float32 kernel value; the tests measure it for every kernel
SMALLEST_TAU = 1e-5  # below, |a| and |R| are so large that a float32 interval excludes too little
WORTHWHILE = 0.01  # of β s: an error of the mean beyond it excludes too little, too (outputs in large units)
FEW = 512  # candidates that are not worth screening
SUMMED = 32  # observations whose terms of μ are summed in float32

Value = Callable[[Array, Array], Array]  # of μ and σ, (m,) each


def top_ucb(posterior: Posterior, X: Array, beta: float, k: int) -> tuple[Indices, Array]:
    """Indices and values of the k largest μ(X) + β σ(X), largest first; ties by index."""
    k = min(k, len(X))
    few = len(X) <= max(FEW, 4 * k)
    rows = np.arange(len(X)) if few else _survivors(posterior, X, beta, k)
    mean, std = posterior.predict(X[rows])
    values = mean + beta * std
    order = np.lexsort((rows, -values))[:k]
    return rows[order], values[order]


def _survivors(posterior: Posterior, X: Array, beta: float, k: int) -> Indices:
    """Indices, in order, of a superset of the k best: those whose upper bound reaches the k-th largest lower bound."""

    def value(mean: Array, std: Array) -> Array:
        return mean + beta * std

    weight = 1.0 + float(np.abs(posterior.a).sum())
    low = posterior.tau >= SMALLEST_TAU and KERNEL_ERROR * weight <= WORTHWHILE * beta * posterior.scale
    error = KERNEL_ERROR if low else _rounding()
    mean_error = error * weight
    half_errors = error * half_norms(posterior)
    found: list[tuple[Indices, Array, Array]] = []
    threshold = -np.inf
    for i, j in column_blocks(len(X), posterior.n):
        D = posterior.kernel.squared_distance(posterior.X, X[i:j])
        K = np.asarray(posterior.kernel.profile(D.astype(np.float32) if low else D), dtype=np.float64)
        mean = posterior.constant + posterior.a @ K + mean_error
        rows, lower, upper = _pruned(posterior, K, mean, value, np.full(j - i, threshold), half_errors, pays=0.8)
        found.append((rows + i, lower - 2 * mean_error, upper))
        lowers = np.concatenate([f[1] for f in found])
        if len(lowers) >= k:
            threshold = float(np.partition(lowers, -k)[-k])
        found = [(r[u >= threshold], w[u >= threshold], u[u >= threshold]) for r, w, u in found]
    return np.concatenate([rows for rows, _, _ in found])


def reaching(posterior: Posterior, X: Array, value: Value, floor: float | Array) -> Indices:
    """Rows of X, in order, among which is every row with value(μ, σ) ≥ floor; value falls neither with μ nor with σ.

    floor    one for all rows, or one for each, (m,)
    """
    if not posterior.n or not len(X):
        return np.arange(len(X))
    left = Scaled.of(posterior, posterior.X, first=True)
    width = max(256, 2 * CACHE // posterior.n)
    norms, floors = half_norms(posterior), np.broadcast_to(np.asarray(floor, dtype=np.float64), len(X))
    found = [
        i + _sifted(posterior, left, X[i : i + width], value, floors[i : i + width], norms)
        for i in range(0, len(X), width)
    ]
    return np.concatenate(found)


class Scaled(NamedTuple):
    """[a, |a|², 1] or [−2b, 1, |b|²], (n, d + 2) in float32: their products are squared distances."""

    rows: NDArray[np.float32]
    largest: float  # |a|²

    @classmethod
    def of(cls, posterior: Posterior, X: Array, *, first: bool) -> "Scaled":
        n, d = X.shape
        rows = np.ones((n, d + 2), dtype=np.float32)
        scaled = ((X - 0.5) / posterior.kernel.lengthscale).astype(np.float32)
        squares = np.einsum("ij,ij->i", scaled, scaled)
        rows[:, :d] = scaled if first else -2.0 * scaled
        rows[:, d if first else d + 1] = squares
        return cls(rows, float(squares.max(initial=0.0)))


def _sifted(posterior: Posterior, left: Scaled, X: Array, value: Value, floor: Array, norms: Array) -> Indices:
    """The rows of one block that may reach the floor."""
    right, d = Scaled.of(posterior, X, first=False), X.shape[1]
    eps = float(np.finfo(np.float32).eps)  # twice the unit roundoff
    e_D = eps * (d + 4) * 2.0 * (left.largest + right.largest)
    e_k = KERNEL_ERROR + 1.0 - float(posterior.kernel.profile(np.array([e_D]))[0])
    weight = float(np.abs(posterior.a).sum())
    low = (e_k + eps * SUMMED) * weight <= WORTHWHILE * posterior.scale
    if low:
        D = left.rows @ right.rows.T
        K = posterior.kernel.profile(np.maximum(D, 0.0, out=D))
        error = (e_k + eps * SUMMED) * weight
        mean = posterior.constant + _summed(posterior.a, K)
    else:
        K = posterior.kernel(posterior.X, X)
        e_k = _rounding()
        error = e_k * (1.0 + weight)
        mean = posterior.constant + posterior.a @ K
    return _pruned(posterior, K, mean + error, value, floor, e_k * norms)[0]


def _summed(a: Array, K: NDArray[np.floating]) -> Array:
    """a'K, (w,), of which only SUMMED terms at a time are added in the precision of K."""
    single = a.astype(K.dtype)
    total = np.zeros(K.shape[1])
    for i in range(0, len(a), SUMMED):
        total += single[i : i + SUMMED] @ K[i : i + SUMMED]
    return total


def _pruned(
    posterior: Posterior,
    K: NDArray[np.floating],
    mean: Array,
    value: Value,
    floor: Array,
    half_errors: Array,
    pays: float = 1.0,
) -> tuple[Indices, Array, Array]:
    """The columns of K whose value at the mean and σ_m stays at or above the floor, with both bounds of the value.

    pays    the columns are copied where fewer than this fraction of them is left
    """
    alive = np.flatnonzero(value(mean, np.full(len(mean), posterior.scale)) >= floor)
    left = (K if len(alive) == len(mean) else K[:, alive]).astype(np.float64, copy=False)
    mean, floor, explained, error = mean[alive], floor[alive], np.zeros(len(alive)), 0.0
    for i, j in row_blocks(posterior.n if len(alive) else 0):
        V = posterior.factor.R[i:j, :j] @ left[:j]
        explained += np.einsum("ij,ij->j", V, V)
        error = float(half_errors[j - 1])
        keep = value(mean, deviation(posterior, np.sqrt(explained) - error)) >= floor
        if np.count_nonzero(keep) < pays * len(keep):
            alive, explained, mean, floor, left = alive[keep], explained[keep], mean[keep], floor[keep], left[:, keep]
            if not len(alive):
                break
    lower, upper = (value(mean, deviation(posterior, np.sqrt(explained) + side * error)) for side in (1.0, -1.0))
    return alive, lower, upper


def deviation(posterior: Posterior, half: Array) -> Array:
    """s sqrt(1 − |v|²) for lengths |v|, as far as they are in [0, 1]."""
    std: Array = posterior.scale * np.sqrt(np.maximum(1.0 - np.clip(half, 0.0, 1.0) ** 2, VARIANCE_FLOOR))
    return std


def half_norms(posterior: Posterior) -> Array:
    """| |R_m| 1 | for m = 1 … n, (n,): how far an error of one in every kernel value moves v_m."""
    norms: Array = np.sqrt(np.cumsum(np.abs(posterior.factor.R).sum(axis=1) ** 2))
    return norms


def _rounding() -> float:
    """The error of a float64 kernel value and of sums over it: candidates that tie must not exclude each other."""
    return ROWS * float(np.finfo(float).eps)
