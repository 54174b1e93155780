"""Gradient ascent of many runs at once in the unit cube: L-BFGS and conjugate gradients.

a, p  int           runs still going, smooth columns   x     (a, p)  where each run stands
v, g  (a,), (a, p)  value and gradient at x            free  (a, p)  False at a bound that g points out of
pg    (a, p)        g on the free columns, 0 elsewhere d     (a, p)  direction of the run; slope = pg·d > 0
z     (a, p)        clip(x + t·d, 0, 1), the trial point of each run on its projected path, t > 0
lo, hi  (3, m)      step, value and slope at the ends of the bracket of t: lo is too short, hi too long, inf at first
S, Y  (m, h, p)     the last h steps of each run, newest first, and how much the gradient fell along each
H     (p, p)        L-BFGS's model of the inverse of −∇²alpha; never formed
c, β  (m, p), (m,)  conjugate directions, and max(0, pg·(pg − pg₋) / pg₋·pg₋) of Polak and Ribière; ₋ is the step before

Each round is ONE call of the score, with the trial point of every run that is still going: a run whose trial passes
moves and gets a new direction, and the others try another t. No run waits for another one or depends on it.
A trial passes the strong Wolfe conditions (Nocedal and Wright 2006, Sec. 3.1) along the projected path,

    alpha(z) > v + 1e-4 · |g·(z − x)|   and   |slope at z| <= curvature · slope.

Nothing depends on the units of alpha: every comparison is between values of the same run.
"""

from typing import Protocol

import numpy as np

from suffice.solvers.record import Work
from suffice.solvers.search.surface import FIRST_STEP, MAX_ITER, ROUNDING, Ascent, Mask, Rows, Surface, in_rounds
from suffice.types import Array

ARMIJO = 1e-4  # of the rise that the slope predicts: enough for a step, as usual
LONGER = 2.0, 5.0  # without a bracket: the smallest and the largest factor for the next step
INSIDE = 0.1, 0.9  # with a bracket: the part of it for the next step
PATIENCE = 4  # failed trials after which any rise is enough
TRIALS = 12  # failed trials after which a direction is given up
MEMORY = 8  # h
LOOSE = 0.9  # curvature for L-BFGS: t = 1 passes as a rule
TIGHT = 0.1  # curvature for conjugate gradients: conjugacy needs a nearly exact line search
ANGLE = 1e-8  # cosine of s and y below which a pair shows no curvature, or a negative one


class Model(Protocol):
    """The memory of the runs, which turns gradients into directions."""

    def direction(self, moved: Mask, s: Array, y: Array, pg: Array, free: Mask) -> Array:
        """Directions, (a, p), after the runs in `moved` made a step s and their gradient fell by y, (a, p)."""

    def forget(self, runs: Mask) -> None:
        """Delete the memory of these runs."""

    def keep(self, runs: Mask) -> None:
        """Only these runs go on."""


def dot(a: Array, b: Array) -> Array:
    """Row by row, (a,)."""
    product: Array = (a * b).sum(axis=1)
    return product


