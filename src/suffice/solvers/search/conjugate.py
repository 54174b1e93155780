"""Nonlinear conjugate gradients, Polak–Ribière with β >= 0, for a batch of runs in the unit cube.

m, p  int     runs, smooth columns      pg  (m, p)  gradient on the free columns, 0 elsewhere
c     (m, p)  conjugate directions      β   (m,)    max(0, pg·(pg − pg₋) / pg₋·pg₋); ₋ is the step before
"""

import numpy as np

from suffice.solvers.search.climb import climb, dot, steepest
from suffice.solvers.search.surface import Ascent, Mask, Surface
from suffice.types import Array

MAX_ITER = 400  # trials; a step takes about two, because conjugacy needs a nearly exact line search
CURVATURE = 0.1


class Conjugate:
    """The last direction of each run, and the columns that were free then; zero while a run has only its gradient."""

    def __init__(self, m: int, p: int) -> None:
        self.c = np.zeros((m, p))
        self.free = np.ones((m, p), dtype=np.bool_)

    def forget(self, runs: Mask) -> None:
        self.c[runs] = 0.0

    def keep(self, runs: Mask) -> None:
        self.c, self.free = self.c[runs], self.free[runs]

    def direction(self, moved: Mask, s: Array, y: Array, pg: Array, free: Mask) -> Array:
        """c = pg + β c₋ (Nocedal and Wright 2006, Sec. 5.2), of the length that suits the curvature along s."""
        before = np.where(free, pg + y, 0.0)  # pg₋, if the same columns were free
        fresh: Mask = ~np.any(self.c, axis=1)
        last = np.where(fresh[:, None], before, self.c)
        same = fresh | (free == self.free).all(axis=1)  # conjugacy is lost when the free columns change
        beta = _ratio(dot(pg, pg - before), dot(before, before))
        c = pg + np.where(same, np.maximum(beta, 0.0), 0.0)[:, None] * last
        c = np.where((dot(c, pg) > 0.0)[:, None], c, pg)
        self.c = np.where(moved[:, None], c, self.c)
        self.free = np.where(moved[:, None], free, self.free)
        # A quadratic that falls off like alpha along s, by s·y / s·s, has its maximum on the line of c at length·c.
        sy = dot(s, y)
        length = _ratio(dot(c, pg) * dot(s, s), dot(c, c) * np.maximum(sy, 0.0))
        return np.where((length > 0.0)[:, None], length[:, None] * c, steepest(c))


def _ratio(a: Array, b: Array) -> Array:
    """a / b, and 0 where b is 0."""
    return np.divide(a, b, out=np.zeros_like(a), where=b != 0.0)


def conjugate(surface: Surface, max_iter: int | None, tol: float, leaders: int = 0) -> Ascent:
    """All runs in one batch; needs a score with a gradient."""
    model = Conjugate(*surface.origin.shape)
    return climb(surface, model, curvature=CURVATURE, limit=MAX_ITER, max_iter=max_iter, tol=tol, leaders=leaders)
