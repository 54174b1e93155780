"""A finite set of points as a domain of its own."""

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from suffice.space.rows import row_keys
from suffice.types import Array, Coordinate

if TYPE_CHECKING:
    from scipy.spatial import cKDTree


@dataclass(frozen=True, eq=False)
class PointSet:
    """The rows of `points`, (m, d) in the unit cube; a repeated row counts as often as it appears."""

    points: Array

    def __post_init__(self) -> None:
        points = np.array(self.points, dtype=np.float64)  # a copy: the caller's array may change
        if points.ndim != 2 or not len(points):
            raise ValueError(f"points must be an array (m, d) with m ≥ 1: got shape {points.shape}")
        if not np.all((points >= 0) & (points <= 1)):
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
        _, nearest = self._tree.query(X)
        return self.points[nearest]

    def contains(self, X: Array) -> NDArray[np.bool_]:
        """Which rows of X are rows of the set, (len(X),)."""
        return np.array([key in self._keys for key in row_keys(X)], dtype=np.bool_)

    def near(self, x: Array, n: int, rng: Generator, scales: tuple[float, ...]) -> Array:  # noqa: ARG002
        """The n rows nearest to x that are not x, nearest first, and again from the first if there are fewer, (n, d).

        What is near in a set is what is next: it needs no scales. A set of one row has nothing but that row.
        """
        distance = np.linalg.norm(self.points - x, axis=1)
        others = np.flatnonzero(distance > 0.0)
        ranked = others[np.argsort(distance[others], kind="stable")] if len(others) else np.zeros(1, dtype=np.intp)
        return self.points[np.resize(ranked, n)]

    def enumerate(self, start: int = 0, stop: int | None = None) -> Array:
        """All rows, (m, d), or those from `start` up to `stop`; read-only."""
        return self.points[start:stop]

    @cached_property
    def _keys(self) -> frozenset[bytes]:
        return frozenset(row_keys(self.points))

    @cached_property
    def _tree(self) -> "cKDTree":
        from scipy.spatial import cKDTree  # slow to import, needed here only

        return cKDTree(self.points)
