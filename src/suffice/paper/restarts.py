"""Ten restarts of a SciPy minimizer, as in the paper's experiments: what most codes do, and what the paper compares.

u  (p,)    smooth columns in the box's own units, u = low + (high − low) z, z in the unit cube
h  float   SciPy's step of a finite difference: 1e-8 for L-BFGS-B, √ε for CG

SciPy's tolerances and steps are absolute, so the box is part of the method. Runs start anywhere, follow differences
and are dropped where SciPy calls them failed. L-BFGS-B knows the box; the others search everywhere, the score being
that of the nearest point of the box.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np
from numpy.random import Generator
from scipy.optimize import Bounds, minimize

from suffice.solvers.multistart import Multistart
from suffice.solvers.record import KEEP, Work, enumerated, ranked, record
from suffice.solvers.search.hills import facts
from suffice.solvers.search.surface import (
    Ascent,
    Mask,
    Rows,
    Surface,
    numbers,
)
from suffice.types import Array, Domain, Score, Solution, Status, Step, smooth_columns

#| -- paper.downhill: SciPy's Nelder–Mead, its rules to the letter, for a batch of runs: ten restarts for the price of
#| two.
#|
#| m, p  int          runs, columns
#| P     (m, p+1, p)  corners of each simplex, best first      F  (m, p+1)  what is minimized there
#| c     (m, p)       the middle of all corners but the worst  w  (m, p)    the worst one
#|
#| A trial is z(k) = (1 + k) c − k w: reflection k = 1, expansion k = 2, contraction k = ±1/2; if all fail, the
#| corners
#| move half-way to the best one. The first simplex has corners 5 % off the start in each column, 0.00025 where it is
#| zero.

Batch: TypeAlias = Callable[[Array, Rows], Array]
"""f(Z, runs): the values, (a,), at points Z (a, p) of these runs."""


def downhill(f: Batch, starts: Array, *, xatol: float, fatol: float, limit: int) -> tuple[Array, Mask]:
    """Where f is smallest near each of the starts (m, p), and which runs converged within the limit.

    `limit` is on evaluations and on iterations, as in SciPy.
    """
    m, p = starts.shape
    P = np.repeat(starts[:, None], p + 1, axis=1)
    corners, columns = np.arange(1, p + 1), np.arange(p)
    P[:, corners, columns] = np.where(starts != 0.0, 1.05 * starts, 0.00025)
    live = np.arange(m)
    F = f(P.reshape(-1, p), np.repeat(live, p + 1)).reshape(m, p + 1)
    calls, done = np.full(m, p + 1), np.zeros(m, dtype=np.bool_)
    for _ in range(limit):
        P[live], F[live] = _sorted(P[live], F[live])
        wide = np.abs(P[live, 1:] - P[live, :1]).max(axis=(1, 2)) > xatol
        steep = np.abs(F[live, 1:] - F[live, :1]).max(axis=1) > fatol
        done[live[~(wide | steep)]] = True
        live = live[(wide | steep) & (calls[live] < limit)]
        if not len(live):
            break
        P[live], F[live], used = _step(f, P[live], F[live], live)
        calls[live] += used
    return P[:, 0], done & (calls < limit)


def _sorted(P: Array, F: Array) -> tuple[Array, Array]:
    order = np.argsort(F, axis=1, kind="stable")
    return np.take_along_axis(P, order[:, :, None], axis=1), np.take_along_axis(F, order, axis=1)


def _step(f: Batch, P: Array, F: Array, runs: Rows) -> tuple[Array, Array, Rows]:
    """One iteration of every run: new corners, their values and how many evaluations each run took."""
    p = P.shape[2]
    c, w = P[:, :-1].sum(axis=1) / p, P[:, -1]
    z = 2.0 * c - w
    v = f(z, runs)
    used = np.ones(len(P), dtype=np.intp)
    best, worst = v < F[:, 0], v >= F[:, -1]
    again = np.flatnonzero(best | (v >= F[:, -2]))
    shrink = np.zeros(len(P), dtype=np.bool_)
    if len(again):
        k = np.where(best[again], 2.0, np.where(worst[again], -0.5, 0.5))[:, None]
        second = (1.0 + k) * c[again] - k * w[again]
        value = f(second, runs[again])
        used[again] += 1
        # An expansion has to beat the reflection, an outer contraction to equal it, an inner one to beat the worst.
        better = np.where(best[again] | worst[again], value < np.minimum(v, F[:, -1])[again], value <= v[again])
        shrink[again] = ~better & ~best[again]
        z[again[better]], v[again[better]] = second[better], value[better]
    P, F = P.copy(), F.copy()
    P[~shrink, -1], F[~shrink, -1] = z[~shrink], v[~shrink]
    if shrink.any():
        nearest = P[shrink, :1]
        corners = nearest + 0.5 * (P[shrink, 1:] - nearest)
        P[shrink, 1:], F[shrink, 1:] = corners, f(corners.reshape(-1, p), np.repeat(runs[shrink], p)).reshape(-1, p)
        used[shrink] += p
    return P, F, used


#| -- paper.differences: Gradients by forward differences, as SciPy takes them where it gets none: p + 1 value rows
#| for each point.
#|
#| U  (m, p)  points      h  float  the step, in the units of U      moved  (m, p)  U + h, or U − h where that is
#| outside


def forward(f: Callable[[Array], Array], U: Array, h: float, upper: Array | float = np.inf) -> tuple[Array, Array]:
    """f (m,) and its slopes (m, p), from one call with (p + 1)·m rows: U itself, then each column moved in turn.

    Where U + h is above `upper` the column moves back instead. The slope is over the step that was really made.
    """
    m, p = U.shape
    moved = np.where(U + h > upper, U - h, U + h)
    Z = np.repeat(U[None], p + 1, axis=0)
    columns = np.arange(p)
    Z[columns + 1, :, columns] = moved.T
    values = f(Z.reshape(-1, p)).reshape(p + 1, m)
    return values[0], (values[1:] - values[0]).T / (moved - U)


Method: TypeAlias = Literal["L-BFGS-B", "Nelder-Mead", "CG"]

STEP = {"L-BFGS-B": 1e-8, "CG": float(np.sqrt(np.finfo(float).eps))}


@dataclass(frozen=True)
class Restarts:
    """The best end of `starts` runs of `scipy.optimize.minimize` with finite differences."""

    method: Method = "L-BFGS-B"
    box: tuple[tuple[float, float], ...] | None = None  # (low, high) of each column; None: the unit cube
    starts: int = 10
    tol: float = 0.01  # gtol, or xatol and fatol
    iterations: int = 200  # for each smooth column

    def __post_init__(self) -> None:
        if self.method not in ("L-BFGS-B", "Nelder-Mead", "CG"):
            raise ValueError(f"Restarts knows the methods L-BFGS-B, Nelder-Mead and CG: got {self.method!r}")
        if self.starts < 1 or not self.tol > 0 or self.iterations < 1:
            raise ValueError(f"Restarts needs starts ≥ 1, tol > 0 and iterations ≥ 1: got {self!r}")

    def __call__(self, alpha: Score, domain: Domain, *, step: Step, rng: Generator) -> Solution:  # noqa: ARG002
        smooth = smooth_columns(domain)
        if domain.size <= self.starts:
            return enumerated(alpha, domain)
        X = domain.sample(self.starts, rng)
        initial = numbers(alpha(X))
        draws, work = ranked(X, initial, iid=True, keep=KEEP), Work(values=len(X))
        if not smooth.any() or not np.isfinite(initial).any():
            return record(alpha, domain, draws.points[0], work, draws=draws)
        box = Box(Surface(alpha, X, smooth), *self._sides(domain.dim)[smooth].T)
        U, kept = self._descend(box)
        ends = domain.snap(box.points(U, np.arange(len(X))))  # SciPy knows no constraints
        values = numbers(alpha(ends))
        kept &= np.isfinite(values)
        best = int(np.argmax(np.where(kept, values, -np.inf) if kept.any() else values))
        lowest = float(initial[np.isfinite(initial)].min())
        starts, looked = facts(alpha, domain, ends, values, spread=max(0.0, float(values[best]) - lowest))
        work += Work(values=box.rows + len(ends)) + looked
        status = Status.DONE if kept.any() else Status.NO_DESCENT
        return record(alpha, domain, ends[best], work, status=status, draws=draws, starts=starts)

    def _sides(self, d: int) -> Array:
        if self.box is not None and len(self.box) != d:
            raise ValueError(f"box needs (low, high) for each of the {d} columns of the space: got {self.box!r}")
        return np.array(((0.0, 1.0),) * d if self.box is None else self.box, dtype=float)

    def _descend(self, box: "Box") -> tuple[Array, Mask]:
        """Where the runs ended, (m, p), and which of them SciPy calls a success."""
        limit = self.iterations * len(box.low)
        if self.method == "Nelder-Mead":
            return downhill(box.negative, box.starts, xatol=self.tol, fatol=self.tol, limit=limit)
        ends, kept = box.starts.copy(), np.zeros(len(box.starts), dtype=np.bool_)
        inside = self.method == "L-BFGS-B"
        for i, start in enumerate(box.starts):
            found = minimize(
                box.value_and_slopes,
                start,
                args=(i, STEP[self.method], inside),
                jac=True,
                method=self.method,
                bounds=Bounds(box.low, box.high) if inside else None,
                options={"gtol": self.tol, "maxiter": limit},
            )
            ends[i], kept[i] = found.x, found.success
        return ends, kept


class Box:
    """What SciPy sees: −alpha in the box's units, and how often it looked."""

    def __init__(self, surface: Surface, low: Array, high: Array) -> None:
        self.surface, self.low, self.high, self.side = surface, low, high, high - low
        self.rows = 0
        self.starts = low + self.side * surface.origin

    def points(self, U: Array, runs: Rows) -> Array:
        """The points of the unit cube nearest to the rows of U, (a, p) -> (a, d)."""
        return self.surface.points(np.minimum(np.maximum((U - self.low) / self.side, 0.0), 1.0), runs)

    def negative(self, U: Array, runs: Rows) -> Array:
        """−alpha, (a,), for points of these runs."""
        self.rows += len(U)
        return -numbers(self.surface.alpha(self.points(U, runs)))

    def value_and_slopes(self, u: Array, run: int, step: float, inside: bool) -> tuple[float, Array]:
        """−alpha and its forward differences, (p,), in one batch; backward ones where these would leave the box."""
        values, slopes = forward(
            lambda U: self.negative(U, np.full(len(U), run)), u[None], step, self.high if inside else np.inf
        )
        return float(values[0]), slopes[0]


