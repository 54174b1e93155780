"""The columns of a table in the unit cube: numbers by their range or rank, anything else as a one-hot block.

F   (m, k)  numbers, one column each             U   (m, d)  their places in [0, 1]

A number is (v − lowest)/(highest − lowest). Where a few outliers would leave the other rows no room, their middle half
less than a twentieth of the range, it is its rank among the different values instead. A column in which all rows agree
tells none of them apart and takes no place. Options are all equally far from each other and share a length-scale.
"""

import numbers
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from suffice.checks import short
from suffice.types import Array, Coordinate

CROWDED = 0.05  # of the range: of normal values the middle half has 0.14 or more, of exponential ones 0.08 or more
SAMPLED = 10_000  # rows that tell how crowded a column is
OPTIONS = 100  # of a column: each takes a column of its own, of all rows


@dataclass(frozen=True)
class Scaled:
    """Rows of the cube, and what their columns are."""

    U: Array
    coordinates: tuple[Coordinate, ...]


def scaled(F: Array, names: Sequence[str], options: Mapping[str, int]) -> Scaled:
    """Columns of numbers, (m, k), in the cube; those named in `options` hold the number of an option, 0 … count − 1."""
    refuse_nonfinite(F, names)
    low, high = F.min(axis=0), F.max(axis=0)
    kept = [j for j in range(F.shape[1]) if high[j] > low[j]]
    widths = [options.get(names[j], 1) for j in kept]
    stops = np.cumsum(widths).tolist()
    U = np.zeros((len(F), stops[-1] if stops else 0))
    coordinates = []
    for j, stop, width in zip(kept, stops, widths, strict=True):
        is_option, start = names[j] in options, stop - width
        if is_option:
            U[np.arange(len(F)), start + F[:, j].astype(np.intp)] = 1.0
        else:
            U[:, start] = _places(F[:, j], float(low[j]), float(high[j]))
        coordinates.append(Coordinate(names[j], "choice" if is_option else "float", start, stop, False))
    return Scaled(U, tuple(coordinates))


def _places(column: Array, low: float, high: float) -> Array:
    """One column of numbers in [0, 1], (m,)."""
    few = column[:: max(1, len(column) // SAMPLED)]
    first, third = np.quantile(few, [0.25, 0.75])
    if third / 2 - first / 2 < CROWDED * (high / 2 - low / 2):  # halves: the largest of floats have a finite range
        different, rank = np.unique(column, return_inverse=True)
        ranked: Array = rank / (len(different) - 1.0)
        return ranked
    return np.clip((column / 2 - low / 2) / (high / 2 - low / 2), 0.0, 1.0)


def refuse_nonfinite(F: Array, names: Sequence[str]) -> None:
    """ValueError, naming row and column, if the table holds what is no number."""
    step = max(1, 2**20 // max(1, F.shape[1]))
    for i in range(0, len(F), step):
        bad = np.argwhere(~np.isfinite(F[i : i + step]))
        if len(bad):
            row, column = bad[0].tolist()
            raise ValueError(
                f"row {i + row} of the pool has {F[i + row, column]} in {names[column]!r}: every row needs a finite "
                "number there; leave the row out or fill in the value"
            )


def encoded(name: str, values: Sequence[Any]) -> tuple[Array, dict[Hashable, int] | None]:
    """A column of a table as numbers, (m,): numbers as they are, and None; else the place of each option among them."""
    if isinstance(values, np.ndarray) and values.dtype.kind in "fiub":
        return values.astype(np.float64), None
    if all(isinstance(value, numbers.Real) for value in values):  # True and False are 1 and 0
        return np.array([float(value) for value in values], dtype=np.float64), None
    places: dict[Hashable, int] = {}
    codes = np.empty(len(values))
    for i, value in enumerate(values):
        try:
            codes[i] = places.setdefault(value, len(places))
        except TypeError:
            raise TypeError(
                f"row {i} of the pool has {short(value)} in {name!r}: a column holds numbers or strings; to choose "
                "among other objects, give an array of numbers, one row for each: Pool(points, features=...)"
            ) from None
        if isinstance(value, numbers.Real) != isinstance(values[0], numbers.Real) or value is None:
            raise TypeError(
                f"row {i} of the pool has {short(value)} in {name!r}, where others have {short(values[0])}: a column "
                "holds numbers or strings, and no gaps; leave the row out or fill in the value"
            )
    return codes, places
