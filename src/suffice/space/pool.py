"""A pool: choose rows of a finite library, by what is known about every row.

m       int      different rows                     F   (m, k)  their features, numbers as the user has them
U       (m, d)   the rows in the unit cube, every row at a place of its own

Rows that agree in all features are the same to the model, but not to the user: they are put FINEST apart, which no
model sees, so that a place says which row is meant.

Of a large pool, and of a custom space, a file has a description alone (`AbsentSpace`). The trials are known, with their
places in the cube, and so is what a model needs to be fitted to them; no point is proposed until you give the space.
"""

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NoReturn, TypeAlias, cast, get_args

import numpy as np
from numpy.random import Generator

from suffice.checks import short
from suffice.errors import SpaceAbsent
from suffice.space.domain import Mask, OwnPoints, SearchSpace
from suffice.space.lattice import FINEST
from suffice.space.library import Rows, TableRows, as_row_number, as_rows, scaled, too_many_options
from suffice.space.pointset import PointSet, RowIndex, halved
from suffice.types import Array, Coordinate, Indices, Kind


@dataclass(frozen=True, eq=False)
class Library:
    """What a pool is made of."""

    rows: Rows  # as the user gave them
    members: PointSet  # U
    coordinates: tuple[Coordinate, ...]
    numbers: Indices | None  # which row each member is; None: each its own
    features: tuple[str, ...] | None  # the columns that describe a row; None: all; (): numbers that came beside them


