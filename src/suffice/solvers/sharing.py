"""One search for the points of a batch: what was drawn and climbed for the first of them serves the others, too.

X       (M, d)  the pool: ends of local runs, and the best draws
limits  (M,)    alpha there when it was last looked at

A point that is under way lowers alpha around it and raises it nowhere (as far as the incumbent, β and the limits of
other outputs stay as they are). So what alpha was at a point is at least what it is now, and the best of the pool is
found by looking again at the few points with the largest limits. The short climb that follows needs few rounds, since
most of these points are ends of runs already. Each point of the batch also has a few draws of its own: they are
independent of all that was chosen before, so that only they count as draws in its report; they join the pool, and say
when it is used up: when one of them is better than all of it.
"""

import numpy as np
from numpy.random import Generator

from suffice.solvers.drawing import ranked
from suffice.solvers.enough import Enough
from suffice.solvers.pursuit import TOL, Pursuit
from suffice.solvers.record import Work, late, record
from suffice.solvers.search.cells import ascend
from suffice.types import Array, Domain, Indices, Score, Solution, Starts, Status, Step, as_score, largest

FRESH = 16  # draws of each further point
EVERY = 4  # points: then more are drawn, and climbed from
DRAWN = 64
RUNS = 12  # from the best of these draws
AGAIN = 12  # from the best of the pool
ROUNDS = 5
LOOKED = 16  # points of the pool that are looked at again at a time
MOST = 192  # points of a pool


class Shared:
    """Solves for the points of one ask, one after the other."""

    def __init__(self, solver: Enough) -> None:
        self.solver = solver
        self.pools: dict[str | None, Pool] = {}  # one for each kind of score: their hills are different ones

    def __call__(self, alpha: Score, domain: Domain, *, step: Step, rng: Generator) -> Solution:
        alpha = as_score(alpha)
        pool = self.pools.get(alpha.kind)
        if pool is not None and alpha.lasting and pool.domain is domain:
            found = pool.solve(alpha, step, rng)
            if found is not None:
                return found
        solution, search = self.solver.pursued(alpha, domain, step, rng)
        if search is not None:
            self.pools[alpha.kind] = Pool(domain, search)
        return solution


class Pool:
    """Points that were good for an earlier point of the batch, and are looked at again for the next ones."""

    def __init__(self, domain: Domain, search: Pursuit) -> None:
        self.domain = domain
        self.X = np.concatenate([search.x[None], search.ends, search.points])
        self.limits = np.concatenate([[search.value], search.end_values, search.values])
        self.age = 0
        self._trim()

    def solve(self, alpha: Score, step: Step, rng: Generator) -> Solution | None:
        """The best point of alpha; None if the pool is used up."""
        climbs = self.age % EVERY == 0 and not late(step.deadline)
        self.age += 1
        fresh = self.domain.sample(DRAWN if climbs else FRESH, rng)
        first = largest(self.limits, LOOKED)
        values = alpha(np.concatenate([fresh, self.X[first]]))
        draws = ranked(fresh, values[:len(fresh)], iid=True, keep=RUNS)
        rows, values, looked = self._best(alpha, first, values[len(fresh):])
        work = Work(values=len(fresh) + looked)
        if not len(rows):
            return None
        if climbs:
            starts = np.concatenate([self.X[rows], draws.points])
            ascent = ascend(
                alpha, self.domain, starts, max_iter=ROUNDS if alpha.smooth else None, tol=TOL, deadline=step.deadline, rng=rng)
            work += ascent.work
            k = len(rows)
            self.X[rows], self.limits[rows] = ascent.points[:k], ascent.values[:k]
            self.X, self.limits = np.concatenate([self.X, ascent.points[k:]]), np.concatenate([self.limits, ascent.values[k:]])
            seen = np.concatenate([rows, np.arange(len(self.X) - len(draws.points), len(self.X))])
            best = seen[int(np.argmax(ascent.values))]
        else:
            if not values[0] > draws.values[0]:
                return None
            best = rows[0]
        x = self.X[best].copy()
        self.limits[best] = -np.inf
        self._trim()
        return record(alpha, self.domain, x, work, status=Status.DONE, draws=draws, starts=Starts(2, 2))

    def _best(self, alpha: Score, rows: Indices, values: Array) -> tuple[Indices, Array, int]:
        """Rows of the pool that were looked at, best first, their values, and how many they are.

        It is looked at until no other one can be better.
        """
        seen, known = rows, values
        raised = bool(np.any(values > self.limits[rows] + 1e-9 * (1.0 + np.abs(self.limits[rows]))))
        self.limits[rows] = values
        while True:
            if raised:
                others = np.setdiff1d(np.arange(len(self.X)), seen, assume_unique=True)
            else:
                left = self.limits.copy()
                left[seen] = -np.inf
                others = largest(left, LOOKED)
                others = others[left[others] > known.max(initial=-np.inf)]
            if not len(others):
                break
            values = alpha(self.X[others])
            self.limits[others] = values
            seen, known = np.concatenate([seen, others]), np.concatenate([known, values])
        order = largest(known, AGAIN)
        return seen[order], known[order], len(seen)

    def _trim(self) -> None:
        """Keep the best only."""
        rows = largest(self.limits, MOST)
        self.X, self.limits = self.X[rows], self.limits[rows]