def steepest(pg: Array) -> Array:
    """The first step: along the projected gradient, with a length that suits the cube."""
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
        done = stuck & (self.line.t * self.slope <= floor)  # predicted almost no rise, and had less
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
        """The smallest gain that is worth a step, (a,)."""
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

    A run stops when the predicted gain of its next step is at most tol² of the run's gain. Near a maximum the gain is
    quadratic in the distance, so tol is the fraction of the way that is left.
    """
    runs = Climb(surface, model, curvature, tol)
    cut = in_rounds(runs, surface, limit=limit, max_iter=max_iter, leaders=leaders)
    points = surface.points(runs.end_x, np.arange(len(cut)))
    return Ascent(points, runs.end_v, runs.initial, cut, Work(grads=runs.n_grads))


class LineSearch:
    """One bracket for each of m runs; every direction is scaled so that t = 1 is the first guess.

    The next trial is the maximum of the cubic through both ends. While no step was too long, it is the zero of the
    secant of the slopes (Nocedal and Wright 2006, Sec. 3.5). It keeps a distance from the ends.
    """

    def __init__(self, v: Array, slope: Array) -> None:
        m = len(slope)
        self.t, self.failures = np.ones(m), np.zeros(m)
        self.lo = np.stack((np.zeros(m), v, slope))
        self.hi = np.full((3, m), np.inf)

    def reset(self, runs: Mask, v: Array, slope: Array) -> None:
        """These runs have a new direction: value and slope at t = 0."""
        self.t[runs] = 1.0
        self.failures[runs] = 0.0
        self.lo[0, runs] = 0.0
        np.copyto(self.lo[1], v, where=runs)
        np.copyto(self.lo[2], slope, where=runs)
        self.hi[0, runs] = np.inf

    def keep(self, runs: Mask) -> None:
        """Only these runs go on."""
        self.t, self.failures = self.t[runs], self.failures[runs]
        self.lo, self.hi = self.lo[:, runs], self.hi[:, runs]

    def retry(self, runs: Mask, far: Mask, v: Array, slope: Array) -> None:
        """The trials of these runs did not pass: too long (`far`) or too short, with this value and slope there."""
        trial = np.stack((self.t, v, slope))
        open_ended = runs & ~far & np.isinf(self.hi[0])
        if open_ended.any():
            np.copyto(self.t, _longer(self.lo, trial), where=open_ended)
        np.copyto(self.lo, trial, where=runs & ~far)
        np.copyto(self.hi, trial, where=runs & far)
        bracketed = runs & ~open_ended
        if bracketed.any():
            np.copyto(self.t, _between(self.lo, self.hi), where=bracketed)
        self.failures[runs] += 1.0


def _longer(lo: Array, trial: Array) -> Array:
    """The zero of the secant of the slopes, beyond the trial."""
    (t, _, slope), drop = trial, lo[2] - trial[2]
    concave = drop > 0.0
    with np.errstate(over="ignore"):  # almost a straight line: far away
        secant = t + (t - lo[0]) * slope / np.where(concave, drop, 1.0)
    return np.clip(np.where(concave, secant, np.inf), LONGER[0] * t, LONGER[1] * t)


def _between(lo: Array, hi: Array) -> Array:
    """The maximum of the cubic with the values and slopes of lo and hi, or the middle if there is none."""
    with np.errstate(all="ignore"):  # hi may be inf, or its value −inf: then there is no cubic
        width = hi[0] - lo[0]
        bend = lo[2] + hi[2] - 3.0 * (hi[1] - lo[1]) / width
        root = np.sqrt(bend**2 - lo[2] * hi[2])
        share = (lo[2] + root - bend) / (lo[2] - hi[2] + 2.0 * root)
        share = np.where(np.isfinite(share), np.clip(share, *INSIDE), 0.5)
        between: Array = lo[0] + share * width
    return between


class Pairs:
    """The last h steps of each run."""

    def __init__(self, m: int, p: int, h: int = MEMORY) -> None:
        self.SY = np.zeros((2, m, h, p))
        self.used = 0
        self.older, self.eye = np.tri(h, k=-1), np.eye(h)

    def forget(self, runs: Mask) -> None:
        self.SY[:, runs] = 0.0

    def keep(self, runs: Mask) -> None:
        self.SY = self.SY[:, runs]

    def direction(self, moved: Mask, s: Array, y: Array, pg: Array, free: Mask) -> Array:
        """H·g in the subspace of the free columns, where H models the inverse of the free block of −∇²alpha."""
        self.SY[:, moved, 1:] = self.SY[:, moved, :-1]
        self.SY[0, moved, 0], self.SY[1, moved, 0] = s[moved], y[moved]
        self.used = min(self.used + 1, self.SY.shape[2])
        S, Y = SY = self.SY[:, :, : self.used] * free[:, None]
        sy = (S * Y).sum(axis=2)
        valid = sy > ANGLE * np.sqrt(np.multiply.reduce((SY * SY).sum(axis=3)))
        scale = (valid / np.sqrt(np.where(valid, sy, 1.0)))[:, :, None]
        d = self.apply(S * scale, Y * scale, valid.argmax(axis=1), pg[:, :, None])
        known = valid.any(axis=1)
        return d if known.all() else np.where(known[:, None], d, steepest(pg))

    def apply(self, S: Array, Y: Array, newest: Rows, g: Array) -> Array:
        """The two-loop recursion (Nocedal 1980) for pairs with s·y = 1, its two loops as triangular solves:

        L a = S g,  q = g − Yᵀa,  Lᵀc = a − γ Y q,  d = γ q + Sᵀc,

        where L is the lower triangle of S Yᵀ and γ = 1 / y·y of the newest pair.
        """
        h, Yt = S.shape[1], Y.transpose(0, 2, 1)
        L = self.older[:h, :h] * (S @ Yt) + self.eye[:h, :h]
        y = Y[np.arange(len(Y)), newest]
        yy = (y * y).sum(axis=1)
        gamma = (1.0 / np.where(yy > 0.0, yy, 1.0))[:, None, None]
        a = np.linalg.solve(L, S @ g)
        q = g - Yt @ a
        c = np.linalg.solve(L.transpose(0, 2, 1), a - gamma * (Y @ q))
        d: Array = gamma * q + S.transpose(0, 2, 1) @ c
        return d[:, :, 0]


def lbfgs(surface: Surface, max_iter: int | None, tol: float, leaders: int = 0) -> Ascent:
    """All runs in one batch; needs a score with a gradient."""
    model = Pairs(*surface.origin.shape)
    return climb(surface, model, curvature=LOOSE, limit=MAX_ITER, max_iter=max_iter, tol=tol, leaders=leaders)


class Conjugate:
    """The last direction of each run, and the columns that were free then; zero while a run has only its gradient."""

    def __init__(self, m: int, p: int) -> None:
        self.c = np.zeros((m, p))
        self.free = np.ones((m, p), dtype=np.bool_)

    def forget(self, runs: Mask) -> None:
        self.c[runs] = 0.0

    def keep(self, runs: Mask) -> None:
        self.c, self.free = self.c[runs], self.free[runs]

    def direction(self, moved: Mask, s: Array, y: Array, pg: Array, free: Mask) -> Array:
        """c = pg + β c₋ (Nocedal and Wright 2006, Sec. 5.2), with a length that suits the curvature along s."""
        before = np.where(free, pg + y, 0.0)  # pg₋, if the same columns were free
        fresh: Mask = ~np.any(self.c, axis=1)
        last = np.where(fresh[:, None], before, self.c)
        same = fresh | (free == self.free).all(axis=1)  # conjugacy is lost when the free columns change
        beta = _ratio(dot(pg, pg - before), dot(before, before))
        c = pg + np.where(same, np.maximum(beta, 0.0), 0.0)[:, None] * last
        c = np.where((dot(c, pg) > 0.0)[:, None], c, pg)
        self.c = np.where(moved[:, None], c, self.c)
        self.free = np.where(moved[:, None], free, self.free)
        # A quadratic with the curvature of alpha along s, s·y / s·s, has its maximum on the line of c at length·c.
        sy = dot(s, y)
        with np.errstate(over="ignore", invalid="ignore"):  # slopes near the largest float: use the steepest step
            length = _ratio(dot(c, pg) * dot(s, s), dot(c, c) * np.maximum(sy, 0.0))
            known = (length > 0.0) & np.isfinite(length)
            return np.where(known[:, None], length[:, None] * c, steepest(c))


def _ratio(a: Array, b: Array) -> Array:
    """a / b, and 0 where b is 0."""
    return np.divide(a, b, out=np.zeros_like(a), where=b != 0.0)


def conjugate(surface: Surface, max_iter: int | None, tol: float, leaders: int = 0) -> Ascent:
    """All runs in one batch; needs a score with a gradient."""
    model = Conjugate(*surface.origin.shape)
    return climb(surface, model, curvature=TIGHT, limit=2 * MAX_ITER, max_iter=max_iter, tol=tol, leaders=leaders)
