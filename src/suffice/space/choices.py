"""Options without an order.

m   int   number of options        u   (width,)   the columns of one of them        U   (n, width)   of many
"""

import math
import numbers
from collections import Counter
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from numpy.random import Generator

from suffice.checks import short
from suffice.space.rows import HELD
from suffice.types import Array, Indices, Kind

#| -- space.sameness: What tells two values apart: options of a choice, and the items of options that are sequences.


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


#| -- space.options: What a list of options may hold, and which of them a user's value is: for `Choice` and `Ordinal`
#| alike.

SHOWN = 8  # options that a message lists


def keys_of(options: Sequence[object], word: str) -> tuple[Hashable, ...]:
    """What tells the options apart; refuses, for the class of this name, what cannot be an option."""
    if not options:
        raise ValueError(f"{word} needs at least one option: got none; write {word}('a', 'b')")
    for option in options:
        if hasattr(option, "from_unit"):  # a space, or a parameter
            raise TypeError(
                f"options are values: got {short(option)}; what depends on an option is a parameter beside the choice "
                "with when=, as in Space(kernel=Choice('rbf', 'linear'), width=Float(0, 1, when={'kernel': 'rbf'}))"
            )
        if not is_hashable(option):
            raise TypeError(
                f"options must be hashable: got {short(option)} of type {type(option).__name__}; "
                f"write {word}('a', 'b') or {word}(*options)"
            )
    keys = tuple(map(key, options))
    if len(set(keys)) < len(keys):
        twice = next(option for j, option in enumerate(options) if keys[j] in keys[:j])
        raise ValueError(f"options must differ: got {short(twice)} more than once; drop the repetition")
    return keys


def find(value: object, options: Sequence[object], places: Mapping[Hashable, int]) -> int:
    """The place of a user's value: the same type and value, else the only option that equals it."""
    if is_hashable(value) and (exact := places.get(key(value))) is not None:
        return exact
    matching = [j for j, option in enumerate(options) if equal(option, value)]
    if len(matching) == 1:
        return matching[0]
    fault = "equals several of" if matching else "is none of"
    shown = ", ".join(short(option) for option in options[:SHOWN])
    more = f", … ({len(options)} options)" if len(options) > SHOWN else ""
    raise ValueError(f"{short(value)} of type {type(value).__name__} {fault} the options {shown}{more}")


#| -- space.embedding: Where the options of a choice lie in the unit cube, if they are sequences: what they have in
#| common brings them near.
#|
#| m       int     options                                  L       int     items of an option, the same for all
#| E       (m, w)  places of the options, each column in [0, 1]
#| groups  (w,)    which columns share a length-scale: 0, 1, …
#|
#| Options without structure are a one-hot block, all equally far from each other, and have no embedding. Those that
#| are
#| sequences of one length L have, in groups of their own so that the evidence tells which of them matters:
#|
#| arrangements   every option has the same items. Order: for each pair of items a, b the share of their pairs in
#| which a
#|                comes before b, 0 or 1 unless items repeat. Position: for each position and item whether it stands
#|                there. Succession: for each pair whether b comes right after a somewhere.
#| other tuples   one group for each position: a number is its rank among the numbers that stand there, from 0 to 1,
#| and
#|                anything else a one-hot block of what stands there
#|
#| Squared distances are then numbers of pairs in another order (Kendall's τ), twice the numbers of positions with
#| another
#| item (Hamming's distance), and numbers of successions that one of the two has and the other has not.

WIDEST = 100  # columns; beyond, and beyond those of the one-hot block, distances cost more than the structure may tell

Items = tuple[Hashable, ...]


