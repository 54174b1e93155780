"""The grids of a run, drawn again, and their fill distances.

X_t   (n_t, d)  the candidates of step t, rows of the unit cube        h_t   float  their fill distance (fill.py)

A file holds no grids, but it holds what they were drawn from: the rule, its size, the seed and the number of the trial.
A grid counts as drawn again only if the suggested point is one of its points, or better than all of them where the
solver looked around as well: a larger grid has no larger holes. Holes are looked for in the whole cube,
also where the space has points in some places only: they are never smaller than the holes of the space.
"""

import math
from dataclasses import dataclass

import numpy as np

from suffice.paper.fill import fill_bracket
from suffice.solvers import Grid
from suffice.streams import Streams
from suffice.study.audit import CannotRebuild, known_at, refrozen
from suffice.study.result import Result
from suffice.study.settings import Opaque
from suffice.study.trial import Trial
from suffice.types import Array

MOST_STEPS = 100  # whose grids are measured: 0.03 to 0.2 seconds each for thousands of points in 2 to 10 columns
BOXES = 20_000  # of the search for the largest hole: up to six columns it ends with the hole itself
CLOSED = 1e-6  # a relative width of the bracket below which it is a number
SAME = 1e-9  # a point goes to the user's units and back, which rounds


@dataclass(frozen=True)
class GridFills:
    """The fill distances of a run's grids."""

    fills: Array  # (T,): h_t or a proven upper limit of it; ∞ where a grid is not known
    lower: Array  # (T,): proven lower limits; equal to `fills`, but for rounding, where h_t is known
    sizes: Array  # (T,): points in each grid
    notes: tuple[str, ...] = ()  # what is not known, as sentences

    @property
    def growth(self) -> float:
        """The smallest c with |X_t| ≤ ct at all steps."""
        return float(np.max(self.sizes / np.arange(1, len(self.sizes) + 1), initial=1.0))

    @property
    def exact(self) -> bool:
        """Whether every fill distance is known, not only a limit of it."""
        return bool(np.all(self.fills <= self.lower * (1 + CLOSED)))

    def __str__(self) -> str:
        """The first one, the last one and the sum, of those that are known."""
        known = np.flatnonzero(np.isfinite(self.fills))
        if not len(known):
            return "the fill distance of no grid is known"
        first, last = known[0], known[-1]
        most = "" if self.exact else "at most "
        ends = (f"{most}{self.fills[t]:.3g} at step {t + 1} ({self.sizes[t]:.0f} points)" for t in (first, last))
        return f"fill distances of the grids: {', '.join(ends)}, {most}{self.fills[known].sum():.3g} in all"


def grid_fills(result: Result) -> GridFills:
    """Fill distances of the grids of a run whose solver is Grid; of a long run, of MOST_STEPS steps spread evenly."""
    if not isinstance(result.settings.solver, Grid):
        raise TypeError(f"the points of a run come from grids if its solver is Grid: got {result.settings.solver!r}")
    trials = [trial for trial in result.history.trials if trial.solve is not None and trial.state != "cancelled"]
    T = len(trials)
    wanted = set(np.linspace(0, T - 1, min(T, MOST_STEPS)).astype(int).tolist()) if T else set()
    fills, lower, lost = np.full(T, math.inf), np.zeros(T), 0
    sizes = np.array([trial.solve.n_evals for trial in trials if trial.solve is not None], dtype=float)
    for t in sorted(wanted):
        X = redrawn(result, trials[t])
        if X is None:
            lost += 1
        elif len(X) < result.settings.space.size:  # else every point is in it, and there are no holes
            found = fill_bracket(X, Streams(result.seed)("audit", trials[t].number), starts=50, boxes=BOXES)
            fills[t], lower[t] = found.upper, found.lower
        else:
            fills[t] = 0.0
        sizes[t] = sizes[t] if X is None else len(X)
    notes = []
    if len(wanted) < T:
        notes.append(f"of {T} grids {len(wanted)} were measured; the other steps count with the most that any can cost")
    if lost:
        notes.append(f"{lost} grids do not hold the point that was suggested; these steps count with the most, too")
    return GridFills(fills, lower, sizes, tuple(notes))


def redrawn(result: Result, trial: Trial) -> Array | None:
    """X_t as the solver saw it, (n, d); None if it cannot be had, or the suggested point is not of it nor better."""
    report, settings = trial.solve, result.settings
    if report is None or report.binding is None or isinstance(settings.model, Opaque):
        return None
    binding = report.binding
    try:
        frozen = refrozen(settings, known_at(result.history, trial.number, binding), trial.number, binding, trial.fixed)
    except (CannotRebuild, np.linalg.LinAlgError):
        return None
    domain, n = frozen.domain, settings.solver.size(binding.t, frozen.domain.dim)
    if domain.size <= n:
        return domain.enumerate()
    rng = Streams(settings.seed)("solver", trial.number)
    X: Array = settings.solver.candidates(n, domain, design=frozen.step.design, rng=rng)[: report.n_evals]
    drawn = bool(np.any(np.all(np.abs(X - trial.unit) <= SAME, axis=1)))
    if drawn or not settings.solver.near:
        return X if drawn else None
    return X if report.value >= float(frozen.alpha.top(X, 1)[1][0]) else None
