"""Local searches over all columns: climbing within a cell of integers and options, and exchanging these for others.

m, d    int     runs, columns                 ends   (m, d)  where each run stands, its value beside
active  (a,)    runs whose last exchange led up, or that have not tried one yet

A run climbs in the smooth columns of its cell. Then every discrete value of its end is replaced by others, one at a
time, and it goes where alpha is highest, as long as that is up, and climbs again from there; the best run also climbs
in a few cells beside its own that begin lower. And so on, until no run gets any higher. All runs take each of these
steps together, in one batch. On a space of floats alone this is `polish`.
"""

import math

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from suffice.solvers.record import Work, late
from suffice.solvers.search.exchange import FEW, exchanged, exchanges
from suffice.solvers.search.hills import hills
from suffice.solvers.search.lbfgs import lbfgs
from suffice.solvers.search.polish import TOL, polish
from suffice.solvers.search.slide import slide
from suffice.solvers.search.surface import Ascent, LocalSearch, numbers
from suffice.solvers.search.walk import walk
from suffice.space import by_steps, exchangeable
from suffice.types import Array, Domain, Indices, Score, Starts, largest, smooth_columns

CELLS = 4  # neighbouring cells of the best run that are climbed in; of the others one each
EXCHANGES = 12  # times that a run may go on to another cell
ALL = 2  # of these times for every run that is still in; further ones are for the best
CONTENDERS = 4  # of the runs of a race that exchange more than once, and go on to another cell after the first climb
GAIN = 1e-6  # of the range of the values: a smaller step up is none
LOW = 0.5  # of the spread, below the highest: how far up a hill has to come to count for itself
LOW_RATIO = math.log(100)  # and of a logarithm: how much lower it may be at most
SAME_HEIGHT = 1e-6  # of the spread: hills whose tops differ by less are of one height
SAME_HILL = 1e-3  # of the spread: what the way between two ends of one hill may dip


def ascend(
    alpha: Score,
    domain: Domain,
    starts: Array,
    *,
    search: LocalSearch = lbfgs,
    max_iter: int | None = None,
    tol: float = TOL,
    leaders: int = 0,
    known: float | None = None,
    deadline: float | None = None,
    rng: Generator | None = None,
) -> Ascent:
    """Where the runs from the starts, (m, d), end, none of them lower than it began.

    Where a value is `known`, −inf being the least, the runs race for a higher one, and those that cannot win stop. In a
    space that is walked by steps the stream `rng` says which.
    """
    if rng is not None and by_steps(domain):
        return walk(alpha, domain, starts, rng, deadline)

    def climb(points: Array) -> Ascent:
        return polish(
            alpha,
            domain,
            points,
            search=search,
            max_iter=max_iter,
            tol=tol,
            leaders=leaders,
            known=known,
            deadline=deadline,
        )

    if smooth_columns(domain).all() or not exchangeable(domain) or late(deadline):
        return slide(climb(starts), alpha, domain, deadline)
    initial, few = numbers(alpha(starts)), len(starts) if known is None else CONTENDERS
    cells, _, rows = _uphill(alpha, domain, starts, initial, few)
    first = climb(cells)
    ends, values, cut, work = first.points.copy(), first.values.copy(), first.cut.copy(), first.work
    work += Work(values=len(starts) + rows)
    active = np.flatnonzero(np.isfinite(values))
    least = GAIN * (np.max(values[active], initial=-np.inf) - np.min(initial[active], initial=np.inf))
    active = active[largest(values[active], few)]
    for i in range(EXCHANGES):
        if i == ALL:
            active = active[values[active] == values.max()]
        if not len(active) or late(deadline):
            break
        owner, cells, looked = _cells(alpha, domain, ends[active], values[active], few, known)
        work += looked
        if not len(cells):
            break
        found = climb(cells)
        work += found.work
        best = best_rows(found.values, owner, len(active))
        up = (best >= 0) & (found.values[best] > values[active] + least)
        active, best = active[up], best[up]
        ends[active], values[active], cut[active] = found.points[best], found.values[best], found.cut[best]
    return slide(Ascent(ends, values, initial, cut, work), alpha, domain, deadline)


