"""Draw, climb from the best draws in one batch, answer with the best point seen: the steps that solvers share.

starts  int  m, how many local runs
screen  int  n, how many uniform draws are looked at to start from the m best of them; 0: start from any m draws
"""

from dataclasses import dataclass

import numpy as np
from numpy.random import Generator

from suffice.checks import as_count
from suffice.solvers.drawing import KEEP, enumerated, ranked, valued
from suffice.solvers.record import Work, record
from suffice.solvers.search.polish import TOL, check_search, facts, polish, status_of
from suffice.solvers.search.surface import Ascent, LocalSearch
from suffice.types import Domain, Draws, Score, Solution, Status, Step, as_score, smooth_columns

STARTS = 10
SCREEN = 500


@dataclass(frozen=True)
class Runs:
    """How many local runs there are, where they start and when they stop."""

    starts: int = STARTS
    screen: int = SCREEN
    max_iter: int | None = None  # the limit on the iterations of a run; None: the method's own
    tol: float = TOL  # the share of the way to the maximum that may be left

    def check(self, name: str) -> None:
        """Refuse what makes no search, in the name of a solver."""
        check_search(name, self.starts, self.max_iter, self.tol)
        if as_count(self.screen, f"{name}: screen", 0) and self.screen < self.starts:
            raise ValueError(
                f"{name} got screen={self.screen!r}, fewer draws than starts={self.starts!r}; draw more, or 0 for none"
            )


def multistart(
    runs: Runs, search: LocalSearch, alpha: Score, domain: Domain, *, step: Step, rng: Generator
) -> Solution:
    """Draw, start from the best, search from all starts in one batch, return the best point seen."""
    alpha, n, movable = as_score(alpha), max(runs.screen, runs.starts), bool(smooth_columns(domain).any())
    if domain.size <= n:
        return enumerated(alpha, domain)
    X, keep = domain.sample(n, rng), max(runs.starts, KEEP)
    draws, work = None, Work()
    if runs.screen or not movable:
        values = valued(alpha, X, step)
        draws, work = ranked(X[: len(values)], values, iid=True, keep=keep), Work(values=len(values))
        X = draws.points[: runs.starts]
        if not movable or len(values) < n:
            status = Status.DONE if len(values) == n else Status.BUDGET
            return record(alpha, domain, X[0], work, status=status, draws=draws)
    ascent = polish(alpha, domain, X, search=search, max_iter=runs.max_iter, tol=runs.tol, deadline=step.deadline)
    draws = draws or ranked(X, ascent.initial, iid=True, keep=keep)
    return climbed(alpha, domain, ascent, work, draws=draws)


def climbed(
    alpha: Score, domain: Domain, ascent: Ascent, work: Work, *, draws: Draws | None, sampled: int | None = None
) -> Solution:
    """The best end of local runs, after so much other work.

    The first `sampled` runs, all by default, started from the best draws: they sample the basins by their size.
    """
    return record(
        alpha,
        domain,
        ascent.points[int(np.argmax(ascent.values))],
        work + ascent.work,
        status=status_of(ascent),
        draws=draws,
        starts=facts(ascent.head(sampled)) if smooth_columns(domain).any() else None,
    )
