"""All combinations of the values of several parameters as a domain, and random steps from one of them.

X      (m, d)  rows of the unit cube: a constant parameter takes no column, a choice several
D      int     coordinates: the parameters that are not constant
U      (n, D)  numbers in [0, 1], one for each coordinate
x      (d,)    where steps start              σ      (n, 1)  the scale of each step, in units of the cube
moved  (n, d)  columns that take a step       must   (n, d)  columns that may not stay where they are
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.random import Generator

from suffice.space.domain import Mask, same_rows
from suffice.space.parameters import Choice, Float, Parameter, about
from suffice.types import Array, Coordinate, Domain, Levels, smooth_columns

LARGEST_ENUMERATION = 1_000_000  # rows


@dataclass(frozen=True)
class Product:
    """Parameters by name."""

    names: tuple[str, ...]
    parameters: tuple[Parameter, ...]

    @cached_property
    def columns(self) -> tuple[slice, ...]:
        """Every parameter's columns; those of a constant are empty."""
        stops = np.cumsum([parameter.width for parameter in self.parameters]).tolist()
        return tuple(slice(stop - p.width, stop) for stop, p in zip(stops, self.parameters, strict=True))

    @property
    def dim(self) -> int:
        return int(self.columns[-1].stop) if self.columns else 0

    @cached_property
    def coordinates(self) -> tuple[Coordinate, ...]:
        """The parameters that are not constant, in column order."""
        parts = zip(self.names, self.parameters, self.columns, strict=True)
        return tuple(_coordinate(name, p, c) for name, p, c in parts if not p.constant)

    @property
    def product(self) -> bool:
        return True

    @property
    def size(self) -> float:
        return math.prod((float(parameter.size) for parameter in self.parameters), start=1.0)

    def sample(self, n: int, rng: Generator) -> Array:
        return self.place(rng.random((n, len(self.coordinates))))

    def place(self, U: Array) -> Array:
        X = np.empty((len(U), self.dim))
        free = (item for item in zip(self.parameters, self.columns, strict=True) if not item[0].constant)
        for j, (parameter, columns) in enumerate(free):
            X[:, columns] = parameter.place(U[:, j])
        return X

    def contains(self, X: Array) -> Mask:
        return same_rows(self.snap(X), X)

    def near(self, x: Array, n: int, rng: Generator, scales: tuple[float, ...]) -> Array:
        return steps(x, n, rng, scales, self)

    def snap(self, X: Array) -> Array:
        snapped: Array = np.clip(X, 0.0, 1.0)  # all that smooth columns need
        for parameter, columns in zip(self.parameters, self.columns, strict=True):
            if not (parameter.smooth or parameter.constant):
                snapped[:, columns] = parameter.snap(X[:, columns])
        return snapped

    def enumerate(self, start: int = 0, stop: int | None = None) -> Array:
        check_listable(self.size)
        rows = np.arange(int(self.size))[start:stop]
        X = np.empty((len(rows), self.dim))
        for parameter, columns in zip(reversed(self.parameters), reversed(self.columns), strict=True):
            if not parameter.constant:
                rows, digit = np.divmod(rows, int(parameter.size))
                X[:, columns] = parameter.members(digit)
        return X

    # ------------------------------------------------------------------ what a search has to know

    @property
    def constrained(self) -> bool:
        return False

    def active(self, X: Array) -> Mask:
        """Which parameters the rows have, (m, number of parameters): all of them."""
        return np.ones((len(X), len(self.names)), dtype=np.bool_)

    def free(self, X: Array) -> Mask:
        return np.broadcast_to(smooth_columns(self), X.shape)

    def towards(self, X: Array, members: Array) -> Array:  # noqa: ARG002
        return self.snap(X)

    def cut(self, lower: Array, upper: Array) -> tuple[Array, Array, Mask]:
        return lower, upper, np.ones(len(lower), dtype=np.bool_)

    # ------------------------------------------------------------------ points

    def to_unit(self, point: Mapping[str, Any]) -> Array:
        """The place of the values of all parameters, by name, (d,)."""
        x = np.empty(self.dim)
        for name, parameter, columns in zip(self.names, self.parameters, self.columns, strict=True):
            with about(name):
                x[columns] = parameter.to_unit(point[name])
        return x + 0.0  # −0.0 is 0.0: a member has one place, to the last bit

    def only_active(self, point: Mapping[str, Any]) -> dict[str, Any]:
        return dict(point)


def check_listable(size: float) -> None:
    """Refuse to list more points than anyone can use."""
    if size > LARGEST_ENUMERATION:
        number = "infinitely many" if math.isinf(size) else f"{size:.7g}"
        raise ValueError(
            f"the space has {number} points, enumerate() lists up to {LARGEST_ENUMERATION}; sample it instead"
        )