#| -- paper.reference: SciPy's L-BFGS-B, one start after the other: the reference for the batched searches.
#|
#| m, p  int   runs, smooth columns      x  (p,)  where SciPy wants to know value and gradient

MAX_ITER = 15_000  # SciPy's own


class Run:
    """What SciPy minimizes, (alpha(start) − alpha(x)) / scale, and the best point it has asked for.

    SciPy's tolerances are in absolute units, so alpha is brought to slope 1 at the start.
    """

    def __init__(self, surface: Surface, run: int) -> None:
        self.surface, self.run = surface, np.array([run])
        self.rows = 0
        self.best_x, self.best_v = surface.origin[run], -np.inf
        self.initial, self.scale = -np.inf, 1.0

    def __call__(self, x: Array) -> tuple[float, Array]:
        values, gradients = self.surface.values_and_grads(x[None], self.run)
        v, g = float(values[0]), gradients[0]
        if self.rows == 0:
            slope = float(np.max(np.abs(g)))
            self.initial, self.scale = v, slope if 0.0 < slope < np.inf else 1.0
        self.rows += 1
        if v > self.best_v:
            self.best_x, self.best_v = x.copy(), v
        return (self.initial - v) / self.scale, -g / self.scale


def scipy_lbfgs(surface: Surface, max_iter: int | None, tol: float, leaders: int = 0) -> Ascent:  # noqa: ARG001
    """One call of `scipy.optimize.minimize` for each start; needs a score with a gradient."""
    origin = surface.origin
    limit = MAX_ITER if max_iter is None else max_iter
    runs, cut = [Run(surface, i) for i in range(len(origin))], np.zeros(len(origin), dtype=np.bool_)
    for i, run in enumerate(runs):
        result = minimize(
            run,
            origin[i],
            jac=True,
            method="L-BFGS-B",
            bounds=Bounds(0.0, 1.0),
            options={"maxiter": limit, "ftol": tol**2, "gtol": tol},
        )
        cut[i] = result.status == 1
    best = np.array([run.best_x for run in runs]).reshape(origin.shape)
    return Ascent(
        surface.points(best, np.arange(len(runs))),
        np.array([run.best_v for run in runs]),
        np.array([run.initial for run in runs]),
        cut,
        Work(grads=sum(run.rows for run in runs)),
    )


class SciPyLBFGSB(Multistart):
    """SciPy's L-BFGS-B, one start after the other: the reference, and several times slower; 15 000 iterations a run."""

    search = staticmethod(scipy_lbfgs)
