"""One search for the points of a batch: what was drawn and climbed for the first of them serves the others, too.

X       (M, d)  the pool: ends of local runs and good draws, without the points that were chosen
limits  (M,)    alpha at each of them when it was last looked at

A pending point lowers alpha around it and hardly raises it anywhere. So alpha is now at most what it was, and
the best of the pool is found by looking again at the few points with the largest limits. Where one of them has risen
all the same, as when β grows, the limits say nothing and the whole pool is looked at again.

Every point of the batch has draws of its own, which are independent of all that was chosen before: they alone are the
draws of its report. For every EVERY-th point, and where a draw beats the whole pool, the best draws and the best of the
pool are climbed from, in a few rounds, which renews the pool. Nobody counts its hills: the report says that the runs
were `shared`, and what such a search is expected to miss is measured (accuracy/estimate.py).
"""

import math

import numpy as np
from numpy.random import Generator

from suffice.checks import RESOLUTION
from suffice.solvers.adaptive import FEWEST, KEEP, TOL, Adaptive, Pursuit
from suffice.solvers.record import Work, late, ranked, record
from suffice.solvers.search.mixed import ascend
from suffice.types import Array, Domain, Indices, Score, Solution, Starts, Status, Step, as_score, largest

# Batches of 64 on eight functions, six seeds: with climbs for every point, every 4th or every 8th the mean log10 of the
# regret after two batches was −2.40, −2.34 and −2.36, no difference beyond noise (measurements/batches.md).
EVERY = 8
WIDE = 8  # points of one ask, each of which has a search of its own; more of them share one
RUNS, ROUNDS = 12, 5  # from the best of the draws, and as many from the pool; rounds of each
LOOKED = 16  # points of the pool that are looked at again at a time: as quick as a few of them
MOST = 192  # points of a pool


class Shared:
    """Solves for the points of one ask, one after the other."""

    def __init__(self, solver: Adaptive) -> None:
        self.solver = solver
        self.pools: dict[str | None, Pool] = {}  # one for each kind of score: their hills are different ones

    def __call__(self, alpha: Score, domain: Domain, *, step: Step, rng: Generator) -> Solution:
        alpha = as_score(alpha)
        pool = self.pools.get(alpha.kind)
        if pool is not None and alpha.believes and pool.domain is domain:
            return pool.solve(alpha, step, rng)
        solution, search = self.solver.pursued(alpha, domain, step, rng)
        if search is not None:
            self.pools[alpha.kind] = Pool(domain, search)
        return solution


class Pool:
    """What is known of the hills of alpha, from earlier points of the batch."""

    def __init__(self, domain: Domain, search: Pursuit) -> None:
        self.domain = domain
        self.X = np.concatenate([search.ends, search.points])
        self.limits = np.concatenate([search.end_values, search.values])
        self.age = 0  # points since the search
        self.runs = len(search.ends)  # of the last climb
        self._drop(search.x)

    def solve(self, alpha: Score, step: Step, rng: Generator) -> Solution:
        """The best point of alpha that is found."""
        self.age += 1
        drawn = self.domain.sample(FEWEST if self.age % EVERY else KEEP, rng)
        first = largest(self.limits, LOOKED)
        values = alpha(np.concatenate([drawn, self.X[first]]))
        draws = ranked(drawn, values[: len(drawn)], iid=True, keep=RUNS)
        rows, work = self._best(alpha, first, values[len(drawn) :])
        work += Work(values=len(drawn))
        used_up = not len(rows) or not self.limits[rows[0]] > draws.values[0]
        x, status = draws.points[0] if used_up else self.X[rows[0]], Status.DONE
        if late(step.deadline):
            status = Status.BUDGET
        elif used_up or self.age % EVERY == 0:
            x, climbed = self._climb(alpha, np.concatenate([self.X[rows], draws.points]), step, rng)
            self.limits[rows] = -np.inf  # where the runs ended takes their place
            work += climbed
        self._drop(x)
        starts = Starts(self.runs, self.runs, shared=True)
        return record(alpha, self.domain, x, work, status=status, draws=draws, starts=starts)

    def _best(self, alpha: Score, rows: Indices, values: Array) -> tuple[Indices, Work]:
        """The best rows of the pool, best first; `rows` have been looked at already, and have these values."""
        risen = np.any(values > self.limits[rows] + RESOLUTION * (1.0 + np.abs(self.limits[rows])))
        left = np.full(len(self.X), np.inf) if risen else self.limits.copy()
        seen = rows
        while True:
            self.limits[rows], left[rows] = values, -np.inf
            rows = np.flatnonzero(left == np.inf) if risen else largest(left, LOOKED)
            rows = rows[left[rows] > self.limits[seen].max(initial=-np.inf)]
            if not len(rows):
                break
            values, seen = alpha(self.X[rows]), np.concatenate([seen, rows])
        best = seen[largest(self.limits[seen], RUNS)]
        return best[np.isfinite(self.limits[best])], Work(values=len(seen))

    def _climb(self, alpha: Score, starts: Array, step: Step, rng: Generator) -> tuple[Array, Work]:
        """Where the highest of short runs ends, (d,); all ends are in the pool then."""
        ascent = ascend(
            alpha,
            self.domain,
            starts,
            max_iter=ROUNDS if alpha.smooth else None,  # so few rounds of a simplex get nowhere
            tol=TOL,
            known=-math.inf,
            deadline=step.deadline,
            rng=rng,
        )
        self.X, self.limits = np.concatenate([self.X, ascent.points]), np.concatenate([self.limits, ascent.values])
        self.runs = len(starts)
        return ascent.points[int(np.argmax(ascent.values))], ascent.work

    def _drop(self, x: Array) -> None:
        """x was chosen; of the others the best are kept."""
        kept = largest(np.where((self.X == x).all(axis=1), -np.inf, self.limits), MOST)
        kept = kept[np.isfinite(self.limits[kept]) & (self.X[kept] != x).any(axis=1)]
        self.X, self.limits = self.X[kept], self.limits[kept]
