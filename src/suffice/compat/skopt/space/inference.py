"""Which dimension is meant by a tuple, a list or an array."""

import numbers
from typing import Any

import numpy as np

from suffice.checks import short
from suffice.compat.skopt.space.categorical import Categorical
from suffice.compat.skopt.space.dimension import Dimension
from suffice.compat.skopt.space.numeric import PRIORS, Integer, Real


def check_dimension(dimension: Any, transform: str | None = None) -> Dimension:
    """The dimension that is meant, by scikit-optimize's rules.

    Real, Integer, Categorical              itself
    (1, 9), [1, 9]                          Integer, since both bounds are whole numbers
    (0.0, 1.0), (0, 1.0)                    Real
    (1e-5, 1.0, "log-uniform")              Real or Integer with this prior, and (…, "log-uniform", 2) with this base
    ["a", "b"], (1, 2, 3), [True, False]    Categorical: anything else in a list, tuple or array
    """
    if isinstance(dimension, Dimension):
        return dimension
    if not isinstance(dimension, list | tuple | np.ndarray) or not len(dimension):
        raise ValueError(
            f"a dimension is Real, Integer, Categorical, a pair (low, high), a triple (low, high, prior) or a list of "
            f"categories: got {short(dimension)}"
        )
    if len(dimension) == 2 and not _is_pair_of_categories(dimension):
        if not all(isinstance(bound, numbers.Real) for bound in dimension):
            raise ValueError(f"the bounds of a dimension are numbers: got {short(dimension)}")
        return _range(tuple(dimension), transform)
    if len(dimension) in (3, 4) and _is_range(tuple(dimension)):
        return _range(tuple(dimension), transform)
    return Categorical(dimension, transform=transform)


def _is_pair_of_categories(pair: Any) -> bool:
    return any(isinstance(one, str | bool | np.bool_) for one in pair)


def _is_range(given: tuple[Any, ...]) -> bool:
    """Two numbers and a prior, and perhaps the base of the logarithm."""
    if not all(isinstance(bound, numbers.Real) for bound in given[:2]) or not isinstance(given[2], str):
        return False
    if len(given) == 4:
        return given[2] == "log-uniform" and isinstance(given[3], int)
    return given[2] in PRIORS


def _range(given: tuple[Any, ...], transform: str | None) -> Dimension:
    low, high = given[:2]
    prior = given[2] if len(given) > 2 else "uniform"
    base = given[3] if len(given) > 3 else 10
    if isinstance(low, numbers.Integral) and isinstance(high, numbers.Integral):
        return Integer(int(low), int(high), prior, base, transform)
    return Real(float(low), float(high), prior, base, transform)
