"""The heavy solver: what an audit takes for the maximum of a score.

It only ever finds the maximum from below; a proven bound from above is the certificate's.
"""

from dataclasses import dataclass, replace

import numpy as np
from numpy.random import Generator

from suffice.candidates import local
from suffice.checks import as_count
from suffice.solvers.drawing import enumerated, median, top_in_time
from suffice.solvers.multistart import climbed
from suffice.solvers.record import Work, late, record
from suffice.solvers.search.cells import ascend
from suffice.solvers.search.polish import check_search
from suffice.solvers.whole import seen_whole
from suffice.space import held
from suffice.types import Domain, Draws, Score, Solution, Status, Step, as_score, largest

ENUMERABLE = 20_000  # points of a finite domain that are all looked at
MEDIAN_ROWS = 1000


@dataclass(frozen=True)
class Heavy:
    """`draws` uniform and `near` local draws; the `starts` best of each and all observed points polished to `tol`."""

    draws: int = 20_000
    near: int = 2_000
    starts: int = 50
    tol: float = 1e-5  # of the way: the value is good to 1e-10 of the gain

    def __post_init__(self) -> None:
        check_search("Heavy", self.starts, None, self.tol)
        as_count(self.draws, "Heavy: draws", 1)
        as_count(self.near, "Heavy: near", 1)

    def __call__(self, alpha: Score, domain: Domain, *, step: Step, rng: Generator) -> Solution:
        alpha = as_score(alpha)
        if domain.size <= ENUMERABLE or seen_whole(alpha, domain, step):
            return enumerated(alpha, domain, deadline=step.deadline)
        uniform = domain.sample(min(self.draws, 4 * held(domain)), rng)
        rows, values, n = top_in_time(alpha, uniform, self.starts, step)
        first = uniform[: min(n, MEDIAN_ROWS)]
        draws = Draws(n, True, uniform[rows], values, median(alpha(first)))
        work = Work(values=n + len(first))
        if late(step.deadline):
            return record(alpha, domain, draws.points[0], work, status=Status.BUDGET, draws=draws)
        around = local(self.near, domain, design=step.design[:1], rng=rng)
        around = around[largest(alpha(around), self.starts)]
        work += Work(values=self.near)
        seeds = np.empty((0, domain.dim)) if alpha.seeds is None else alpha.seeds
        points = np.concatenate([draws.points, around, seeds, step.design])
        ascent = ascend(alpha, domain, points, tol=self.tol, deadline=step.deadline, rng=rng)
        found = climbed(alpha, domain, ascent, work, draws=draws, step=step)
        # Where nothing was left to climb the maximum is found all the same.
        return replace(found, status=Status.BUDGET if late(step.deadline) else Status.DONE)
