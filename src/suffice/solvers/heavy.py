"""The heavy solver: what an audit takes for the maximum of a score.

It only ever finds the maximum from below; a proven bound from above is the certificate's.
"""

from dataclasses import dataclass

import numpy as np
from numpy.random import Generator

from suffice.candidates import local
from suffice.solvers.drawing import enumerated, median
from suffice.solvers.polish import facts, polish
from suffice.solvers.record import Work, record
from suffice.solvers.surface import Ascent
from suffice.space import held
from suffice.types import Domain, Draws, Score, Solution, Status, Step, as_score, largest, smooth_columns

ENUMERABLE = 20_000  # points of a finite domain that are all looked at
MEDIAN_ROWS = 1000


@dataclass(frozen=True)
class Heavy:
    """`draws` uniform and `near` local draws; the `starts` best of each and all observed points polished to `tol`."""

    draws: int = 20_000
    near: int = 2_000
    starts: int = 50
    tol: float = 1e-5  # of the way: the value is good to 1e-10 of the gain

    def __call__(self, alpha: Score, domain: Domain, *, step: Step, rng: Generator) -> Solution:
        alpha = as_score(alpha)
        if domain.size <= ENUMERABLE:
            return enumerated(alpha, domain)
        n = min(self.draws, 4 * held(domain))
        uniform = domain.sample(n, rng)
        rows, values = alpha.top(uniform, self.starts)
        first = uniform[:MEDIAN_ROWS]
        draws = Draws(n, True, uniform[rows], values, median(alpha(first)))
        around = local(self.near, domain, design=step.design[:1], rng=rng)
        around = around[largest(alpha(around), self.starts)]
        ascent = polish(alpha, domain, np.concatenate([draws.points, around, step.design]), tol=self.tol)
        work = Work(values=n + len(first) + self.near) + ascent.work
        x = ascent.points[int(np.argmax(ascent.values))]
        m = len(rows)  # the runs from the best uniform draws, and they alone, sample the basins by their size
        sampled = Ascent(ascent.points[:m], ascent.values[:m], ascent.initial[:m], ascent.cut[:m], ascent.work)
        starts = facts(sampled) if smooth_columns(domain).any() else None
        return record(alpha, domain, x, work, status=Status.DONE, draws=draws, starts=starts)
