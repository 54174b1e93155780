"""Which ends of local runs lie on one hill.

X       (m, d)  ends of local runs                    v    (m,)   alpha there
smooth  (d,)    columns in which there is a way       dip  float  what two ends on one hill may have between them

Runs are cut long before they arrive, and on a ridge in many columns no two of them end near each other. Two ends are on
one hill if the straight way between them does not dip: a run that went on would not have to stop before the other one.
Between cells of the columns that do not move there is no way.
"""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from suffice.solvers.record import late
from suffice.types import Array, Indices

# Points of a way that are looked at, as shares of it: a valley as wide as an eighth does not hide. They are looked at
# in turn, since most ways between two hills dip in the middle, and one dip is enough.
WAY = tuple(np.array(shares) / 9 for shares in ((5,), (1, 2, 3, 4, 6, 7, 8)))
MET = 1e-2  # of a length-scale: no score of a model has a valley between ends that are this near
BETWEEN = sum(map(len, WAY))


def hills(
    alpha: Callable[[Array], Array],
    X: Array,
    v: Array,
    smooth: NDArray[np.bool_],
    *,
    dip: float,
    scales: Array | None = None,
    deadline: float | None = None,
) -> tuple[Indices, int]:
    """The hill of each end, (m,), 0 being the highest and each joining the highest it can, and the rows of alpha that
    it took; after the deadline every end has a hill of its own."""
    order = np.argsort(-v, kind="stable")
    near = MET * (np.ones(X.shape[1]) if scales is None else scales)
    hill, rows, count = np.full(len(v), -1, dtype=np.intp), 0, 0
    for top in order.tolist():
        if hill[top] >= 0:
            continue
        hill[top] = count
        others = np.flatnonzero((hill < 0) & (X[:, ~smooth] == X[top, ~smooth]).all(axis=1))
        met = (np.abs(X[others] - X[top]) <= near).all(axis=1) & (v[others] >= v[top] - dip)
        hill[others[met]] = count  # runs that have arrived at one peak need no look at the way between them
        others = others[~met]
        for shares in WAY:
            if late(deadline) or not len(others):
                others = others[:0]
                break
            way = X[others] + shares[:, None, None] * (X[top] - X[others])
            lowest = alpha(way.reshape(-1, X.shape[1])).reshape(len(shares), len(others)).min(axis=0)
            rows += len(shares) * len(others)
            others = others[lowest >= v[others] - dip]
        hill[others] = count
        count += 1
    return hill, rows
