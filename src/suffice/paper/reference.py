"""SciPy's L-BFGS-B, one start after the other: the reference for the batched searches.

m, p  int   runs, smooth columns      x  (p,)  where SciPy wants to know value and gradient
"""

from dataclasses import dataclass

import numpy as np
from numpy.random import Generator
from scipy.optimize import Bounds, minimize

from suffice.solvers.multistart import SCREEN, STARTS, Runs, multistart
from suffice.solvers.record import Work
from suffice.solvers.search.polish import TOL
from suffice.solvers.search.surface import Ascent, Surface
from suffice.types import Array, Domain, Score, Solution, Step

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


@dataclass(frozen=True)
class SciPyLBFGSB:
    """SciPy's L-BFGS-B, one start after the other: the reference, and several times slower."""

    starts: int = STARTS
    screen: int = SCREEN
    max_iter: int | None = None  # 15 000 iterations a run
    tol: float = TOL

    def __post_init__(self) -> None:
        self._runs.check(type(self).__name__)

    def __call__(self, alpha: Score, domain: Domain, *, step: Step, rng: Generator) -> Solution:
        return multistart(self._runs, scipy_lbfgs, alpha, domain, step=step, rng=rng)

    @property
    def _runs(self) -> Runs:
        return Runs(self.starts, self.screen, self.max_iter, self.tol)
