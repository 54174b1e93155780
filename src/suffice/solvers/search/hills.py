"""How many hills the ends of local runs lie on.

X       (m, d)  different ends of local runs          v    (m,)   alpha there
smooth  (d,)    which columns the runs moved          dip  float  what two ends on one hill may have between them

Runs are cut long before they arrive, and on a ridge in many columns no two of them end near each other. Two ends are on
one hill if the straight way between them does not dip: a run that went on would not have to stop before the other one.
"""

import numpy as np
from numpy.typing import NDArray

from suffice.solvers.record import late
from suffice.types import Array, Score

BETWEEN = 8  # points of a way that are looked at: a valley as wide as an eighth of it does not hide


def hills(
    alpha: Score, X: Array, v: Array, smooth: NDArray[np.bool_], *, dip: float, deadline: float | None = None
) -> tuple[int, int]:
    """The number of hills, and the rows of alpha that it took; after the deadline every end counts as one.

    Each end joins the highest one that it can be reached from. Between cells of the columns that do not move there is
    no way.
    """
    order = np.argsort(-v, kind="stable")
    X, v = X[order], v[order]
    left, count, rows = np.ones(len(v), dtype=np.bool_), 0, 0
    steps = np.arange(1, BETWEEN + 1)[:, None] / (BETWEEN + 1)
    while left.any() and not late(deadline):
        top = int(left.argmax())
        left[top] = False
        count += 1
        others = np.flatnonzero(left & (X[:, ~smooth] == X[top, ~smooth]).all(axis=1))
        if len(others):
            way = X[top] + steps * (X[others] - X[top])[:, None, :]
            lowest = alpha(way.reshape(-1, X.shape[1])).reshape(len(others), BETWEEN).min(axis=1)
            left[others[lowest >= v[others] - dip]] = False
            rows += BETWEEN * len(others)
    return count + int(left.sum()), rows
