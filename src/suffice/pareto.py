"""Fronts of several objectives, all maximized: what is dominated, how much volume that is, and what would add to it.

Y             (n, m)  points, every objective maximized        r  (m,)  the reference point
P             (k, m)  the points that count, measured from r: they are above it, and no other one dominates them
C             (L, m)  corners: a point improves the front if it is above one of them in every objective
lower, upper  (K, m)  boxes [lower, upper): together all that is above r and not below a point; upper may be infinite
U             (N, m)  candidates: vectors of objectives, finite
f_kj          (K, N)  the part of box k that is below u in objective j: (min(u_j, upper_kj) − lower_kj)₊

    gain(u)       Σ_k Π_j f_kj, the volume that u adds to that of the front
    shortfall(u)  min_c max_j (c_j − u_j)₊ over the corners c: how much u lacks in every objective to reach the region

A row dominates another one if it is nowhere below it and somewhere above it. In the region the shortfall is zero,
elsewhere the gain is, and at its border both. They are continuous and monotone in each u_j; the gain is smooth but for
kinks where u_j is an edge of a box: there its derivative is the one to the right.

The volume is exact for every m, up to rounding: volumes are only added. One objective: the largest. Two: the staircase,
from the right. Three: the points from the highest down, each with the area that it adds to the staircase of those above
it. More: the boxes of the corners, O(k^⌊m/2⌋) of them. For more objectives than boxes are good for, `Directions` has
the volume as an average.

W      (k, m)  directions w, uniform on the positive part of the sphere: every w_j > 0, and |w| = 1
t      (k, N)  reach: how far one can go from r in the direction w and still be below u, min_j (u_j − r_j)/w_j; negative
               below r, and there, too, monotone in every u_j
best   (k,)    how far the front reaches in each direction, max over y of t₊; it ends at the corners r + best · w

In polar coordinates around r the volume that a set dominates is an integral over directions of the largest reach to the
m-th power (Zhang and Golovin 2020, arXiv 2006.04655):

    hypervolume(Y, r) = c_m · E max over y of t₊^m,    c_m = π^(m/2) / (2^m Γ(m/2 + 1)),

c_m being the volume of the positive part of the unit ball. Along fixed directions

    gain(u) = c_m · mean over w of (t_w(u)^m − best_w^m)₊

has the hypervolume improvement as its mean over directions. It is deterministic once these are drawn, monotone in each
u_j, and positive exactly where u is above an end.
"""

import math
from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from suffice.types import Array, Indices

BEYOND = 0.1  # of the length of a front: how much worse than its worst values the reference point is
# Of a table of boxes and candidates, or of rows that are compared: below 128 kB, from where on each array costs page
# faults.
CELLS = 12_000
FEWEST = 32  # candidates at once, however many boxes there are: fewer are all overhead


def nondominated(Y: Array, *, distinct: bool = False) -> NDArray[np.bool_]:
    """Which rows no other row dominates, (n,); of equal rows all, or with `distinct` only the first.

    A row with a nan is not in the front and dominates nothing. O(n log n) for m ≤ 2, else O(n · size of the front).
    """
    Y = np.asarray(Y, dtype=float)
    inside = np.zeros(len(Y), dtype=bool)
    known = np.flatnonzero(~np.isnan(Y).any(axis=1))
    # Largest first, by the first objective, then the second, …: a row is dominated only by rows before it.
    order = known[np.lexsort(-Y[known].T[::-1])]
    Z = Y[order]
    new = np.ones(len(Z), dtype=bool)
    new[1:] = (Z[1:] != Z[:-1]).any(axis=1)
    kept = _nondominated_in_a_plane(Z[new]) if Y.shape[1] <= 2 else _blockwise(Z[new])
    # lexsort is stable, so that the first of equal rows is the one that is new
    inside[order] = kept[np.cumsum(new) - 1] & (new | (not distinct))
    return inside