@dataclass(frozen=True, eq=False)
class Embedding:
    """The places of m options that differ, read-only."""

    points: Array  # E
    groups: Indices

    def nearest(self, U: Array) -> Indices:
        """The option nearest to each row of U, (n, w); of several the first, (n,)."""
        squares = np.einsum("ij,ij->i", self.points, self.points)
        step = max(1, HELD // len(squares))
        closest = [np.argmax(U[i : i + step] @ self.points.T - 0.5 * squares, axis=1) for i in range(0, len(U), step)]
        return np.concatenate([np.empty(0, dtype=np.intp), *closest])

    def others(self, x: Array, n: int, rng: Generator) -> Array:
        """n places of options other than that of x, (w,): the r-th nearest with a probability of about 1/r, (n, w)."""
        distance = np.sum((self.points - x) ** 2, axis=1)
        ranked = np.lexsort((rng.random(len(distance)), distance))  # the first is x itself
        rank = np.floor(len(ranked) ** rng.random(n)).astype(np.intp)  # log r is uniform
        return self.points[ranked[np.minimum(rank, len(ranked) - 1)]]

    def split(self, lower: Array, upper: Array, columns: Indices) -> tuple[Array, Array, Array, Array]:
        """Each box, (k, w), in two, across a column, (k,), in which its options differ: lower, upper, twice.

        A part is the smallest box around its options. Those of the other part are beyond it in that column, so that a
        box always shows which options it holds.
        """
        parts = np.empty((4, *lower.shape))
        for i, j in enumerate(columns):
            inside = self.points[np.all((self.points >= lower[i]) & (self.points <= upper[i]), axis=1)]
            below = inside[:, j] <= 0.5 * (inside[:, j].min() + inside[:, j].max())
            first, second = inside[below], inside[~below]
            parts[:, i] = first.min(axis=0), first.max(axis=0), second.min(axis=0), second.max(axis=0)
        return parts[0], parts[1], parts[2], parts[3]


def embedding(options: Sequence[Hashable]) -> Embedding | None:
    """Where the options lie; None: they are a one-hot block."""
    rows = _sequences(options)
    if rows is None:
        return None
    blocks = _blocks(rows)
    points = np.concatenate(blocks, axis=1)
    told_apart = len(np.unique(points, axis=0)) == len(options)  # but for NaN
    if not told_apart or points.shape[1] > max(WIDEST, len(options)):
        return None
    points.flags.writeable = False
    return Embedding(points, np.repeat(np.arange(len(blocks)), [block.shape[1] for block in blocks]))


def _sequences(options: Sequence[Hashable]) -> list[Items] | None:
    """The items of each option, if they are tuples of one length, or words of the same letters."""
    if len(options) < 3:  # two options are as far apart as they are
        return None
    if all(isinstance(option, str) for option in options):
        words: list[Items] = [tuple(str(option)) for option in options]
        return words if _arranged(words) else None
    rows: list[Items] = [option for option in options if isinstance(option, tuple)]
    same = len(rows) == len(options) and len({len(row) for row in rows}) == 1
    return rows if same else None


def _arranged(rows: list[Items]) -> bool:
    """Whether all are arrangements of the same items."""
    counts = Counter(map(key, rows[0]))
    return all(Counter(map(key, row)) == counts for row in rows)


def _blocks(rows: list[Items]) -> list[Array]:
    """The columns of every group, (m, …) each, without those in which all options agree."""
    blocks = _arrangements(rows) if _arranged(rows) else [_position(column) for column in zip(*rows, strict=True)]
    varied = [block[:, np.ptp(block, axis=0) > 0.0] for block in blocks]
    return [block for block in varied if block.shape[1]]


def _arrangements(rows: list[Items]) -> list[Array]:
    """The columns of order, position and succession of the items a, b."""
    m, hot = len(rows), _one_hot(rows)
    before = np.cumsum(hot, axis=1) - hot
    count = hot[0].sum(axis=0)
    order = np.einsum("mla,mlb->mab", before, hot) / np.outer(count, count)
    followed = np.einsum("mla,mlb->mab", hot[:, :-1], hot[:, 1:])
    a, b = np.triu_indices(len(count), 1)
    return [order[:, a, b], hot.reshape(m, -1), np.minimum(followed, 1.0).reshape(m, -1)]


def _position(column: Items) -> Array:
    """What stands at one position: numbers by rank, (m, 1), anything else as a one-hot block, (m, different items)."""
    if not all(isinstance(v, numbers.Real) and not isinstance(v, bool) and v == v for v in column):
        block: Array = _one_hot([column])[0]
        return block
    values: Any = set(column)
    rank = {value: j / max(1, len(values) - 1) for j, value in enumerate(sorted(values))}  # exact at any size
    return np.array([[rank[value]] for value in column])


def _one_hot(rows: Sequence[Items]) -> Array:
    """Whether an item stands at a position, (m, L, items), items as they come up."""
    items = {item: j for j, item in enumerate(dict.fromkeys(key(item) for row in rows for item in row))}
    hot: Array = np.eye(len(items))[[[items[key(item)] for item in row] for row in rows]]
    return hot


#| -- space.when: When a parameter is there at all: the values of other parameters that it needs.

EXAMPLE = 'when={"kernel": ("rbf", "poly")}'


@dataclass(frozen=True, eq=False, repr=False)
class When(Mapping[str, tuple[Hashable, ...]]):
    """Name of a parent → the values of it with which the parameter is active; of several parents all have to agree."""

    needs: tuple[tuple[str, tuple[Hashable, ...]], ...]

    def __getitem__(self, name: str) -> tuple[Hashable, ...]:
        return dict(self.needs)[name]

    def __iter__(self) -> Iterator[str]:
        return (name for name, _ in self.needs)

    def __len__(self) -> int:
        return len(self.needs)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, When) and self._told_apart() == other._told_apart()

    def __hash__(self) -> int:
        return hash(self._told_apart())

    def __repr__(self) -> str:
        return repr({name: values[0] if len(values) == 1 else values for name, values in self.needs})

    def _told_apart(self) -> frozenset[tuple[str, frozenset[Hashable]]]:
        """Whatever the order of parents and values; True is not 1."""
        return frozenset((name, frozenset(map(key, values))) for name, values in self.needs)


