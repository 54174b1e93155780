"""The k best of many candidates by μ + βσ, exactly, without finishing the rest.

N      candidates          n      observations        K  (n, w)  kernel against a block of w candidates
v_m    first m entries of R k(x);  σ_m(x) = s sqrt(1 − |v_m|²), the deviation given the first m observations
e_k    bound on the error of one kernel value

σ_m ≥ σ for every m, so a candidate whose μ + β σ_m is below the k-th best value is out before its solve is
finished. The kernel is evaluated in float32 (half the memory traffic, twice the vector width); each value then
carries an interval, and every candidate whose interval reaches the k-th best is scored again in float64. A
wrong kernel value by e_k moves μ by at most e_k |a|_1 and |v_m| by at most e_k | |R_m| 1 |.
"""

import numpy as np
from numpy.typing import NDArray

from suffice.gp.factor import row_blocks
from suffice.gp.posterior import VARIANCE_FLOOR, Posterior, column_blocks
from suffice.types import Array

KERNEL_ERROR = 5e-7  # of a float32 kernel value; the tests measure it for every kernel
ROUNDING = 1e-14  # of a float64 kernel value and the sums over it: candidates that tie must not exclude each other
SMALLEST_TAU = 1e-5  # below, |a| and |R| are so large that a float32 interval excludes too little
WORTHWHILE = 0.01  # of β s: an error of the mean beyond it excludes too little, too (outputs in large units)
FEW = 512  # candidates that are not worth screening


def top_ucb(posterior: Posterior, X: Array, beta: float, k: int) -> tuple[NDArray[np.intp], Array]:
    """Indices and values of the k largest μ(X) + β σ(X), largest first; ties by index."""
    k = min(k, len(X))
    few = len(X) <= max(FEW, 4 * k)
    rows = np.arange(len(X)) if few else _survivors(posterior, X, beta, k)
    mean, std = posterior.predict(X[rows])
    values = mean + beta * std
    order = np.lexsort((rows, -values))[:k]
    return rows[order], values[order]


def _survivors(posterior: Posterior, X: Array, beta: float, k: int) -> NDArray[np.intp]:
    """Indices, in order, of a superset of the k best: those whose upper limit reaches the k-th largest lower limit."""
    weight = 1.0 + float(np.abs(posterior.a).sum())
    low = posterior.tau >= SMALLEST_TAU and KERNEL_ERROR * weight <= WORTHWHILE * beta * posterior.scale
    error = KERNEL_ERROR if low else ROUNDING
    mean_error = error * weight
    half_errors = error * half_norms(posterior)
    found: list[tuple[NDArray[np.intp], Array, Array]] = []
    threshold = -np.inf
    for i, j in column_blocks(len(X), posterior.n):
        D = posterior.kernel.squared_distance(posterior.X, X[i:j])
        K = np.asarray(posterior.kernel.profile(D.astype(np.float32) if low else D), dtype=np.float64)
        mean = posterior.constant + posterior.a @ K
        rows, upper, lower = _prune(posterior, K, mean + mean_error, beta, threshold, half_errors)
        found.append((rows + i, upper, lower - 2 * mean_error))
        lowers = np.concatenate([f[2] for f in found])
        if len(lowers) >= k:
            threshold = float(np.partition(lowers, -k)[-k])
        found = [(r[u >= threshold], u[u >= threshold], w[u >= threshold]) for r, u, w in found]
    return np.concatenate([rows for rows, _, _ in found])


def _prune(
    posterior: Posterior, K: Array, mean: Array, beta: float, threshold: float, half_errors: Array
) -> tuple[NDArray[np.intp], Array, Array]:
    """The columns of K whose mean + βσ_m stays at or above the threshold for every m, with both limits of mean + βσ."""
    upper = mean + beta * posterior.scale
    alive = np.flatnonzero(upper >= threshold)
    if len(alive) < len(mean):
        mean, upper, K = mean[alive], upper[alive], K[:, alive]
    explained, error = np.zeros(len(alive)), 0.0
    if not len(alive):
        return alive, upper, upper
    for i, j in row_blocks(posterior.n):
        V = posterior.factor.R[i:j, :j] @ K[:j]
        explained += np.einsum("ij,ij->j", V, V)
        error = float(half_errors[j - 1])
        upper = mean + beta * deviation(posterior, np.sqrt(explained) - error)
        keep = upper >= threshold
        if np.count_nonzero(keep) < 0.8 * len(keep):  # a copy of the rest pays
            alive, explained, mean, upper, K = alive[keep], explained[keep], mean[keep], upper[keep], K[:, keep]
            if not len(alive):
                break
    return alive, upper, mean + beta * deviation(posterior, np.sqrt(explained) + error)


def deviation(posterior: Posterior, half: Array) -> Array:
    """s sqrt(1 − |v|²) for lengths |v|, as far as they are in [0, 1]."""
    std: Array = posterior.scale * np.sqrt(np.maximum(1.0 - np.clip(half, 0.0, 1.0) ** 2, VARIANCE_FLOOR))
    return std


def half_norms(posterior: Posterior) -> Array:
    """| |R_m| 1 | for m = 1 … n, (n,): how far an error of one in every kernel value moves v_m."""
    norms: Array = np.sqrt(np.cumsum(np.abs(posterior.factor.R).sum(axis=1) ** 2))
    return norms
