"""Which ends of local runs lie on one hill (one local maximum), and how many hills the runs found.

X       (m, d)  ends of local runs                    v    (m,)   alpha there
smooth  (d,)    columns that can move                 dip  float  the largest dip between two ends on one hill

Runs stop long before they arrive, and on a ridge in many columns no two of them end near each other. Two ends are on
one hill if alpha does not dip on the straight line between them: a longer run would not stop before the other end.
Between cells of the columns that do not move there is no such line.
"""

import math
from collections.abc import Callable

import numpy as np

from suffice.checks import NOTHING
from suffice.solvers.record import Work, late
from suffice.solvers.search.mixed import FEW
from suffice.solvers.search.surface import Mask
from suffice.types import Array, Domain, Indices, Score, Starts, smooth_columns

# Points on a line to evaluate, as fractions of it: they detect valleys as wide as an eighth. The middle comes first,
# because most lines between two hills dip there, and one dip is enough.
WAY = tuple(np.array(shares) / 9 for shares in ((5,), (1, 2, 3, 4, 6, 7, 8)))
TOPS = 6  # ends whose lines to all lower ones are evaluated in one call
MET = 1e-2  # of a length-scale: no score of a model has a valley between ends that are so close
SAME_HILL = 1e-3  # of the spread: the largest dip between two ends of one hill
LOW = 0.5  # of the spread, below the highest: higher hills count separately
LOW_RATIO = math.log(100)  # the same for a logarithm, as a difference


def facts(
    alpha: Score, domain: Domain, ends: Array, values: Array, *, spread: float, deadline: float | None = None
) -> tuple[Starts, Work]:
    """The number of runs, the number of hills on which they ended, and the work to find out.

    Ends that are lower than halfway count as one hill; for a logarithm, ends below a hundredth of the highest one. Far
    from all data a model may have any number of them, and they are no evidence of a higher one. Hills of the same
    height also count as one, such as options without data, because another one would be no higher.
    """
    ended = np.isfinite(values)
    m, best = int(np.count_nonzero(ended)), values[ended].max(initial=-np.inf)
    low = min(LOW * spread, LOW_RATIO) if alpha.logarithmic else LOW * spread
    high = ended & (values >= best - low)
    ends, values = ends[high], values[high]
    ways = _ways(domain)
    on = alpha if domain.product and smooth_columns(domain).all() else lambda X: alpha(domain.snap(X))
    hill, rows = hills(on, ends, values, ways, dip=SAME_HILL * spread, scales=alpha.scales, deadline=deadline)
    tops = np.full(hill.max(initial=-1) + 1, -np.inf)
    np.maximum.at(tops, hill, values)
    heights = np.unique(np.round((best - tops) / (NOTHING * spread))) if spread > 0.0 else tops[:1]
    return Starts(m, len(heights) + int(m > len(values))), Work(values=rows)


def _ways(domain: Domain) -> Mask:
    """Columns in which two ends may differ, (d,): the smooth ones, and those with many levels."""
    ways = smooth_columns(domain)
    for coordinate in domain.coordinates:
        if coordinate.levels is not None and coordinate.levels.count > FEW:
            ways[coordinate.columns] = True
    return ways


def hills(
    alpha: Callable[[Array], Array],
    X: Array,
    v: Array,
    smooth: Mask,
    *,
    dip: float,
    scales: Array | None = None,
    deadline: float | None = None,
) -> tuple[Indices, int]:
    """The hill of each end, (m,), 0 being the highest and each joining the highest it can, and the rows of alpha that
    it took; after the deadline every end has a hill of its own."""
    near, cells = MET * (np.ones(X.shape[1]) if scales is None else scales), X[:, ~smooth]
    peak = _peaks(X, v, cells, near, dip)
    left, hill, rows, count = peak[peak == np.arange(len(v))], np.full(len(v), -1, dtype=np.intp), 0, 0
    left = left[np.argsort(-v[left], kind="stable")]

    def passed(way: Array, tops: Indices, others: Indices) -> Mask:
        """Which lines from others to tops do not dip at these fractions of them; none after the deadline."""
        nonlocal rows
        if late(deadline) or not len(others):
            return np.zeros(len(others), dtype=np.bool_)
        points = X[others] + way[:, None, None] * (X[tops] - X[others])
        rows += points.shape[0] * points.shape[1]
        values = alpha(points.reshape(-1, X.shape[1])).reshape(points.shape[:2])
        return np.asarray(values.min(axis=0) >= v[others] - dip)

    while len(left):
        tops = left[:TOPS]
        ahead = np.triu(np.ones((len(tops), len(left)), dtype=np.bool_), 1)
        high, low = np.nonzero(ahead & (cells[tops][:, None] == cells[left]).all(axis=2))
        level = passed(WAY[0], left[high], left[low])
        high, low = left[high[level]], left[low[level]]
        for top in tops.tolist():
            if hill[top] < 0:
                hill[top] = count
                others = low[(high == top) & (hill[low] < 0)]
                hill[others[passed(WAY[1], np.full_like(others, top), others)]] = count
                count += 1
        left = left[hill[left] < 0]
    return hill[peak], rows


def _peaks(X: Array, v: Array, cells: Array, near: Array, dip: float) -> Indices:
    """For each end the highest one at the same place, (m,): no line between them has to be checked."""
    peak, left = np.arange(len(v)), np.argsort(-v, kind="stable")
    while len(left):
        top = left[0]
        met = (np.abs(X[left] - X[top]) <= near).all(axis=1) & (v[left] >= v[top] - dip)
        met &= (cells[left] == cells[top]).all(axis=1)
        met[0] = True
        peak[left[met]] = top
        left = left[~met]
    return peak