def as_when(given: object) -> When | None:
    """What a user passes as when=: a dict of names and of one value or a tuple of values for each."""
    if given is None or isinstance(given, When):
        return given
    if not isinstance(given, Mapping):
        raise TypeError(
            f"when must be a dict of other parameters and the values needed, as in {EXAMPLE}: got {given!r}"
        )
    needs = tuple((_as_parent(name), _as_values(name, values)) for name, values in given.items())
    return When(needs) if needs else None


def _as_parent(name: object) -> str:
    if not isinstance(name, str):
        raise TypeError(f"when has the names of other parameters, as in {EXAMPLE}: got {short(name)}")
    return str(name)


def _as_values(name: object, given: object) -> tuple[Hashable, ...]:
    """A tuple or a list is always several values, also where an option is a tuple itself."""
    values = tuple(given) if isinstance(given, tuple | list | set | frozenset) else (given,)
    if not values:
        raise ValueError(f"when needs at least one value of {name!r}: got none")
    for value in values:
        if not is_hashable(value):
            raise TypeError(f"when: {short(value)} can be no value of {name!r}; write {EXAMPLE}")
    return values


@dataclass(frozen=True, init=False, repr=False)
class Choice:
    """A parameter that takes one of several options without an order, such as Choice("adam", "sgd").

    Where options have an order, take Ordinal, and where the distances between them mean something, Int or Float: the
    model then learns from neighbours.

    Parameters
    ----------
    *options : hashable
        What it may be, at least one. Strings and numbers, and tuples of them, can be saved. They are told apart by type
        and value (True is not 1), and NaN equals NaN.
    when : mapping or None, default: None
        With {"kernel": ("rbf", "poly")} it is in a point only with these values of the parameter `kernel`.

    Notes
    -----
    The model also learns from what options have in common, if they are tuples of one length: from what stands at each
    position, numbers by their rank, as in Choice((64, 32), (128, 32), (128, 64)), so that numbers which are mere names
    are better written as strings; and where all options are arrangements of the same items, as all permutations of
    "abcde", from which item comes before which, which stands where and which follows which. Words of the same letters
    are arrangements too.

    In the unit cube it is a one-hot block with one column for each option, and what options have in common is columns
    of its own (suffice/space/embedding.py), unless that takes more than 100 columns and more than there are options.
    """

    options: tuple[Hashable, ...] = field(compare=False)
    keys: tuple[Hashable, ...]  # what tells the options apart
    when: Mapping[str, Any] | None
    kind: ClassVar[Kind] = "choice"
    smooth: ClassVar[bool] = False
    levels: ClassVar[None] = None  # without an order

    def __init__(self, *options: Hashable, when: Mapping[str, Any] | None = None) -> None:
        object.__setattr__(self, "keys", keys_of(options, "Choice"))
        object.__setattr__(self, "options", options)
        object.__setattr__(self, "when", as_when(when))

    def __repr__(self) -> str:
        when = () if self.when is None else (f"when={self.when!r}",)
        return f"Choice({', '.join((*map(repr, self.options), *when))})"

    @property
    def constant(self) -> bool:
        return len(self.options) == 1

    @cached_property
    def embedding(self) -> Embedding | None:
        """Where options that are sequences lie; None: a one-hot block."""
        return embedding(self.options)

    @property
    def width(self) -> int:
        if self.embedding is not None:
            return len(self.embedding.groups)
        return 0 if self.constant else len(self.options)

    @property
    def size(self) -> float:
        return len(self.options)

    def as_value(self, value: object) -> Hashable:
        """A user's value as the option that it is."""
        return self.options[find(value, self.options, self._places)]

    def to_unit(self, value: object) -> Array:
        """The columns of a user's value, (width,)."""
        return self.members(np.array([find(value, self.options, self._places)]))[0, : self.width]

    def from_unit(self, columns: Array) -> Hashable:
        """The option nearest to the columns (width,): the object that the user gave."""
        return self.options[0 if self.constant else int(self.nearest(columns[None])[0])]

    def place(self, u: Array) -> Array:
        """Option ⌊u m⌋ of m for each u, (n,); the last one at u = 1, (n, width)."""
        m = len(self.options)
        return self.members(np.minimum(u * m, m - 1).astype(np.intp))

    def snap(self, U: Array) -> Array:
        """The nearest members, (m, width); ties go to the first option."""
        return self.members(self.nearest(U))

    def members(self, k: Indices) -> Array:
        """Option k for each k, (n,), from 0, (n, width)."""
        if self.embedding is not None:
            return self.embedding.points[k]
        hot = np.zeros((len(k), len(self.options)))
        hot[np.arange(len(k)), k] = 1.0
        return hot

    def nearest(self, U: Array) -> Indices:
        """Which option is nearest to each row of U, (n, width), from 0; ties go to the first, (n,)."""
        return np.argmax(U, axis=1) if self.embedding is None else self.embedding.nearest(U)

    @cached_property
    def _places(self) -> dict[Hashable, int]:
        return {key: j for j, key in enumerate(self.keys)}


