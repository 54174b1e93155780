"""Points as a user has them, one or many, as rows of the unit cube.

X   (m, d)   rows of the unit cube
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from suffice.space import OwnSpace, SearchSpace, owns_points
from suffice.space.naming import listed
from suffice.types import Array

PREFIX = "parameter:"  # of the column of a parameter whose name another column of a table of trials has


def as_rows(points: Any, space: SearchSpace) -> tuple[Array, bool]:
    """The places of the points, (m, d), and whether it was a single one that came by itself.

    points   one point as the objective takes it, a list of them, an array (m, d) of numbers by position, a dict of
             columns, or a table with a column for each name, such as a pandas.DataFrame; its other columns are left out
    """
    if _is_table(points):
        return _rows(list(_of_table(points, space)), space), False
    if isinstance(points, Mapping):
        columns = _lengths(points)
        if columns is None:
            return space.to_unit(points)[None], True
        return _rows([dict(zip(points, row, strict=True)) for row in _transposed(points, columns)], space), False
    if _is_one(points, space):
        return space.to_unit(points)[None], True
    return _rows(list(points), space), False


def _rows(points: Sequence[Any], space: SearchSpace) -> Array:
    """One by one, so that a point that is none is refused by its number."""
    X = np.empty((len(points), space.dim))
    for i, point in enumerate(points):
        try:
            X[i] = space.to_unit(point)
        except (TypeError, ValueError) as error:
            named = TypeError if isinstance(error, TypeError) else ValueError
            raise named(f"points[{i}]: {error}") from None
    return X


def _is_one(points: Any, space: SearchSpace) -> bool:
    """Whether it is a single point.

    Of spaces that say themselves what a point is, a row of a pool is one before it is a list of row numbers, and a list
    is a list of points before it is a point of a space of one's own. Otherwise it is one where its items are values.
    """
    if isinstance(space, OwnSpace):
        return not (isinstance(points, list) and all(_is_point(item, space) for item in points))
    if owns_points(space):
        return not isinstance(points, list | tuple | np.ndarray) or _is_point(points, space)
    if isinstance(points, np.ndarray):
        return points.ndim < 2
    if isinstance(points, str) or not hasattr(points, "__iter__"):
        return True  # to be refused by what it is
    if space.named or not isinstance(points, Sequence):
        return False
    several = len(points) == 0 or all(isinstance(item, list | tuple | np.ndarray) for item in points)
    return not several or _is_point(points, space)  # options may be tuples


def _is_point(point: Any, space: SearchSpace) -> bool:
    try:
        space.to_unit(point)
    except Exception:  # a space of the user's own may raise anything
        return False
    return True


# ---------------------------------------------------------------------- columns


def _lengths(points: Mapping[Any, Any]) -> int | None:
    """How long the columns of a dict of columns are; None if it is a point: no value of a parameter is a list."""
    columns = {name: v for name, v in points.items() if isinstance(v, list) or getattr(v, "ndim", 0) == 1}
    if not columns:
        return None
    values = [name for name in points if name not in columns]
    if values:
        raise ValueError(
            f"a dict of columns has a list for every name: got single values for {listed(values)}; one point has "
            "single values only"
        )
    lengths = {name: len(column) for name, column in columns.items()}
    if len(set(lengths.values())) > 1:
        raise ValueError(f"the columns must have one length: got {lengths}")
    return next(iter(lengths.values()))


def _transposed(points: Mapping[Any, Any], n: int) -> Iterator[list[Any]]:
    columns = [list(column) for column in points.values()]
    return ([column[i] for column in columns] for i in range(n))


def _is_table(points: Any) -> bool:
    """A pandas.DataFrame or what looks like one, told by what it has: pandas is not imported for it."""
    return all(hasattr(points, name) for name in ("columns", "isna", "to_dict", "loc"))


def _of_table(table: Any, space: SearchSpace) -> Iterator[Any]:
    """The rows of a table as points: by the names of the columns or, without names, by their order."""
    headers = {name: f"{PREFIX}{name}" if f"{PREFIX}{name}" in table.columns else name for name in space.names}
    known = [name for name in space.names if headers[name] in table.columns]
    if not space.named and len(known) < len(space.names):
        if len(table.columns) != len(space.names):
            raise ValueError(
                f"the table must have the columns {listed(space.names)}, or {len(space.names)} in that order: got "
                f"{listed(list(table.columns))}"
            )
        known, headers = list(table.columns), {name: name for name in table.columns}
    columns = [table[headers[name]] for name in known]
    values, there = [column.tolist() for column in columns], [column.notna().tolist() for column in columns]
    for name, column, has in zip(known, values, there, strict=True):
        if None in getattr(space.params.get(name), "options", ()):
            has[:] = [one or value is None for one, value in zip(has, column, strict=True)]  # an option, not a gap
    for i in range(len(table)):
        if space.named:
            yield {name: v[i] for name, v, has in zip(known, values, there, strict=True) if has[i]}
        else:
            yield [v[i] for v in values]
