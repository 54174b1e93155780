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
    """Climb to the best score from several starts with L-BFGS: a fixed, thorough search for every point.

    Choose it where every point is to get the same effort; sf.Enough() searches longer only where it matters.

    Parameters
    ----------
    starts : int, default: 10
        How many points are climbed from, all in one batch: the best of those that are looked at.
    screen : int, default: 500
        Random points that are looked at.
    max_iter : int or None, default: None
        Trials of a run; None: 200.
    tol : float, default: 1e-05
        The share of the way to the top that a run may leave, between 0 and 1.
    """

    starts: int = STARTS
    screen: int = SCREEN
    max_iter: int | None = None
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
    """Climb as sf.LBFGSB() does, by nonlinear conjugate gradients (Polak–Ribière): one of the paper's solvers.

    Choose it to repeat the paper; L-BFGS mostly needs fewer steps.

    Parameters
    ----------
    starts : int, default: 10
        How many points are climbed from, all in one batch: the best of those that are looked at.
    screen : int, default: 500
        Random points that are looked at.
    max_iter : int or None, default: None
        Trials of a run; None: 400.
    tol : float, default: 1e-05
        The share of the way to the top that a run may leave, between 0 and 1.
    """

    starts: int = STARTS
    screen: int = SCREEN
    max_iter: int | None = None
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
    """Climb as sf.LBFGSB() does, by the simplex method of Nelder and Mead, which needs values only.

    Choose it to repeat the paper. Scores without a gradient are searched in this way by every solver.

    Parameters
    ----------
    starts : int, default: 10
        How many points are climbed from, all in one batch: the best of those that are looked at.
    screen : int, default: 500
        Random points that are looked at.
    max_iter : int or None, default: None
        Iterations of a run; None: 200 for each smooth column.
    tol : float, default: 1e-05
        The share of the way to the top that a run may leave, between 0 and 1.
    """

    starts: int = STARTS
    screen: int = SCREEN
    max_iter: int | None = None
    tol: float = TOL

    def __post_init__(self) -> None:
        self._runs.check(type(self).__name__)

    def __call__(self, alpha: Score, domain: Domain, *, step: Step, rng: Generator) -> Solution:
        return multistart(self._runs, nelder_mead, alpha, domain, step=step, rng=rng)

    @property
    def _runs(self) -> Runs:
        return Runs(self.starts, self.screen, self.max_iter, self.tol)
