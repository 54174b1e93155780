"""A finite set of points as a domain of its own, up to millions of them.

T      (m, d)  a table                                     h  (m,)    a 64-bit hash of every row, −0.0 being 0.0
sorted (m,)    h in ascending order, `order` (m,) the rows they are of, the first of equal rows first
V      (m, D)  one number for each row and coordinate      U  (n, D)  numbers in [0, 1]

Which row of a table a row is, is found without a Python object for each of its rows. Two rows of equal numbers have
equal hashes, and what has an equal hash is compared: the answer never rests on a hash.
"""

from functools import cached_property
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from suffice.space.domain import Mask, in_blocks
from suffice.types import Array, Coordinate, Indices

if TYPE_CHECKING:
    from scipy.spatial import cKDTree

Hashes: TypeAlias = NDArray[np.uint64]

TREE = 10  # columns; in more of them a tree looks at most points, and one by one takes longer than all in a product
SAMPLED = 10_000  # rows that tell how a column is spread


class PointSet:
    """The rows of `points`, (m, d) in the unit cube, read-only; a repeated row counts as often as it appears."""

    def __init__(self, points: Array) -> None:
        points = np.array(points, dtype=np.float64)  # a copy: the caller's array may change
        if points.ndim != 2 or not len(points):
            raise ValueError(f"points must be an array (m, d) with m ≥ 1: got shape {points.shape}")
        if points.size and not (points.min() >= 0 and points.max() <= 1):  # NaN is neither
            raise ValueError("points must lie in the unit cube: got NaN or coordinates outside [0, 1]")
        points.flags.writeable = False
        self.points: Array = points

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

    def contains(self, X: Array) -> Mask:
        """Which rows of X are rows of the set, (len(X),)."""
        return self.find(X) >= 0

    def find(self, X: Array) -> Indices:
        """The number of each row of X in the set, the first of equals; −1 where it is no member, (len(X),)."""
        return self._index.find(X)

    def near(self, x: Array, n: int, rng: Generator, scales: tuple[float, ...]) -> Array:  # noqa: ARG002
        """The n rows nearest to x that are not x, nearest first, and again from the first if there are fewer, (n, d).

        What is near in a set is what is next: it needs no scales. A set of one row has nothing but that row.
        """
        parts = in_blocks(len(self.points), self.dim)
        distance = np.concatenate([np.linalg.norm(self.points[rows] - x, axis=1) for rows in parts])
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
        for block in in_blocks(len(self.points), len(X) + self.dim):
            P = self.points[block]
            D = np.einsum("ij,ij->i", P, P)[:, None] - 2.0 * (P @ X.T)  # |p − x|² − |x|²
            row = D.argmin(axis=0)
            least = D[row, np.arange(len(X))]
            rows = np.where(least < best, row + block.start, rows)
            best = np.minimum(best, least)
        return rows

    @cached_property
    def _index(self) -> "RowIndex":
        return RowIndex(self.points)

    @cached_property
    def _tree(self) -> "cKDTree":
        from scipy.spatial import cKDTree  # slow to import, needed here only

        return cKDTree(self.points)


def halved(V: Array, U: Array) -> Indices:
    """The row of the table V for each row of U, (n,).

    The rows are halved at the median of the coordinate with the largest variance, either half at that of the next one,
    and so on until one row is left; u says which half, as a digit in base two does. So uniform U give every row the
    same chance, and where U has one point in each half, quarter and eighth of the cube, the rows have one in each of
    the table. (The row nearest to a place in the cube is another matter: a row with much empty space around it is
    nearest to most.)
    """
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
        # More than one round only if two hashes collide.
        while (left := np.flatnonzero((found < 0) & (at < stop))).size:
            rows = self.order[at[left]]
            same = (self.table[rows] == X[left]).all(axis=1)
            found[left[same]] = rows[same]
            at[left] += 1
        return found

    def repeats(self) -> tuple[Indices, Indices]:
        """Rows that equal an earlier one, (k,), in order, and how many earlier ones each of them equals, (k,)."""
        m = len(self.order)
        again = np.zeros(m, dtype=np.bool_)
        suspects = np.flatnonzero(self.sorted[1:] == self.sorted[:-1]) + 1
        for block in in_blocks(len(suspects), self.table.shape[1]):
            some = suspects[block]
            again[some] = (self.table[self.order[some]] == self.table[self.order[some - 1]]).all(axis=1)
        begins = np.maximum.accumulate(np.where(again, 0, np.arange(m)))
        places = np.flatnonzero(again)
        rows, earlier = self.order[places], places - begins[places]
        by_row = np.argsort(rows)
        return rows[by_row], earlier[by_row]


def hashed(X: Array) -> Hashes:
    """One hash for each row of X, (n,)."""
    factors = np.random.default_rng(0).integers(0, 2**63, X.shape[1], dtype=np.uint64) * np.uint64(2) + np.uint64(1)
    out = np.empty(len(X), dtype=np.uint64)
    for rows in in_blocks(len(X), X.shape[1]):
        # Short fractions have their bits at the top: brought down, a product spreads them over the whole word.
        bits = (X[rows] + 0.0).view(np.uint64)
        bits ^= bits >> np.uint64(33)
        bits *= factors
        bits ^= bits >> np.uint64(29)
        out[rows] = bits.sum(axis=1, dtype=np.uint64)
    return out
