"""All combinations of the values of several parameters, as a domain.

X   (m, d)   rows of the unit cube: a constant parameter takes no column, a choice several
U   (n, D)   numbers in [0, 1], one for each of the D parameters that are not constant
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from suffice.space.naming import about
from suffice.space.near import steps
from suffice.space.parameters import Choice, Parameter
from suffice.types import Array, Coordinate, smooth_columns

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
        return int(self.columns[-1].stop)

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

    def contains(self, X: Array) -> NDArray[np.bool_]:
        members: NDArray[np.bool_] = np.all(self.snap(X) == X, axis=1)
        return members

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

    def active(self, X: Array) -> NDArray[np.bool_]:
        """Which parameters the rows have, (m, number of parameters): all of them."""
        return np.ones((len(X), len(self.names)), dtype=np.bool_)

    def free(self, X: Array) -> NDArray[np.bool_]:
        return np.broadcast_to(smooth_columns(self), X.shape)

    def towards(self, X: Array, members: Array) -> Array:  # noqa: ARG002
        return self.snap(X)

    def cut(self, lower: Array, upper: Array) -> tuple[Array, Array, NDArray[np.bool_]]:
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
