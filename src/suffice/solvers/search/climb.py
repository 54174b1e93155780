"""Gradient ascent of many runs at once in the unit cube: what L-BFGS and conjugate gradients share.

a, p  int           runs still going, smooth columns   x     (a, p)  where each run stands
v, g  (a,), (a, p)  value and gradient at x            free  (a, p)  False at a bound that g points out of
pg    (a, p)        g on the free columns, 0 elsewhere d     (a, p)  direction of the run; slope = pg·d > 0
z     (a, p)        clip(x + t·d, 0, 1), the trial point of each run on its projected path, t > 0

Each round is ONE call of the score, with the trial point of every run that is still going: a run whose trial passes
moves and gets a new direction, the others try another t. So no run waits for another one, and none depends on it.
A trial passes the strong Wolfe conditions (Nocedal and Wright 2006, Sec. 3.1) along the projected path,

    alpha(z) > v + 1e-4 · |g·(z − x)|   and   |slope at z| <= curvature · slope.

Nothing depends on the units of alpha: every comparison is between values of the same run.
"""

from typing import Protocol

import numpy as np

from suffice.solvers.record import Work
from suffice.solvers.search.linesearch import LineSearch
from suffice.solvers.search.surface import Ascent, Mask, Rows, Surface
from suffice.types import Array, largest

ARMIJO = 1e-4
FIRST_STEP = 0.1  # of the cube: the length of a step while nothing is known about the curvature
PATIENCE = 4  # failed trials after which a rise is enough
TRIALS = 12  # failed trials after which a direction is given up
ROUNDING = 16 * np.finfo(np.float64).eps  # relative: a gain below it cannot be seen


class Model(Protocol):
    """What the runs remember of the surface, to turn gradients into directions."""

    def direction(self, moved: Mask, s: Array, y: Array, pg: Array, free: Mask) -> Array:
        """Directions, (a, p), after the runs in `moved` made a step s and their gradient fell by y, (a, p)."""

    def forget(self, runs: Mask) -> None:
        """Start afresh in these runs."""

    def keep(self, runs: Mask) -> None:
        """Only these runs go on."""


def dot(a: Array, b: Array) -> Array:
    """Row by row, (a,)."""
    product: Array = (a * b).sum(axis=1)
    return product


def steepest(pg: Array) -> Array:
    """The first step: along the projected gradient, of a length that suits the cube."""
    norm = np.sqrt(dot(pg, pg))
    return pg * (FIRST_STEP / np.where(norm > 0.0, norm, 1.0))[:, None]


