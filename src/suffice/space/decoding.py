"""The user's values at many rows at once: as `from_unit` gives them one by one, to the last bit, but faster.

X   (m, d)   rows of the unit cube        U   (m, width)   the columns of one parameter
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from suffice.space.parameters import Choice, Float, Parameter
from suffice.types import Array


def values_at(parameters: Sequence[Parameter], columns: Sequence[slice], X: Array) -> list[list[Any]]:
    """The values of every parameter, a list of m for each."""
    return [_values(parameter, X[:, own]) for parameter, own in zip(parameters, columns, strict=True)]


def _values(parameter: Parameter, U: Array) -> list[Any]:
    if parameter.constant:
        return [parameter.from_unit(np.empty(0))] * len(U)
    if isinstance(parameter, Choice):
        return [parameter.options[k] for k in parameter.nearest(U).tolist()]
    if isinstance(parameter, Float) and parameter.step is None:
        return parameter.values(U[:, 0])
    different, which = np.unique(U[:, 0], return_inverse=True)
    taken = [parameter.from_unit(np.array([u])) for u in different.tolist()]
    return [taken[k] for k in which.tolist()]
