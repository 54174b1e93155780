"""Newton's method for a batch of runs in the unit cube, each within its own trust radius.

a, p  int          runs still going, smooth columns   x     (a, p)  where each run stands
v, g  (a,), (a, p) value and gradient at x            H     (a, p, p)  Hessian at x
free  (a, p)       False at a bound that g points out of             r  (a,)  radius of trust, in length-scales
s     (a, p)       the step, clipped to the cube      λ, Q  of −H on the free columns: eigenvalues and vectors

    s = Q (Q'g / |λ|),     or where that is longer than r,     s = Q (Q'g / max(|λ|, |g|/r))

With |λ|, a step leads uphill even if alpha is not concave there [saddle-free Newton, Dauphin et al. 2014]. The limit
keeps the step within r. A run moves to its trial if that is higher. The next radius depends on how well the model
predicted the rise (Nocedal and Wright 2006, Algorithm 4.1):

    r ← min(|s|, r)/4   below 1/4 of the predicted rise,     r ← 2 r   above 3/4 of it.

Each round is ONE call of the score for all runs. Newton's method takes fewer rounds than L-BFGS, which has to learn the
curvature, but a Hessian costs p gradients.
"""

import numpy as np

from suffice.solvers.record import Work
from suffice.solvers.search.surface import MAX_ITER, ROUNDING, Ascent, Mask, Surface, in_rounds
from suffice.types import Array

LARGEST_RADIUS = 2.0  # in length-scales: over one, the first radius, a score changes by its own size
SMALLEST_RADIUS = 1e-6  # a run that finds nothing higher within this radius has arrived, or is at a kink


class Newton:
    """The runs that are still going, `rows` among the m of the surface, and where the others ended."""

    def __init__(self, surface: Surface, scales: Array, tol: float) -> None:
        self.surface, self.scales, self.tol = surface, scales, tol
        self.rows = np.arange(len(surface.origin))
        self.x = surface.origin
        self.v, self.g, self.H = self.scored(self.x)
        self.calls = len(self.x)
        self.r = np.ones(len(self.x))
        self.initial, self.end_x, self.end_v = self.v, self.x.copy(), self.v.copy()
        self.drop(~np.isfinite(self.v))

    def scored(self, z: Array) -> tuple[Array, Array, Array]:
        """Value, gradient and Hessian in units of the scales; zero derivatives if one is NaN."""
        v, g, H = self.surface.with_hessian(z, self.rows)
        g, H = g * self.scales, H * (self.scales[:, None] * self.scales)
        finite = np.asarray(np.isfinite(g).all(axis=1) & np.isfinite(H).all(axis=(1, 2)))
        if not finite.all():
            g, H = np.where(finite[:, None], g, 0.0), np.where(finite[:, None, None], H, 0.0)
        return v, g, H

    def round(self) -> None:
        """One trial of every run."""
        step, promise = self.step()
        self.drop((promise <= self.enough()) | self.surface.lost(self.v, promise, self.end_v))
        if not len(self.rows):
            return
        step = step[self.kept]
        z = np.minimum(np.maximum(self.x + step * self.scales, 0.0), 1.0)
        s = (z - self.x) / self.scales
        foretold = np.einsum("ij,ij->i", self.g, s) + 0.5 * np.einsum("ij,ijk,ik->i", s, self.H, s)
        v, g, H = self.scored(z)
        self.calls += len(z)
        rise, length = v - self.v, np.sqrt(np.einsum("ij,ij->i", s, s))
        up, good = rise > 0.0, rise > 0.75 * foretold
        poor = ~up | (rise < 0.25 * foretold)
        self.r = np.where(poor, 0.25 * np.minimum(length, self.r), np.where(good, 2.0 * self.r, self.r))
        self.r = np.minimum(self.r, LARGEST_RADIUS)
        self.x, self.v = np.where(up[:, None], z, self.x), np.where(up, v, self.v)
        self.g, self.H = np.where(up[:, None], g, self.g), np.where(up[:, None, None], H, self.H)
        self.drop(self.r < SMALLEST_RADIUS)

    def step(self) -> tuple[Array, Array]:
        """The next step of each run, (a, p), and the rise that a quadratic predicts, (a,)."""
        side = self.x - 0.5
        free = (side * self.g <= 0.0) | (np.abs(side) < 0.5)
        g, H = np.where(free, self.g, 0.0), -self.H
        if not free.all():
            H = H * (free[:, :, None] & free[:, None])
        lam, Q = np.linalg.eigh(H)
        along = np.einsum("ijk,ij->ik", Q, g)
        size = np.maximum(np.abs(lam), np.finfo(np.float64).tiny)
        with np.errstate(over="ignore"):  # longer than any radius, so that it is replaced
            whole = along / size
        far = np.einsum("ij,ij->i", whole, whole) > self.r**2
        if far.any():
            least = np.sqrt(np.einsum("ij,ij->i", along, along)) / self.r
            whole = np.where(far[:, None], along / np.maximum(size, least[:, None]), whole)
        return np.einsum("ijk,ik->ij", Q, whole), 0.5 * np.einsum("ij,ij->i", along, whole)

    def enough(self) -> Array:
        """The smallest gain that is worth a step, (a,)."""
        return np.maximum(self.tol**2 * (self.v - self.initial[self.rows]), ROUNDING * np.abs(self.v))

    def drop(self, runs: Mask) -> None:
        """These runs stop where they are."""
        self.kept = ~runs
        if runs.any():
            ended = self.rows[runs]
            self.end_v[ended], self.end_x[ended] = self.v[runs], self.x[runs]
            keep = self.kept
            self.rows, self.x, self.v, self.r = self.rows[keep], self.x[keep], self.v[keep], self.r[keep]
            self.g, self.H = self.g[keep], self.H[keep]


def newton(surface: Surface, max_iter: int | None, tol: float, leaders: int = 0) -> Ascent:
    """All runs in one batch; needs a score with a Hessian. All but the best `leaders` stop after `max_iter` rounds.

    A run stops when the predicted gain of its next step is at most tol² of the run's gain. Near a maximum the gain is
    quadratic in the distance, so tol is the fraction of the way that is left.
    """
    scales = surface.alpha.scales
    runs = Newton(surface, np.ones(surface.origin.shape[1]) if scales is None else scales[surface.smooth], tol)
    cut = in_rounds(runs, surface, limit=MAX_ITER // 2, max_iter=max_iter, leaders=leaders)
    points = surface.points(runs.end_x, np.arange(len(cut)))
    return Ascent(points, runs.end_v, runs.initial, cut, Work(hessians=runs.calls))
