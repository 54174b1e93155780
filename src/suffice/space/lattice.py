"""Where the whole numbers of a range lie in the unit interval: the middles of their cells, in v or in log v.

L   int    number of integers         k   (…)   an integer's place, 0 … L − 1
o   float  its offset from the lower edge of the first cell: cell k is [k, k + 1), its centre k + 0.5
e   float  the lower edge itself, low − 0.5
W   float  width of a logarithmic range, log(upper edge / lower edge) = log1p(L/e)
"""

import math
from dataclasses import dataclass

import numpy as np

from suffice.types import Array, Indices

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
