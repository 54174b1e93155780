"""Which points no other point dominates, and how far a point is from improving their front.

Y  (n, m)  rows are points; every one of the m objectives is maximized
r  (m,)    the reference point: a row counts only where it is above r in every objective
C  (L, m)  corners: a point improves the front if it is above one of them in every objective
U  (N, m)  candidates

    shortfall(u) = min over c of max_j (c_j − u_j)₊

A row dominates another one if it is nowhere below it and somewhere above it. The shortfall is what u lacks in every
objective: continuous, piecewise linear, falling in each u_j, and zero from the border on.
"""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from suffice.types import Array, Indices

BEYOND = 0.1  # of the length of a front: how much worse than its worst values the reference point is
# Of a table of boxes and candidates, or of rows that are compared: below 128 kB, from where on each array costs page
# faults.
CELLS = 12_000
FEWEST = 32  # candidates at once, however many boxes there are: fewer are all overhead


def nondominated(Y: Array, *, distinct: bool = False) -> NDArray[np.bool_]:
    """Which rows no other row dominates, (n,); of equal rows all, or with `distinct` only the first.

    A row with a nan is not in the front and dominates nothing. O(n log n) for m ≤ 2, else O(n · size of the front).
    """
    Y = np.asarray(Y, dtype=float)
    inside = np.zeros(len(Y), dtype=bool)
    known = np.flatnonzero(~np.isnan(Y).any(axis=1))
    # Largest first, by the first objective, then the second, …: a row is dominated only by rows before it.
    order = known[np.lexsort(-Y[known].T[::-1])]
    Z = Y[order]
    new = np.ones(len(Z), dtype=bool)
    new[1:] = (Z[1:] != Z[:-1]).any(axis=1)
    kept = _planar(Z[new]) if Y.shape[1] <= 2 else _blockwise(Z[new])
    # lexsort is stable, so that the first of equal rows is the one that is new
    inside[order] = kept[np.cumsum(new) - 1] & (new | (not distinct))
    return inside


def counted(Y: Array, r: Array) -> NDArray[np.bool_]:
    """Which rows are above r in every objective, (n,); a row with a nan is not. Refuses what has no volume."""
    Y, r = np.asarray(Y, dtype=float), np.asarray(r, dtype=float)
    if Y.ndim != 2 or r.shape != Y.shape[1:] or not r.size:
        raise ValueError(
            f"rows of m objectives and a reference point of m numbers are wanted: got shapes {Y.shape} and {r.shape}"
        )
    if not np.isfinite(r).all():
        raise ValueError(f"the reference point must be finite, or volumes are not: got {r.tolist()}")
    above = (Y > r).all(axis=1)
    if np.isposinf(Y[above]).any():
        raise ValueError("a row above the reference point is infinite, and so is its volume: leave such rows out")
    return np.asarray(above)


def _planar(Z: Array) -> NDArray[np.bool_]:
    """The same for distinct rows of one or two objectives, largest first: the last objective has to be a new record."""
    last = Z[:, -1]
    kept = np.ones(len(Z), dtype=bool)
    kept[1:] = last[1:] > np.maximum.accumulate(last)[:-1]
    return kept


def _blockwise(Z: Array) -> NDArray[np.bool_]:
    """The same for distinct rows of any number of objectives, largest first."""
    kept = np.zeros(len(Z), dtype=bool)
    front = np.empty((len(Z), Z.shape[1]))
    size = 0
    for rows in blocks(len(Z), max(1, len(Z))):
        block = np.arange(len(Z))[rows]
        block = block[~_weakly_below(Z[block], front[:size]).any(axis=1)]
        within = _weakly_below(Z[block], Z[block])
        np.fill_diagonal(within, False)
        block = block[~within.any(axis=1)]
        kept[block] = True
        front[size : size + len(block)] = Z[block]
        size += len(block)
    return kept


def _weakly_below(A: Array, B: Array) -> NDArray[np.bool_]:
    """Whether row i of A is nowhere above row k of B, (len(A), len(B)): if they differ, whether B_k dominates A_i."""
    below = A[:, 0, None] <= B[:, 0]
    for j in range(1, A.shape[1]):
        below &= A[:, j, None] <= B[:, j]
    return below


def blocks(n: int, rows: int) -> Iterator[slice]:
    """Slices of n candidates, so that a table with that many rows stays small."""
    step = max(FEWEST, CELLS // rows)
    return (slice(start, start + step) for start in range(0, n, step))


def shortfall(C: Array, U: Array) -> Array:
    """The shortfall, (N,)."""
    return _nearest(C, U)[0]


def shortfall_and_grad(C: Array, U: Array) -> tuple[Array, Array]:
    """The shortfall and its derivatives, (N,) and (N, m): −1 in the objective that lacks most, or all zero."""
    out, nearest = _nearest(C, U)
    rows, grad = np.flatnonzero(out > 0), np.zeros(U.shape)
    grad[rows, np.argmax(C[nearest[rows]] - U[rows], axis=1)] = -1.0
    return out, grad


def _nearest(C: Array, U: Array) -> tuple[Array, Indices]:
    """The shortfall and the corner that it is counted from, (N,) each."""
    out, nearest = np.empty(len(U)), np.empty(len(U), dtype=np.intp)
    for block in blocks(len(U), len(C)):
        lacks = C[:, 0, None] - U[block, 0]
        for j in range(1, U.shape[1]):
            np.maximum(lacks, C[:, j, None] - U[block, j], out=lacks)
        nearest[block] = lacks.argmin(axis=0)
        out[block] = np.maximum(lacks.min(axis=0), 0.0)
    return out, nearest
