"""The default solver: search until the estimated inaccuracy fits a budget that comes from the regret bound.

g_t     float  α*_t − α_t(x_t), the inaccuracy of step t; ĝ_t its estimate (accuracy/estimate.py)
w_t     float  2 β_t σ_{t−1}(x_t), the width: the part of the regret bound at x_t that no search reduces
s       float  the share                               S       float  the spread: best − median of the draws
credit  float  s Σ_{i<t} w_i − Σ_{i<t} ĝ_i, the unused budget of earlier steps
N       int    uniform draws so far; the best KEEP start local runs
ends    (m, d) where the m local runs ended

The proof of Theorem 1 shows R_T ≤ Σ g_t + Σ w_t before its last relaxations. Both sums are observable. If
Σ ĝ_t ≤ s Σ w_t, the bound is at most 1 + s times that of an exact maximizer. Step t may leave

    min(s w_t(x) + credit/t, s S/100),     but at least s S/1000.

No regret bound covers a score without a width; it may leave s S/10. S is at most 20 for a logarithm
(accuracy/estimate.py). The width alone would allow too much: it is often a tenth of the spread or more, where one more
batch of runs is cheap and leaves ten times less.
"""

import math
import time
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
from numpy.random import Generator

from suffice.accuracy.estimate import estimate, runs_for, spread
from suffice.checks import as_count, as_real
from suffice.solvers.record import (
    FEET,
    KNOWN,
    QUICK,
    Work,
    enumerated,
    faces,
    late,
    median,
    record,
    seen_whole,
    spread_out,
    surroundings,
    top_in_time,
)
from suffice.solvers.search.gradient import lbfgs
from suffice.solvers.search.hills import facts
from suffice.solvers.search.mixed import ascend
from suffice.solvers.search.newton import newton
from suffice.solvers.search.surface import Mask
from suffice.space import held, listable
from suffice.types import (
    Array,
    Domain,
    Draws,
    Score,
    Solution,
    Solver,
    Starts,
    Status,
    Step,
    as_score,
    largest,
    smooth_columns,
)

KEEP = 64  # of the best draws are kept to start runs from
FEWEST = 16  # draws of the first batch at least: the median needs them
BENT = 10  # smooth columns up to which second derivatives make the search faster
ROUNDS = 10  # of a batch: late runs climb to lower maxima than the others found
BENT_ROUNDS = 8  # with second derivatives
TOL = 1e-3  # of the way to the maximum that the best run may leave: 1e-6 of its gain
UNBOUND = 0.1  # of share × spread: what a step may leave if its score has no regret bound
MOST, LEAST = 1e-2, 1e-3  # of share × spread: the most and the least that a step may leave


