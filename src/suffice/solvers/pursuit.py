"""The pursuit of one maximum: draws, local runs from the best of them and from what is known, and what they found.

N       int     uniform draws so far                  KEEP   int    of the best of them are kept to start runs from
ends    (m, d)  where the m local runs ended          spread float  the best value − the median of the first draws
"""

import math
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.random import Generator

from suffice.accuracy.multistart import spread
from suffice.solvers.drawing import median, top_in_time
from suffice.solvers.record import Work, record
from suffice.solvers.search.cells import ascend, facts
from suffice.solvers.search.lbfgs import lbfgs
from suffice.solvers.search.newton import newton
from suffice.solvers.surroundings import surroundings
from suffice.types import Array, Domain, Draws, Score, Solution, Starts, Status, Step, largest, smooth_columns

KEEP = 64
BENT = 10  # smooth columns up to which a search with second derivatives is the faster one
ROUNDS = 10  # of a batch: stragglers climb hills that the others have left behind
BENT_ROUNDS = 8  # where the runs know the curvature
TOL = 1e-3  # of the way to the top may be left by the best run, so 1e-6 of its gain


@dataclass
class Pursuit:
    """The state of one solve."""

    alpha: Score
    domain: Domain
    step: Step
    rng: Generator
    n: int = 0  # N
    looks: int = 0
    median: float = 0.0
    starts: Starts | None = None  # what the local runs found; None before the first
    work: Work = field(default_factory=Work)

    def __post_init__(self) -> None:
        d = self.domain.dim
        self.points, self.values = np.empty((0, d)), np.empty(0)  # the best draws, best first
        self.climbed = np.empty(0, dtype=np.bool_)  # which of them a run started from
        self.ends, self.end_values = np.empty((0, d)), np.empty(0)
        self.x, self.value = np.empty(d), -np.inf

    @cached_property
    def movable(self) -> int:
        """Smooth columns."""
        return int(smooth_columns(self.domain).sum())

    @cached_property
    def bends(self) -> bool:
        """Whether runs look at the curvature: of few columns it costs less than the rounds it saves."""
        return self.alpha.curved and 1 <= self.movable <= BENT

    @property
    def rounds(self) -> int:
        """After which a batch of runs is cut."""
        return BENT_ROUNDS if self.bends else ROUNDS

    @property
    def spread(self) -> float:
        """Best − median of the draws, of a logarithm limited."""
        return spread(self.value, self.median, self.alpha.logarithmic)

    def draw(self, n: int) -> None:
        """n more draws, merged into the best so far."""
        X = self.domain.sample(n, self.rng)
        if self.n == 0:
            values = self.alpha(X)
            self.median = median(values) or 0.0
            rows = largest(values, KEEP)
            values = values[rows]
        else:
            rows, values, n = top_in_time(self.alpha, X, KEEP, self.step)
        X = X[rows]
        self.n += n
        self.looks += 1
        self.work += Work(values=n)
        points, values = np.concatenate([self.points, X]), np.concatenate([self.values, values])
        climbed = np.concatenate([self.climbed, np.zeros(len(X), dtype=np.bool_)])
        best = largest(values, KEEP)
        self.points, self.values, self.climbed = points[best], values[best], climbed[best]
        if np.isneginf(self.value):
            self.x = self.points[0]  # a member of the domain, also where no draw has a value
        self._offer(self.points[0], float(self.values[0]))

    def climb(self, runs: int) -> None:
        """So many local runs, the first time from what is known, and from the best draws that had none."""
        first = self.starts is None
        near = np.empty((0, self.domain.dim))
        if first:
            near, work = surroundings(self.alpha, self.domain, self.step, self.rng)
            self.work += work
        rows = np.flatnonzero(~self.climbed)[: max(1, runs - len(near))]
        self.climbed[rows] = True
        starts = np.concatenate([self.points[rows], near])
        if len(starts):
            before = self.value
            ends, values = self._run(starts, rounds=self.rounds, leaders=1 if first else 0)
            self.ends, self.end_values = np.concatenate([self.ends, ends]), np.concatenate([self.end_values, values])
            if not first and self.value > before:
                self._run(self.x[None], rounds=None, leaders=0)
        points, values = np.vstack([self.x, self.ends]), np.append(self.value, self.end_values)
        found, work = facts(self.alpha, self.domain, points, values, spread=self.spread, deadline=self.step.deadline)
        self.starts, self.work = Starts(max(0, found.m - 1), found.distinct), self.work + work

    def _run(self, starts: Array, *, rounds: int | None, leaders: int) -> tuple[Array, Array]:
        """Local runs from the starts, which are cut after so many rounds, except the leaders."""
        ascent = ascend(
            self.alpha,
            self.domain,
            starts,
            search=newton if self.bends else lbfgs,
            # So few rounds of a simplex get nowhere: without a gradient a run has the time it needs.
            max_iter=rounds if self.alpha.smooth else None,
            tol=TOL,
            leaders=leaders,
            known=self.value if len(self.ends) else -math.inf,
            deadline=self.step.deadline,
            rng=self.rng,
        )
        self.work += ascent.work
        best = int(np.argmax(ascent.values))
        self._offer(ascent.points[best], float(ascent.values[best]))
        return ascent.points, ascent.values

    def draws(self) -> Draws:
        """The record of the draws."""
        return Draws(self.n, True, self.points, self.values, self.median, self.looks)

    def solution(self, status: Status) -> Solution:
        """The answer so far."""
        draws = self.draws()
        return record(self.alpha, self.domain, self.x, self.work, status=status, draws=draws, starts=self.starts)

    def _offer(self, x: Array, value: float) -> None:
        if value > self.value:
            self.x, self.value = x, value
