"""Nelder–Mead, which needs no gradient, for a batch of runs in the unit cube.

m, p  int          runs, smooth columns
P     (m, p+1, p)  corners of each simplex, best first            F  (m, p+1)  their values, −inf where NaN
c     (m, p)       the middle of all corners but the worst one    w  (m, p)    the worst one

A trial is z(k) = clip(c + k·(c − w), 0, 1): reflection k = 1, expansion k = 1 + 2/q, contraction k = ±(3/4 − 1/2q);
if all fail, the corners shrink towards the best one by 1 − 1/q (Gao and Han 2012), q = max(p, 2). For q = 2 these are
the classical 1, 2, ½, ½ (Nelder and Mead 1965); with many columns they keep the simplex from collapsing.
"""

import numpy as np

from suffice.solvers.record import Work
from suffice.solvers.search.surface import FIRST_STEP, MAX_ITER, Ascent, Mask, Surface
from suffice.types import Array, Indices


class Simplices:
    """The state of m runs."""

    def __init__(self, surface: Surface) -> None:
        self.surface, self.rows = surface, 0
        origin = surface.origin
        m, p = origin.shape
        self.q = max(p, 2)
        self.P = _around(origin, FIRST_STEP)
        self.F = self.values(self.P, np.arange(m))
        self.initial = self.F[:, 0].copy()
        self.before = self.initial  # the best values at the last restart
        self.live: Mask = ~np.all(np.isneginf(self.F), axis=1)
        self.sort()

    def values(self, Z: Array, runs: Indices) -> Array:
        """alpha at the points Z of these runs, (a, ..., p), in one call."""
        self.rows += Z[..., 0].size
        return self.surface.values(Z.reshape(-1, Z.shape[-1]), np.repeat(runs, Z[0, ..., 0].size)).reshape(Z.shape[:-1])

    def sort(self) -> None:
        """Best corner first."""
        order = np.argsort(-self.F, axis=1, kind="stable")
        self.F = np.take_along_axis(self.F, order, axis=1)
        self.P = np.take_along_axis(self.P, order[:, :, None], axis=1)

    def iterate(self, tol: float) -> None:
        """Replace the worst corner of every live run, or shrink its simplex: at most three calls of the score."""
        runs = np.flatnonzero(self.live)
        c, w, F = self.P[runs, :-1].mean(axis=1), self.P[runs, -1], self.F[runs]
        z = np.clip(c + (c - w), 0.0, 1.0)
        f = self.values(z, runs)
        up = f > F[:, 0]
        again = up | (f <= F[:, -2])
        if again.any():
            contract = 0.75 - 0.5 / self.q
            k = np.where(up, 1.0 + 2.0 / self.q, np.where(f > F[:, -1], contract, -contract))[again]
            second = np.clip(c[again] + k[:, None] * (c[again] - w[again]), 0.0, 1.0)
            value = self.values(second, runs[again])
            better = value > np.maximum(f[again], F[again, -1])
            z[again] = np.where(better[:, None], second, z[again])
            f[again] = np.where(better, value, f[again])
            again[again] = ~better
        failed = again & ~up
        self.P[runs[~failed], -1], self.F[runs[~failed], -1] = z[~failed], f[~failed]
        self.contract(runs[failed])
        self.sort()
        self.finish(self.live & (np.abs(self.P - self.P[:, :1]).max(axis=(1, 2)) <= tol), tol)

    def finish(self, small: Mask, tol: float) -> None:
        """Stop runs with a small simplex. Near a face, clipping may have flattened it, so these runs restart once."""
        best, z = self.F[:, 0], self.P[:, 0]
        with np.errstate(invalid="ignore"):  # inf − inf: nothing to gain
            gained = best - self.before > tol**2 * (best - self.initial)
        edge = FIRST_STEP / 2
        more = small & gained & ((z < edge) | (z > 1.0 - edge)).any(axis=1)
        self.live = self.live & (more | ~small)
        if more.any():
            runs = np.flatnonzero(more)
            self.before = np.where(more, best, self.before)
            self.P[runs] = _around(z[runs], edge)
            self.F[runs, 1:] = self.values(self.P[runs, 1:], runs)
            self.sort()

    def contract(self, runs: Indices) -> None:
        """Shrink these simplices towards their best corners."""
        if len(runs):
            best = self.P[runs, :1]
            corners = best + (1.0 - 1.0 / self.q) * (self.P[runs, 1:] - best)
            self.P[runs, 1:], self.F[runs, 1:] = corners, self.values(corners, runs)


def _around(z: Array, edge: float) -> Array:
    """A simplex with z (a, p) as its first corner, the others an edge away along each column, towards the inside."""
    inwards = np.where(z > 0.5, -edge, edge)
    return z[:, None] + np.concatenate((np.zeros_like(z)[:, None], inwards[:, :, None] * np.eye(z.shape[1])), axis=1)


def nelder_mead(surface: Surface, max_iter: int | None, tol: float, leaders: int = 0) -> Ascent:  # noqa: ARG001
    """All runs in one batch, each until its simplex is smaller than tol (max norm); there are no leaders."""
    runs = Simplices(surface)
    m, p = surface.origin.shape
    for _ in range(MAX_ITER * p if max_iter is None else max_iter):
        if not runs.live.any() or surface.late:
            break
        runs.iterate(tol)
    points = surface.points(runs.P[:, 0], np.arange(m))
    return Ascent(points, runs.F[:, 0], runs.initial, runs.live, Work(values=runs.rows))
