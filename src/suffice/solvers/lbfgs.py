"""Limited-memory BFGS for a batch of runs in the unit cube.

m, p  int        runs, smooth columns               h  int        pairs remembered, newest first
S, Y  (m, h, p)  steps s, and how much the gradient fell along each, y; zero where a run has fewer pairs
W, G  [S; Y] on the free columns (m, 2h, p), and W Wᵀ (m, 2h, 2h)
g, d  (m, p)     projected gradient, direction      H  (p, p)     model of the inverse of −∇²alpha; never formed
"""

import numpy as np

from suffice.solvers.climb import climb, steepest
from suffice.solvers.surface import Ascent, Mask, Rows, Surface
from suffice.types import Array

MEMORY = 8
MAX_ITER = 200
CURVATURE = 0.9  # a loose line search: t = 1 passes as a rule
ANGLE = 1e-8  # cosine of s and y below which a pair shows no curvature, or a negative one


class Pairs:
    """The last h steps of each run."""

    def __init__(self, m: int, p: int, h: int = MEMORY) -> None:
        self.SY = np.zeros((m, 2, h, p))
        self.used = 0
        self.older, self.eye = np.tri(h, k=-1), np.eye(h)

    def forget(self, runs: Mask) -> None:
        self.SY[runs] = 0.0

    def keep(self, runs: Mask) -> None:
        self.SY = self.SY[runs]

    def direction(self, moved: Mask, s: Array, y: Array, pg: Array, free: Mask) -> Array:
        """H·g in the subspace of the free columns, where H models the inverse of the free block of −∇²alpha."""
        self.SY[moved, :, 1:] = self.SY[moved, :, :-1]
        self.SY[moved, 0, 0], self.SY[moved, 1, 0] = s[moved], y[moved]
        self.used = h = min(self.used + 1, self.SY.shape[2])
        W = (self.SY[:, :, :h] * free[:, None, None]).reshape(len(pg), 2 * h, -1)
        G = W @ W.transpose(0, 2, 1)
        norms, sy = G.diagonal(axis1=1, axis2=2), G[:, :h, h:].diagonal(axis1=1, axis2=2)
        valid = sy > ANGLE * np.sqrt(norms[:, :h] * norms[:, h:])
        scale = valid / np.sqrt(np.where(valid, sy, 1.0))
        scale = np.concatenate((scale, scale), axis=1)[:, :, None]
        d = self.apply(W * scale, G * scale * scale.transpose(0, 2, 1), valid.argmax(axis=1), pg[:, :, None])
        known = valid.any(axis=1)
        return d if known.all() else np.where(known[:, None], d, steepest(pg))

    def apply(self, W: Array, G: Array, newest: Rows, g: Array) -> Array:
        """The two-loop recursion (Nocedal 1980) for pairs W = [S; Y] with s·y = 1 and their inner products G:

        L a = S g,  Lᵀc = a − γ (Y g − Y Yᵀa),  d = γ g + Sᵀc − γ Yᵀa,

        where L is the lower triangle of S Yᵀ, and γ = 1 / y·y of the newest pair.
        """
        h = W.shape[1] // 2
        yy = G[np.arange(len(G)), h + newest, h + newest]
        gamma = (1.0 / np.where(yy > 0.0, yy, 1.0))[:, None, None]
        L = self.older[:h, :h] * G[:, :h, h:] + self.eye[:h, :h]
        Wg = W @ g
        a = np.linalg.solve(L, Wg[:, :h])
        c = np.linalg.solve(L.transpose(0, 2, 1), a - gamma * (Wg[:, h:] - G[:, h:, h:] @ a))
        d: Array = gamma * g + W.transpose(0, 2, 1) @ np.concatenate((c, -gamma * a), axis=1)
        return d[:, :, 0]


def lbfgs(surface: Surface, max_iter: int | None, tol: float) -> Ascent:
    """All runs in one batch; needs a score with a gradient."""
    model = Pairs(*surface.origin.shape)
    return climb(surface, model, curvature=CURVATURE, max_iter=MAX_ITER if max_iter is None else max_iter, tol=tol)
