"""SciPy's Nelder–Mead, its rules to the letter, for a batch of runs: ten restarts for the price of two.

m, p  int          runs, columns
P     (m, p+1, p)  corners of each simplex, best first      F  (m, p+1)  what is minimized there
c     (m, p)       the middle of all corners but the worst  w  (m, p)    the worst one

A trial is z(k) = (1 + k) c − k w: reflection k = 1, expansion k = 2, contraction k = ±1/2; if all fail, the corners
move half-way to the best one. The first simplex has corners 5 % off the start in each column, 0.00025 where it is zero.
"""

from collections.abc import Callable
from typing import TypeAlias

import numpy as np

from suffice.solvers.search.surface import Mask, Rows
from suffice.types import Array

Batch: TypeAlias = Callable[[Array, Rows], Array]
"""f(Z, runs): the values, (a,), at points Z (a, p) of these runs."""


def downhill(f: Batch, starts: Array, *, xatol: float, fatol: float, limit: int) -> tuple[Array, Mask]:
    """Where f is smallest near each of the starts (m, p), and which runs converged within the limit.

    `limit` is on evaluations and on iterations, as in SciPy.
    """
    m, p = starts.shape
    P = np.repeat(starts[:, None], p + 1, axis=1)
    corners, columns = np.arange(1, p + 1), np.arange(p)
    P[:, corners, columns] = np.where(starts != 0.0, 1.05 * starts, 0.00025)
    live = np.arange(m)
    F = f(P.reshape(-1, p), np.repeat(live, p + 1)).reshape(m, p + 1)
    calls, done = np.full(m, p + 1), np.zeros(m, dtype=np.bool_)
    for _ in range(limit):
        P[live], F[live] = _sorted(P[live], F[live])
        wide = np.abs(P[live, 1:] - P[live, :1]).max(axis=(1, 2)) > xatol
        steep = np.abs(F[live, 1:] - F[live, :1]).max(axis=1) > fatol
        done[live[~(wide | steep)]] = True
        live = live[(wide | steep) & (calls[live] < limit)]
        if not len(live):
            break
        P[live], F[live], used = _step(f, P[live], F[live], live)
        calls[live] += used
    return P[:, 0], done & (calls < limit)


def _sorted(P: Array, F: Array) -> tuple[Array, Array]:
    order = np.argsort(F, axis=1, kind="stable")
    return np.take_along_axis(P, order[:, :, None], axis=1), np.take_along_axis(F, order, axis=1)


def _step(f: Batch, P: Array, F: Array, runs: Rows) -> tuple[Array, Array, Rows]:
    """One iteration of every run: new corners, their values and how many evaluations each run took."""
    p = P.shape[2]
    c, w = P[:, :-1].sum(axis=1) / p, P[:, -1]
    z = 2.0 * c - w
    v = f(z, runs)
    used = np.ones(len(P), dtype=np.intp)
    best, worst = v < F[:, 0], v >= F[:, -1]
    again = np.flatnonzero(best | (v >= F[:, -2]))
    shrink = np.zeros(len(P), dtype=np.bool_)
    if len(again):
        k = np.where(best[again], 2.0, np.where(worst[again], -0.5, 0.5))[:, None]
        second = (1.0 + k) * c[again] - k * w[again]
        value = f(second, runs[again])
        used[again] += 1
        # An expansion has to beat the reflection, an outer contraction to equal it, an inner one to beat the worst.
        better = np.where(best[again] | worst[again], value < np.minimum(v, F[:, -1])[again], value <= v[again])
        shrink[again] = ~better & ~best[again]
        z[again[better]], v[again[better]] = second[better], value[better]
    P, F = P.copy(), F.copy()
    P[~shrink, -1], F[~shrink, -1] = z[~shrink], v[~shrink]
    if shrink.any():
        nearest = P[shrink, :1]
        corners = nearest + 0.5 * (P[shrink, 1:] - nearest)
        P[shrink, 1:], F[shrink, 1:] = corners, f(corners.reshape(-1, p), np.repeat(runs[shrink], p)).reshape(-1, p)
        used[shrink] += p
    return P, F, used
