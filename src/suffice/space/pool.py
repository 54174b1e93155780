"""A pool: choose rows of a finite library, by what is known about every row.

m       int      different rows                     F   (m, k)  their features, numbers as the user has them
U       (m, d)   the rows in the unit cube, every row at a place of its own

Rows that agree in all features are the same to the model, but not to the user: they are put FINEST apart, which no
model sees, so that a place says which row is meant.
"""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from suffice.checks import short
from suffice.space.choices import FINEST
from suffice.space.library import (
    RowIndex,
    Rows,
    TableRows,
    as_row_number,
    as_rows,
    scaled,
    too_many_options,
)
from suffice.space.parameters import Parameter
from suffice.space.rows import Border
from suffice.types import Array, Coordinate, Domain, Indices

if TYPE_CHECKING:
    from scipy.spatial import cKDTree

#| -- space.pointset: A finite set of points as a domain of its own, up to millions of them.

BLOCK = 2**13  # rows whose distances are computed at once
TREE = 10  # columns; in more of them a tree looks at most points, and one by one takes longer than all in a product


@dataclass(frozen=True, eq=False)
class PointSet:
    """The rows of `points`, (m, d) in the unit cube; a repeated row counts as often as it appears."""

    points: Array

    def __post_init__(self) -> None:
        points = np.array(self.points, dtype=np.float64)  # a copy: the caller's array may change
        if points.ndim != 2 or not len(points):
            raise ValueError(f"points must be an array (m, d) with m ≥ 1: got shape {points.shape}")
        if points.size and not (points.min() >= 0 and points.max() <= 1):  # NaN is neither
            raise ValueError("points must lie in the unit cube: got NaN or coordinates outside [0, 1]")
        points.flags.writeable = False
        object.__setattr__(self, "points", points)

    def __reduce__(self) -> tuple[type["PointSet"], tuple[Array]]:
        return PointSet, (self.points,)  # through the constructor: pickle forgets that an array is read-only

    @property
    def dim(self) -> int:
        return int(self.points.shape[1])

    @property
    def coordinates(self) -> tuple[Coordinate, ...]:
        return tuple(Coordinate(f"x{j}", "float", j, j + 1, False) for j in range(self.dim))

    @property
    def product(self) -> bool:
        return False

    @property
    def size(self) -> float:
        return len(self.points)

    def sample(self, n: int, rng: Generator) -> Array:
        """n rows, independent and uniform, (n, d)."""
        return self.points[rng.integers(len(self.points), size=n)]

    def place(self, U: Array) -> Array:
        """The rows nearest to U, (n, d): even where the points are."""
        return self.snap(U)

    def snap(self, X: Array) -> Array:
        """The nearest rows in the Euclidean distance, (len(X), d)."""
        if not self.dim:
            return np.zeros((len(X), 0))
        rows = self.find(X)
        strange = np.flatnonzero(rows < 0)
        if len(strange):
            rows[strange] = self._nearest(X[strange])
        return self.points[rows]

    def contains(self, X: Array) -> NDArray[np.bool_]:
        """Which rows of X are rows of the set, (len(X),)."""
        return self.find(X) >= 0

    def find(self, X: Array) -> Indices:
        """The number of each row of X in the set, the first of equals; −1 where it is no member, (len(X),)."""
        return self._index.find(X)

    def near(self, x: Array, n: int, rng: Generator, scales: tuple[float, ...]) -> Array:  # noqa: ARG002
        """The n rows nearest to x that are not x, nearest first, and again from the first if there are fewer, (n, d).

        What is near in a set is what is next: it needs no scales. A set of one row has nothing but that row.
        """
        parts = [np.linalg.norm(self.points[i : i + BLOCK] - x, axis=1) for i in range(0, len(self.points), BLOCK)]
        distance = np.concatenate(parts)
        distance[distance == 0.0] = np.inf
        others = int(np.count_nonzero(distance < np.inf))
        k = min(n, others)
        if not k:
            return self.points[np.zeros(n, dtype=np.intp)]
        closest = np.flatnonzero(distance <= np.partition(distance, k - 1)[k - 1])
        ranked = closest[np.argsort(distance[closest], kind="stable")][:k]
        return self.points[np.resize(ranked, n)]

    def enumerate(self, start: int = 0, stop: int | None = None) -> Array:
        """All rows, (m, d), or those from `start` up to `stop`; read-only."""
        return self.points[start:stop]

    def _nearest(self, X: Array) -> Indices:
        """The row nearest to each row of X, (len(X),)."""
        if self.dim <= TREE:
            nearest: Indices = np.asarray(self._tree.query(X)[1], dtype=np.intp)
            return nearest
        best, rows = np.full(len(X), np.inf), np.zeros(len(X), dtype=np.intp)
        for i in range(0, len(self.points), BLOCK):
            P = self.points[i : i + BLOCK]
            D = np.einsum("ij,ij->i", P, P)[:, None] - 2.0 * (P @ X.T)  # |p − x|² − |x|²
            row = D.argmin(axis=0)
            least = D[row, np.arange(len(X))]
            rows = np.where(least < best, row + i, rows)
            best = np.minimum(best, least)
        return rows

    @cached_property
    def _index(self) -> RowIndex:
        return RowIndex(self.points)

    @cached_property
    def _tree(self) -> "cKDTree":
        from scipy.spatial import cKDTree  # slow to import, needed here only

        return cKDTree(self.points)


