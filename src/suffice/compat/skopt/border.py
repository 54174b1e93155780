"""The border between lists, which scikit-optimize's programs have as points, and a study, whose points have names."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import suffice.space as native
from suffice.compat.skopt.space import Dimension, Integer, Space
from suffice.integrations.sklearn.spaces import as_parameter


@dataclass(frozen=True, eq=False)
class Border:
    """Points on both sides: lists in the order of the dimensions, dicts by their names."""

    outside: Space
    inside: native.Space
    dimensions: tuple[Dimension, ...]

    @classmethod
    def of(cls, space: Space) -> "Border":
        """The border of a space; dimensions that share a name are told apart by their places."""
        names, dimensions = _distinct(space.dimension_names), tuple(space.dimensions)
        parameters = dict(zip(names, map(as_parameter, dimensions), strict=True))
        where = None if space.constraint is None else Where(space.constraint, dimensions)
        return cls(space, native.Space(parameters, where=where), dimensions)

    def inward(self, point: Sequence[Any]) -> dict[str, Any]:
        """A point of the study: an Integer takes the nearest whole number, as the models of scikit-optimize do."""
        values = (
            round(value) if isinstance(dimension, Integer) else value
            for value, dimension in zip(point, self.dimensions, strict=True)
        )
        return dict(zip(self.inside.names, values, strict=True))

    def outward(self, point: dict[str, Any]) -> list[Any]:
        """A point of the program."""
        return _typed(point, self.dimensions)


@dataclass(frozen=True)
class Where:
    """A constraint of the program, as a function of points of the study."""

    constraint: Callable[[Any], Any]
    dimensions: tuple[Dimension, ...]

    def __call__(self, point: dict[str, Any]) -> bool:
        return bool(self.constraint(_typed(point, self.dimensions)))


def _typed(point: dict[str, Any], dimensions: Sequence[Dimension]) -> list[Any]:
    """The values in the types of their dimensions."""
    return [dimension.typed(value) for value, dimension in zip(point.values(), dimensions, strict=True)]


def _distinct(names: Sequence[str]) -> list[str]:
    """The names, with a place behind those that occur twice."""
    return [f"{name}[{j}]" if list(names).count(name) > 1 else name for j, name in enumerate(names)]
