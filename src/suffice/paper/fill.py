"""Fill distance: how far a point of the cube can be from the nearest of n given points (h_t in the paper).

X     (n, d)  points of the unit cube           h   float  sup over x of min_i |x − X_i|, Euclidean
face  (d,)    0 or 1 in the columns it fixes, nan in the m columns that are free: the cube has 3^d faces, itself
              (m = d) and the corners (m = 0) included
c     (n, m)  the points projected to a face    w   (n,)   squared distances to it

On a face |x − X_i|² = |y − c_i|² + w_i, y the free columns. Where the distance to the nearest point has a maximum
inside a face, its nearest points span the face: otherwise some direction increases all distances at once. Such a y is
a vertex of the power diagram of c and w, and these vertices are the lower facets of the convex hull of the points
(c, |c|² + w): a facet with normal (a, b), b < 0, is the vertex −a/2b [Aurenhammer 1987]. So h is the largest distance
at the vertices of all faces. (Voronoi vertices alone, the case m = d, miss the faces. Mirroring the points in
every facet of the cube repairs it, but makes 2d + 1 times as many points of which many lie on a common sphere.)
"""

import itertools
import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.random import Generator

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


LARGEST_EXACT = (
    6  # columns; beyond, the hulls get too large: n points in d + 1 dimensions have up to about n^((d + 1)/2) facets
)
NEAR = 1e-9  # a vertex this far outside a face is inside but for rounding; every vertex is measured anyway
FLAT = 1e-10  # centres this close to a plane count as lying on it
SETTLED = 1e-9  # a relative width of the bracket that needs no further work


def fill_distance(X: Array) -> float:
    """h, exact up to rounding, for d ≤ 6 and moderate n; infinite without points.

    Seconds on one core: 0.3 for 10 000 points in 2 columns, 0.5 for 1 000 in 4, 2 for 100 in 6.
    """
    X = _checked(X)
    n, d = X.shape
    if n == 0 or d == 0:
        return math.inf if n == 0 else 0.0
    if d == 1:
        x = np.sort(X[:, 0])
        return float(max(x[0], 1.0 - x[-1], np.diff(x).max(initial=0.0) / 2))
    if d > LARGEST_EXACT:
        raise ValueError(
            f"the exact fill distance is for at most {LARGEST_EXACT} columns, got {d}; "
            "fill_bracket(X, rng) gives a lower and an upper bound"
        )
    X = np.unique(X, axis=0)
    tree = _tree(X)
    return max(_farthest(tree, vertices) for vertices in _vertices(X, reach=_lattice_bound(tree)))


@dataclass(frozen=True)
class FillBracket:
    """lower ≤ h ≤ upper, both proven up to rounding: `lower` is the best of many searches, so an estimate of h too."""

    lower: float
    upper: float


def fill_bracket(X: Array, rng: Generator, *, starts: int = 200, boxes: int = 20_000) -> FillBracket:
    """Bounds of h in any dimension: searches from `starts` points, and a subdivision into about `boxes` boxes."""
    X = _checked(X)
    n, d = X.shape
    if n == 0 or d == 0:
        h = fill_distance(X)
        return FillBracket(h, h)
    tree = _tree(X)
    inside = rng.random((starts, d))
    lower = _climb(tree, np.vstack([inside, np.round(inside)]), rng)  # corners are far from everything
    return _subdivide(tree, lower, boxes)


def _checked(X: Array) -> Array:
    X = np.asarray(X, dtype=float)
    if X.ndim != 2 or not np.all((X >= 0.0) & (X <= 1.0)):
        raise ValueError(f"the points must be rows (n, d) inside the unit cube, got an array of shape {X.shape}")
    return X


def _tree(X: Array) -> "KDTree":
    from scipy.spatial import KDTree

    return KDTree(X)


def _nearest(tree: "KDTree", Y: Array) -> tuple[Array, Array]:
    """The distance of each row of Y to the nearest point, (m,), and that point, (m, d)."""
    distance, rows = tree.query(Y)
    return np.asarray(distance), np.asarray(tree.data)[rows]


def _farthest(tree: "KDTree", Y: Array) -> float:
    """The largest distance of a row of Y to its nearest point; 0 without rows."""
    return float(_nearest(tree, Y)[0].max(initial=0.0))


def _lattice_bound(tree: "KDTree") -> float:
    """An upper bound of h: no point of a cell is farther from the cell's centre than half its diagonal."""
    n, d = int(tree.n), int(tree.m)
    g = math.ceil(math.exp(math.log(4 * n) / d))
    centres = np.stack(np.meshgrid(*[(np.arange(g) + 0.5) / g] * d, indexing="ij"), axis=-1).reshape(-1, d)
    return _farthest(tree, centres) + math.sqrt(d) / (2 * g)


