"""How far a point is from improving a front.

C  (L, m)  corners: a point improves the front if it is above one of them in every objective, all of which are maximized
U  (N, m)  candidates

    shortfall(u) = min over c of max_j (c_j − u_j)₊,

what u lacks in every objective: continuous, piecewise linear, falling in each u_j, and zero from the border on.
"""

from collections.abc import Iterator

import numpy as np

from suffice.types import Array, Indices

CELLS = 12_000  # of a table of boxes and candidates: below 128 kB, from where on each array costs page faults
FEWEST = 32  # candidates at once, however many boxes there are: fewer are all overhead


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