@dataclass(frozen=True, init=False, eq=False, repr=False)
class Pool(Library, OwnPoints):
    """A search space of given rows: compounds, materials, designs, existing configurations.

    The objective gets a row as you gave it, and no row is proposed twice. Equal rows count once.

    Parameters
    ----------
    points : ndarray, list or table
        The rows: an array (m, d), a list of dicts or a table of columns (such as a pandas.DataFrame) with numbers and
        strings, or with `features` a list of any objects.
    features : ndarray, list of str or None, default: None
        The description of the rows for the model: an array of numbers, one row for each point, or the names of some
        columns of a table; None takes all columns.

    Examples
    --------
    >>> import suffice as sf
    >>> pool = sf.Pool([{"salt": "KCl", "ph": 7.0}, {"salt": "NaCl", "ph": 6.5}])
    >>> sf.maximize(lambda row: -abs(row["ph"] - 6.4), pool, n_trials=2, seed=0).x
    {'salt': 'NaCl', 'ph': 6.5}
    """

    def __init__(self, points: Any, features: Any = None) -> None:
        by_name = _column_names(features)
        rows = as_rows(points, features is not None and by_name is None)
        names, F, options = _features(rows, features, by_name)
        numbers = None
        if rows.table is not None and (features is None or by_name):
            again = RowIndex(rows.table).repeats()[0]
            if len(again):
                numbers = np.delete(np.arange(len(F)), again)
                F = F[numbers]
        U, coordinates = scaled(F, names, options)
        if U.shape[1] == 0 and len(F) > 1:
            raise ValueError(
                f"all {len(F)} rows of the pool have the same features and cannot be distinguished: give features in "
                "which they differ"
            )
        described = None if features is None else tuple(by_name or ())
        super().__init__(rows, PointSet(_apart(U)), coordinates, numbers, described)

    # ------------------------------------------------------------------ the rows

    def __len__(self) -> int:
        """How many rows were given, repeats included."""
        return len(self.rows)

    def __getitem__(self, number: int) -> Any:
        """Row `number` as it was given."""
        i = as_row_number(number, len(self))
        if i < 0:
            raise IndexError(f"the pool has rows 0 to {len(self) - 1}: got {number!r}")
        return self.rows.point(i)

    def index(self, point: Any) -> int:
        """The number of a row.

        Parameters
        ----------
        point : object
            A row as it was given; ValueError if it is not in the pool.

        Returns
        -------
        int
            Its number, from 0.
        """
        found = self.rows.find(point)
        if found < 0 and (number := as_row_number(point, len(self))) >= 0:
            found = number if self.numbers is None else self.rows.find(self.rows.point(number))  # the first of equals
        if found < 0:
            wanted = "a dict of " + ", ".join(map(repr, self.names)) if self.named else "a row as it was given"
            raise ValueError(f"{short(point)} is not a row of the pool; a point is {wanted}, or the number of a row")
        return found

    @property
    def names(self) -> tuple[str, ...]:
        """The columns of a row."""
        return self.rows.names

    @property
    def named(self) -> bool:
        """Whether rows are dicts."""
        return self.rows.named

    def to_unit(self, point: Any) -> Array:
        """The place of a row, (d,)."""
        i = self.index(point)
        if self.numbers is not None:
            i = int(np.searchsorted(self.numbers, i))
        place: Array = self.members.points[i].copy()
        return place

    def from_unit(self, x: Array) -> Any:
        """The row at x, (d,), as it was given."""
        x = np.asarray(x, dtype=np.float64)
        i = int(self.members.find(x[None])[0]) if x.shape == (self.dim,) else -1
        if i < 0:
            raise ValueError(f"x must be the coordinates of a row of the pool, {self.dim} numbers: got {short(x)}")
        return self.rows.point(i if self.numbers is None else int(self.numbers[i]))

    def to_plain(self, point: Any) -> Any:
        """The row itself if it is made of numbers and strings, else its number."""
        row = self.index(point)
        known = self.rows.point(row) if self.names else row
        return tuple(known.tolist()) if isinstance(known, np.ndarray) else known

    def from_plain(self, plain: Any) -> Any:
        """The row again."""
        return self[self.index(plain)]

    def to_words(self) -> dict[str, Any] | None:
        """The arguments that make this pool again, in plain types; None where they are many, or not plain."""
        # of a larger pool a file holds only what tells it again
        if self.features == () or len(self) * len(self.names) > 10_000:
            return None
        return {"points": tuple(self.to_plain(i) for i in range(len(self))), "features": self.features}

    # ------------------------------------------------------------------ the domain

    @property
    def dim(self) -> int:
        return self.members.dim

    @property
    def size(self) -> float:
        """Number of different rows."""
        return self.members.size

    def sample(self, n: int, rng: Generator) -> Array:
        return self.members.sample(n, rng)

    def place(self, U: Array) -> Array:
        """Rows that are spread over the pool as evenly as U over the cube, (n, d); see `halved`."""
        if not self.dim:
            return np.zeros((len(U), 0))
        plain = len(self.coordinates) == self.dim
        V = self.members.points if plain else np.column_stack([self._column(c) for c in self.coordinates])
        return self.members.points[halved(V, U)]

    def snap(self, X: Array) -> Array:
        return self.members.snap(X)

    def contains(self, X: Array) -> Mask:
        return self.members.contains(X)

    def near(self, x: Array, n: int, rng: Generator, scales: tuple[float, ...]) -> Array:
        return self.members.near(x, n, rng, scales)

    def enumerate(self, start: int = 0, stop: int | None = None) -> Array:
        return self.members.enumerate(start, stop)

    def _column(self, coordinate: Coordinate) -> Array:
        """One number for each row: the number itself, or the place of its option, (m,)."""
        block = self.members.points[:, coordinate.columns]
        width = block.shape[1]
        return block[:, 0] if width == 1 else block @ (np.arange(width) / (width - 1.0))

    # ------------------------------------------------------------------ what it is

    @cached_property
    def digest(self) -> str:
        """What tells two pools apart: a checksum of names, rows and features."""
        total = hashlib.blake2b(repr((self.names, self.named, len(self), self.coordinates)).encode(), digest_size=16)
        for table in (self.rows.table, self.members.points):
            if table is not None:
                total.update(np.ascontiguousarray(table).data)
        return total.hexdigest()

    def __eq__(self, other: object) -> bool:
        return self is other or (isinstance(other, Pool) and self.digest == other.digest)

    def __hash__(self) -> int:
        return hash((len(self), self.dim))

    def __copy__(self) -> "Pool":
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> "Pool":
        return self  # nothing in it ever changes, and it may be large

    def __repr__(self) -> str:
        return f"<Pool of {len(self)} rows, {len(self.coordinates)} features>"


Scattered: TypeAlias = PointSet | Pool  # its points lie anywhere, so that no step leads from one to the next


def _column_names(features: Any) -> list[str] | None:
    """The names, if features are named; None if they are numbers, or none were given."""
    if isinstance(features, str):
        return [features]
    if isinstance(features, list | tuple) and features and all(isinstance(name, str) for name in features):
        return list(features)
    return None


