"""What scikit-optimize keeps in `utils`: points by name, and names that live in other modules here."""

import functools
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NoReturn

from suffice.compat.skopt.arguments import explained
from suffice.compat.skopt.callbacks import eval_callbacks
from suffice.compat.skopt.dimensions import Dimension
from suffice.compat.skopt.optimizer import REGRESSOR, check_x_in_space, is_2d_listlike, is_listlike
from suffice.compat.skopt.result import (
    OptimizeResult,
    create_result,
    dump,
    expected_minimum,
    expected_minimum_random_sampling,
    load,
)
from suffice.compat.skopt.sampler import cook_initial_point_generator
from suffice.compat.skopt.space import Space

__all__ = [
    "OptimizeResult",
    "check_x_in_space",
    "cook_estimator",
    "cook_initial_point_generator",
    "create_result",
    "dimensions_aslist",
    "dump",
    "eval_callbacks",
    "expected_minimum",
    "expected_minimum_random_sampling",
    "is_2Dlistlike",
    "is_listlike",
    "load",
    "normalize_dimensions",
    "point_asdict",
    "point_aslist",
    "use_named_args",
]

is_2Dlistlike = is_2d_listlike  # noqa: N816


def normalize_dimensions(dimensions: Any) -> Space:
    """The space of these dimensions with the transform that a model gets; the dimensions stay as they are."""
    return Space(dimensions).normalized()


def cook_estimator(base_estimator: Any, space: Any = None, **kwargs: Any) -> NoReturn:
    """Not here: the model is no regressor of scikit-learn."""
    raise NotImplementedError(f"cook_estimator: {REGRESSOR}")


@explained(dimensions=("list", "Real, Integer and Categorical, with names."))
def use_named_args(dimensions: Sequence[Dimension]) -> Callable[[Callable[..., Any]], Callable[[Sequence[Any]], Any]]:
    """A decorator: the objective gets its values by the names of the dimensions, all of which must have one.

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


@explained()
def dimensions_aslist(search_space: Mapping[str, Any]) -> list[Any]:
    """The dimensions of a dict in the order of their names.

    Returns
    -------
    list
        The dimensions.
    """
    return [search_space[name] for name in sorted(search_space)]


@explained()
def point_asdict(search_space: Mapping[str, Any], point_as_list: Sequence[Any]) -> "OrderedDict[str, Any]":
    """Name the values of a point.

    Returns
    -------
    OrderedDict
        The values by name.
    """
    return OrderedDict(zip(sorted(search_space), point_as_list, strict=False))


@explained()
def point_aslist(search_space: Mapping[str, Any], point_as_dict: Mapping[str, Any]) -> list[Any]:
    """List the values of a point in the order of their names.

    Returns
    -------
    list
        The values.
    """
    return [point_as_dict[name] for name in sorted(search_space)]
