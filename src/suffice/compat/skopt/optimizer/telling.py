"""What a program may tell: one point with its value, or lists of both."""

from numbers import Number
from typing import Any

import numpy as np

from suffice.compat.skopt.space import Space


def is_listlike(x: Any) -> bool:
    """Whether it is a list or a tuple, as points are."""
    return isinstance(x, list | tuple)


def is_2d_listlike(x: Any) -> bool:
    """Whether all of its items are lists or tuples, as the items of a list of points are."""
    return all(is_listlike(one) for one in x)


def check_x_in_space(x: Any, space: Space) -> None:
    """ValueError if a point, or one of a list of points, is none of the space."""
    several = is_listlike(x) and is_2d_listlike(x) and not _is_point(x, space)
    for point in x if several else [x]:
        if not _is_point(point, space):
            raise ValueError(f"{point!r} is no point of the space, whose bounds are {space.bounds}")


def _is_point(x: Any, space: Space) -> bool:
    return is_listlike(x) and len(x) == space.n_dims and x in space


def as_told(x: Any, y: Any, space: Space) -> tuple[list[Any], list[Any]]:
    """The points and the values, of the same number."""
    check_x_in_space(x, space)
    if isinstance(y, np.ndarray) and y.ndim == 1:
        y = y.tolist()
    if isinstance(y, Number) and _is_point(x, space):
        return [x], [y]
    if not (is_listlike(y) and is_2d_listlike(x)):
        raise ValueError(
            f"the value of a point must be one number: got {y!r} of type {type(y).__name__}; several points are told "
            "as a list of points and a list of their values"
        )
    if len(x) != len(y):
        raise ValueError(f"every point needs its value: got {len(x)} points and {len(y)} values")
    for value in y:
        if not isinstance(value, Number):
            raise ValueError(f"the values must be numbers: got {value!r} of type {type(value).__name__}")
    return list(x), list(y)
