"""Polishing: many points of a domain improved at once, and what their end points say.

m, d      int     points, columns           points  (m, d)  end points
values    (m,)    alpha there               spread  float   range of the values of starts and end points
"""

import numpy as np

from suffice.checks import as_count, as_real
from suffice.solvers.record import Work
from suffice.solvers.search.lbfgs import lbfgs
from suffice.solvers.search.simplex import nelder_mead
from suffice.solvers.search.surface import Ascent, LocalSearch, Surface, numbers
from suffice.types import Array, Domain, Indices, Score, Starts, Status, smooth_columns

TOL = 1e-5  # of the way to the maximum is left, so 1e-10 of the gain
SAME_POINT = 0.01  # end points of one maximum are much closer than this, maxima of a model of data rarely so close
SAME_VALUE = 1e-3  # of the spread


def check_search(name: str, starts: int, max_iter: int | None, tol: float) -> None:
    """Refuse settings that make no search."""
    as_count(starts, f"{name}: starts", 1)
    if max_iter is not None:
        as_count(max_iter, f"{name}: max_iter", 1)
    if not 0.0 < as_real(tol, f"{name}: tol") < 1.0:
        raise ValueError(f"{name} got tol={tol!r}; it is the share of the way that may be left, between 0 and 1")


def polish(
    alpha: Score,
    domain: Domain,
    points: Array,
    *,
    search: LocalSearch = lbfgs,
    max_iter: int | None = None,
    tol: float = TOL,
    deadline: float | None = None,
) -> Ascent:
    """Local searches from all the points (m, d) in one batch, moving smooth columns only.

    A score without a gradient is searched with Nelder–Mead whatever the search: differences of a score that is not
    smooth are noise. The deadline, a time.monotonic(), is looked at between rounds.
    """
    smooth = smooth_columns(domain)
    surface = Surface(alpha, points, smooth, deadline)
    if not smooth.any():
        values = surface.values(surface.origin, np.arange(len(points)))
        return Ascent(points, values, values, np.zeros(len(points), dtype=np.bool_), Work(values=len(points)))
    if not alpha.smooth:
        search = nelder_mead
    return _members(search(surface, max_iter, tol), surface, domain)


def _members(ascent: Ascent, surface: Surface, domain: Domain) -> Ascent:
    """End points outside a domain that is not a box are snapped to it, or given up if that makes them worse."""
    points = domain.snap(ascent.points)
    off = np.flatnonzero((points != ascent.points).any(axis=1))
    if not len(off):
        return ascent
    values = ascent.values.copy()
    values[off] = numbers(surface.alpha(points[off]))
    back = values < ascent.initial
    points = np.where(back[:, None], surface.starts, points)
    values = np.where(back, ascent.initial, values)
    return Ascent(points, values, ascent.initial, ascent.cut, ascent.work + Work(values=len(off)))


def maxima(points: Array, values: Array, *, tolerance: float, closeness: float) -> Indices:
    """Which end points are the highest of all within `tolerance` (max norm) and `closeness`, highest first."""
    order = np.argsort(-values, kind="stable")
    points, values = points[order], values[order]
    found, left = [], np.ones(len(values), dtype=np.bool_)
    while left.any():
        highest = int(left.argmax())
        near = np.abs(points - points[highest]).max(axis=1) <= tolerance
        left &= ~(near & (values >= values[highest] - closeness))
        left[highest] = False  # also where it is not a number
        found.append(highest)
    return order[found] if found else order[:0]


def distinct_maxima(points: Array, values: Array, *, tolerance: float, closeness: float) -> int:
    """How many different maxima: each end point joins the highest one within `tolerance` (max norm) and `closeness`."""
    return len(maxima(points, values, tolerance=tolerance, closeness=closeness))


def facts(ascent: Ascent) -> Starts:
    """The record of the runs that ended at a number."""
    finite = np.isfinite(ascent.values)
    points, values = ascent.points[finite], ascent.values[finite]
    lowest = ascent.initial[np.isfinite(ascent.initial)]
    spread = float(np.max(values, initial=-np.inf) - np.min(lowest, initial=np.inf)) if len(lowest) else 0.0
    distinct = distinct_maxima(points, values, tolerance=SAME_POINT, closeness=SAME_VALUE * spread)
    return Starts(len(ascent.points), distinct, SAME_POINT)


def status_of(ascent: Ascent) -> Status:
    """How the runs ended, together."""
    if ascent.cut.any():
        return Status.BUDGET
    return Status.DONE if ascent.improved.any() else Status.NO_DESCENT
