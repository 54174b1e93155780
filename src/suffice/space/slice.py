"""A part of a space: the points in which some parameters have given values.

d   int      columns of the whole space                         x   (d,)   the fixed columns, 0 elsewhere
Y   (m, c)   the free columns of members, X (m, d) all of them

Inside, it is the same space with constants in place of the fixed parameters, which take no columns; whatever holds of
the space, conditions and constraints included, holds there. Outside, it has all d columns, so that the model of the
whole space is the model of its part: a fixed column is one with a single level, which no solver moves.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.random import Generator

from suffice.space.domain import Border, Mask, same_rows
from suffice.space.options import key
from suffice.space.parameters import Float, Int, Parameter
from suffice.types import Array, Coordinate, Indices

if TYPE_CHECKING:
    from suffice.space.space import Space


@dataclass(frozen=True)
class Only:
    """The levels of a column that has one value."""

    value: float

    @property
    def count(self) -> int:
        return 1

    def at(self, k: Indices) -> Array:
        return np.full(np.shape(k), self.value)

    def index(self, u: Array) -> Indices:
        return np.zeros(np.shape(u), dtype=np.intp)


@dataclass(frozen=True, eq=False)
class Slice(Border):
    """The points of a space that have the values `fixed`, by name, as `Parameter.as_value` gives them."""

    space: "Space"
    fixed: Mapping[str, Any]

    @cached_property
    def inner(self) -> "Space":
        """The space with constants for what is fixed."""
        return self.space.with_parameters(
            tuple(
                pinned(parameter, self.fixed[name]) if name in self.fixed else self._within(parameter)
                for name, parameter in self.space.params.items()
            )
        )

    def _within(self, parameter: Parameter) -> Parameter:
        """The parameter, its conditions on what is fixed being those that are met: to a lone 0 False would be equal."""
        params, when = self.space.params, dict(parameter.when or {})
        parents = [name for name in when if name in self.fixed]
        if not parents:
            return parameter
        for name in parents:
            met = tuple(v for v in when[name] if key(params[name].as_value(v)) == key(self.fixed[name]))
            when[name] = met or (object(),)  # no value of any parameter
        if isinstance(parameter, Float | Int):
            return replace(parameter, when=when)
        return type(parameter)(*parameter.options, when=when)

    @cached_property
    def x(self) -> Array:
        x = np.zeros(self.space.dim)
        for coordinate in self.space.coordinates:
            if coordinate.name in self.fixed:
                x[coordinate.columns] = self.params[coordinate.name].to_unit(self.fixed[coordinate.name])
        return x + 0.0

    @cached_property
    def coordinates(self) -> tuple[Coordinate, ...]:
        """Those of the space, and one for each fixed column, under another name: it is no parameter any more."""
        found: list[Coordinate] = []
        for whole in self.space.coordinates:
            if whole.name in self.fixed:
                name, columns = f"{whole.name} (fixed)", range(whole.start, whole.stop)
                found += [Coordinate(name, "ordinal", j, j + 1, False, Only(float(self.x[j]))) for j in columns]
            else:
                found.append(whole)
        return tuple(found)

    @cached_property
    def columns(self) -> Indices:
        """The columns of the parameters that are not fixed, in order, (c,)."""
        blocks = [np.arange(c.start, c.stop) for c in self.space.coordinates if c.name not in self.fixed]
        return np.concatenate([np.empty(0, dtype=np.intp), *blocks])

    @cached_property
    def _spread(self) -> Indices:
        """Which coordinates are those of the parameters that are not fixed."""
        return np.flatnonzero([coordinate.name in self.params for coordinate in self.coordinates])

    def _whole(self, Y: Array) -> Array:
        X = np.repeat(self.x[None], len(Y), axis=0)
        X[:, self.columns] = Y
        return X

    # ------------------------------------------------------------------ the domain

    @property
    def dim(self) -> int:
        return self.space.dim

    @property
    def product(self) -> bool:
        return self.inner.product

    @property
    def size(self) -> float:
        return self.inner.size

    def sample(self, n: int, rng: Generator) -> Array:
        return self._whole(self.inner.sample(n, rng))

    def place(self, U: Array) -> Array:
        return self._whole(self.inner.place(U[:, self._spread]))

    def snap(self, X: Array) -> Array:
        return self._whole(self.inner.snap(X[:, self.columns]))

    def contains(self, X: Array) -> Mask:
        return same_rows(self.snap(X), X)

    def near(self, x: Array, n: int, rng: Generator, scales: tuple[float, ...]) -> Array:
        here = self.inner.snap(x[None, self.columns])[0]  # x may lie beside the slice
        return self._whole(self.inner.near(here, n, rng, scales))

    def enumerate(self, start: int = 0, stop: int | None = None) -> Array:
        return self._whole(self.inner.enumerate(start, stop))

    # ------------------------------------------------------------------ what a search has to know

    @property
    def constrained(self) -> bool:
        return self.inner.constrained

    def free(self, X: Array) -> Mask:
        free = np.zeros(X.shape, dtype=np.bool_)
        free[:, self.columns] = self.space.free(X)[:, self.columns]
        return free

    def towards(self, X: Array, members: Array) -> Array:
        return self._whole(self.inner.towards(X[:, self.columns], members[:, self.columns]))

    def cut(self, lower: Array, upper: Array) -> tuple[Array, Array, Mask]:
        below, above, holds = self.inner.cut(lower[:, self.columns], upper[:, self.columns])
        return self._whole(below), self._whole(above), holds

    def active(self, X: Array) -> Mask:
        active = np.ones((len(X), len(self.coordinates)), dtype=np.bool_)
        free = [coordinate.name not in self.fixed for coordinate in self.space.coordinates]
        active[:, self._spread] = self.space.active(X)[:, free]
        return active

    # ------------------------------------------------------------------ the border

    @property
    def names(self) -> tuple[str, ...]:
        return self.space.names

    @property
    def named(self) -> bool:
        return self.space.named

    @property
    def params(self) -> Mapping[str, Parameter]:
        return self.space.params

    def to_unit(self, point: Any) -> Array:
        return self.space.to_unit(point)

    def from_unit(self, x: Array) -> Any:
        """The point at x, (d,), whose fixed values are those that the user gave, to the last digit."""
        return self.inner.from_unit(x[self.columns])


def pinned(parameter: Parameter, value: Any) -> Parameter:
    """The parameter with nothing but this value left, which makes it a constant."""
    if isinstance(parameter, Float | Int):
        return replace(parameter, low=value, high=value)
    return type(parameter)(value)
