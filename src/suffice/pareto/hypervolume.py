"""The volume that a front dominates.

Y  (n, m)  rows are points; every objective is maximized
r  (m,)    the reference point: the volume is that of { x : r < x ≤ y for a row y }
P  (k, m)  the rows that count, measured from r: they are above it, and no other row dominates them

Exact for every m, up to rounding: volumes are only added. One objective: the largest. Two: the staircase, from the
right. Three: the points from the highest down, each with the area that it adds to the staircase of those above it.
More: the boxes of corners.py, O(k^⌊m/2⌋) of them.
"""

import math
from bisect import bisect_left

import numpy as np

from suffice.pareto.boxes import Corners, Ranks, gained
from suffice.pareto.front import counted, nondominated
from suffice.types import Array


def hypervolume(Y: Array, r: Array) -> float:
    """The volume between r and the rows: 0.0 if none is above r. A row that is −∞ or nan somewhere does not count."""
    Y, r = np.asarray(Y, dtype=float), np.asarray(r, dtype=float)
    return _volume(Y[counted(Y, r)] - r)


def hypervolumes(Y: Array, r: Array) -> Array:
    """The hypervolume of the first 1, 2, …, n rows, (n,)."""
    Y, r = np.asarray(Y, dtype=float), np.asarray(r, dtype=float)
    counts = counted(Y, r)
    gains = np.zeros(len(Y))
    gains[counts] = _gains(Y[counts] - r)
    return np.cumsum(gains)


def contributions(Y: Array, r: Array) -> Array:
    """The volume that is lost without row i, (n,): zero for a row that is dominated, or that is there twice.

    It is that of the row alone, minus what the other rows have of that: hypervolume({y_i}) −
    hypervolume({min(y_k, y_i) : k ≠ i}) (While, Bradstreet and Barone 2012).
    """
    Y, r = np.asarray(Y, dtype=float), np.asarray(r, dtype=float)
    out = np.zeros(len(Y))
    rows = np.flatnonzero(counted(Y, r))
    P = Y[rows] - r
    for k in np.flatnonzero(nondominated(P)):
        # The others all of them: what row k dominates comes to the front when it goes.
        others = np.minimum(np.delete(P, k, axis=0), P[k])
        out[rows[k]] = max(float(P[k].prod()) - _volume(others), 0.0)
    return out


def _volume(P: Array) -> float:
    """The same for points above a reference point at 0, dominated ones among them."""
    if not len(P):
        return 0.0
    P = P[nondominated(P, distinct=True)]
    match P.shape[1]:
        case 1:
            return float(P.max())
        case 2:
            return _planar(P)
        case 3:
            return _spatial(P)
    return math.fsum(_gains(P))


def _planar(P: Array) -> float:
    """Two objectives: from the right, each point adds a bar as long as it reaches, as thick as it is above the last."""
    P = P[np.argsort(-P[:, 0])]
    return float(P[:, 0] @ np.diff(P[:, 1], prepend=0.0))


def _spatial(P: Array) -> float:
    """Three objectives: the staircase of the points so far, x ascending and y descending between two sentinels.

    Between xs[i−1] and xs[i] it is ys[i] high. The point (x, y) adds the strips between it and the stairs below it.
    """
    xs, ys = [0.0, math.inf], [math.inf, 0.0]
    parts = []
    for x, y, z in P[np.argsort(-P[:, 2], kind="stable")].tolist():
        end = bisect_left(xs, x)
        if ys[end] >= y:
            continue  # of points with the same z, another one may be further out
        start, right, area = end, x, 0.0
        while ys[start] < y:
            area += (right - xs[start - 1]) * (y - ys[start])
            start -= 1
            right = xs[start]
        xs[start + 1 : end], ys[start + 1 : end] = [x], [y]
        parts.append(area * z)
    return math.fsum(parts)


def _gains(P: Array) -> Array:
    """What each point adds to those before it, (n,), above a reference point at 0."""
    n, m = P.shape
    if m == 1:
        return np.diff(np.maximum.accumulate(P[:, 0]), prepend=0.0) if n else np.zeros(0)
    ranks, corners, gains = Ranks.of(P, np.zeros(m)), Corners.of_nothing(n, m), np.zeros(n)
    for i, y in enumerate(ranks.rows):
        cut = corners.below(y)
        if len(cut):
            gains[i] = gained(ranks, corners, y, cut)
            corners = corners.after(y, cut)
    return gains
