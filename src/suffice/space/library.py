"""The rows of a pool as the user gave them, and their columns in the unit cube.

m   int     rows: of an array, dicts by column name, or any objects
T   (m, c)  what tells the rows apart, as numbers: the array itself, or numbers and options
F   (m, k)  what describes them, one column each          U  (m, d)  their places in [0, 1]
"""

import numbers
import operator
from collections.abc import Hashable, Mapping, Sequence
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np

from suffice.checks import ROUNDING, short
from suffice.space.domain import in_blocks
from suffice.space.options import WIDEST, equal, is_hashable, key
from suffice.space.pointset import SAMPLED, RowIndex
from suffice.types import Array, Coordinate

GAP = -1.5e308  # what stands for NaN in T: no number of a table that is searched
EXACT = 2**53  # whole numbers beyond it are no longer told apart as float64


class ArrayRows:
    """The rows of an array, (m, c)."""

    named = False

    def __init__(self, array: Any) -> None:
        self.array = np.array(array)  # a copy: the caller's array may change
        self.array.flags.writeable = False
        if self.array.dtype.kind in "iu" and np.abs(self.table).max(initial=0.0) > EXACT:
            raise ValueError(
                "the pool has whole numbers above 2**53, which a model cannot distinguish: give an array of floats, or "
                "if they are names, rows as dicts with the columns that describe them, Pool(points, features=['…'])"
            )
        self.names = tuple(f"x{j}" for j in range(self.array.shape[1]))

    def __len__(self) -> int:
        return len(self.array)

    def point(self, i: int) -> Any:
        """Row i as the user gave it."""
        return self.array[i].copy()

    @cached_property
    def table(self) -> Array:
        """T."""
        return self.array if self.array.dtype == np.float64 else self.array.astype(np.float64)

    def find(self, point: Any) -> int:
        """The number of a row, the first of equals; −1 if it is none."""
        try:
            row = np.asarray(point, dtype=np.float64)
        except (TypeError, ValueError):
            return -1
        return -1 if row.shape != (len(self.names),) else _row(self._index, row)

    @cached_property
    def _index(self) -> RowIndex:
        return RowIndex(self.table)


class TableRows:
    """Rows of named columns; the dicts themselves, where the user gave dicts."""

    named = True

    def __init__(self, columns: Mapping[str, Sequence[Any]], records: Sequence[Mapping[str, Any]] | None) -> None:
        self.columns, self.records = dict(columns), records
        self.names = tuple(columns)

    def __len__(self) -> int:
        return len(next(iter(self.columns.values())))

    def point(self, i: int) -> Any:
        if self.records is not None:
            return dict(self.records[i])
        return {name: _item(column[i]) for name, column in self.columns.items()}

    def column(self, name: str) -> tuple[Array, dict[Hashable, int] | None]:
        """One column as numbers, if it can describe a row."""
        return encoded(name, self.columns[name])

    @cached_property
    def _identity(self) -> tuple[Array, dict[str, dict[Hashable, int] | None]]:
        """T, and the places of values that are no numbers: also of columns that describe nothing and hold anything."""
        T, places = np.empty((len(self), len(self.names))), {}
        for j, (name, column) in enumerate(self.columns.items()):
            T[:, j], places[name] = labelled(column)
        return T, places

    @property
    def table(self) -> Array:
        return self._identity[0]

    def find(self, point: Any) -> int:
        if not isinstance(point, Mapping) or set(point) != set(self.names):
            return -1
        row = np.empty(len(self.names))
        for j, name in enumerate(self.names):
            places, value = self._identity[1][name], point[name]
            try:
                row[j] = np.nan_to_num(float(value), nan=GAP) if places is None else places.get(label(value), -1)
            except (TypeError, ValueError):
                return -1
        return _row(self._index, row)

    @cached_property
    def _index(self) -> RowIndex:
        return RowIndex(self.table)