#| -- space.halving: Rows of a table that are spread as evenly over it as numbers are over the cube.
#|
#| V   (m, D)  one number for each row and coordinate        U   (n, D)  numbers in [0, 1]
#|
#| The rows are halved at the median of the coordinate with the largest variance, either half at that of the next one,
#| and
#| so on until one row is left; u says which half, as a digit in base two does. So uniform U give every row the same
#| chance, and where U has one point in each half, quarter and eighth of the cube, the rows have one in each of the
#| table.
#| (The row nearest to a place in the cube is another matter: a row with much empty space around it is nearest to
#| most.)

SAMPLED = 10_000  # rows that tell the variances


def halved(V: Array, U: Array) -> Indices:
    """The row of the table for each row of U, (n,)."""
    found = np.empty(len(U), dtype=np.intp)
    order = np.argsort(-V[:: max(1, len(V) // SAMPLED)].var(axis=0), kind="stable")
    left = [(np.arange(len(V)), np.arange(len(U)), U.astype(np.float64), 0)]
    while left:
        rows, wanted, u, depth = left.pop()
        if len(rows) == 1 or not len(wanted):
            found[wanted] = rows[0]
            continue
        column, half = order[depth % len(order)], len(rows) // 2
        rows = rows[np.argpartition(V[rows, column], half)]
        share = half / len(rows)
        below = u[:, column] < share
        for part, here, low, width in ((rows[:half], below, 0.0, share), (rows[half:], ~below, share, 1.0 - share)):
            inside = u[here]
            inside[:, column] = (inside[:, column] - low) / width
            left.append((part, wanted[here], inside, depth + 1))
    return found


STORED = 10_000  # numbers and strings of a pool that a file holds; of a larger one only what it would know it by


@dataclass(frozen=True, init=False, eq=False, repr=False)
class Pool(Border):
    """Choose among the rows of a library: compounds, materials, designs, configurations that exist already.

    The objective gets a row as you gave it, and no row is proposed twice. Rows that are equal count once.

    Parameters
    ----------
    points : ndarray, list or table
        The rows: an array (m, d), a list of dicts or a table of columns (such as a pandas.DataFrame) with numbers and
        strings, or with `features` a list of any objects.
    features : ndarray, list of str or None, default: None
        What describes the rows to the model: an array of numbers, one row for each point, or of a table the names of
        some columns; None: all columns.

    Examples
    --------
    >>> import suffice as sf
    >>> pool = sf.Pool([{"salt": "KCl", "ph": 7.0}, {"salt": "NaCl", "ph": 6.5}])
    >>> sf.maximize(lambda row: -abs(row["ph"] - 6.4), pool, n_trials=2, seed=0).x
    {'salt': 'NaCl', 'ph': 6.5}
    """

    rows: Rows  # as the user gave them
    members: PointSet  # U
    coordinates: tuple[Coordinate, ...]
    numbers: Indices | None  # which row each member is; None: each its own
    features: tuple[str, ...] | None  # the columns that describe a row; None: all; (): numbers that came beside them

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
        table = scaled(F, names, options)
        if table.U.shape[1] == 0 and len(F) > 1:
            raise ValueError(
                f"all {len(F)} rows of the pool have the same features, so that nothing tells them apart: give "
                "features in which they differ"
            )
        for name, value in (
            ("rows", rows),
            ("members", PointSet(_apart(table.U))),
            ("coordinates", table.coordinates),
            ("numbers", numbers),
            ("features", None if features is None else tuple(by_name or ())),
        ):
            object.__setattr__(self, name, value)

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
            A row as it was given; ValueError if it is none of the pool.

        Returns
        -------
        int
            Its place, from 0.
        """
        found = self.rows.find(point)
        if found < 0 and (number := as_row_number(point, len(self))) >= 0:
            found = number if self.numbers is None else self.rows.find(self.rows.point(number))  # the first of equals
        if found < 0:
            wanted = "a dict of " + ", ".join(map(repr, self.names)) if self.named else "a row as it was given"
            raise ValueError(f"{short(point)} is no row of the pool; a point is {wanted}, or the number of a row")
        return found

    @property
    def names(self) -> tuple[str, ...]:
        """The columns of a row."""
        return self.rows.names

    @property
    def named(self) -> bool:
        """Whether rows are dicts."""
        return self.rows.named

    @property
    def params(self) -> Mapping[str, Parameter]:
        """None: a row is chosen as a whole."""
        return MappingProxyType({})

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
            raise ValueError(f"x must be the place of a row of the pool, {self.dim} numbers: got {short(x)}")
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
        if self.features == () or len(self) * len(self.names) > STORED:
            return None
        return {"points": tuple(self.to_plain(i) for i in range(len(self))), "features": self.features}

    # ------------------------------------------------------------------ the domain

    @property
    def dim(self) -> int:
        return self.members.dim

    @property
    def product(self) -> bool:
        return False

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

    def contains(self, X: Array) -> NDArray[np.bool_]:
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


def scattered(domain: Domain) -> bool:
    """Whether the points of a finite domain lie anywhere, so that no step leads from one to the next."""
    return isinstance(domain, PointSet | Pool)


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
    raise ValueError(f"{len(rows)} rows of the pool could not be told apart: give features in which they differ")
