"""Fill distances: how far a point of the cube can be from the nearest of n given points (h_t in the paper).

X     (n, d)    points of the unit cube           h     float  sup over x of min_i |x − X_i|, Euclidean
X_t   (n_t, d)  the candidates of step t          h_t   float  their fill distance

h is bracketed. A search that moves away from the nearest point gives lower bounds. Branch and bound over boxes gives
upper bounds: no point of a box is farther from X_i than the box's farthest corner. The two meet within a tenth of a
second for thousands of points in up to four dimensions, and for a hundred points in up to six.

A study file has no grids, but it has everything to draw them again: the rule, its size, the seed and the number of the
trial. A grid is accepted only if the suggested point is one of its points. If the solver also searched around the grid,
a point that is better than the whole grid is accepted as well, because a larger grid has no larger holes. The search
covers the whole cube, even if the space has no points in parts of it; these holes are never smaller than those of the
space.
"""

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.random import Generator

from suffice.checks import RESOLUTION, ROUNDING
from suffice.lab.plan import Plan
from suffice.problems import find
from suffice.record.settings import Opaque
from suffice.record.trial import Trial
from suffice.result.result import Result
from suffice.solvers import Grid
from suffice.streams import Streams
from suffice.study.audit import CannotRebuild, known_at, refrozen
from suffice.types import Array

if TYPE_CHECKING:
    from scipy.spatial import KDTree

MOST_STEPS = 100  # steps with measured grids: 0.03 to 0.2 seconds each for thousands of points in 2 to 10 columns


@dataclass(frozen=True)
class FillBracket:
    """lower ≤ h ≤ upper, both proven up to rounding. `lower` is the best of many searches, so it also estimates h."""

    lower: float
    upper: float


def fill_bracket(X: Array, rng: Generator, *, starts: int = 200, boxes: int = 20_000) -> FillBracket:
    """Bounds of h in any dimension: searches from `starts` points, and a subdivision into about `boxes` boxes."""
    from scipy.spatial import KDTree

    X = np.asarray(X, dtype=float)
    if X.ndim != 2 or not np.all((X >= 0.0) & (X <= 1.0)):
        raise ValueError(f"the points must be rows (n, d) inside the unit cube, got an array of shape {X.shape}")
    n, d = X.shape
    if n == 0 or d == 0:
        h = math.inf if n == 0 else 0.0
        return FillBracket(h, h)
    tree = KDTree(X)
    inside = rng.random((starts, d))
    lower = _climb(tree, np.vstack([inside, np.round(inside)]), rng)  # corners are far from most points
    return _subdivide(tree, lower, boxes)


def fill_distances(plan: Plan, seed: int = 0) -> list[tuple[int, int, float]]:
    """(d, n, h) of each task: the fill distance, in the unit cube, of n = 100 T uniform points.

    The largest hole that a search finds: up to four dimensions it is the largest one, beyond it is a lower bound.
    """
    rows = []
    for task in plan.tasks:
        d = find(task.problem).dim
        n = Grid().size(task.iterations, d)
        rng = np.random.default_rng([seed, d])
        rows.append((d, n, fill_bracket(rng.random((n, d)), rng).lower))
    return rows


@dataclass(frozen=True)
class GridFills:
    """The fill distances of a run's grids."""

    fills: Array  # (T,): h_t or a proven upper bound of it; ∞ if a grid is unknown
    lower: Array  # (T,): proven lower bounds; equal to `fills` up to rounding if h_t is known
    sizes: Array  # (T,): points in each grid
    notes: tuple[str, ...] = ()  # messages about unknown values

    @property
    def growth(self) -> float:
        """The smallest c with |X_t| ≤ ct at all steps."""
        return float(np.max(self.sizes / np.arange(1, len(self.sizes) + 1), initial=1.0))

    @property
    def exact(self) -> bool:
        """Whether every fill distance is known, not only bounded."""
        return bool(np.all(self.fills <= self.lower * (1 + RESOLUTION)))

    def __str__(self) -> str:
        """The first, the last and the sum of the known ones."""
        known = np.flatnonzero(np.isfinite(self.fills))
        if not len(known):
            return "no fill distance is known"
        first, last = known[0], known[-1]
        most = "" if self.exact else "at most "
        ends = (f"{most}{self.fills[t]:.3g} at step {t + 1} ({self.sizes[t]:.0f} points)" for t in (first, last))
        return f"fill distances of the grids: {', '.join(ends)}, {most}{self.fills[known].sum():.3g} in all"


