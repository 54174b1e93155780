"""What stands for a parameter without its class: a pair of bounds, or a single value, which is a constant."""

import inspect
import numbers
from collections.abc import Sequence
from typing import Any, TypeGuard

import numpy as np

from suffice.checks import short
from suffice.space.choice import Choice
from suffice.space.sameness import is_hashable

# What other libraries call the ends of a range, a draw from it and its options: an object that has one is no constant.
FOREIGN = ("low", "high", "rvs", "choices", "categories", "dtype", "sample")


def is_pair(given: object) -> TypeGuard[Sequence[Any]]:
    """Two things that may be bounds; two strings were meant as options."""
    if isinstance(given, np.ndarray):
        return bool(given.shape == (2,))
    return isinstance(given, list | tuple) and len(given) == 2 and not any(isinstance(bound, str) for bound in given)


def is_whole(bound: object) -> bool:
    """Whether a bound is written as a whole number: 1, not 1.0."""
    return isinstance(bound, numbers.Integral) and not isinstance(bound, bool | np.bool_)


def constant(given: Any) -> Choice:
    """A parameter with one value: a choice of one option, which takes no column."""
    if inspect.isroutine(given):
        raise TypeError(
            f"a function is no constant: got {short(given)}; a constraint is written Space(parameters, "
            "where=function), a constant function Choice(function)"
        )
    if isinstance(given, list | tuple | set | frozenset | range | np.ndarray):
        raise TypeError(
            f"wanted a parameter, a pair (low, high) or a constant: got {short(given)}; options are written "
            "Choice('a', 'b'), those with an order Ordinal(1, 2, 5), whole numbers Int(low, high, step=2), a "
            "logarithmic range Float(low, high, log=True), a constant sequence Choice((1, 2, 3))"
        )
    plain = isinstance(given, numbers.Number | str | bytes | np.generic) or given is None
    foreign = not plain and any(hasattr(given, name) for name in FOREIGN)
    if isinstance(given, type) or foreign or not is_hashable(given):
        raise TypeError(
            f"wanted Float, Int, Choice, Ordinal, a pair (low, high) or a constant: got {short(given)} of type "
            f"{type(given).__name__}; write it as one of these, such as Float(0, 1) or Choice('a', 'b')"
        )
    return Choice(given)
