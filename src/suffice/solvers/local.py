"""Local searches from many starts; the best end point wins.

starts  int  m, how many local runs
screen  int  n, how many uniform draws are looked at to start from the m best of them; 0: start from any m draws

Screening is good practice, and its draws tell how good the answer is; `screen=0` is the way of the paper's experiments.
A score without a gradient is searched with Nelder–Mead by every solver of this file.
"""

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.random import Generator

from suffice.solvers.conjugate import conjugate
from suffice.solvers.drawing import KEEP, enumerated, ranked
from suffice.solvers.lbfgs import lbfgs
from suffice.solvers.polish import TOL, check_search, facts, polish, status_of
from suffice.solvers.record import Work, record
from suffice.solvers.simplex import nelder_mead
from suffice.solvers.surface import LocalSearch
from suffice.types import Domain, Score, Solution, Step, as_score, smooth_columns

STARTS = 10
SCREEN = 500


class Settings(Protocol):
    """What every solver of this file can be told."""

    @property
    def starts(self) -> int:
        """How many local runs."""

    @property
    def screen(self) -> int:
        """Of how many draws the starts are the best; 0: no choice."""

    @property
    def max_iter(self) -> int | None:
        """The limit on the iterations of a run; None: the method's own."""

    @property
    def tol(self) -> float:
        """The share of the way to the maximum that may be left."""


def check_runs(settings: Settings) -> None:
    """Refuse settings that make no search."""
    name, starts, screen = type(settings).__name__, settings.starts, settings.screen
    check_search(name, starts, settings.max_iter, settings.tol)
    if screen != 0 and screen < starts:
        raise ValueError(f"{name} got screen={screen!r}, fewer draws than starts={starts!r}; draw more, or 0 for none")


def multistart(settings: Settings, search: LocalSearch, alpha: Score, domain: Domain, rng: Generator) -> Solution:
    """Draw, start from the best, search from all starts in one batch, return the best point seen."""
    alpha, n, movable = as_score(alpha), max(settings.screen, settings.starts), bool(smooth_columns(domain).any())
    if domain.size <= n:
        return enumerated(alpha, domain)
    X, keep = domain.sample(n, rng), max(settings.starts, KEEP)
    draws, work = None, Work()
    if settings.screen or not movable:
        draws, work = ranked(X, alpha(X), iid=True, keep=keep), Work(values=n)
        X = draws.points[: settings.starts]
        if not movable:
            return record(alpha, domain, X[0], work, draws=draws)
    ascent = polish(alpha, domain, X, search=search, max_iter=settings.max_iter, tol=settings.tol)
    return record(
        alpha,
        domain,
        ascent.points[int(np.argmax(ascent.values))],
        work + ascent.work,
        status=status_of(ascent),
        draws=draws or ranked(X, ascent.initial, iid=True, keep=keep),
        starts=facts(ascent),
    )


@dataclass(frozen=True)
class LBFGSB:
    """Limited-memory BFGS in the box, all starts in one batch."""

    starts: int = STARTS
    screen: int = SCREEN
    max_iter: int | None = None  # 200 trials a run
    tol: float = TOL

    def __post_init__(self) -> None:
        check_runs(self)

    def __call__(self, alpha: Score, domain: Domain, *, step: Step, rng: Generator) -> Solution:  # noqa: ARG002
        return multistart(self, lbfgs, alpha, domain, rng)


@dataclass(frozen=True)
class CG:
    """Nonlinear conjugate gradients (Polak–Ribière) in the box, all starts in one batch."""

    starts: int = STARTS
    screen: int = SCREEN
    max_iter: int | None = None  # 400 trials a run
    tol: float = TOL

    def __post_init__(self) -> None:
        check_runs(self)

    def __call__(self, alpha: Score, domain: Domain, *, step: Step, rng: Generator) -> Solution:  # noqa: ARG002
        return multistart(self, conjugate, alpha, domain, rng)


@dataclass(frozen=True)
class NelderMead:
    """Nelder–Mead in the box, all starts in one batch; values only."""

    starts: int = STARTS
    screen: int = SCREEN
    max_iter: int | None = None  # 200 iterations for each smooth column
    tol: float = TOL

    def __post_init__(self) -> None:
        check_runs(self)

    def __call__(self, alpha: Score, domain: Domain, *, step: Step, rng: Generator) -> Solution:  # noqa: ARG002
        return multistart(self, nelder_mead, alpha, domain, rng)
