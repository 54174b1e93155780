"""The parameters of a space, or the features of a pool, as axes of figures.

X       (n, d)   rows of the unit cube         place   float   where a value lies on its axis; see figures/scale.py
block   (m, w)   the columns of one parameter
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from suffice.errors import SufficeError
from suffice.figures.scale import Scale
from suffice.plot.given import known_name
from suffice.space import AbsentSpace, Choice, Ordinal, Parameter, Pool, SearchSpace, Space, active_coordinates
from suffice.space.decoding import values_at
from suffice.space.library import TableRows
from suffice.types import Array, Coordinate

EXPONENT = 700.0  # exp of more, or of less than minus that, is no float64 with all its digits
LEVELS = 200  # values of a parameter that are looked at one by one; of more, evenly spread ones


@dataclass(frozen=True)
class Dimension:
    """One axis: parameter number `index` of those that are not constant, and how its values lie on it."""

    index: int
    coordinate: Coordinate
    scale: Scale
    parameter: Parameter | None = None  # None: a feature of a pool
    features: Array | None = None  # of every row of a pool, (m,); None: as it is in the cube

    @property
    def name(self) -> str:
        return self.coordinate.name

    @property
    def columns(self) -> slice:
        return self.coordinate.columns

    def places(self, space: SearchSpace, X: Array) -> Array:
        """Where members lie on the axis, (n,); nan where the parameter is inactive."""
        if self.parameter is None:
            return self._of_pool(space, X)
        places = self.of_blocks(X[:, self.columns])
        places[~active_coordinates(space, X)[:, self.index]] = np.nan
        return places

    def of_blocks(self, blocks: Array) -> Array:
        """The same for the columns of this parameter alone, (m, w)."""
        assert self.parameter is not None
        if isinstance(self.parameter, Choice | Ordinal):
            return self.parameter.nearest(blocks).astype(float)
        (values,) = values_at((self.parameter,), (slice(0, blocks.shape[1]),), blocks)
        return np.array([float(value) for value in values], dtype=float)

    def grid(self, count: int) -> tuple[Array, Array]:
        """Places from end to end, (m,), and the columns of the values there, (m, w): all if they are few, else `count`
        of them, evenly spread over the axis."""
        assert self.parameter is not None
        size = self.parameter.size
        if isinstance(self.parameter, Choice | Ordinal) or size <= LEVELS:
            blocks = self.parameter.members(np.arange(int(size)))
        else:
            blocks = np.unique(self.parameter.snap(np.linspace(0.0, 1.0, count)[:, None]), axis=0)
        return self.of_blocks(blocks), blocks

    def _of_pool(self, space: SearchSpace, X: Array) -> Array:
        assert isinstance(space, Pool)
        if self.features is not None:
            return self.features[space.members.find(X)]
        block = X[:, self.columns]
        return block[:, 0].copy() if block.shape[1] == 1 else np.argmax(block, axis=1).astype(float)


def dimensions(space: SearchSpace, what: str) -> dict[str, Dimension]:
    """The axes of a space by name, without constants; refused where points are not made of parameters."""
    if isinstance(space, Space):
        return {
            c.name: Dimension(i, c, scale_of(c.name, space.params[c.name]), space.params[c.name])
            for i, c in enumerate(space.coordinates)
        }
    if isinstance(space, Pool):
        return {c.name: _of_feature(i, c, space) for i, c in enumerate(space.coordinates)}
    if isinstance(space, AbsentSpace):
        raise SufficeError(f"plot.{what} needs the space, of which the file has only a description; {space.advice}")
    raise SufficeError(
        f"plot.{what} has an axis for each parameter, and the points of {type(space).__name__} are not made of "
        "parameters; plot.convergence, plot.accuracy and plot.time draw any run"
    )


def of_parameters(space: SearchSpace, what: str) -> dict[str, Dimension]:
    """The axes of a space in which a parameter can be changed by itself."""
    if isinstance(space, Pool):
        raise SufficeError(
            f"plot.{what} changes a parameter while the others stay, and a pool has no points but its rows; "
            "plot.evaluations and plot.parallel draw rows by their features"
        )
    found = dimensions(space, what)
    if not found:
        raise ValueError(f"plot.{what}: every parameter of the space is a constant")
    return found


def chosen(names: object, known: dict[str, Dimension], space: SearchSpace, what: str) -> list[Dimension]:
    """The axes of these names; a name or a list of them."""
    listed: Sequence[object] = [names] if isinstance(names, str) else list(names)  # type: ignore[call-overload]
    if not listed:
        raise ValueError(f"plot.{what} takes at least one name of a parameter: got none")
    constant = [name for name in listed if name in space.params and name not in known]
    if constant:
        raise ValueError(f"plot.{what}: {constant[0]!r} is a constant, so that it has no axis")
    found = [known[known_name(name, known, what)] for name in listed]
    twice = [d.name for i, d in enumerate(found) if d in found[:i]]
    if twice:
        raise ValueError(f"plot.{what}: {twice[0]!r} came more than once")
    for dimension in found:
        if not _has_room(dimension.scale):
            raise ValueError(f"plot.{what}: {dimension.name!r} spans more than matplotlib can show")
    return found


def _has_room(scale: Scale) -> bool:
    """Whether matplotlib can draw an axis that reaches a little further than the range at both ends."""
    if not scale.log:
        return bool(np.isfinite(scale.high * 2 - scale.low * 2))
    low, high = float(np.log(scale.low)), float(np.log(scale.high))
    return low - 0.1 * (high - low) > -EXPONENT and high + 0.1 * (high - low) < EXPONENT


def scale_of(name: str, parameter: Parameter) -> Scale:
    """The axis of a parameter."""
    if isinstance(parameter, Choice | Ordinal):
        return Scale.of_options(name, tuple(map(str, parameter.options)))
    return Scale(name, float(parameter.low), float(parameter.high), parameter.log, whole=parameter.kind == "int")


def _of_feature(index: int, coordinate: Coordinate, pool: Pool) -> Dimension:
    """The axis of a feature: with the numbers of the rows, where they are known, else with those in the cube."""
    name, rows = coordinate.name, pool.rows
    if pool.features == () or name not in rows.names:
        return Dimension(index, coordinate, Scale(f"{name} (scaled)"))
    if isinstance(rows, TableRows):
        column, places = rows.column(name)
    else:
        assert rows.table is not None
        column, places = rows.table[:, rows.names.index(name)], None
    column = column if pool.numbers is None else column[pool.numbers]
    if places is not None:
        return Dimension(index, coordinate, Scale.of_options(name, tuple(map(str, places))), features=column)
    whole = bool(np.all(column == np.round(column)))
    return Dimension(
        index, coordinate, Scale(name, float(column.min()), float(column.max()), whole=whole), None, column
    )
