"""The rows of a pool as the user gave them: arrays, dicts by column name, or any objects.

m   int   rows          T   (m, c)   what tells the rows apart, as numbers: the array itself, or numbers and options
"""

import numbers
import operator
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from suffice.checks import short
from suffice.space.choices import equal, is_hashable, key
from suffice.types import Array, Coordinate, Indices

#| -- space.columns: The columns of a table in the unit cube: numbers by their range or rank, anything else as a one-
#| hot block.
#|
#| F   (m, k)  numbers, one column each             U   (m, d)  their places in [0, 1]
#|
#| A number is (v − lowest)/(highest − lowest). Where a few outliers would leave the other rows no room, their middle
#| half
#| less than a twentieth of the range, it is its rank among the different values instead. A column in which all rows
#| agree
#| tells none of them apart and takes no place. Options are all equally far from each other and share a length-scale.

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


#| -- space.rowindex: Which row of a large table a row is, without a Python object for each of its rows.
#|
#| T     (m, d)  the table                          h     (m,)  a 64-bit hash of the bits of every row, −0.0 being 0.0
#| sorted (m,)   h in ascending order, `order` (m,) the rows they are of, the first of equal rows first
#|
#| Two rows of equal numbers have equal hashes, and what has an equal hash is compared: the answer never rests on a
#| hash.

BLOCK = 2**16  # rows hashed at once
SEED = 0x5EED  # of the multipliers; any will do, and the same every time

Hashes = NDArray[np.uint64]


class RowIndex:
    """The rows of a table by their contents: 16 bytes for each row beside the table itself."""

    def __init__(self, table: Array) -> None:
        self.table = table
        hashes = hashed(table)
        self.order: Indices = np.argsort(hashes, kind="stable")
        self.sorted: Hashes = hashes[self.order]

    def find(self, X: Array) -> Indices:
        """The first row of the table that equals each row of X, (n, d); −1 where none does, (n,)."""
        found = np.full(len(X), -1, dtype=np.intp)
        if X.shape[1] != self.table.shape[1]:
            return found
        wanted = hashed(X)
        at, stop = (np.searchsorted(self.sorted, wanted, side=side) for side in ("left", "right"))
        while (
            open_rows := np.flatnonzero((found < 0) & (at < stop))
        ).size:  # more than once only if two hashes collide
            rows = self.order[at[open_rows]]
            same = (self.table[rows] == X[open_rows]).all(axis=1)
            found[open_rows[same]] = rows[same]
            at[open_rows] += 1
        return found

    def repeats(self) -> tuple[Indices, Indices]:
        """Rows that equal an earlier one, (k,), in order, and how many earlier ones each of them equals, (k,)."""
        m = len(self.order)
        again = np.zeros(m, dtype=np.bool_)
        suspects = np.flatnonzero(self.sorted[1:] == self.sorted[:-1]) + 1
        for i in range(0, len(suspects), BLOCK):
            some = suspects[i : i + BLOCK]
            again[some] = (self.table[self.order[some]] == self.table[self.order[some - 1]]).all(axis=1)
        begins = np.maximum.accumulate(np.where(again, 0, np.arange(m)))
        places = np.flatnonzero(again)
        rows, earlier = self.order[places], places - begins[places]
        by_row = np.argsort(rows)
        return rows[by_row], earlier[by_row]


def hashed(X: Array) -> Hashes:
    """One hash for each row of X, (n,)."""
    factors = np.random.default_rng(SEED).integers(0, 2**63, X.shape[1], dtype=np.uint64) * np.uint64(2) + np.uint64(1)
    out = np.empty(len(X), dtype=np.uint64)
    for i, j in _blocks(len(X)):
        # Short fractions have their bits at the top: brought down, a product spreads them over the whole word.
        bits = (X[i:j] + 0.0).view(np.uint64)
        bits ^= bits >> np.uint64(33)
        bits *= factors
        bits ^= bits >> np.uint64(29)
        out[i:j] = bits.sum(axis=1, dtype=np.uint64)
    return out


def _blocks(m: int) -> Iterator[tuple[int, int]]:
    return ((i, min(i + BLOCK, m)) for i in range(0, m, BLOCK))


GAP = -1.5e308  # what stands for NaN in T: no number of a table that is searched
ROUNDING = 1e-9  # of a column's range: a row that came back from a file may be off by as much
EXACT = 2**53  # whole numbers beyond it are no longer told apart as float64


class Rows(Protocol):
    """What a pool is made of."""

    names: tuple[str, ...]  # of the columns; none of objects
    named: bool  # rows are dicts

    def __len__(self) -> int: ...

    def point(self, i: int) -> Any:
        """Row i as the user gave it."""

    def find(self, point: Any) -> int:
        """The number of a row, the first of equals; −1 if it is none."""

    @property
    def table(self) -> Array | None:
        """T; None of objects."""


class ArrayRows:
    """The rows of an array, (m, c)."""

    named = False

    def __init__(self, array: Any) -> None:
        self.array = np.array(array)  # a copy: the caller's array may change
        self.array.flags.writeable = False
        if self.array.dtype.kind in "iu" and np.abs(self.table).max(initial=0.0) > EXACT:
            raise ValueError(
                "the pool has whole numbers above 2**53, which a model cannot tell apart: give an array of floats, or "
                "if they are names, rows as dicts with the columns that describe them, Pool(points, features=['…'])"
            )
        self.names = tuple(f"x{j}" for j in range(self.array.shape[1]))

    def __len__(self) -> int:
        return len(self.array)

    def point(self, i: int) -> Any:
        return self.array[i].copy()

    @cached_property
    def table(self) -> Array:
        return self.array if self.array.dtype == np.float64 else self.array.astype(np.float64)

    def find(self, point: Any) -> int:
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
    if hasattr(points, "columns") and hasattr(points, "to_dict"):  # a data frame
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
        if count > OPTIONS:
            raise ValueError(
                f"the column {name!r} of the pool has {count} different strings, a pool takes up to {OPTIONS}: if they "
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
    step = max(1, 2**20 // max(1, T.shape[1]))
    for i in range(0, len(T), step):
        with np.errstate(over="ignore"):  # of numbers that are as far apart as can be
            close = np.flatnonzero((np.abs(T[i : i + step] - row) <= slack).all(axis=1))
        if len(close):
            return i + int(close[0])
    return -1


def _item(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic) else value


def _same(known: Any, point: Any) -> bool:
    if isinstance(known, np.ndarray) or isinstance(point, np.ndarray):
        return np.array_equal(known, point)
    return equal(known, point)
