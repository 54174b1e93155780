"""Where the options of a choice lie in the unit cube, if they are sequences: what they have in common brings them near.

m       int     options                                  L       int     items of an option, the same for all
E       (m, w)  places of the options, each column in [0, 1]
groups  (w,)    which columns share a length-scale: 0, 1, …

Options without structure are a one-hot block, all equally far from each other, and have no embedding. Those that are
sequences of one length L have, in groups of their own so that the evidence tells which of them matters:

arrangements   every option has the same items. Order: for each pair of items a, b the share of their pairs in which a
               comes before b, 0 or 1 unless items repeat. Position: for each position and item whether it stands
               there. Succession: for each pair whether b comes right after a somewhere.
other tuples   one group for each position: a number is its rank among the numbers that stand there, from 0 to 1, and
               anything else a one-hot block of what stands there

Squared distances are then numbers of pairs in another order (Kendall's τ), twice the numbers of positions with another
item (Hamming's distance), and numbers of successions that one of the two has and the other has not.
"""

import numbers
from collections import Counter
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.random import Generator

from suffice.space.rows import HELD
from suffice.space.sameness import key
from suffice.types import Array, Indices

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