def grid_fills(result: Result) -> GridFills:
    """Fill distances of the grids of a run with the solver Grid; in a long run, of MOST_STEPS evenly spread steps."""
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
        elif len(X) < result.settings.space.size:  # otherwise every point is in it, and there are no holes
            found = fill_bracket(X, Streams(result.seed)("audit", trials[t].number), starts=50)
            fills[t], lower[t] = found.upper, found.lower
        else:
            fills[t] = 0.0
        sizes[t] = sizes[t] if X is None else len(X)
    notes = []
    if len(wanted) < T:
        notes.append(f"{len(wanted)} of {T} grids were measured; the other steps count with the largest possible cost")
    if lost:
        notes.append(
            f"{lost} grids do not contain the suggested point; these steps also count with the largest possible cost"
        )
    return GridFills(fills, lower, sizes, tuple(notes))


def redrawn(result: Result, trial: Trial) -> Array | None:
    """The solver's X_t, (n, d); None if it cannot be rebuilt, or if the suggestion is neither in it nor better."""
    report, settings = trial.solve, result.settings
    if report is None or report.binding is None or isinstance(settings.model, Opaque):
        return None
    binding = report.binding
    try:
        past = known_at(result.history, trial.number, binding)
        frozen = refrozen(settings, past, trial.number, binding, trial.fixed, report.kind)
    except (CannotRebuild, np.linalg.LinAlgError):
        return None
    domain, n = frozen.domain, settings.solver.size(binding.t, frozen.domain.dim)
    if domain.size <= n:
        return domain.enumerate()
    rng = Streams(settings.seed)("solver", trial.number)
    X: Array = settings.solver.candidates(n, domain, design=frozen.step.design, rng=rng)[: report.n_evals]
    drawn = bool(np.any(np.all(np.abs(X - trial.unit) <= ROUNDING, axis=1)))
    if drawn or not settings.solver.near:
        return X if drawn else None
    return X if report.value >= float(frozen.alpha.top(X, 1)[1][0]) else None


def _nearest(tree: "KDTree", Y: Array) -> tuple[Array, Array]:
    """The distance of each row of Y to the nearest point, (m,), and that point, (m, d)."""
    distance, rows = tree.query(Y)
    return np.asarray(distance), np.asarray(tree.data)[rows]


def _climb(tree: "KDTree", Y: Array, rng: Generator) -> float:
    """The largest distance that starts Y reach by moving away from the nearest point, with noise along ridges."""
    Y = Y.copy()
    step = np.full(len(Y), 0.25)
    best, nearest = _nearest(tree, Y)
    for _ in range(100):
        away = Y - nearest
        away /= np.maximum(np.linalg.norm(away, axis=1, keepdims=True), 1e-300)
        noise = rng.standard_normal(Y.shape) / math.sqrt(Y.shape[1])
        trial = np.clip(Y + step[:, None] * (away + noise), 0.0, 1.0)
        found, its_nearest = _nearest(tree, trial)
        better = found > best
        Y[better], best[better], nearest[better] = trial[better], found[better], its_nearest[better]
        step *= np.where(better, 1.5, 0.8)
    return float(best.max(initial=0.0))


def _subdivide(tree: "KDTree", lower: float, boxes: int) -> FillBracket:
    """Branch and bound: a box has no larger hole if its farthest corner from some point is nearer than `lower`."""
    d = int(tree.m)
    centres, halves, bounds = np.full((1, d), 0.5), np.full((1, d), 0.5), np.full(1, math.inf)
    used = 0
    while True:
        used += len(centres)
        distance, nearest = _nearest(tree, centres)
        lower = max(lower, float(distance.max()))
        bounds = np.minimum(bounds, np.linalg.norm(np.abs(centres - nearest) + halves, axis=1))
        settled = lower * (1 + RESOLUTION)
        open_ = bounds > settled
        if used >= boxes or not open_.any():
            return FillBracket(lower, max(settled, float(bounds.max())))
        centres, halves, bounds = _halve(centres[open_], halves[open_], bounds[open_])


def _halve(centres: Array, halves: Array, bounds: Array) -> tuple[Array, Array, Array]:
    """Every box cut in two across its longest side; a part keeps the bound of the whole."""
    rows, longest = np.arange(len(centres)), halves.argmax(axis=1)
    smaller = halves.copy()
    smaller[rows, longest] /= 2
    shift = np.zeros_like(centres)
    shift[rows, longest] = smaller[rows, longest]
    return np.vstack([centres - shift, centres + shift]), np.vstack([smaller, smaller]), np.tile(bounds, 2)
