"""Polishing: many points of a domain improved at once, each within its cell of integers and options.

m, d      int     points, columns           points  (m, d)  end points          values  (m,)  alpha there
"""

import numpy as np

from suffice.checks import as_count, as_real
from suffice.solvers.record import Work
from suffice.solvers.search.lbfgs import lbfgs
from suffice.solvers.search.simplex import nelder_mead
from suffice.solvers.search.surface import Ascent, LocalSearch, Surface, numbers
from suffice.space import free_columns, is_constrained
from suffice.types import Array, Domain, Score, Status, smooth_columns

TOL = 1e-5  # of the way to the maximum is left, so 1e-10 of the gain


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
    leaders: int = 0,
    known: float | None = None,
    deadline: float | None = None,
) -> Ascent:
    """Local searches from all the points (m, d) in one batch, moving smooth columns only, and of these the active ones.

    The best `leaders` of them go on where `max_iter` cuts the others. Where a value is
    `known`, −inf being the least, they race: those that cannot win stop.

    A score without a gradient is searched with Nelder–Mead whatever the search: differences of a score that is not
    smooth are noise. The deadline, a time.monotonic(), is looked at between rounds.
    """
    smooth = smooth_columns(domain)
    held = ~free_columns(domain, points)[:, smooth]
    inside = domain.contains if is_constrained(domain) else None
    surface = Surface(alpha, points, smooth, deadline, held if held.any() else None, inside, known)
    if not smooth.any():
        values = surface.values(surface.origin, np.arange(len(points)))
        return Ascent(points, values, values, np.zeros(len(points), dtype=np.bool_), Work(values=len(points)))
    if not alpha.smooth:
        search = nelder_mead
    return _members(search(surface, max_iter, tol, leaders), surface, domain)


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


def status_of(ascent: Ascent) -> Status:
    """How the runs ended, together."""
    if ascent.cut.any():
        return Status.BUDGET
    return Status.DONE if ascent.improved.any() else Status.NO_DESCENT