class Climb:
    """The runs that are still going, `rows` among the m of the surface, and where the others ended."""

    def __init__(self, surface: Surface, model: Model, curvature: float, tol: float) -> None:
        self.surface, self.model, self.curvature, self.tol = surface, model, curvature, tol
        self.x = surface.origin
        self.rows = np.arange(len(self.x))
        self.v, self.g = surface.values_and_grads(self.x, self.rows)
        self.n_grads = len(self.x)
        self.initial = self.v
        self.end_x, self.end_v = self.x.copy(), self.v.copy()  # of the runs that stopped, and the best trial of others
        finite = np.isfinite(self.v) & np.isfinite(self.g).all(axis=1)
        self.g = np.where(finite[:, None], self.g, 0.0)
        self.project()
        self.d = steepest(self.pg)
        self.slope = dot(self.pg, self.d)
        self.fresh = np.ones(len(self.x), dtype=np.bool_)  # d is the projected gradient itself
        self.line = LineSearch(self.v, self.slope)
        self.drop(~(finite & (self.slope > 0.0)))

    def project(self) -> None:
        """Freeze the columns at a bound that the gradient points out of."""
        side = self.x - 0.5
        self.free = (side * self.g <= 0.0) | (np.abs(side) < 0.5)
        self.pg = np.where(self.free, self.g, 0.0)

    def round(self) -> None:
        """One trial of every run."""
        path = self.x + self.line.t[:, None] * self.d
        z = np.minimum(np.maximum(path, 0.0), 1.0)
        vz, gz = self.surface.values_and_grads(z, self.rows)
        self.n_grads += len(z)
        if not np.isfinite(gz).all():  # gradient 0: the run stops if it moves there
            gz = np.where(np.all(np.isfinite(gz), axis=1, keepdims=True), gz, 0.0)
        slope = dot(gz, self.d * (path == z))  # of alpha along the projected path, at z
        rises = vz > self.v + ARMIJO * np.abs(dot(self.pg, z - self.x))
        flat = np.abs(slope) <= self.curvature * self.slope
        moved = rises & (flat | (self.line.failures >= PATIENCE))
        done = np.zeros(len(z), dtype=np.bool_)
        if not moved.all():
            done |= self.stay(~moved, ~rises | (slope < 0.0), z, vz, slope)
        if moved.any():
            done |= self.move(moved, z, vz, gz)
        self.drop(done)

    def stay(self, stuck: Mask, far: Mask, z: Array, vz: Array, slope: Array) -> Mask:
        """Try another step in the same direction; which runs are done, (a,)."""
        better = stuck & (vz > self.end_v[self.rows])
        self.end_v[self.rows[better]], self.end_x[self.rows[better]] = vz[better], z[better]
        floor = np.maximum(self.enough(), ROUNDING * np.abs(self.v))
        done = stuck & (self.line.t * self.slope <= floor)  # promised next to nothing, and did not even hold that
        self.line.retry(stuck, far, vz, slope)
        tired = self.line.failures >= TRIALS
        if tired.any():
            done |= tired & self.fresh
            self.restart(tired & ~self.fresh)
        return done

    def move(self, moved: Mask, z: Array, vz: Array, gz: Array) -> Mask:
        """Step to z and choose the next direction; which runs are done, (a,)."""
        column, s, y = moved[:, None], z - self.x, self.g - gz
        self.x, self.g = np.where(column, z, self.x), np.where(column, gz, self.g)
        self.v = np.where(moved, vz, self.v)
        self.project()
        self.d = np.where(column, self.model.direction(moved, s, y, self.pg, self.free), self.d)
        self.slope = dot(self.pg, self.d)
        self.fresh = self.fresh & ~moved
        self.line.reset(moved, self.v, self.slope)
        if not (self.slope > 0.0).all():
            self.restart(~(self.slope > 0.0))
        return moved & ((self.slope <= self.enough()) | self.surface.lost(self.v, 0.5 * self.slope, self.end_v))

    def enough(self) -> Array:
        """A gain so small is not worth a step, (a,)."""
        return self.tol**2 * (self.v - self.initial[self.rows])

    def restart(self, runs: Mask) -> None:
        """Forget the model and follow the projected gradient."""
        self.model.forget(runs)
        self.d = np.where(runs[:, None], steepest(self.pg), self.d)
        self.slope = dot(self.pg, self.d)
        self.fresh = self.fresh | runs
        self.line.reset(runs, self.v, self.slope)

    def drop(self, runs: Mask) -> None:
        """These runs stop: record the best point each of them saw."""
        if runs.any():
            higher = runs & (self.v > self.end_v[self.rows])
            self.end_v[self.rows[higher]], self.end_x[self.rows[higher]] = self.v[higher], self.x[higher]
            keep = ~runs
            self.rows, self.x, self.v, self.g = self.rows[keep], self.x[keep], self.v[keep], self.g[keep]
            self.free, self.pg, self.fresh = self.free[keep], self.pg[keep], self.fresh[keep]
            self.d, self.slope = self.d[keep], self.slope[keep]
            self.line.keep(keep)
            self.model.keep(keep)


def climb(
    surface: Surface, model: Model, *, curvature: float, limit: int, max_iter: int | None, tol: float, leaders: int = 0
) -> Ascent:
    """The best point of each run after at most `max_iter` rounds; the best `leaders` of them go on up to the limit.

    A run stops when its next step promises at most tol² of what the run has gained: near a maximum the gain is
    quadratic in the distance, so tol is the share of the way that is left.
    """
    runs = Climb(surface, model, curvature, tol)
    cut = in_rounds(runs, surface, limit=limit, max_iter=max_iter, leaders=leaders)
    points = surface.points(runs.end_x, np.arange(len(cut)))
    return Ascent(points, runs.end_v, runs.initial, cut, Work(grads=runs.n_grads))


class Runs(Protocol):
    """Runs that go on together, `rows` among those of a surface, at the values v."""

    rows: Rows
    v: Array
    end_v: Array

    def round(self) -> None:
        """One trial of every run."""

    def drop(self, runs: Mask, /) -> None:
        """These runs stop."""


def in_rounds(runs: Runs, surface: Surface, *, limit: int, max_iter: int | None, leaders: int) -> Mask:
    """Let all runs go on for `max_iter` rounds and the best `leaders` up to the limit; which of them were cut, (m,)."""
    together = limit if max_iter is None else max_iter
    cut = np.zeros(len(runs.end_v), dtype=np.bool_)
    for i in range(max(limit, together) if leaders else together):
        if i == together:
            behind = np.ones(len(runs.rows), dtype=np.bool_)
            behind[largest(runs.v, leaders)] = False
            cut[runs.rows[behind]] = True
            runs.drop(behind)
        if not len(runs.rows) or surface.late:
            break
        runs.round()
    cut[runs.rows] = True
    runs.drop(np.ones(len(runs.rows), dtype=np.bool_))
    return cut
