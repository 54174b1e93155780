"""Test functions of numbers, with limits on other functions of the same numbers.

x1 … xd   the inputs, as arrays or numbers

Each optimum was found again by differential evolution and SLSQP from many starts, or follows from the formula, as said.
"""

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from suffice.problems.bumps import hartmann6
from suffice.problems.constrained import Constrained, at_most
from suffice.problems.planar import branin
from suffice.problems.scalable import ackley
from suffice.space import Float, Space

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
LIMITED = (GARDNER1, GARDNER2, BRANIN_DISK, HARTMANN6_BALL, ACKLEY5_BALL, TOWNSEND, BIRD_DISK)
