"""A space of floats, integers and choices as a box of floats, so that a function of its points is a `Problem`.

x  (d,)    a point of the box, one entry for each parameter
X  (m, d)  rows are such points

A float is itself, an integer any number that rounds to it, an option any number that rounds to its place, from 0.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from suffice.problems.problem import Native, Problem
from suffice.space import Float, Int, Listed, Parameter, Space
from suffice.types import Array


@dataclass(frozen=True)
class Encoding:
    """A named space and its box; called with a point of the box it returns the point of the space, a dict."""

    space: Space

    @property
    def bounds(self) -> tuple[tuple[float, float], ...]:
        return tuple(map(_interval, self.space.parameters))

    def __call__(self, x: Array) -> dict[str, Any]:
        given = zip(self.space.names, self.space.parameters, x, strict=True)
        return self.space.only_active({name: _value(parameter, float(v)) for name, parameter, v in given})

    def row(self, point: Mapping[str, Any]) -> tuple[float, ...]:
        """The point of the box that stands for a point of the space."""
        intervals = zip(self.space.params.items(), self.bounds, strict=True)
        return tuple(_number(p, point[name]) if name in point else low for (name, p), (low, _) in intervals)


@dataclass(frozen=True)
class OfRows:
    """A function of the points of a space as one of the rows of X, (m, d) -> (m,)."""

    function: Callable[[Mapping[str, Any]], float]
    encoding: Encoding

    def __call__(self, X: Array) -> Array:
        return np.array([self.function(self.encoding(x)) for x in X], dtype=np.float64)


def mixed(
    name: str, space: Space, function: Callable[[Mapping[str, Any]], float], best: Mapping[str, Any], source: str
) -> Problem:
    """The problem of a function that is smallest at the point `best` of its space."""
    encoding = Encoding(space)
    return Problem(
        name=name,
        function=OfRows(function, encoding),
        bounds=encoding.bounds,
        optimum=function(best),
        minimizers=(encoding.row(best),),
        source=source,
        native=Native(space, function, encoding),
    )


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