def _coordinate(name: str, parameter: Parameter, columns: slice) -> Coordinate:
    places = parameter.embedding if isinstance(parameter, Choice) else None
    return Coordinate(name, parameter.kind, columns.start, columns.stop, parameter.smooth, parameter.levels, places)


class UnitCube(Product):
    """[0, 1]^dim, every coordinate smooth."""

    def __init__(self, dim: int) -> None:
        super().__init__(tuple(f"x{j}" for j in range(dim)), (Float(0.0, 1.0),) * dim)

    def __repr__(self) -> str:
        return f"UnitCube({self.dim})"


def steps(
    x: Array, n: int, rng: Generator, scales: tuple[float, ...], domain: Domain, live: Mask | None = None
) -> Array:
    """Gaussian steps x + σ z, σ cycling through `scales`, (n, d).

    One coordinate, drawn at random, moves in every row. Every other round through the scales nothing else does; in the
    rounds between, each further coordinate moves with probability min(1, 20/D). Where only some coordinates may move,
    `live` says which, (D,), and the others stay.

    - A smooth coordinate is reflected at the faces, so that no mass piles up there. But one that sits on a face stays
      there when its step points outwards: an incumbent on a face is a hint that the optimum is too, and the search must
      be able to slide along it. The one coordinate that has to move is always reflected.
    - A coordinate with levels steps and snaps; the one that has to move goes at least to a neighbouring level.
    - A choice switches if it is the one that has to move, and with probability 1/D besides in the rounds that move
      several coordinates: to any other option with equal probability, or where options have something in common, to
      the r-th nearest with a probability of about 1/r.
    """
    if not domain.coordinates:
        return domain.sample(n, rng)
    row = np.arange(n)
    scale = np.take(scales, row % len(scales))[:, None]
    several = (row // len(scales) % 2 == 0)[:, None]
    free = np.ones(len(domain.coordinates), dtype=np.bool_) if live is None else live
    moved, must = _masks(domain.coordinates, several, rng, free)
    step = scale * rng.standard_normal((n, domain.dim))

    stays = ~moved | _outwards(x, step) & ~must
    X = np.where(stays, x, _reflected(x + step))
    X = domain.snap(_switch_choices(X, x, must, domain.coordinates, rng))
    for coordinate in domain.coordinates:
        if coordinate.levels is not None:
            j = coordinate.start
            back = must[:, j] & (X[:, j] == x[j])
            down, up = _neighbours(x[j], coordinate.levels)
            X[:, j] = np.where(back, np.where(step[:, j] < 0.0, down, up), X[:, j])
    return X


def _masks(coordinates: tuple[Coordinate, ...], several: Mask, rng: Generator, live: Mask) -> tuple[Mask, Mask]:
    """`moved` and `must`, (n, d), from one mask for each coordinate, of which those that are not live stay."""
    n, D, count = len(several), len(coordinates), int(np.count_nonzero(live))
    width = [coordinate.stop - coordinate.start for coordinate in coordinates]
    chosen = np.arange(D) == np.flatnonzero(live)[rng.integers(count, size=(n, 1))]
    # so many coordinates move at once in high dimension (TuRBO, Eriksson et al. 2019)
    shaken = several & (rng.random((n, D)) < min(1.0, 20 / count)) & live
    switched = several & (rng.random((n, D)) < 1.0 / count) & live
    is_choice = np.array([coordinate.kind == "choice" for coordinate in coordinates])
    must = chosen | switched & is_choice
    return np.repeat(must | shaken & ~is_choice, width, axis=1), np.repeat(must, width, axis=1)


def _reflected(X: Array) -> Array:
    """X folded into the cube as by mirrors on its faces: the distance to the nearest even integer."""
    return np.abs(X - 2.0 * np.round(X / 2.0))


def _outwards(x: Array, step: Array) -> Mask:
    """Where x sits on a face and the step would leave the cube there, (n, d)."""
    below: Mask = (x == 0.0) & (step < 0.0)
    above: Mask = (x == 1.0) & (step > 0.0)
    return below | above


def _switch_choices(X: Array, x: Array, must: Mask, coordinates: tuple[Coordinate, ...], rng: Generator) -> Array:
    """X with each choice that has to move at another option, up to snapping."""
    X = X.copy()
    for coordinate in coordinates:
        if coordinate.kind == "choice":
            block = coordinate.columns
            if coordinate.places is not None:
                other = coordinate.places.others(x[block], len(X), rng)
            else:  # The largest of uniform draws is a uniform option; the present one draws 0 and cannot win.
                other = rng.random(X[:, block].shape) * (1.0 - x[block])
            X[:, block] = np.where(must[:, block], other, x[block])
    return X


def _neighbours(u: float, levels: Levels) -> tuple[float, float]:
    """The values of the levels below and above that of u; at an end, twice the inner one."""
    k, last = int(levels.index(np.array([u]))[0]), levels.count - 1
    down, up = levels.at(np.array([k - 1 if k > 0 else 1, k + 1 if k < last else k - 1])).tolist()
    return down, up
