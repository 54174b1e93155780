"""Just enough: search until the estimated inaccuracy fits a budget that comes from the regret bound.

g_t     float  α*_t − α_t(x_t), the inaccuracy of step t; ĝ_t its estimate (accuracy/estimate.py)
w_t     float  2 β_t σ_{t−1}(x_t), the width: what the regret bound pays for x_t in any case
s       float  the share                               S       float  the spread: best − median of the draws
credit  float  s Σ_{i<t} w_i − Σ_{i<t} ĝ_i, what earlier steps left over

Before its last relaxations the proof of Theorem 1 says R_T ≤ Σ g_t + Σ w_t. Both sums are observable, and keeping
Σ ĝ_t ≤ s Σ w_t keeps the bound within (1 + s) times that of an exact maximizer. Step t may spend

    min(s w_t(x) + credit/t, s S/100),     but is never asked for less than s S/1000.

A score without a width, which no regret bound is about, has s S/10; of a logarithm S is at most 20
(accuracy/multistart.py). A width is often a tenth of the spread or more, where one more batch of runs is cheap and
leaves ten times less.
"""

import time
from dataclasses import dataclass, replace

from numpy.random import Generator

from suffice.accuracy.estimate import estimate
from suffice.accuracy.multistart import runs_for
from suffice.checks import as_count, as_real
from suffice.solvers.drawing import enumerated
from suffice.solvers.pursuit import KEEP, Pursuit
from suffice.solvers.record import late
from suffice.solvers.surroundings import CENTRES
from suffice.solvers.whole import seen_whole
from suffice.space import held, listable
from suffice.types import Domain, Score, Solution, Starts, Status, Step, as_score

FEWEST = 16  # draws of the first batch: the median needs that many
ENUMERABLE = 2000  # points of a finite domain that are all looked at: no more work than two usual searches, and exact
FROM_KNOWN = 2 * CENTRES  # runs from the best observed points and from the best draws around them
UNBOUND = 0.1  # of share × spread: what a step may leave whose score no regret bound is about
MOST, LEAST = 1e-2, 1e-3  # of share × spread: what a step may leave, and what it is never asked to do better than


@dataclass(frozen=True)
class Enough:
    """The default solver: it searches for the best score until what it may have missed is small enough to afford.

    A miss matters less while the model is uncertain, so that the search is short then, and longer towards the end.
    Choose another one, such as sf.LBFGSB() or sf.Grid(), where every point is to get the same effort.

    It draws points, climbs from the best of them and from the surroundings of the best observed points, all in one
    batch, and estimates what is missing. Until the estimate is affordable or the cap is reached, it draws as many
    points again, and climbs from as many as make it affordable, unless they find new hills.

    Parameters
    ----------
    share : float, default: 0.1
        Of the regret bound's own width that the inaccuracy may add: a smaller one searches longer.
    time_share : float or None, default: None
        Stop searching after this share of the median evaluation time; the smallest search, a few milliseconds, is
        always made. None looks at no clock.
    draws : int, default: 200
        Points of the first batch.
    starts : int or None, default: None
        How many of them are climbed from in the first batch; None: enough for the share if there is one hill.
    cap : int, default: 8
        Times the evaluations of the first batch; beyond, the best point so far is taken, with status BUDGET.
    """

    share: float = 0.1
    time_share: float | None = None
    draws: int = 200
    starts: int | None = None
    cap: int = 8

    def __post_init__(self) -> None:
        if not as_real(self.share, "Enough: share") > 0:
            raise ValueError(f"Enough got share={self.share!r}; it is a share of the regret bound, above 0")
        if self.time_share is not None and not as_real(self.time_share, "Enough: time_share") > 0:
            raise ValueError(
                f"Enough got time_share={self.time_share!r}; it is a share of the evaluation time, above 0"
            )
        as_count(self.draws, "Enough: draws", FEWEST)
        as_count(self.cap, "Enough: cap", 1)
        if self.starts is not None and as_count(self.starts, "Enough: starts", 2) > KEEP:
            raise ValueError(f"Enough got starts={self.starts!r}; it keeps {KEEP} draws to start from, so no more runs")

    def __call__(self, alpha: Score, domain: Domain, *, step: Step, rng: Generator) -> Solution:
        return self.pursued(as_score(alpha), domain, step, rng)[0]

    def pursued(self, alpha: Score, domain: Domain, step: Step, rng: Generator) -> tuple[Solution, Pursuit | None]:
        """The solution, and the search that led to it: its draws and runs; None where every point was looked at."""
        deadline = self._deadline(step)
        if listable(domain, ENUMERABLE):
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
        """Runs of the first batch: enough if they end on one hill."""
        if self.starts is not None:
            return self.starts + FROM_KNOWN
        return min(KEEP, max(2 + FROM_KNOWN, runs_for(1, MOST * self.share, 1.0)))

    def _allowance(self, search: Pursuit, step: Step) -> float:
        """What this step may leave on the table."""
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


def more_runs(search: Pursuit, allowance: float) -> int:
    """How many more runs fit the allowance if they end on known hills; at most as many as draws are kept."""
    known = search.starts or Starts(0, 0)
    wanted = runs_for(known.distinct, 0.99 * allowance, search.spread)  # what the best run leaves comes on top
    return max(1, min(wanted - known.m, KEEP))


def inaccuracy(search: Pursuit) -> float | None:
    """ĝ of the best point so far; None where it cannot be known."""
    facts = search.draws(), search.starts, search.x, search.value, search.domain
    found = estimate(*facts, logarithmic=search.alpha.logarithmic)
    return None if found is None else found.gap(search.value)
