"""A test problem: a function to minimize whose answer is known.

x  (d,)    a point, in the problem's own units
X  (m, d)  rows are points
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from suffice.space import Space
from suffice.types import Array


@dataclass(frozen=True)
class Native:
    """A problem on its own space, of which the box is an encoding."""

    space: Space
    function: Callable[[Any], float]  # of a point of the space
    point: Callable[[Array], Any]  # of a point of the box, (d,)


@dataclass(frozen=True)
class Problem:
    """A function to minimize over a box, with its global minimum.

    `problem(x)` is the value of one point, as an optimizer wants it; `problem.values(X)` is the same for every row.
    """

    name: str
    function: Callable[[Array], Array] = field(repr=False)  # (m, d) -> (m,); a module-level function, so it pickles
    bounds: tuple[tuple[float, float], ...] = field(repr=False)  # one (low, high) for each of the d inputs
    optimum: float  # the smallest value in the box; without minimizers a lower bound that may not be attained
    minimizers: tuple[tuple[float, ...], ...] = field(repr=False)  # the points that attain it, () if unknown
    source: str = field(repr=False)  # where the definition comes from
    native: Native | None = field(default=None, repr=False)  # where integers and choices are such

    @property
    def dim(self) -> int:
        return len(self.bounds)

    def __call__(self, x: ArrayLike) -> float:
        """The value of one point, (d,)."""
        point = np.asarray(x, dtype=np.float64)
        if point.shape != (self.dim,):
            raise ValueError(
                f"{self.name} takes one point of shape ({self.dim},), got shape {point.shape}; "
                "use `values` for a matrix of points"
            )
        return float(self.values(point[None])[0])

    def values(self, X: ArrayLike) -> Array:
        """The values of the rows of X, (m, d) -> (m,)."""
        points = np.asarray(X, dtype=np.float64)
        if points.ndim != 2 or points.shape[1] != self.dim:
            raise ValueError(
                f"{self.name} takes points of shape (m, {self.dim}), got shape {points.shape}; "
                "call the problem itself for one point"
            )
        return self.function(points)