#| -- space.lattice: Where the whole numbers of a range lie in the unit interval: the middles of their cells, in v or
#| in log v.
#|
#| L   int    number of integers         k   (…)   an integer's place, 0 … L − 1
#| o   float  its offset from the lower edge of the first cell: cell k is [k, k + 1), its centre k + 0.5
#| e   float  the lower edge itself, low − 0.5
#| W   float  width of a logarithmic range, log(upper edge / lower edge) = log1p(L/e)

FINEST = 2**40  # a cell below 1/FINEST of the range is finer than the model can see: it is treated as smooth


@dataclass(frozen=True)
class Lattice:
    """u = (k + 0.5)/L, with log u = log1p((k + 0.5)/e)/W; exact for up to FINEST levels."""

    low: int
    cells: int  # L
    log: bool

    @property
    def count(self) -> int:
        """Levels that are told apart; a longer range is smooth above the last of them."""
        return min(self.cells, FINEST)

    @property
    def widest(self) -> float:
        """The width of the first cell; with log the others are narrower."""
        return math.log1p(1 / (self.low - 0.5)) / self._log_width if self.log else 1 / self.cells

    def at(self, k: Indices | Array) -> Array:
        """The centre of cell k. Offsets from the lower edge, not logarithms of i: exact for narrow ranges of huge i."""
        o = k + 0.5
        return np.log1p(o / (self.low - 0.5)) / self._log_width if self.log else o / self.cells

    def index(self, u: Array) -> Indices:
        """The level whose cell holds u, `count` above the last."""
        return np.minimum(self.cell(u), self.count).astype(np.intp)

    def snap(self, u: Array) -> Array:
        """The centre of the cell that holds u; u itself above the last level."""
        k = self.cell(u)
        return np.where(k < FINEST, self.at(k), u)

    def cell(self, u: Array) -> Array:
        """k of the cell that holds u, a whole float: there may be more cells than integers of 64 bits."""
        o = (self.low - 0.5) * np.expm1(u * self._log_width) if self.log else u * self.cells
        return np.clip(np.floor(o), 0.0, self.cells - 1.0)

    @property
    def _log_width(self) -> float:
        return math.log1p(self.cells / (self.low - 0.5))


