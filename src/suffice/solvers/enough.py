"""Just enough: search until the estimated inaccuracy fits a budget that comes from the regret bound.

g_t     float  α*_t − α_t(x_t), the inaccuracy of step t; ĝ_t its estimate (accuracy/estimate.py)
w_t     float  2 β_t σ_{t−1}(x_t), the width: what the regret bound pays for x_t in any case
s       float  the share
credit  float  s Σ_{i<t} w_i − Σ_{i<t} ĝ_i, what earlier steps left over
N, m    int    i.i.d. uniform draws, and how many of the best of them are polished

Before its last relaxations the proof of Theorem 1 says R_T ≤ Σ g_t + Σ w_t. Both sums are observable, and keeping
Σ ĝ_t ≤ s Σ w_t keeps the bound within (1 + s) times that of an exact maximizer. Step t may spend

    s w_t(x) + credit/t,     but is never asked for less than 3e-3 × (best − median of the draws).

A score without a width may spend 0.1 s × (best − median).
"""

import math
import time
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from suffice.accuracy.estimate import DELTA, Estimate, estimate
from suffice.candidates import local
from suffice.checks import as_count, as_real
from suffice.solvers.drawing import enumerated, median, top_in_time
from suffice.solvers.record import Work, late, record
from suffice.solvers.search.hills import hills
from suffice.solvers.search.polish import SAME_POINT, SAME_VALUE, maxima, polish
from suffice.space import held, listable
from suffice.types import (
    Array,
    Domain,
    Draws,
    Indices,
    Score,
    Solution,
    Starts,
    Status,
    Step,
    as_score,
    largest,
    smooth_columns,
)

FEWEST = 16  # draws of the first block: the tail estimate and a few local runs need that many
ENUMERABLE = 2000  # points of a finite domain that are all looked at: no more work than two usual searches, and exact
FLOOR = 3e-3  # of the spread: below, another batch of runs costs more than it finds (audited gaps are far smaller)
NO_WIDTH = 0.1  # of share × spread, for a score without a width: as much as a width of a tenth of the spread
KEEP = 64  # of the best draws: the most that are polished; that many runs into one maximum leave 5e-4 to unseen ones
CENTRES, NEAR = 3, 32  # best observed points, and draws around each: peaks there can be too narrow for uniform draws
SCANNED, APART = 50, 0.05  # of the best observed points, how far the centres are from each other
FROM_NEAR = CENTRES  # of these draws that local runs start from: on average one for each centre
TOP = 1e-3  # without smooth coordinates the best draw is to be in this share of the domain …
LATTICE_DRAWS = math.ceil(math.log(DELTA) / math.log1p(-TOP))  # … with confidence 1 − DELTA
ROUNDS = 14  # of a batch: stragglers climb hills that the others have left behind
LEAP = 4  # times the runs of the batch before: in few columns a batch takes nearly the same time whatever its size
TOL = 1e-2  # of the way to a maximum may be left, so 1e-4 of the gain


