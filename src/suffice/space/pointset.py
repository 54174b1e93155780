"""A finite set of points as a domain of its own, up to millions of them."""

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from suffice.space.rowindex import RowIndex
from suffice.types import Array, Coordinate, Indices

if TYPE_CHECKING:
    from scipy.spatial import cKDTree

BLOCK = 2**13  # rows whose distances are computed at once
TREE = 10  # columns; in more of them a tree looks at most points, and one by one takes longer than all in a product


@dataclass(frozen=True, eq=False)
class PointSet:
    """The rows of `points`, (m, d) in the unit cube; a repeated row counts as often as it appears."""

    points: Array

    def __post_init__(self) -> None:
        points = np.array(self.points, dtype=np.float64)  # a copy: the caller's array may change
        if points.ndim != 2 or not len(points):
            raise ValueError(f"points must be an array (m, d) with m ≥ 1: got shape {points.shape}")
        if points.size and not (points.min() >= 0 and points.max() <= 1):  # NaN is neither
            raise ValueError("points must lie in the unit cube: got NaN or coordinates outside [0, 1]")
        points.flags.writeable = False
        object.__setattr__(self, "points", points)

    def __reduce__(self) -> tuple[type["PointSet"], tuple[Array]]:
        return PointSet, (self.points,)  # through the constructor: pickle forgets that an array is read-only

    @property
    def dim(self) -> int:
        return int(self.points.shape[1])

    @property
    def coordinates(self) -> tuple[Coordinate, ...]:
        return tuple(Coordinate(f"x{j}", "float", j, j + 1, False) for j in range(self.dim))

    @property
    def product(self) -> bool:
        return False

    @property
    def size(self) -> float:
        return len(self.points)

    def sample(self, n: int, rng: Generator) -> Array:
        """n rows, independent and uniform, (n, d)."""
        return self.points[rng.integers(len(self.points), size=n)]

    def place(self, U: Array) -> Array:
        """The rows nearest to U, (n, d): even where the points are."""
        return self.snap(U)

    def snap(self, X: Array) -> Array:
        """The nearest rows in the Euclidean distance, (len(X), d)."""
        if not self.dim:
            return np.zeros((len(X), 0))
        rows = self.find(X)
        strange = np.flatnonzero(rows < 0)
        if len(strange):
            rows[strange] = self._nearest(X[strange])
        return self.points[rows]

    def contains(self, X: Array) -> NDArray[np.bool_]:
        """Which rows of X are rows of the set, (len(X),)."""
        return self.find(X) >= 0

    def find(self, X: Array) -> Indices:
        """The number of each row of X in the set, the first of equals; −1 where it is no member, (len(X),)."""
        return self._index.find(X)

    def near(self, x: Array, n: int, rng: Generator, scales: tuple[float, ...]) -> Array:  # noqa: ARG002
        """The n rows nearest to x that are not x, nearest first, and again from the first if there are fewer, (n, d).

        What is near in a set is what is next: it needs no scales. A set of one row has nothing but that row.
        """
        parts = [np.linalg.norm(self.points[i : i + BLOCK] - x, axis=1) for i in range(0, len(self.points), BLOCK)]
        distance = np.concatenate(parts)
        distance[distance == 0.0] = np.inf
        others = int(np.count_nonzero(distance < np.inf))
        k = min(n, others)
        if not k:
            return self.points[np.zeros(n, dtype=np.intp)]
        closest = np.flatnonzero(distance <= np.partition(distance, k - 1)[k - 1])
        ranked = closest[np.argsort(distance[closest], kind="stable")][:k]
        return self.points[np.resize(ranked, n)]

    def enumerate(self, start: int = 0, stop: int | None = None) -> Array:
        """All rows, (m, d), or those from `start` up to `stop`; read-only."""
        return self.points[start:stop]

    def _nearest(self, X: Array) -> Indices:
        """The row nearest to each row of X, (len(X),)."""
        if self.dim <= TREE:
            nearest: Indices = np.asarray(self._tree.query(X)[1], dtype=np.intp)
            return nearest
        best, rows = np.full(len(X), np.inf), np.zeros(len(X), dtype=np.intp)
        for i in range(0, len(self.points), BLOCK):
            P = self.points[i : i + BLOCK]
            D = np.einsum("ij,ij->i", P, P)[:, None] - 2.0 * (P @ X.T)  # |p − x|² − |x|²
            row = D.argmin(axis=0)
            least = D[row, np.arange(len(X))]
            rows = np.where(least < best, row + i, rows)
            best = np.minimum(best, least)
        return rows

    @cached_property
    def _index(self) -> RowIndex:
        return RowIndex(self.points)

    @cached_property
    def _tree(self) -> "cKDTree":
        from scipy.spatial import cKDTree  # slow to import, needed here only

        return cKDTree(self.points)
