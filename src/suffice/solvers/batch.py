"""One search for the points of a batch: the later points use the draws and local runs of the first one.

X       (M, d)  the pool: ends of local runs and good draws, without the points that were chosen
limits  (M,)    alpha at each of them when it was last evaluated

A pending point lowers alpha around it and hardly raises it anywhere. Earlier values are therefore upper limits, and
only the few points with the largest limits are evaluated again to find the best of the pool. If one of them has risen
nevertheless, as when β grows, the whole pool is evaluated again.

Every point of the batch has its own draws, independent of all earlier choices; its report uses only these. For every
EVERY-th point, or if a draw beats the whole pool, a few rounds of local runs start from the best draws and the best of
the pool, and renew the pool. Its maxima are not counted. The report marks the runs as `shared`, and the expected miss
of such a search is a measured constant (accuracy/estimate.py).
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
WIDE = 8  # up to so many points of one ask have their own searches; more share one
RUNS, ROUNDS = 12, 5  # from the best of the draws, and as many from the pool; rounds of each
LOOKED = 16  # points of the pool that are evaluated again at a time: as fast as fewer
MOST = 192  # points of a pool


class Shared:
    """Solves for the points of one ask, one after the other."""

    def __init__(self, solver: Adaptive) -> None:
        self.solver = solver
        self.pools: dict[str | None, Pool] = {}  # one for each kind of score, because their maxima differ

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
    """The maxima of alpha and good draws, from earlier points of the batch."""

    def __init__(self, domain: Domain, search: Pursuit) -> None:
        self.domain = domain
        self.X = np.concatenate([search.ends, search.points])
        self.limits = np.concatenate([search.end_values, search.values])
        self.age = 0  # points since the search
        self.runs = len(search.ends)  # of the last climb
        self._drop(search.x)

    def solve(self, alpha: Score, step: Step, rng: Generator) -> Solution:
        """The best point that is found."""
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
        """The best rows of the pool, best first; `rows` already have these values."""
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
        """The end of the highest of some short runs, (d,); all ends join the pool."""
        ascent = ascend(
            alpha,
            self.domain,
            starts,
            max_iter=ROUNDS if alpha.smooth else None,  # a simplex needs more rounds
            tol=TOL,
            known=-math.inf,
            deadline=step.deadline,
            rng=rng,
        )
        self.X, self.limits = np.concatenate([self.X, ascent.points]), np.concatenate([self.limits, ascent.values])
        self.runs = len(starts)
        return ascent.points[int(np.argmax(ascent.values))], ascent.work

    def _drop(self, x: Array) -> None:
        """Remove x, which was chosen, and keep the best of the others."""
        kept = largest(np.where((self.X == x).all(axis=1), -np.inf, self.limits), MOST)
        kept = kept[np.isfinite(self.limits[kept]) & (self.X[kept] != x).any(axis=1)]
        self.X, self.limits = self.X[kept], self.limits[kept]
