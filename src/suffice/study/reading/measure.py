"""Over which points a parameter's effect is averaged: the uniform measure of each kind of space.

X   (m, d)   rows of the unit cube          U   (m, D)   numbers in [0, 1], one for each of the D coordinates

space of parameters   independent and uniform, on a log scale where a parameter has one; a choice is one argument,
                      however many columns it takes
with conditions       the same numbers U; an inactive parameter changes nothing. So arguments are still independent, and
                      the effect of a parameter is averaged over the whole space, also where it is inactive
with constraints      uniform over the points that satisfy them. Parameters depend on each other then: one is drawn
                      anew until the point is allowed, the others staying as they are
pool                  every feature as it is in the pool, independent of the others: combinations that are no row of
                      the pool are looked at as well, since one feature of a row cannot be changed otherwise
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.random import Generator

from suffice.errors import SufficeError
from suffice.space import AbsentSpace, Pool, SearchSpace, Space, is_constrained
from suffice.types import Array, Indices

TRIES = 64  # draws of a value that the others allow; if all fail, nearly no other value is allowed, and it stays

INDEPENDENT = "parameters independent and uniform over their ranges"
CONDITIONAL = f"{INDEPENDENT}; where a parameter is inactive it has no effect"
CONSTRAINED = "points uniform where the constraints hold, each parameter replaced as the others allow"
POOLED = "features independent of each other, each distributed as in the pool"


@dataclass(frozen=True, eq=False)
class Measure:
    """Where the points come from; `place` where arguments are independent, else `draw` and `replace`."""

    text: str
    place: Callable[[Array], Array] | None = None
    draw: Callable[[int, Generator], Array] | None = None
    replace: Callable[[Array, int, Generator], Array] | None = None


def measure(space: SearchSpace, euclidean: bool = True) -> Measure:
    """The measure of a space; SufficeError, with the reason, where no parameter can be changed by itself.

    euclidean    whether the kernel compares any two rows of the cube, as those of the library do
    """
    if isinstance(space, AbsentSpace):
        raise SufficeError(f"the importance of parameters needs the space itself; {space.advice}")
    if isinstance(space, Pool) and euclidean:
        return Measure(POOLED, place=_Shuffled(space))
    if isinstance(space, Space) and is_constrained(space):
        parts = _Allowed(space)
        return Measure(CONSTRAINED, draw=space.sample, replace=parts.replace)
    if space.product or isinstance(space, Space):
        return Measure(INDEPENDENT if space.product else CONDITIONAL, place=space.place)
    raise SufficeError(
        f"the importance of a parameter is what the objective changes by when it alone is changed, and in {space!r} "
        "nothing can be changed by itself; result.predict(points) says what the model makes of any points"
    )


@dataclass(frozen=True, eq=False)
class _Shuffled:
    """Rows whose features come from rows of a pool, each from another one."""

    pool: Pool

    @cached_property
    def orders(self) -> tuple[Indices, ...]:
        """The rows in the order of each feature, so that near numbers are near values."""
        return tuple(np.lexsort(self.pool.members.points[:, c.columns].T[::-1]) for c in self.pool.coordinates)

    def __call__(self, U: Array) -> Array:
        points = self.pool.members.points
        X = np.empty((len(U), self.pool.dim))
        for j, (coordinate, order) in enumerate(zip(self.pool.coordinates, self.orders, strict=True)):
            rows = order[np.minimum((U[:, j] * len(points)).astype(np.intp), len(points) - 1)]
            X[:, coordinate.columns] = points[rows, coordinate.columns]
        return X


@dataclass(frozen=True, eq=False)
class _Allowed:
    """Points with one parameter drawn anew, as often as it takes to satisfy the constraints."""

    space: Space

    @cached_property
    def loose(self) -> Space:
        """The space without its constraints."""
        return self.space.with_where(None)

    def replace(self, X: Array, i: int, rng: Generator) -> Array:
        """The same points with another value of coordinate i, (m, d); what it brings up is drawn as well."""
        out, left = X.copy(), np.arange(len(X))
        for _ in range(TRIES):
            rows = self._changed(X[left], i, rng)
            met = self.space.contains(rows)
            out[left[met]] = rows[met]
            left = left[~met]
            if not len(left):
                break
        return out

    def _changed(self, X: Array, i: int, rng: Generator) -> Array:
        active = self.space.active(X)
        fresh = X.copy()
        for j, coordinate in enumerate(self.space.coordinates):
            new = np.ones(len(X), dtype=np.bool_) if j == i else ~active[:, j]  # what is inactive has no value yet
            if new.any():
                parameter = self.space.params[coordinate.name]
                fresh[new, coordinate.columns] = parameter.place(rng.random(int(new.sum())))
        return self.loose.snap(fresh)
