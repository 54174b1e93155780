"""A coarse solver whose best points are polished."""

from dataclasses import dataclass, replace

import numpy as np
from numpy.random import Generator

from suffice.solvers.grid import Grid
from suffice.solvers.multistart import climbed
from suffice.solvers.record import late
from suffice.solvers.search.cells import ascend
from suffice.solvers.search.polish import TOL, check_search
from suffice.solvers.surroundings import surroundings
from suffice.types import Array, Domain, Score, Solution, Solver, Status, Step, as_score


@dataclass(frozen=True)
class Polished:
    """Let another solver find good points, then climb from the best of them with L-BFGS.

    Choose it to add precision to a solver that has none, as in Polished(Grid(sf.sobol)). The answer is never worse than
    that of `coarse`. Runs start from the surroundings of the best observed points as well.

    Parameters
    ----------
    coarse : Solver, default: Grid()
        The solver that finds the points.
    starts : int, default: 5
        How many of its points are climbed from.
    max_iter : int or None, default: None
        Trials of a run; None: 200.
    tol : float, default: 1e-05
        The share of the way to the top that a run may leave, between 0 and 1.
    """

    coarse: Solver = Grid()
    starts: int = 5  # five runs into one maximum leave an expected share of 2 / (5·4) = 0.1 to unseen ones
    max_iter: int | None = None
    tol: float = TOL

    def __post_init__(self) -> None:
        check_search("Polished", self.starts, self.max_iter, self.tol)
        if isinstance(self.coarse, type) or not callable(self.coarse):
            raise TypeError(f"Polished takes a coarse solver such as Grid(): got {self.coarse!r}")

    def __call__(self, alpha: Score, domain: Domain, *, step: Step, rng: Generator) -> Solution:
        alpha = as_score(alpha)
        coarse = self.coarse(alpha, domain, step=step, rng=rng)
        if late(step.deadline):
            return replace(coarse, status=Status.BUDGET)
        if coarse.draws is not None and not coarse.draws.iid and coarse.draws.n >= domain.size:
            return coarse  # every point was looked at
        near, work = surroundings(alpha, domain, step, rng)
        best = np.concatenate([_best(coarse, self.starts), near])
        ascent = ascend(alpha, domain, best, max_iter=self.max_iter, tol=self.tol, deadline=step.deadline, rng=rng)
        fine = climbed(alpha, domain, ascent, work, draws=coarse.draws, step=step)
        better = fine if fine.value > coarse.value else coarse
        return replace(
            fine,
            x=better.x,
            value=better.value,
            status=Status.BUDGET if coarse.status is Status.BUDGET else fine.status,
            n_evals=coarse.n_evals + fine.n_evals,
            n_grads=coarse.n_grads + fine.n_grads,
        )


def _best(coarse: Solution, m: int) -> Array:
    """The point of the coarse solver and its best other draws, at most m rows."""
    x = coarse.x[None]
    if coarse.draws is None:
        return x
    others = coarse.draws.points[(coarse.draws.points != x).any(axis=1)]
    return np.concatenate((x, others))[:m]