@dataclass(frozen=True)
class Adaptive:
    """The default solver: maximizes the acquisition function until the estimated miss is small enough.

    A miss matters less while the model is uncertain, so early searches are short and late searches longer. Choose
    another solver, such as sf.solvers.LBFGSB() or sf.solvers.Grid(), to spend the same effort on every point.

    A batch of local runs starts from the best random samples and near the best observed points. Then the solver
    estimates what it missed. Until the estimate is small enough or the cap is reached, it takes as many samples again,
    and makes as many local runs as will be enough if they find no new local maxima.

    Parameters
    ----------
    share : float, default: 0.1
        The inaccuracy that a search may add, as a fraction of the regret bound's width. A smaller one searches longer.
    time_share : float or None, default: None
        Stop a search after this fraction of the median evaluation time, but never before the first batch, which takes a
        few milliseconds. None ignores the clock.
    draws : int, default: 200
        Points of the first batch.
    starts : int or None, default: None
        Local runs in the first batch; None: enough for the share if there is one local maximum.
    cap : int, default: 8
        A search ends with status BUDGET after this many times the evaluations of the first batch.
    """

    share: float = 0.1
    time_share: float | None = None
    draws: int = 200
    starts: int | None = None
    cap: int = 8

    def __post_init__(self) -> None:
        if not as_real(self.share, "Adaptive: share") > 0:
            raise ValueError(f"Adaptive got share={self.share!r}; it is a fraction of the regret bound, above 0")
        if self.time_share is not None and not as_real(self.time_share, "Adaptive: time_share") > 0:
            raise ValueError(
                f"Adaptive got time_share={self.time_share!r}; it is a fraction of the evaluation time, above 0"
            )
        as_count(self.draws, "Adaptive: draws", FEWEST)
        as_count(self.cap, "Adaptive: cap", 1)
        if self.starts is not None and as_count(self.starts, "Adaptive: starts", 2) > KEEP:
            raise ValueError(
                f"Adaptive got starts={self.starts!r}; it keeps {KEEP} samples to start from, so wanted at most as many"
            )

    def for_batch(self, n: int) -> Solver:
        """A shared search for all points of a wide batch."""
        from suffice.solvers.batch import WIDE, Shared  # which searches by this solver

        return Shared(self) if n > WIDE else self

    def __call__(self, alpha: Score, domain: Domain, *, step: Step, rng: Generator) -> Solution:
        return self.pursued(as_score(alpha), domain, step, rng)[0]

    def pursued(self, alpha: Score, domain: Domain, step: Step, rng: Generator) -> "tuple[Solution, Pursuit | None]":
        """The solution, and the search that led to it with its draws and runs; None if every point was evaluated."""
        deadline = self._deadline(step)
        if listable(domain, QUICK):
            return enumerated(alpha, domain), None
        if seen_whole(alpha, domain, step):
            return enumerated(alpha, domain, KEEP, deadline), None
        search = Pursuit(alpha, domain, step, rng)
        search.draw(min(self.draws, max(FEWEST, held(domain))))
        if late(deadline):
            return search.solution(Status.BUDGET), search
        search.climb(self._first())
        status, first, runs = Status.DONE, search.work.evals(domain), max(1, len(search.ends))
        while (gap := inaccuracy(search)) is not None and gap > (allowance := self._allowance(search, step)):
            room = int(runs * (self.cap - search.work.evals(domain) / first))  # at the price of the first batch
            if room < 1 or late(deadline):
                status = Status.BUDGET
                break
            search.draw(min(search.n, held(domain)))
            search.climb(min(room, more_runs(search, allowance)))
        return replace(search.solution(status), allowance=self._allowance(search, step)), search

    def _first(self) -> int:
        """Runs of the first batch: enough if they all end at one maximum."""
        known = KNOWN + FEET  # the best observed points, and the best draws around them
        if self.starts is not None:
            return self.starts + known
        return min(KEEP, max(2 + known, runs_for(1, MOST * self.share, 1.0)))

    def _allowance(self, search: "Pursuit", step: Step) -> float:
        """The inaccuracy that this step may leave."""
        most, least = MOST * self.share * search.spread, LEAST * self.share * search.spread
        width = search.alpha.width(search.x[None])
        if width is None:
            return UNBOUND * self.share * search.spread
        credit = self.share * step.ledger.widths - step.ledger.inaccuracies
        return max(least, min(most, self.share * float(width[0]) + credit / step.t))

    def _deadline(self, step: Step) -> float | None:
        """The earlier of the user's deadline and the share of the evaluation time."""
        limits = [] if step.deadline is None else [step.deadline]
        if self.time_share is not None and step.evaluation_seconds is not None:
            limits.append(time.monotonic() + self.time_share * step.evaluation_seconds)
        return min(limits, default=None)


def more_runs(search: "Pursuit", allowance: float) -> int:
    """How many more runs are enough if they find no new maximum; at most as many as draws are kept."""
    known = search.starts or Starts(0, 0)
    wanted = runs_for(known.distinct, 0.99 * allowance, search.spread)  # the best run itself leaves a part, too
    return max(1, min(wanted - known.m, KEEP))


def inaccuracy(search: "Pursuit") -> float | None:
    """ĝ of the best point so far; None if it cannot be estimated."""
    facts = search.draws(), search.starts, search.x, search.value, search.domain
    found = estimate(*facts, logarithmic=search.alpha.logarithmic)
    return None if found is None else found.gap(search.value)


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
    def movable(self) -> Mask:
        """Smooth columns, (d,)."""
        return smooth_columns(self.domain)

    @cached_property
    def bends(self) -> bool:
        """Whether runs use the curvature: with few columns it costs less than the rounds that it saves."""
        return self.alpha.curved and 1 <= self.movable.sum() <= BENT

    @property
    def rounds(self) -> int:
        """The number of rounds after which a batch of runs is stopped."""
        return BENT_ROUNDS if self.bends else ROUNDS

    @property
    def spread(self) -> float:
        """Best − median of the draws, limited for a logarithm."""
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
        """Make local runs from the best draws without one, the first time also from the best observed points."""
        first = self.starts is None
        near = np.empty((0, self.domain.dim))
        if first:
            near, work = surroundings(self.alpha, self.domain, self.step, self.rng)
            edge, looked = faces(self.alpha, self.domain, self.rng)
            near, self.work = np.concatenate([near, edge]), self.work + work + looked
        rows = np.flatnonzero(~self.climbed & np.isfinite(self.values))
        rows = rows[spread_out(self.points[rows][:, self.movable], max(1, runs - len(near)), self.n)]
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
        """Local runs from the starts. All but the leaders stop after so many rounds."""
        ascent = ascend(
            self.alpha,
            self.domain,
            starts,
            search=newton if self.bends else lbfgs,
            # A simplex needs more rounds, so runs without a gradient go on to the end.
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