class ObjectRows:
    """Any objects, told apart by what they are; one that is equal to a row is that row."""

    named = False
    names: tuple[str, ...] = ()
    table: Array | None = None

    def __init__(self, objects: Sequence[Any]) -> None:
        self.objects = list(objects)

    def __getstate__(self) -> dict[str, Any]:
        return {"objects": self.objects}  # a copy has other objects, whose identities mean other rows

    def __len__(self) -> int:
        return len(self.objects)

    def point(self, i: int) -> Any:
        known = self.objects[i]
        return known.view() if isinstance(known, np.ndarray) else known  # a record makes its arrays read-only

    def find(self, point: Any) -> int:
        row = self._by_identity.get(id(point), -1)
        if row >= 0:
            return row
        return next((i for i, known in enumerate(self.objects) if _same(known, point)), -1)

    @cached_property
    def _by_identity(self) -> dict[int, int]:
        rows: dict[int, int] = {}
        for i, known in enumerate(self.objects):
            rows.setdefault(id(known), i)
        return rows


Rows: TypeAlias = ArrayRows | TableRows | ObjectRows  # what a pool is made of


def labelled(values: Sequence[Any]) -> tuple[Array, dict[Hashable, int] | None]:
    """Numbers as they are, and None; else what tells the values apart: the place of each among those that differ."""
    is_array = isinstance(values, np.ndarray) and values.dtype.kind in "fiub"
    if is_array or all(isinstance(value, numbers.Real) for value in values):
        found = np.array(values, dtype=np.float64)
        if not _are_names(values, found):
            return np.where(np.isnan(found), GAP, found), None
    places: dict[Hashable, int] = {}
    codes = [places.setdefault(label(value), len(places)) for value in values]
    return np.array(codes, dtype=np.float64), places


def _are_names(values: Any, found: Array) -> bool:
    """Whether numbers are whole and too large to be told apart as floats, `found`: they say who is meant."""
    if isinstance(values, np.ndarray) and values.dtype.kind not in "iu":
        return False
    rows = np.flatnonzero(np.abs(found) > EXACT)
    return any(isinstance(values[i], numbers.Integral) for i in rows)


def label(value: Any) -> Hashable:
    """A value as a key: itself with its type, numpy's being Python's, or what it looks like if it cannot be one."""
    plain = _item(value)
    return key(plain) if is_hashable(plain) else repr(plain)


def as_rows(points: Any, featured: bool) -> Rows:
    """What the user gave as points; `featured` if there are features beside them, so that they may be any objects."""
    if isinstance(points, Mapping):
        return _table({str(name): _as_column(column) for name, column in points.items()}, None)
    if hasattr(points, "columns") and hasattr(points, "to_dict"):  # a data frame, of whichever library
        return _table({str(name): points[name].to_numpy() for name in points.columns}, None)
    if isinstance(points, str | bytes) or not isinstance(points, Sequence | np.ndarray):
        raise TypeError(
            "a pool is made of an array (m, d), a list of dicts, a table of columns, or a list of objects with their "
            f"features: got {type(points).__name__}"
        )
    if not len(points):
        raise ValueError("the pool is empty: give at least one row")
    if all(isinstance(point, Mapping) for point in points):
        return _records(list(points))
    if featured and not isinstance(points, np.ndarray):
        return ObjectRows(list(points))
    array = points if isinstance(points, np.ndarray) else _as_array(points)
    if array is not None and array.ndim == 2 and array.dtype.kind in "fiub" and array.shape[1]:
        return ArrayRows(array)
    if featured:  # an array of objects
        return ObjectRows(list(points))
    raise TypeError(
        f"the rows of a pool are numbers or dicts of numbers and strings: got {short(points[0])}; to choose among "
        "other objects, give an array of numbers, one row for each: Pool(points, features=...)"
    )


def _records(points: Sequence[Mapping[str, Any]]) -> TableRows:
    names = tuple(points[0])
    for i, point in enumerate(points):
        if point.keys() != points[0].keys():
            odd = sorted(map(str, point.keys() ^ points[0].keys()))
            raise ValueError(f"row {i} of the pool has other names than row 0: they differ in {', '.join(odd)}")
    records = [dict(point) for point in points]
    return _table({name: [record[name] for record in records] for name in names}, records)


