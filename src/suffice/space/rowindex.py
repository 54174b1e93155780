"""Which row of a large table a row is, without a Python object for each of its rows.

T     (m, d)  the table                          h     (m,)  a 64-bit hash of the bits of every row, −0.0 being 0.0
sorted (m,)   h in ascending order, `order` (m,) the rows they are of, the first of equal rows first

Two rows of equal numbers have equal hashes, and what has an equal hash is compared: the answer never rests on a hash.
"""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from suffice.types import Array, Indices

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