def counted(Y: Array, r: Array) -> NDArray[np.bool_]:
    """Which rows are above r in every objective, (n,); a row with a nan is not. Refuses what has no volume."""
    Y, r = np.asarray(Y, dtype=float), np.asarray(r, dtype=float)
    if Y.ndim != 2 or r.shape != Y.shape[1:] or not r.size:
        raise ValueError(
            f"rows of m objectives and a reference point of m numbers are wanted: got shapes {Y.shape} and {r.shape}"
        )
    if not np.isfinite(r).all():
        raise ValueError(f"the reference point must be finite, or volumes are not: got {r.tolist()}")
    above = (Y > r).all(axis=1)
    if np.isposinf(Y[above]).any():
        raise ValueError("a row above the reference point is infinite, and so is its volume: leave such rows out")
    return np.asarray(above)


def _nondominated_in_a_plane(Z: Array) -> NDArray[np.bool_]:
    """The same for distinct rows of one or two objectives, largest first: the last objective has to be a new record."""
    last = Z[:, -1]
    kept = np.ones(len(Z), dtype=bool)
    kept[1:] = last[1:] > np.maximum.accumulate(last)[:-1]
    return kept


def _blockwise(Z: Array) -> NDArray[np.bool_]:
    """The same for distinct rows of any number of objectives, largest first."""
    kept = np.zeros(len(Z), dtype=bool)
    front = np.empty((len(Z), Z.shape[1]))
    size = 0
    for rows in blocks(len(Z), max(1, len(Z))):
        block = np.arange(len(Z))[rows]
        block = block[~_weakly_below(Z[block], front[:size]).any(axis=1)]
        within = _weakly_below(Z[block], Z[block])
        np.fill_diagonal(within, False)
        block = block[~within.any(axis=1)]
        kept[block] = True
        front[size : size + len(block)] = Z[block]
        size += len(block)
    return kept


def _weakly_below(A: Array, B: Array) -> NDArray[np.bool_]:
    """Whether row i of A is nowhere above row k of B, (len(A), len(B)): if they differ, whether B_k dominates A_i."""
    below = A[:, 0, None] <= B[:, 0]
    for j in range(1, A.shape[1]):
        below &= A[:, j, None] <= B[:, j]
    return below


