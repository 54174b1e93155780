"""Draw, climb from the best draws in one batch, answer with the best point seen: the steps that solvers share.

starts  int  m, how many local runs
screen  int  n, how many uniform draws are looked at to start from the m best of them; 0: start from any m draws

Where draws are screened, runs start from the surroundings of the best observed points, too: peaks there may be too
narrow for any draw.
"""

from dataclasses import dataclass

import numpy as np
from numpy.random import Generator

from suffice.accuracy.multistart import spread
from suffice.checks import as_count
from suffice.solvers.drawing import KEEP, enumerated, ranked, valued
from suffice.solvers.record import Work, record
from suffice.solvers.search.cells import ascend, facts
from suffice.solvers.search.polish import TOL, check_search, status_of
from suffice.solvers.search.surface import Ascent, LocalSearch
from suffice.solvers.surroundings import surroundings
from suffice.types import Domain, Draws, Score, Solution, Status, Step, as_score

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
    """Draw, start from the best and from what is known, search from all starts in one batch, return the best point."""
    alpha, n = as_score(alpha), max(runs.screen, runs.starts)
    if domain.size <= n:
        return enumerated(alpha, domain)
    X, keep = domain.sample(n, rng), max(runs.starts, KEEP)
    draws, work = None, Work()
    if runs.screen:
        values = valued(alpha, X, step)
        draws, work = ranked(X[: len(values)], values, iid=True, keep=keep), Work(values=len(values))
        X = draws.points[: runs.starts]
        if len(values) < n:
            return record(alpha, domain, X[0], work, status=Status.BUDGET, draws=draws)
        near, looked = surroundings(alpha, domain, step, rng)
        X, work = np.concatenate([X, near]), work + looked
    ascent = ascend(
        alpha, domain, X, search=search, max_iter=runs.max_iter, tol=runs.tol, deadline=step.deadline, rng=rng
    )
    draws = draws or ranked(X, ascent.initial, iid=True, keep=keep)
    return climbed(alpha, domain, ascent, work, draws=draws, step=step)


def climbed(alpha: Score, domain: Domain, ascent: Ascent, work: Work, *, draws: Draws | None, step: Step) -> Solution:
    """The best end of local runs, after so much other work."""
    best = int(np.argmax(ascent.values))
    middle = None if draws is None else draws.median
    lowest = np.min(ascent.initial[np.isfinite(ascent.initial)], initial=np.inf) if middle is None else middle
    top = float(ascent.values[best])
    S = spread(top, float(lowest), alpha.logarithmic) if np.isfinite(top) else 0.0
    starts, looked = facts(alpha, domain, ascent.points, ascent.values, spread=S, deadline=step.deadline)
    return record(
        alpha,
        domain,
        ascent.points[best],
        work + ascent.work + looked,
        status=status_of(ascent),
        draws=draws,
        starts=starts,
    )
