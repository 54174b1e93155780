"""Options of a choice: what tells them apart, where they lie in the unit cube, and conditions on them.

m       int     options                                  L       int     items of an option, the same for all
E       (m, w)  places of the options, each column in [0, 1]
groups  (w,)    which columns share a length-scale: 0, 1, …

Options without structure are a one-hot block, all equally far from each other, and have no embedding. Those that are
sequences of one length L have one, in groups of their own so that the evidence tells which of them matters:

arrangements   every option has the same items. Order: for each pair of items a, b the fraction of their pairs in which
               a comes before b, 0 or 1 unless items repeat. Position: for each position and item whether it stands
               there. Succession: for each pair whether b comes right after a somewhere.
other tuples   one group for each position: a number is its rank among the numbers that stand there, from 0 to 1, and
               anything else a one-hot block of what stands there

Squared distances are then numbers of pairs in another order (Kendall's τ), twice the numbers of positions with another
item (Hamming's distance), and numbers of successions that one of the two has and the other has not.
"""

import numbers
from collections import Counter
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.random import Generator

from suffice.checks import check_digits, short
from suffice.space.domain import in_blocks
from suffice.text import SHOWN
from suffice.types import Array, Indices

Items: TypeAlias = tuple[Hashable, ...]

WIDEST = 100  # columns of one parameter; beyond, distances cost more than the structure may tell


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


def keys_of(options: Sequence[object], word: str) -> tuple[Hashable, ...]:
    """What tells the options apart; refuses, for the class of this name, what cannot be an option."""
    if not options:
        raise ValueError(f"{word} needs at least one option: got none; write {word}('a', 'b')")
    for option in options:
        check_digits(option, "an option")
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


@dataclass(frozen=True, eq=False)
class Embedding:
    """The places of m options that differ, read-only."""

    points: Array  # E
    groups: Indices

    def nearest(self, U: Array) -> Indices:
        """The option nearest to each row of U, (n, w); of several the first, (n,)."""
        squares = np.einsum("ij,ij->i", self.points, self.points)
        parts = in_blocks(len(U), len(squares))
        closest = [np.argmax(U[rows] @ self.points.T - 0.5 * squares, axis=1) for rows in parts]
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
    distinct = len(np.unique(points, axis=0)) == len(options)  # but for NaN
    if not distinct or points.shape[1] > max(WIDEST, len(options)):
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
        return isinstance(other, When) and self._content() == other._content()

    def __hash__(self) -> int:
        return hash(self._content())

    def __repr__(self) -> str:
        return repr({name: values[0] if len(values) == 1 else values for name, values in self.needs})

    def _content(self) -> frozenset[tuple[str, frozenset[Hashable]]]:
        """Whatever the order of parents and values; True is not 1."""
        return frozenset((name, frozenset(map(key, values))) for name, values in self.needs)


def as_when(given: object) -> When | None:
    """What a user passes as when=: a dict of names and of one value or a tuple of values for each."""
    if given is None or isinstance(given, When):
        return given
    if not isinstance(given, Mapping):
        raise _no_condition(f"when must be a dict of other parameters and the values needed: got {given!r}")
    needs = tuple((_as_parent(name), _as_values(name, values)) for name, values in given.items())
    return When(needs) if needs else None


def _no_condition(fault: str) -> TypeError:
    return TypeError(f'{fault}; write when={{"kernel": ("rbf", "poly")}}')


def _as_parent(name: object) -> str:
    if not isinstance(name, str):
        raise _no_condition(f"when has the names of other parameters: got {short(name)}")
    return str(name)


def _as_values(name: object, given: object) -> tuple[Hashable, ...]:
    """A tuple or a list is always several values, also where an option is a tuple itself."""
    values = tuple(given) if isinstance(given, tuple | list | set | frozenset) else (given,)
    if not values:
        raise ValueError(f"when needs at least one value of {name!r}: got none")
    for value in values:
        if not is_hashable(value):
            raise _no_condition(f"when: {short(value)} is not a value of {name!r}")
    return values
