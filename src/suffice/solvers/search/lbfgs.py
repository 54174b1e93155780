"""Limited-memory BFGS for a batch of runs in the unit cube.

m, p  int        runs, smooth columns               h  int        pairs remembered, newest first
S, Y  (m, h, p)  steps s, and how much the gradient fell along each, y; zero where a run has fewer pairs
g, d  (m, p)     projected gradient, direction      H  (p, p)     model of the inverse of −∇²alpha; never formed
"""

import numpy as np

from suffice.solvers.search.climb import climb, steepest
from suffice.solvers.search.surface import Ascent, Mask, Rows, Surface
from suffice.types import Array

MEMORY = 8
MAX_ITER = 200
CURVATURE = 0.9  # a loose line search: t = 1 passes as a rule
ANGLE = 1e-8  # cosine of s and y below which a pair shows no curvature, or a negative one


class Pairs:
    """The last h steps of each run."""

    def __init__(self, m: int, p: int, h: int = MEMORY) -> None:
        self.SY = np.zeros((2, m, h, p))
        self.used = 0
        self.older, self.eye = np.tri(h, k=-1), np.eye(h)

    def forget(self, runs: Mask) -> None:
        self.SY[:, runs] = 0.0

    def keep(self, runs: Mask) -> None:
        self.SY = self.SY[:, runs]

    def direction(self, moved: Mask, s: Array, y: Array, pg: Array, free: Mask) -> Array:
        """H·g in the subspace of the free columns, where H models the inverse of the free block of −∇²alpha."""
        self.SY[:, moved, 1:] = self.SY[:, moved, :-1]
        self.SY[0, moved, 0], self.SY[1, moved, 0] = s[moved], y[moved]
        self.used = min(self.used + 1, self.SY.shape[2])
        S, Y = SY = self.SY[:, :, : self.used] * free[:, None]
        sy = (S * Y).sum(axis=2)
        valid = sy > ANGLE * np.sqrt(np.multiply.reduce((SY * SY).sum(axis=3)))
        scale = (valid / np.sqrt(np.where(valid, sy, 1.0)))[:, :, None]
        d = self.apply(S * scale, Y * scale, valid.argmax(axis=1), pg[:, :, None])
        known = valid.any(axis=1)
        return d if known.all() else np.where(known[:, None], d, steepest(pg))

    def apply(self, S: Array, Y: Array, newest: Rows, g: Array) -> Array:
        """The two-loop recursion (Nocedal 1980) for pairs with s·y = 1, its two loops as triangular solves:

        L a = S g,  q = g − Yᵀa,  Lᵀc = a − γ Y q,  d = γ q + Sᵀc,

        where L is the lower triangle of S Yᵀ and γ = 1 / y·y of the newest pair.
        """
        h, Yt = S.shape[1], Y.transpose(0, 2, 1)
        L = self.older[:h, :h] * (S @ Yt) + self.eye[:h, :h]
        y = Y[np.arange(len(Y)), newest]
        yy = (y * y).sum(axis=1)
        gamma = (1.0 / np.where(yy > 0.0, yy, 1.0))[:, None, None]
        a = np.linalg.solve(L, S @ g)
        q = g - Yt @ a
        c = np.linalg.solve(L.transpose(0, 2, 1), a - gamma * (Y @ q))
        d: Array = gamma * q + S.transpose(0, 2, 1) @ c
        return d[:, :, 0]


def lbfgs(surface: Surface, max_iter: int | None, tol: float, leaders: int = 0) -> Ascent:
    """All runs in one batch; needs a score with a gradient."""
    model = Pairs(*surface.origin.shape)
    return climb(surface, model, curvature=CURVATURE, limit=MAX_ITER, max_iter=max_iter, tol=tol, leaders=leaders)
