"""Local searches from many starts; the best end point wins.

starts  int  m, how many local runs
screen  int  n, how many uniform draws are looked at to start from the m best of them; 0: start from any m draws

Screening is good practice, and its draws tell how good the answer is; `screen=0` is the way of the paper's experiments.
A score without a gradient is searched with Nelder–Mead by every solver of this file.
"""

from dataclasses import dataclass

from numpy.random import Generator

from suffice.solvers.multistart import SCREEN, STARTS, Runs, multistart
from suffice.solvers.search.conjugate import conjugate
from suffice.solvers.search.lbfgs import lbfgs
from suffice.solvers.search.polish import TOL
from suffice.solvers.search.simplex import nelder_mead
from suffice.types import Domain, Score, Solution, Step


@dataclass(frozen=True)
class LBFGSB:
    """Limited-memory BFGS in the box, all starts in one batch."""

    starts: int = STARTS
    screen: int = SCREEN
    max_iter: int | None = None  # 200 trials a run
    tol: float = TOL

    def __post_init__(self) -> None:
        self._runs.check(type(self).__name__)

    def __call__(self, alpha: Score, domain: Domain, *, step: Step, rng: Generator) -> Solution:
        return multistart(self._runs, lbfgs, alpha, domain, step=step, rng=rng)

    @property
    def _runs(self) -> Runs:
        return Runs(self.starts, self.screen, self.max_iter, self.tol)


@dataclass(frozen=True)
class CG:
    """Nonlinear conjugate gradients (Polak–Ribière) in the box, all starts in one batch."""

    starts: int = STARTS
    screen: int = SCREEN
    max_iter: int | None = None  # 400 trials a run
    tol: float = TOL

    def __post_init__(self) -> None:
        self._runs.check(type(self).__name__)

    def __call__(self, alpha: Score, domain: Domain, *, step: Step, rng: Generator) -> Solution:
        return multistart(self._runs, conjugate, alpha, domain, step=step, rng=rng)

    @property
    def _runs(self) -> Runs:
        return Runs(self.starts, self.screen, self.max_iter, self.tol)


@dataclass(frozen=True)
class NelderMead:
    """Nelder–Mead in the box, all starts in one batch; values only."""

    starts: int = STARTS
    screen: int = SCREEN
    max_iter: int | None = None  # 200 iterations for each smooth column
    tol: float = TOL

    def __post_init__(self) -> None:
        self._runs.check(type(self).__name__)

    def __call__(self, alpha: Score, domain: Domain, *, step: Step, rng: Generator) -> Solution:
        return multistart(self._runs, nelder_mead, alpha, domain, step=step, rng=rng)

    @property
    def _runs(self) -> Runs:
        return Runs(self.starts, self.screen, self.max_iter, self.tol)