def _features(rows: Rows, features: Any, by_name: list[str] | None) -> tuple[tuple[str, ...], Array, Mapping[str, int]]:
    """The names, the numbers, (m, k), and the options of what describes the rows."""
    if by_name is not None:
        if not isinstance(rows, TableRows):
            raise TypeError(f"features are named where the rows have names: got {by_name}, and rows without names")
        unknown = [name for name in by_name if name not in rows.names]
        if unknown:
            raise ValueError(f"the pool has no column {unknown[0]!r}: its columns are {', '.join(rows.names)}")
    if isinstance(rows, TableRows) and (features is None or by_name is not None):
        return _columns(rows, by_name)
    if features is None:
        assert rows.table is not None  # `as_rows` takes objects only with features
        return rows.names, rows.table, {}
    try:
        F = np.array(features, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise TypeError(f"features must be an array of numbers, one row for each point: {error}") from None
    if F.ndim != 2 or len(F) != len(rows) or not F.shape[1]:
        raise ValueError(f"features must be an array ({len(rows)}, k), one row for each point: got shape {F.shape}")
    return tuple(f"f{j}" for j in range(F.shape[1])), F, {}


def _columns(rows: TableRows, by_name: list[str] | None) -> tuple[tuple[str, ...], Array, Mapping[str, int]]:
    """The columns of these names; if none were named, all but those in which every row has another string: names."""
    codes = {name: rows.column(name) for name in dict.fromkeys(by_name or rows.names)}
    options = {name: len(places) for name, (_, places) in codes.items() if places is not None}
    if by_name is None:
        kept = [name for name in codes if options.get(name) != len(rows) or len(rows) <= 2]
        codes = {name: codes[name] for name in kept or codes}
        options = {name: count for name, count in options.items() if name in codes}
    too_many_options(options)
    return tuple(codes), np.column_stack([code for code, _ in codes.values()]), options


def _apart(U: Array) -> Array:
    """U with rows that were equal at places of their own."""
    for turn in range(64):
        rows, earlier = RowIndex(U).repeats()
        if not len(rows):
            return U
        j = turn % U.shape[1]
        U[rows, j] += np.where(U[rows, j] < 0.5, earlier, -earlier) / FINEST
    raise ValueError(f"{len(rows)} rows of the pool could not be distinguished: give features in which they differ")


# ---------------------------------------------------------------------- a space that a file only describes

ADDRESS = re.compile(r" at 0x[0-9a-fA-F]+")  # in the repr of an object that has none of its own: another one each time


@dataclass(frozen=True)
class AbsentSpace(OwnPoints):
    """What is known of a space that is not there."""

    text: str  # its repr
    digest: str  # what tells it from another one; "" if nothing does
    names: tuple[str, ...]
    named: bool
    size: float
    columns: tuple[tuple[str, str, int, int, bool], ...]  # of each coordinate: name, kind, start, stop, smooth

    @classmethod
    def of(cls, space: SearchSpace) -> "AbsentSpace":
        """The description of a space."""
        if isinstance(space, AbsentSpace):
            return space
        columns = tuple((c.name, c.kind, c.start, c.stop, c.smooth) for c in space.coordinates)
        digest = space.digest if isinstance(space, Pool) else ""
        return cls(ADDRESS.sub("", repr(space)), digest, space.names, space.named, float(space.size), columns)

    def __post_init__(self) -> None:
        for _, kind, start, stop, _ in self.columns:
            if kind not in get_args(Kind) or not start < stop:
                raise ValueError(f"{self.columns!r} are no columns of a space")

    @property
    def dim(self) -> int:
        return max((stop for *_, stop, _ in self.columns), default=0)

    @property
    def coordinates(self) -> tuple[Coordinate, ...]:
        return tuple(Coordinate(name, cast(Kind, kind), i, j, smooth) for name, kind, i, j, smooth in self.columns)

    @property
    def advice(self) -> str:
        """What to do about it."""
        return (
            f"the space of this study is known only by its description: {self.text}; pass it again: "
            "sf.Optimizer.resume(path, space=…). Until then you can record values, but not ask for points"
        )

    def _missing(self, *_: Any, **__: Any) -> NoReturn:
        raise SpaceAbsent(self.advice)

    to_unit = from_unit = sample = place = snap = contains = near = enumerate = _missing

    def to_plain(self, point: Any) -> Any:
        """Points are as the file has them."""
        return tuple(point.tolist()) if isinstance(point, np.ndarray) else point

    def from_plain(self, plain: Any) -> Any:
        """The point as far as the file has it."""
        is_row = isinstance(plain, tuple) and all(isinstance(value, int | float) for value in plain)
        return np.array(plain) if is_row else plain
