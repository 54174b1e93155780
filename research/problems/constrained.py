"""A test problem with limits: a function whose other outputs have to stay within limits, and whose answer is known.

    minimize value(p)  such that  output_k(p) ≤ limit_k  or  ≥ limit_k,  for points p of a space

All outputs come from one evaluation; what they depend on is not said, so that an optimizer has to learn it.

The problems here are test functions of numbers with limits on other functions of the same numbers, x1 … xd, which may
be arrays. Each optimum was found again by differential evolution and SLSQP from many starts, or follows from the
formula, as said.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import reduce
from typing import Any

import numpy as np

from suffice.problems.functions import ackley, branin, hartmann6
from suffice.space import Float, Space


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


Point = Mapping[str, Any]
Outputs = dict[str, Any]


def box(*bounds: tuple[float, float]) -> Space:
    """Floats x1 … xd."""
    return Space({f"x{i}": Float(low, high) for i, (low, high) in enumerate(bounds, start=1)})


def at(*x: float) -> dict[str, float]:
    """The point of such a box."""
    return {f"x{i}": v for i, v in enumerate(x, start=1)}


def columns(point: Point) -> Sequence[Any]:
    """The numbers of a point, in the order of the space."""
    return [point[f"x{i}"] for i in range(1, len(point) + 1)]


def _rows(point: Point) -> Any:
    return np.stack(np.broadcast_arrays(*columns(point)), axis=-1)


def _gardner1(point: Point) -> Outputs:
    x, y = columns(point)
    return {"value": np.cos(2.0 * x) * np.cos(y) + np.sin(x), "c": np.cos(x + y)}


# cos 2x cos y and sin x are both −1 at the stated point, and neither can be less; cos(x + y) is 0 there.
GARDNER1 = Constrained(
    name="gardner1",
    function=_gardner1,
    space=box((0.0, 6.0), (0.0, 6.0)),
    limits=at_most(0.5, "c"),
    optimum=-2.0,
    best=at(1.5 * math.pi, 0.0),
    share=0.67,
    source="Gardner et al. 2014, simulation 1",
)


def _gardner2(point: Point) -> Outputs:
    x, y = columns(point)
    return {"value": np.sin(x) + y, "c": np.sin(x) * np.sin(y)}


# Along the limit sin y = 0.95/|sin x|: smaller |sin x| makes both terms larger, so sin x = −1 and sin y = 0.95.
GARDNER2 = Constrained(
    name="gardner2",
    function=_gardner2,
    space=box((0.0, 6.0), (0.0, 6.0)),
    limits=at_most(-0.95, "c"),
    optimum=math.asin(0.95) - 1.0,
    best=at(1.5 * math.pi, math.asin(0.95) + 1e-12),
    share=0.018,
    source="Gardner et al. 2014, simulation 2",
)


def _branin_disk(point: Point) -> Outputs:
    x, y = columns(point)
    X = _rows(point)
    return {
        "value": branin.function(X.reshape(-1, 2)).reshape(X.shape[:-1]),
        "distance": (x - 2.5) ** 2 + (y - 7.5) ** 2,
    }


# One of the three minima of Branin's function is inside, (π, 2.275).
BRANIN_DISK = Constrained(
    name="branin_disk",
    function=_branin_disk,
    space=box(*branin.bounds),
    limits=at_most(50.0, "distance"),
    optimum=branin.optimum,
    best=at(*branin.minimizers[1]),
    share=0.7,
    source="Gelbart et al. 2014",
)


def _hartmann6_ball(point: Point) -> Outputs:
    X = _rows(point)
    return {
        "value": hartmann6.function(X.reshape(-1, 6)).reshape(X.shape[:-1]),
        "norm": np.sqrt(np.sum(X**2, axis=-1)),
    }


# The minimum of the function is inside, with a norm of 0.947.
HARTMANN6_BALL = Constrained(
    name="hartmann6_ball",
    function=_hartmann6_ball,
    space=box(*hartmann6.bounds),
    limits=at_most(1.0, "norm"),
    optimum=hartmann6.optimum,
    best=at(*hartmann6.minimizers[0]),
    share=0.081,
    source="Letham et al. 2019",
)


def _ackley_ball(point: Point) -> Outputs:
    X = _rows(point)
    dim = X.shape[-1]
    return {
        "value": ackley(dim).function(X.reshape(-1, dim)).reshape(X.shape[:-1]),
        "sum": np.sum(X, axis=-1),
        "norm": np.sqrt(np.sum(X**2, axis=-1)),
    }


# Both limits of Eriksson and Poloczek, who have 10 inputs, where two points in 100 000 are within them.
ACKLEY5_BALL = Constrained(
    name="ackley5_ball",
    function=_ackley_ball,
    space=box(*[(-5.0, 10.0)] * 5),
    limits=at_most(0.0, "sum") + at_most(5.0, "norm"),
    optimum=0.0,
    best=at(*[0.0] * 5),
    share=0.011,
    source="Eriksson and Poloczek 2021, in 10 dimensions",
)


def _townsend(point: Point) -> Outputs:
    x, y = columns(point)
    t = np.arctan2(x, y)
    width = 2.0 * np.cos(t) - 0.5 * np.cos(2.0 * t) - 0.25 * np.cos(3.0 * t) - 0.125 * np.cos(4.0 * t)
    return {
        "value": -(np.cos((x - 0.1) * y) ** 2) - x * np.sin(3.0 * x + y),
        "outside": x**2 + y**2 - width**2 - (2.0 * np.sin(t)) ** 2,
    }


TOWNSEND = Constrained(
    name="townsend",
    function=_townsend,
    space=box((-2.25, 2.25), (-2.5, 1.75)),
    limits=at_most(0.0, "outside"),
    optimum=-2.023988363,
    best=at(2.0052927, 1.1944528),
    share=0.68,
    source="Townsend 2014",
)


def _bird(point: Point) -> Outputs:
    x, y = columns(point)
    waves = np.sin(y) * np.exp((1.0 - np.cos(x)) ** 2) + np.cos(x) * np.exp((1.0 - np.sin(y)) ** 2)
    return {"value": waves + (x - y) ** 2, "distance": (x + 5.0) ** 2 + (y + 5.0) ** 2}


BIRD_DISK = Constrained(
    name="bird_disk",
    function=_bird,
    space=box((-10.0, 0.0), (-6.5, 0.0)),
    limits=at_most(25.0, "distance"),
    optimum=-106.76453675,
    best=at(-3.1302468, -1.5821422),
    share=0.83,
    source="Mishra 2006",
)