def _vertices(X: Array, reach: float) -> Iterator[Array]:
    """The vertices (v, d) of the power diagram on every face; only points within `reach` of a face matter there."""
    for fixed in itertools.product((0.0, 1.0, math.nan), repeat=X.shape[1]):
        face = np.array(fixed)
        free = np.isnan(face)
        w = np.sum((X[:, ~free] - face[~free]) ** 2, axis=1)
        near = w <= reach**2
        inside = _power_vertices(X[np.ix_(near, free)], w[near])
        vertices = np.tile(face, (len(inside), 1))
        vertices[:, free] = inside
        yield vertices


def _power_vertices(c: Array, w: Array) -> Array:
    """The vertices (v, m) inside [0, 1]^m of the power diagram of centres c with squared heights w."""
    m = c.shape[1]
    if m == 0:
        return np.empty((1, 0))
    if len(c) <= m or np.linalg.matrix_rank(c - c.mean(axis=0), tol=FLAT) < m:  # the centres do not span the face
        return np.empty((0, m))
    c = c - 0.5  # the middle of the face: small numbers round less
    lifted = np.column_stack([c, np.sum(c * c, axis=1) + w])
    # A point above the middle leaves the lower facets as they are, and lets centres on one sphere have a hull.
    above = np.append(c.mean(axis=0), lifted[:, m].max() + 1.0)
    equations = _hull(np.vstack([lifted, above]))
    a, b = equations[:, :m], equations[:, m]
    lower = b < -NEAR * np.abs(a).max(axis=1)  # others are at infinity or above
    vertices = 0.5 - a[lower] / (2 * b[lower, None])
    inside = np.all((vertices >= -NEAR) & (vertices <= 1 + NEAR), axis=1)
    return np.unique(np.clip(vertices[inside], 0.0, 1.0), axis=0)


def _hull(points: Array) -> Array:
    """The facets of the convex hull: outer normals and offsets, (f, m + 2)."""
    from scipy.spatial import ConvexHull, QhullError

    try:
        hull = ConvexHull(points)
    except QhullError:  # points that almost coincide: Qhull's remedy is to move the input in its last digits
        hull = ConvexHull(points, qhull_options="QJ")
    return np.asarray(hull.equations)


def _climb(tree: "KDTree", Y: Array, rng: Generator) -> float:
    """The largest distance found from the starts Y by moving away from the nearest point, with noise along ridges."""
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
    """Branch and bound: no point of a box is farther from p than the box's farthest corner is, whichever p."""
    d = int(tree.m)
    centres, halves, bounds = np.full((1, d), 0.5), np.full((1, d), 0.5), np.full(1, math.inf)
    used = 0
    while True:
        used += len(centres)
        distance, nearest = _nearest(tree, centres)
        lower = max(lower, float(distance.max()))
        bounds = np.minimum(bounds, np.linalg.norm(np.abs(centres - nearest) + halves, axis=1))
        settled = lower * (1 + SETTLED)
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


#| -- paper.grids: The grids of a run, drawn again, and their fill distances.
#|
#| X_t   (n_t, d)  the candidates of step t, rows of the unit cube        h_t   float  their fill distance (fill.py)
#|
#| A file holds no grids, but it holds what they were drawn from: the rule, its size, the seed and the number of the
#| trial.
#| A grid counts as drawn again only if the suggested point is one of its points, or better than all of them where the
#| solver looked around as well: a larger grid has no larger holes. Holes are looked for in the whole cube,
#| also where the space has points in some places only: they are never smaller than the holes of the space.

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


#| -- paper.dimension: Why a random grid is good enough in few dimensions only: its holes.
#|
#| n  int    points of the grid of the last step        h  float  fill distance, the radius of the largest hole

LARGEST_EXACT_DIMENSION = 4  # dimensions; thousands of points in six take minutes


def fill_distances(plan: Plan, seed: int = 0) -> list[tuple[int, int, float]]:
    """(d, n, h) of each task: the fill distance, in the unit cube, of n = 100 T uniform points.

    Exact up to four dimensions, beyond that the largest hole that a search finds, a lower bound.
    """
    rows = []
    for task in plan.tasks:
        d = find(task.problem).dim
        n = Grid().size(task.iterations, d)
        rng = np.random.default_rng([seed, d])
        X = rng.random((n, d))
        rows.append((d, n, fill_distance(X) if d <= LARGEST_EXACT_DIMENSION else fill_bracket(X, rng).lower))
    return rows