def blocks(n: int, rows: int) -> Iterator[slice]:
    """Slices of n candidates, so that a table with that many rows stays small."""
    step = max(FEWEST, CELLS // rows)
    return (slice(start, start + step) for start in range(0, n, step))


def shortfall(C: Array, U: Array) -> Array:
    """The shortfall, (N,)."""
    return _nearest(C, U)[0]


def shortfall_and_grad(C: Array, U: Array) -> tuple[Array, Array]:
    """The shortfall and its derivatives, (N,) and (N, m): −1 in the objective that lacks most, or all zero."""
    out, nearest = _nearest(C, U)
    rows, grad = np.flatnonzero(out > 0), np.zeros(U.shape)
    grad[rows, np.argmax(C[nearest[rows]] - U[rows], axis=1)] = -1.0
    return out, grad


def _nearest(C: Array, U: Array) -> tuple[Array, Indices]:
    """The shortfall and the corner that it is counted from, (N,) each."""
    out, nearest = np.empty(len(U)), np.empty(len(U), dtype=np.intp)
    for block in blocks(len(U), len(C)):
        lacks = C[:, 0, None] - U[block, 0]
        for j in range(1, U.shape[1]):
            np.maximum(lacks, C[:, j, None] - U[block, j], out=lacks)
        nearest[block] = lacks.argmin(axis=0)
        out[block] = np.maximum(lacks.min(axis=0), 0.0)
    return out, nearest


# ---------------------------------------------------------------------- the volume over directions


def weights(n: int, m: int, rng: Generator) -> Array:
    """n directions, uniform on the positive part of the unit sphere, (n, m)."""
    # it divides; smaller coordinates have a share of m · 1e-12 at most
    W = np.maximum(np.abs(rng.standard_normal((n, m))), 1e-12)
    return np.asarray(W / np.sqrt(np.einsum("ij,ij->i", W, W))[:, None])


def c_m(m: int) -> float:
    """By what the mean over directions is multiplied to be the hypervolume."""
    return math.exp(0.5 * m * math.log(math.pi / 4) - math.lgamma(0.5 * m + 1))


@dataclass(frozen=True, eq=False)
class Directions:
    """What a front leaves to be improved, along some directions, as `Improving` is without them."""

    weights: Array  # (k, m)
    best: Array  # (k,)
    reference: Array  # (m,)

    @classmethod
    def of(cls, Y: Array, r: Array, W: Array) -> "Directions":
        """The ends of a front above r in the directions W."""
        Y, r = np.asarray(Y, dtype=float), np.asarray(r, dtype=float)
        Y = Y[counted(Y, r)]
        Y = Y[nondominated(Y, distinct=True)]
        best = np.zeros(len(W))
        for block in blocks(len(Y), len(W)):
            best = np.maximum(best, _reaches(Y[block], W, r)[0].max(axis=1))
        return cls(W, best, r.copy())

    @property
    def corners(self) -> Array:
        """The ends, (k, m)."""
        return self.reference + self.best[:, None] * self.weights

    def gain(self, U: Array) -> Array:
        """The volume that each candidate alone adds to that of the front, (N,), as an average over the directions."""
        m, out = U.shape[1], np.empty(len(U))
        for block in blocks(len(U), len(self.weights)):
            t, _ = _reaches(U[block], self.weights, self.reference)
            out[block] = (np.maximum(t, self.best[:, None]) ** m - self.best[:, None] ** m).mean(axis=0)
        return c_m(m) * out

    def gain_and_grad(self, U: Array) -> tuple[Array, Array]:
        """The gain and its derivatives, (N,) and (N, m)."""
        m, out, grad = U.shape[1], np.empty(len(U)), np.empty(U.shape)
        best = self.best[:, None]
        for block in blocks(len(U), len(self.weights)):
            t, limit = _reaches(U[block], self.weights, self.reference)
            slope = np.where(t >= best, m * np.maximum(t, best) ** (m - 1), 0.0)
            out[block] = (np.maximum(t, best) ** m - best**m).mean(axis=0)
            for j in range(m):
                grad[block, j] = (np.where(limit == j, slope, 0.0) / self.weights[:, j, None]).mean(axis=0)
        return c_m(m) * out, c_m(m) * grad

    def shortfall(self, U: Array) -> Array:
        """How much each candidate lacks in every objective to gain something, (N,)."""
        return shortfall(self.corners, U)

    def shortfall_and_grad(self, U: Array) -> tuple[Array, Array]:
        """The shortfall and its derivatives, (N,) and (N, m)."""
        return shortfall_and_grad(self.corners, U)


def _reaches(U: Array, W: Array, r: Array) -> tuple[Array, Array]:
    """t for all directions and candidates, and the objective that limits it, (k, N) each."""
    t = (U[:, 0] - r[0]) / W[:, 0, None]
    limit = np.zeros(t.shape)
    for j in range(1, U.shape[1]):
        other = (U[:, j] - r[j]) / W[:, j, None]
        nearer = other < t
        limit[nearer] = j
        np.minimum(t, other, out=t)
    return t, limit


# ---------------------------------------------------------------------- the volume in boxes, and what adds to it


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


class Ranks(NamedTuple):
    """Points by their places in each objective."""

    rows: Indices  # (n, m), 1 … n in each column
    values: Array  # (n + 2, m): what a rank stands for, from the reference point to infinity

    @classmethod
    def of(cls, Y: Array, r: Array) -> "Ranks":
        """The ranks of rows that are all above r, (n, m).

        Of two rows that are equal in an objective, the one that is larger in the first objective in which they differ
        counts as larger; of equal rows the first. So a row that is dominated is below the other one in every rank.
        """
        n, m = Y.shape
        place = np.empty(n, dtype=np.intp)
        place[np.lexsort([-np.arange(n), *Y.T[::-1]])] = np.arange(n)
        rows = np.empty((n, m), dtype=np.intp)
        values = np.empty((n + 2, m))
        values[0], values[-1] = r, np.inf
        for j in range(m):
            order = np.lexsort([place, Y[:, j]])
            rows[order, j] = np.arange(1, n + 1)
            values[1:-1, j] = Y[order, j]
        return cls(rows, values)

    def at(self, ranks: Indices) -> Array:
        """The values of ranks; both of one shape, with the objectives last."""
        return self.values[ranks, np.arange(ranks.shape[-1])]


class Corners(NamedTuple):
    """The corners of what a front leaves to be improved, and the points that define them, kept up to date.

    A corner is a smallest point of the region that is above r and not below a point: a local bound. corner_lj is the
    j-th coordinate of point_lj, all of whose other coordinates are above those of the corner; a side of the reference
    point counts as a point, with rank 0 (the reference point) in that objective and n + 1 (infinity) in all others.

    A point y cuts off every corner c < y. In its place it puts, for each j, c with c_j raised to y_j, if y_j < min over
    i ≠ j of z_j, z the point that defines c_i; else nothing is left there (Klamroth, Lacour and Vanderpooten 2015).
    This holds if no two points are equal in any objective, which ranks see to: ties are broken so that a dominated
    point stays dominated, and what the breaking makes up has no extent once ranks are values again.

    Each corner has a box of its own, and these boxes are a partition of the region: go down from a point of the region
    in the last objective, then in the last but one, …, each time until a point of the front stops it, and a corner is
    reached; those that reach c are the box

        c_j ≤ x_j < min over i > j of z_j, z the point that defines c_i    (the last objective has no limit),

    which is the idea of Lacour, Klamroth and Fonseca (2017), seen from the other side. There cannot be fewer boxes than
    corners: the one that holds a corner has to begin in it. In general position there are n + 1 of them for m = 2, at
    most 2n + 1 for m = 3, and O(n^⌊m/2⌋) for any m.
    """

    corner: Indices  # (L, m)
    point: Indices  # (L, m, m)
    infinity: int  # its rank, n + 1

    @classmethod
    def of_nothing(cls, n: int, m: int) -> "Corners":
        """Before the first of n points: the reference point."""
        sides = np.full((1, m, m), n + 1)
        sides[0, np.arange(m), np.arange(m)] = 0
        return cls(np.zeros((1, m), dtype=np.intp), sides, n + 1)

    def below(self, y: Indices) -> Indices:
        """Which corners y cuts off, (l,); none, if another point dominates y."""
        hit = self.corner[:, 0] < y[0]
        for j in range(1, len(y)):
            hit &= self.corner[:, j] < y[j]
        return np.flatnonzero(hit)

    def upper(self, which: Indices | slice = slice(None)) -> Indices:
        """Where the boxes of some corners end, (l, m)."""
        point = self.point[which]
        upper = np.full(point.shape[:2], self.infinity)
        for j in range(point.shape[1] - 1):
            upper[:, j] = point[:, j + 1 :, j].min(axis=1)
        return upper

    def after(self, y: Indices, cut: Indices) -> "Corners":
        """With y among the points; cut: which corners it cuts off."""
        m = len(y)
        corner, point = self.corner[cut], self.point[cut]
        kept = np.ones(len(self.corner), dtype=bool)
        kept[cut] = False
        corners, points = [self.corner[kept]], [self.point[kept]]
        for j in range(m):
            others = point[:, [i for i in range(m) if i != j], j]
            new = np.flatnonzero((y[j] < others).all(axis=1))
            raised, defining = corner[new], point[new]
            raised[:, j], defining[:, j] = y[j], y
            corners.append(raised)
            points.append(defining)
        return Corners(np.concatenate(corners), np.concatenate(points), self.infinity)


def gained(ranks: Ranks, corners: Corners, y: Indices, cut: Indices) -> float:
    """The volume that only y dominates: Σ over the corners that it cuts off of the part of their boxes below it."""
    low, high = ranks.at(corners.corner[cut]), ranks.at(np.minimum(corners.upper(cut), y))
    return float((high - low).prod(axis=1).sum())


@dataclass(frozen=True, eq=False)
class Improving:
    """What a front leaves to be improved. The boxes are as few as there can be, if no two points share a coordinate."""

    lower: Array  # (K, m)
    upper: Array  # (K, m)
    reference: Array  # (m,)

    @classmethod
    def of(cls, Y: Array, r: Array) -> "Improving":
        """The boxes that points leave above r; points that are dominated or not above r leave them as they are.

        K is n + 1 for m = 2, at most 2n + 1 for m = 3, O(n²) for m = 4 and 5.
        """
        Y, r = np.asarray(Y, dtype=float), np.asarray(r, dtype=float)
        Y = Y[counted(Y, r)]
        ranks = Ranks.of(Y[nondominated(Y, distinct=True)], r)
        corners = Corners.of_nothing(*ranks.rows.shape)
        for y in ranks.rows:
            corners = corners.after(y, corners.below(y))
        lower, upper = ranks.at(corners.corner), ranks.at(corners.upper())
        some = (lower < upper).all(axis=1)
        return cls(lower[some], upper[some], r.copy())

    def gain(self, U: Array) -> Array:
        """The volume that each candidate alone adds to that of the front, (N,)."""
        out = np.empty(len(U))
        for block in self._blocks(len(U)):
            product = self._part(U[block], 0)
            for j in range(1, U.shape[1]):
                product *= self._part(U[block], j)
            out[block] = product.sum(axis=0)
        return out

    def gain_and_grad(self, U: Array) -> tuple[Array, Array]:
        """The gain and its derivatives, (N,) and (N, m): ∂/∂u_j = Σ_k [lower_kj ≤ u_j < upper_kj] Π_{i≠j} f_ki."""
        out, grad = np.empty(len(U)), np.empty(U.shape)
        for block in self._blocks(len(U)):
            parts = [self._part(U[block], j) for j in range(U.shape[1])]
            for j, others in enumerate(but_one(parts)):
                if j == 0:
                    out[block] = (parts[0] * others).sum(axis=0)
                u = U[block, j]
                others *= (self.lower[:, j, None] <= u) & (u < self.upper[:, j, None])
                grad[block, j] = others.sum(axis=0)
        return out, grad

    def shortfall(self, U: Array) -> Array:
        """How much each candidate lacks in every objective to be at the border of the region, (N,)."""
        return shortfall(self.lower, U)  # a box that begins above a corner is never nearer

    def shortfall_and_grad(self, U: Array) -> tuple[Array, Array]:
        """The shortfall and its derivatives, (N,) and (N, m): −1 in the objective that lacks most, 0 in the region."""
        return shortfall_and_grad(self.lower, U)

    def _part(self, U: Array, j: int) -> Array:
        """f_kj for all boxes and some candidates, (K, N)."""
        low = self.lower[:, j, None]
        part = np.minimum(U[:, j], self.upper[:, j, None])
        part -= low
        return np.maximum(part, 0.0, out=part)

    def _blocks(self, n: int) -> Iterator[slice]:
        return blocks(n, len(self.lower))


def but_one(parts: list[Array]) -> list[Array]:
    """For each of m arrays of one shape the product of the others, as arrays of their own."""
    before = [np.ones_like(parts[0])]
    for part in parts[:-1]:
        before.append(before[-1] * part)
    after = parts[-1]
    for j in range(len(parts) - 2, -1, -1):
        before[j] *= after
        after = after * parts[j]
    return before