@dataclass(frozen=True)
class Enough:
    """The default solver: it searches for the best score until what it may have missed is small enough to afford.

    A miss matters less while the model is uncertain, so that the search is short then, and longer towards the end.
    Choose another one, such as sf.LBFGSB() or sf.Grid(), where every point is to get the same effort.

    It draws N points, polishes the best m of them in one batch, and estimates what is missing. Until the estimate is
    affordable or the cap is reached, it draws as many again and polishes up to four times as many.

    share       of the regret bound's own width that the inaccuracy may add
    time_share  stop searching after this share of the median evaluation time; the smallest search, a few
                milliseconds, is always made; None: no clock
    draws       N of the first block
    starts      m of the first batch: 13 runs into one maximum leave an expected 1.3 % to unseen ones
    cap         evaluations for each smooth column and one more, of which the first batch takes about 250; beyond, the
                best point so far, with status BUDGET
    """

    share: float = 0.1
    time_share: float | None = None
    draws: int = 200
    starts: int = 13
    cap: int = 1000

    def __post_init__(self) -> None:
        if not as_real(self.share, "Enough: share") > 0:
            raise ValueError(f"Enough got share={self.share!r}; it is a share of the regret bound, above 0")
        if self.time_share is not None and not as_real(self.time_share, "Enough: time_share") > 0:
            raise ValueError(
                f"Enough got time_share={self.time_share!r}; it is a share of the evaluation time, above 0"
            )
        as_count(self.draws, "Enough: draws", FEWEST)
        as_count(self.cap, "Enough: cap", 1)
        if as_count(self.starts, "Enough: starts", 2) > KEEP:
            raise ValueError(f"Enough got starts={self.starts!r}; it keeps {KEEP} draws to start from, so no more runs")

    def __call__(self, alpha: Score, domain: Domain, *, step: Step, rng: Generator) -> Solution:
        if listable(domain, ENUMERABLE):
            return enumerated(alpha, domain)
        search = _Search(as_score(alpha), domain, step, rng)
        deadline = self._deadline(step)
        search.draw(min(self.draws, max(FEWEST, held(domain))))
        if not search.movable:
            return search.on_lattice(min(LATTICE_DRAWS, 4 * held(domain)), deadline)
        if late(deadline):
            return search.solution(Status.BUDGET)
        search.polish(self.starts, around=True)
        search.switch()
        status, allowance = Status.DONE, self._allowance(search, step)
        while (found := search.estimate()) is not None and found.gap(search.value) > allowance:
            if search.work.evals(domain) >= self.cap * (1 + search.movable) or late(deadline):
                status = Status.BUDGET
                break
            search.grow()
            allowance = self._allowance(search, step)
        return replace(search.solution(status), allowance=allowance)

    def _allowance(self, search: "_Search", step: Step) -> float:
        """What this step may leave on the table."""
        floor = FLOOR * search.spread
        width = search.alpha.width(search.x[None])
        if width is None:
            return max(floor, NO_WIDTH * self.share * search.spread)
        credit = self.share * step.ledger.widths - step.ledger.inaccuracies
        return max(floor, self.share * float(width[0]) + credit / step.t)

    def _deadline(self, step: Step) -> float | None:
        """The earlier of the user's deadline and the share of the evaluation time."""
        limits = [] if step.deadline is None else [step.deadline]
        if self.time_share is not None and step.evaluation_seconds is not None:
            limits.append(time.monotonic() + self.time_share * step.evaluation_seconds)
        return min(limits, default=None)


