"""What tells two values apart: options of a choice, and the items of options that are sequences."""

import numbers
from collections.abc import Hashable

import numpy as np


def is_hashable(value: object) -> bool:
    try:
        hash(value)
    except TypeError:  # also a tuple that holds a list
        return False
    return True


def key(option: object) -> Hashable:
    """What tells two options apart: type and value; one key for every NaN."""
    if isinstance(option, numbers.Number) and option != option:
        return (float, "nan")
    return (type(option), option)


def equal(option: object, value: object) -> bool:
    answer = option == value
    return isinstance(answer, bool | np.bool_) and bool(answer)  # an array's == is no answer
