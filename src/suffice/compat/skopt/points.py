"""The border between lists, which scikit-optimize's programs have as points, and a study, whose points have names."""

import functools
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import suffice.space as native
from suffice.compat.skopt.space import Dimension, Integer, Space
from suffice.integrations.sklearn.space import as_parameter


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


#| -- compat.skopt.naming: Points by name: objectives with named arguments, and spaces that are dicts.


def use_named_args(dimensions: Sequence[Dimension]) -> Callable[[Callable[..., Any]], Callable[[Sequence[Any]], Any]]:
    """A decorator: the objective gets its values by the names of the dimensions, all of which must have one.

    Parameters
    ----------
    dimensions : list
        Real, Integer and Categorical, with names.

    Returns
    -------
    callable
        What makes a function of a point, a list, of a function of named values.

    Examples
    --------
    >>> from suffice.compat.skopt.space import Integer, Real
    >>> from suffice.compat.skopt.utils import use_named_args
    >>> @use_named_args([Real(0, 1, name="rate"), Integer(1, 9, name="depth")])
    ... def objective(rate, depth):
    ...     return rate * depth
    >>> objective([0.5, 4])
    2.0
    """

    def decorator(func: Callable[..., Any]) -> Callable[[Sequence[Any]], Any]:
        for dimension in dimensions:
            if not isinstance(dimension, Dimension):
                raise ValueError(f"use_named_args takes Real, Integer and Categorical, with names: got {dimension!r}")
            if dimension.name is None:
                raise ValueError(f"use_named_args needs a name for every dimension: {dimension!r} has none")

        @functools.wraps(func)
        def wrapper(x: Sequence[Any]) -> Any:
            if len(x) != len(dimensions):
                raise ValueError(f"the point must have {len(dimensions)} values, one for each dimension: got {len(x)}")
            return func(**{str(dimension.name): value for dimension, value in zip(dimensions, x, strict=True)})

        return wrapper

    return decorator


def dimensions_aslist(search_space: Mapping[str, Any]) -> list[Any]:
    """The dimensions of a dict in the order of their names.

    Parameters
    ----------
    search_space : mapping
        Dimensions by name.

    Returns
    -------
    list
        The dimensions.
    """
    return [search_space[name] for name in sorted(search_space)]


def point_asdict(search_space: Mapping[str, Any], point_as_list: Sequence[Any]) -> "OrderedDict[str, Any]":
    """Name the values of a point.

    Parameters
    ----------
    search_space : mapping
        Dimensions by name.
    point_as_list : sequence
        Values in the order of the names.

    Returns
    -------
    OrderedDict
        The values by name.
    """
    return OrderedDict(zip(sorted(search_space), point_as_list, strict=False))


def point_aslist(search_space: Mapping[str, Any], point_as_dict: Mapping[str, Any]) -> list[Any]:
    """List the values of a point in the order of their names.

    Parameters
    ----------
    search_space : mapping
        Dimensions by name.
    point_as_dict : mapping
        Values by name.

    Returns
    -------
    list
        The values.
    """
    return [point_as_dict[name] for name in sorted(search_space)]
