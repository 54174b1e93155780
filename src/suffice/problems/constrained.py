"""A test problem with limits: a function whose other outputs have to stay within limits, and whose answer is known.

    minimize value(p)  such that  output_k(p) ≤ limit_k  or  ≥ limit_k,  for points p of a space

All outputs come from one evaluation; what they depend on is not said, so that an optimizer has to learn it.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import reduce
from typing import Any

import numpy as np

from suffice.space import Space


@dataclass(frozen=True)
class Limit:
    """An output that has to be at most, or at least, a number."""

    name: str  # of the output
    at_most: bool  # else at least
    limit: float

    def holds(self, value: Any) -> Any:
        """Whether a value, or each of an array of values, is within the limit; NaN is not."""
        return value <= self.limit if self.at_most else value >= self.limit


def at_most(limit: float, *names: str) -> tuple[Limit, ...]:
    return tuple(Limit(name, True, limit) for name in names)


def at_least(limit: float, *names: str) -> tuple[Limit, ...]:
    return tuple(Limit(name, False, limit) for name in names)


@dataclass(frozen=True)
class Constrained:
    """A function to minimize with limits on its other outputs.

    `problem(point)` is {"value": …, and the other outputs}, as an optimizer wants it; `function` also takes arrays in
    place of the numbers of a point.
    """

    name: str
    function: Callable[[Mapping[str, Any]], dict[str, Any]] = field(repr=False)
    space: Space = field(repr=False)
    limits: tuple[Limit, ...] = field(repr=False)
    optimum: float  # the smallest value within the limits, as far as is known
    best: Mapping[str, Any] = field(repr=False)  # a point within the limits, whose value is the optimum up to rounding
    share: float  # of uniform random points that are within the limits, measured with 100 000 draws or more, two digits
    source: str = field(repr=False)

    def __call__(self, point: Mapping[str, Any]) -> dict[str, float]:
        """The outputs at one point."""
        return {name: float(output) for name, output in self.function(point).items()}

    def feasible(self, outputs: Mapping[str, Any]) -> Any:
        """Whether outputs are within all limits; for arrays of outputs an array."""
        return reduce(np.logical_and, (limit.holds(outputs[limit.name]) for limit in self.limits))
