"""The corners of what a front leaves to be improved, kept up to date as points arrive.

m      int           objectives, all maximized
y      (m,)          a point, as ranks: y_j is its place among all points in objective j, 1 … n from the smallest
corner (L, m)        the smallest points of the region that is above r and not below a point: its local bounds
point  (L, m, m)     the points that define them: corner_lj is the j-th coordinate of point_lj, all of whose other
                     coordinates are above those of the corner; a side of the reference point counts as a point, with
                     rank 0 (the reference point) in that objective and n + 1 (infinity) in all others

A point y cuts off every corner c < y. In its place it puts, for each j, c with c_j raised to y_j, if y_j < min over
i ≠ j of z_j, z the point that defines c_i; else nothing is left there (Klamroth, Lacour and Vanderpooten 2015).
This holds if no two points are equal in any objective. Ranks see to that: ties are broken, so that a point that was
dominated still is, and what the breaking makes up has no extent once ranks are values again.

Each corner has a box of its own, and these boxes are a partition of the region: go down from a point of the region in
the last objective, then in the last but one, …, each time until a point of the front stops it, and a corner is reached;
those that reach c are the box

    c_j ≤ x_j < min over i > j of z_j, z the point that defines c_i    (the last objective has no limit),

which is the idea of Lacour, Klamroth and Fonseca (2017), seen from the other side. There cannot be fewer boxes than
corners: the one that holds a corner has to begin in it. In general position there are n + 1 of them for m = 2, at most
2n + 1 for m = 3, and O(n^⌊m/2⌋) for any m.
"""

from typing import NamedTuple

import numpy as np

from suffice.types import Array, Indices


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
    """Corners and the points that define them."""

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