def cell_of(u: float, cells: int) -> int:
    """Which of the equal cells of [0, 1] holds u: u is a fraction p/q, so that the answer is exact at any size."""
    p, q = u.as_integer_ratio()
    return min(p * cells // q, cells - 1)


#| -- space.ordinal: Options in an order.
#|
#| m   int   number of options        u   (width,)   the column of one of them        U   (n, width)   of many
#| k   int   the place of an option in the order, 0 … m − 1


@dataclass(frozen=True, init=False, repr=False)
class Ordinal:
    """A parameter that takes one of several options in an order, such as Ordinal("small", "medium", "large").

    The model learns that neighbours are alike. Take Choice where the order means nothing, and Int or Float where the
    distances between the options do, as for 1, 10 and 100.

    Parameters
    ----------
    *options : hashable
        What it may be, from the first to the last; what tells two of them apart is as for Choice.
    when : mapping or None, default: None
        With {"kernel": ("rbf", "poly")} it is in a point only with these values of the parameter `kernel`.

    Notes
    -----
    In the unit cube it is one column, and option k the centre of one of m equal cells, u = (k + 0.5)/m.
    """

    options: tuple[Hashable, ...] = field(compare=False)
    keys: tuple[Hashable, ...]  # what tells the options apart
    when: Mapping[str, Any] | None
    kind: ClassVar[Kind] = "ordinal"
    smooth: ClassVar[bool] = False

    def __init__(self, *options: Hashable, when: Mapping[str, Any] | None = None) -> None:
        object.__setattr__(self, "keys", keys_of(options, "Ordinal"))
        object.__setattr__(self, "options", options)
        object.__setattr__(self, "when", as_when(when))

    def __repr__(self) -> str:
        when = () if self.when is None else (f"when={self.when!r}",)
        return f"Ordinal({', '.join((*map(repr, self.options), *when))})"

    @property
    def constant(self) -> bool:
        return len(self.options) == 1

    @property
    def width(self) -> int:
        return 0 if self.constant else 1

    @property
    def size(self) -> float:
        return len(self.options)

    @property
    def levels(self) -> Lattice:
        """Where the options lie in the unit interval."""
        return Lattice(0, len(self.options), log=False)

    def as_value(self, value: object) -> Hashable:
        """A user's value as the option that it is."""
        return self.options[find(value, self.options, self._places)]

    def to_unit(self, value: object) -> Array:
        """The columns of a user's value, (width,)."""
        return self.members(np.array([find(value, self.options, self._places)]))[0, : self.width]

    def from_unit(self, columns: Array) -> Hashable:
        """The option whose cell holds the columns (width,): the object that the user gave."""
        return self.options[0 if self.constant else int(self.nearest(columns[None])[0])]

    def place(self, u: Array) -> Array:
        """The members whose cells hold u, (n,), (n, width)."""
        return self.snap(u[:, None])

    def snap(self, U: Array) -> Array:
        """The nearest members, (m, width)."""
        return self.levels.snap(np.clip(U, 0.0, 1.0))

    def members(self, k: Indices) -> Array:
        """Option k for each k, (n,), from 0, (n, 1)."""
        return self.levels.at(k)[:, None]

    def nearest(self, U: Array) -> Indices:
        """Which option is nearest to each row of U, (n, width), from 0, (n,)."""
        return self.levels.index(np.clip(U[:, 0], 0.0, 1.0))

    @cached_property
    def _places(self) -> dict[Hashable, int]:
        return {key: j for j, key in enumerate(self.keys)}