def _cells(
    alpha: Score, domain: Domain, ends: Array, values: Array, few: int, known: float | None
) -> tuple[Indices, Array, Work]:
    """Cells that are worth a climb: whose they are, (k,), where to start there, (k, d), and the work."""
    found, up, rows = _uphill(alpha, domain, ends, values, few)
    owner, starts = np.flatnonzero(up), found[up]
    best = int(np.argmax(values))
    if not up[best] and (known is None or values[best] > known):
        _, beside = exchanges(ends[[best]], domain)
        rows += len(beside)
        beside = beside[largest(alpha(beside), CELLS)]
        owner, starts = np.append(owner, np.full(len(beside), best)), np.concatenate([starts, beside])
    return owner, starts, Work(values=rows)


def _uphill(alpha: Score, domain: Domain, X: Array, v: Array, few: int) -> tuple[Array, NDArray[np.bool_], int]:
    """Where exchanges that raise alpha lead from X, (a, d), which rows they lead anywhere, (a,), and rows looked at.

    All exchanges of a row that raise alpha are made at once if together they raise it more than the best one does: as
    a rule they do, and then a few looks are enough for many coordinates. The best few rows get more than one.
    """
    X, v, up, rows = X.copy(), v.copy(), np.zeros(len(X), dtype=np.bool_), 0
    live = np.arange(len(X))
    for _ in range(EXCHANGES):
        owner, which, others = exchanged(X[live], domain)
        if not len(others):
            break
        values = numbers(alpha(others))
        rows += len(others)
        best = best_rows(values, owner, len(live))
        higher = (best >= 0) & (values[best] > v[live])
        if domain.product and higher.any():
            rows += _combined(alpha, domain, X[live], v[live], owner, which, others, values, best)
        live, best = live[higher], best[higher]
        X[live], v[live], up[live] = others[best], values[best], True
        live = live[largest(v[live], few)]
        if not len(live):
            break
    return X, up, rows


def _combined(
    alpha: Score,
    domain: Domain,
    X: Array,
    v: Array,
    owner: Indices,
    which: Indices,
    others: Array,
    values: Array,
    best: Indices,
) -> int:
    """Put all good exchanges of a row of X together in place of its best one, where that is higher; rows looked at."""
    C = len(domain.coordinates)
    each = best_rows(values, owner * C + which, len(X) * C).reshape(len(X), C)
    good = (each >= 0) & (values[each] > v[:, None])
    several = np.flatnonzero(good.sum(axis=1) > 1)
    if not len(several):
        return 0
    together = X[several]
    for j in np.flatnonzero(good[several].any(axis=0)).tolist():
        columns, changed = domain.coordinates[j].columns, good[several, j]
        together[changed, columns] = others[each[several[changed], j], columns]
    found = numbers(alpha(together))
    wins = found > values[best[several]]
    others[best[several[wins]]], values[best[several[wins]]] = together[wins], found[wins]
    return len(several)


def best_rows(values: Array, owner: Indices, n: int) -> Indices:
    """For each of n owners the row of its largest value, (n,); −1 for owners without rows."""
    best = np.full(n, -1, dtype=np.intp)
    order = np.argsort(values, kind="stable")
    best[owner[order]] = order  # the last one to be written is the largest
    return best


def facts(
    alpha: Score, domain: Domain, ends: Array, values: Array, *, spread: float, deadline: float | None = None
) -> tuple[Starts, Work]:
    """How many runs there were and on how many hills they ended, and what it took to find out.

    Ends that are lower than halfway, or where alpha is a logarithm, of less than a hundredth of the highest one, count
    as one hill: far from all data a model may have any number of them, and they say nothing about a higher one. So do
    hills of the same height, such as options that the model has no data of: one more of them would be no higher.
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
    heights = np.unique(np.round((best - tops) / (SAME_HEIGHT * spread))) if spread > 0.0 else tops[:1]
    return Starts(m, len(heights) + int(m > len(values))), Work(values=rows)


def _ways(domain: Domain) -> NDArray[np.bool_]:
    """Columns in which there is a way between two ends, (d,): the smooth ones, and those with many levels."""
    ways = smooth_columns(domain)
    for coordinate in domain.coordinates:
        if coordinate.levels is not None and coordinate.levels.count > FEW:
            ways[coordinate.columns] = True
    return ways