def _table(columns: Mapping[str, Sequence[Any]], records: Sequence[Mapping[str, Any]] | None) -> TableRows:
    lengths = {name: len(column) for name, column in columns.items()}
    if not lengths or min(lengths.values()) == 0:
        raise ValueError("the pool is empty: give at least one row and one column")
    if len(set(lengths.values())) > 1:
        raise ValueError(f"the columns of a pool must have the same length: got {lengths}")
    return TableRows(columns, records)


def _as_column(column: Any) -> Any:
    return np.array(column) if isinstance(column, np.ndarray) else list(column)


def _as_array(points: Sequence[Any]) -> Any:
    """The points as an array; None if they are none."""
    if isinstance(points[0], str | bytes):
        return None
    try:
        return np.asarray(points)
    except (ValueError, TypeError):  # of several lengths
        return None


def too_many_options(options: Mapping[str, int]) -> None:
    """ValueError for a column of names: each would be an option of its own, and teach nothing about the others."""
    for name, count in options.items():
        if count > WIDEST:
            raise ValueError(
                f"the column {name!r} of the pool has {count} different strings, a pool takes up to {WIDEST}: if they "
                "are names, say which columns describe the rows, Pool(points, features=['…', '…']), or give an array "
                "of numbers, one row for each"
            )


def as_row_number(given: Any, m: int) -> int:
    """A row number, negative ones counted from the end; −1 if it is none."""
    if isinstance(given, bool):
        return -1
    try:
        i = operator.index(given)
    except TypeError:
        return -1
    return i % m if -m <= i < m else -1


def _row(index: RowIndex, row: Array) -> int:
    """The row of a table that equals this one, or else comes within rounding of it."""
    found = int(index.find(row[None])[0])
    if found >= 0 or not np.all(np.isfinite(row)):
        return found
    T = index.table
    known = T != GAP  # a gap is no end of a range
    low = T.min(axis=0, initial=np.inf, where=known)
    high = T.max(axis=0, initial=-np.inf, where=known)
    slack = np.where(low < high, ROUNDING * high - ROUNDING * low, 0.0)
    for rows in in_blocks(len(T), T.shape[1]):
        with np.errstate(over="ignore"):  # of numbers that are as far apart as can be
            close = np.flatnonzero((np.abs(T[rows] - row) <= slack).all(axis=1))
        if len(close):
            return int(rows.start + close[0])
    return -1


def _item(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic) else value


def _same(known: Any, point: Any) -> bool:
    if isinstance(known, np.ndarray) or isinstance(point, np.ndarray):
        return np.array_equal(known, point)
    return equal(known, point)


def scaled(F: Array, names: Sequence[str], options: Mapping[str, int]) -> tuple[Array, tuple[Coordinate, ...]]:
    """The columns F as rows of the cube, U, and what its columns are.

    Columns named in `options` hold the number of an option, 0 … count − 1. Options are all equally far from each other
    and share a length-scale. A column in which all rows agree tells none of them apart and takes no place.
    """
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
    return U, tuple(coordinates)


def _places(column: Array, low: float, high: float) -> Array:
    """One column of numbers in [0, 1], (m,): (v − low)/(high − low), or its rank among the different values where a few
    outliers would leave the other rows no room."""
    few = column[:: max(1, len(column) // SAMPLED)]
    first, third = np.quantile(few, [0.25, 0.75])
    # of normal values the middle half has 0.14 of the range or more
    if third / 2 - first / 2 < 0.05 * (high / 2 - low / 2):  # halves: the largest of floats have a finite range
        different, rank = np.unique(column, return_inverse=True)
        ranked: Array = rank / (len(different) - 1.0)
        return ranked
    return np.clip((column / 2 - low / 2) / (high / 2 - low / 2), 0.0, 1.0)


def refuse_nonfinite(F: Array, names: Sequence[str]) -> None:
    """ValueError, naming row and column, if the table holds what is no number."""
    for rows in in_blocks(len(F), F.shape[1]):
        bad = np.argwhere(~np.isfinite(F[rows]))
        if len(bad):
            row, column = (bad[0] + (rows.start, 0)).tolist()
            raise ValueError(
                f"row {row} of the pool has {F[row, column]} in {names[column]!r}: every row needs a finite "
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
