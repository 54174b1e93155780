"""A finite set of points as a domain of its own."""

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.random import Generator

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
    def size(self) -> float:
        return len(self.points)

    def sample(self, n: int, rng: Generator) -> Array:
        """n rows, independent and uniform, (n, d)."""
        return self.points[rng.integers(len(self.points), size=n)]

    def snap(self, X: Array) -> Array:
        """The nearest rows in the Euclidean distance, (len(X), d)."""
        if not self.dim:
            return np.zeros((len(X), 0))
        _, nearest = self._tree.query(X)
        return self.points[nearest]

    def enumerate(self) -> Array:
        """All rows, (m, d), read-only."""
        return self.points

    @cached_property
    def _tree(self) -> "cKDTree":
        from scipy.spatial import cKDTree  # slow to import, needed here only

        return cKDTree(self.points)