@dataclass
class _Search:
    """The state of one solve: the best draws, where their local runs ended, and the best point of all."""

    alpha: Score
    domain: Domain
    step: Step
    rng: Generator
    n: int = 0  # N
    m: int = 0
    looks: int = 0
    median: float = 0.0
    starts: Starts | None = None  # what the local runs found; None before the first
    work: Work = field(default_factory=Work)

    def __post_init__(self) -> None:
        d = self.domain.dim
        self.points, self.values = np.empty((0, d)), np.empty(0)  # the best draws, best first
        self.ends, self.end_values = np.empty((0, d)), np.empty(0)  # where their runs ended; nan: not polished
        self.x, self.value = np.empty(d), -np.inf

    @cached_property
    def movable(self) -> int:
        """Smooth columns."""
        return int(smooth_columns(self.domain).sum())

    @property
    def spread(self) -> float:
        """Best − median of the draws."""
        return max(0.0, self.value - self.median)

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
        nowhere = np.full(len(X), np.nan)
        points, values = np.concatenate([self.points, X]), np.concatenate([self.values, values])
        ends = np.concatenate([self.ends, np.full_like(X, np.nan)])
        end_values = np.concatenate([self.end_values, nowhere])
        best = largest(values, KEEP)
        self.points, self.values, self.ends, self.end_values = points[best], values[best], ends[best], end_values[best]
        if np.isneginf(self.value):
            self.x = self.points[0]  # a member of the domain, also where no draw has a value
        self._offer(self.points[0], float(self.values[0]))

    def polish(self, m: int, around: bool = False) -> None:
        """Local runs from those of the m best draws that had none, and once from the incumbent's surroundings."""
        self.m = min(m, len(self.values))
        rows = np.flatnonzero(np.isnan(self.end_values[: self.m]))
        starts = self.points[rows]
        if around and self.step.best is not None:
            starts = np.concatenate([starts, self._near()])
        if len(starts):
            self._climb(starts, rows)
        self.starts = self._starts()

    def switch(self) -> None:
        """The best point with every other option of a choice whose options have places, and a local run from the best.

        The model tells such options apart by what they have in common, so that one that no draw met may be the best.
        """
        for coordinate in self.domain.coordinates:
            if coordinate.places is None or len(coordinate.places.points) > ENUMERABLE:
                continue
            X = np.repeat(self.x[None], len(coordinate.places.points), axis=0)
            X[:, coordinate.columns] = coordinate.places.points
            values = self.alpha(X)
            self.work += Work(values=len(X))
            best = largest(values, 1)
            if values[best[0]] > self.value:
                self._climb(X[best], np.empty(0, dtype=np.intp))

    def _climb(self, starts: Array, rows: Indices) -> None:
        """Local runs from the starts, the first of which are the draws in `rows`."""
        # So few rounds of a simplex get nowhere: without a gradient a run has the time it needs.
        rounds = ROUNDS if self.alpha.smooth else None
        ascent = polish(self.alpha, self.domain, starts, max_iter=rounds, tol=TOL, deadline=self.step.deadline)
        self.work += ascent.work
        self.ends[rows], self.end_values[rows] = ascent.points[: len(rows)], ascent.values[: len(rows)]
        best = int(np.argmax(ascent.values))
        self._offer(ascent.points[best], float(ascent.values[best]))

    def _near(self) -> Array:
        """The incumbent and the best of a few draws around the best observed points, (1 + FROM_NEAR, d)."""
        best = _apart(self.step.design, CENTRES)
        near = np.concatenate([local(NEAR, self.domain, design=x[None], rng=self.rng) for x in best])
        self.work += Work(values=len(near))
        return np.concatenate([best[:1], near[largest(self.alpha(near), FROM_NEAR)]])

    def grow(self) -> None:
        """Twice the draws, and up to LEAP times the runs: from the best quarter of the draws, as many as are kept."""
        self.draw(self.n)
        self.polish(max(self.m, min(LEAP * self.m, self.n // 4, KEEP)))

    def estimate(self) -> Estimate | None:
        return estimate(self._draws(), self.starts, self.x, self.value, self.domain)

    def solution(self, status: Status) -> Solution:
        draws = self._draws()
        return record(self.alpha, self.domain, self.x, self.work, status=status, draws=draws, starts=self.starts)

    def on_lattice(self, n: int, deadline: float | None) -> Solution:
        """Without smooth coordinates: draws in doubling blocks, and the neighbours of the best points."""
        while self.n < n and not late(deadline):
            self.draw(min(self.n, held(self.domain)))
        centre = np.concatenate([self.step.design[:1], self.x[None]])
        for start in centre:
            near = local(KEEP, self.domain, design=start[None], rng=self.rng)
            values = self.alpha(near)
            self.work += Work(values=len(near))
            best = largest(values, 1)[0]
            self._offer(near[best], float(values[best]))
        draws = self._draws()
        status = Status.DONE if self.n >= n else Status.BUDGET
        return record(self.alpha, self.domain, self.x, self.work, status=status, draws=draws)

    def _draws(self) -> Draws:
        return Draws(self.n, True, self.points, self.values, self.median, self.looks)

    def _starts(self) -> Starts:
        ended: NDArray[np.bool_] = np.isfinite(self.end_values[: self.m])
        points, values = self.ends[: self.m][ended], self.end_values[: self.m][ended]
        closeness = SAME_VALUE * self.spread
        tops = maxima(points, values, tolerance=SAME_POINT, closeness=closeness)
        distinct, looked = hills(
            self.alpha,
            points[tops],
            values[tops],
            smooth_columns(self.domain),
            dip=closeness,
            deadline=self.step.deadline,
        )
        self.work += Work(values=looked)
        return Starts(len(values), distinct, SAME_POINT)

    def _offer(self, x: Array, value: float) -> None:
        if value > self.value:
            self.x, self.value = x, value


def _apart(design: Array, k: int) -> Array:
    """The best observed points, at most k, that are APART from each other in some column."""
    head = design[:SCANNED]
    open_rows = np.ones(len(head), dtype=np.bool_)
    chosen: list[int] = []
    while len(chosen) < k and open_rows.any():
        chosen.append(int(open_rows.argmax()))
        open_rows &= np.abs(head - head[chosen[-1]]).max(axis=1) > APART
    return head[chosen]
