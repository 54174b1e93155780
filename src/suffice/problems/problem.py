"""A test problem: a function to minimize whose answer is known.

x  (d,)    a point, in the problem's own units
X  (m, d)  rows are points

A problem is a function over a box of floats. One whose own space has integers and choices has an encoding of it as a
box, too: a float is itself, an integer any number that rounds to it, an option any number that rounds to its place,
from 0.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from suffice.space import Float, Int, Listed, Parameter, Space
from suffice.types import Array


@dataclass(frozen=True)
class Native:
    """A problem on its own named space, and the box that encodes it; called, it has the values of rows of the box."""

    space: Space
    function: Callable[[Any], float]  # of a point of the space, a dict

    @property
    def bounds(self) -> tuple[tuple[float, float], ...]:
        return tuple(map(_interval, self.space.parameters))

    def __call__(self, X: Array) -> Array:
        """The values of the rows of X, (m, d) -> (m,)."""
        return np.array([self.function(self.point(x)) for x in X], dtype=np.float64)

    def point(self, x: Array) -> dict[str, Any]:
        """The point of the space for which a point of the box, (d,), stands."""
        given = zip(self.space.names, self.space.parameters, x, strict=True)
        return self.space.only_active({name: _value(parameter, float(v)) for name, parameter, v in given})

    def row(self, point: Mapping[str, Any]) -> tuple[float, ...]:
        """The point of the box that stands for a point of the space."""
        intervals = zip(self.space.params.items(), self.bounds, strict=True)
        return tuple(_number(p, point[name]) if name in point else low for (name, p), (low, _) in intervals)


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


def _interval(parameter: Parameter) -> tuple[float, float]:
    if isinstance(parameter, Listed):
        return 0.0, len(parameter.options) - 1.0
    return float(parameter.low), float(parameter.high)


def _value(parameter: Parameter, v: float) -> Any:
    """What the float v stands for: itself, the nearest integer, or the option at the nearest place."""
    if isinstance(parameter, Float):
        return v
    return round(v) if isinstance(parameter, Int) else parameter.options[round(v)]


def _number(parameter: Parameter, value: Any) -> float:
    """The float that stands for a value."""
    return float(parameter.options.index(value) if isinstance(parameter, Listed) else value)
