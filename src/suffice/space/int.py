"""Whole numbers in a range.

i   int    a value in the user's units        u   (width,)     its column, in [0, 1]
L   int    number of integers                 U   (m, width)   many of them
k   int    an integer's place, (i − low)/step: 0 … L − 1
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from suffice.checks import as_int, check_inside, check_order, nearly_whole, short
from suffice.space.lattice import FINEST, Lattice, cell_of
from suffice.space.stepped import as_log, check_not_both, check_on_step, check_step, shown
from suffice.space.when import as_when
from suffice.types import Array, Indices, Kind

LARGEST_LOG_INT = 10**300  # edges and their ratios stay inside float64


@dataclass(frozen=True)
class Int:
    """A parameter that takes whole numbers from low to high, both included.

    Take Choice instead where the order of the numbers means nothing.

    Parameters
    ----------
    low, high : int
        The bounds, both included. Equal bounds make a constant.
    log : bool, default: False
        True where the order of magnitude matters, as for a batch size from 1 to 1024; it needs low ≥ 1.
    step : int or None, default: None
        With 16 it takes low, low + 16, low + 32, … only, up to the last that is not above high. A step goes without
        log.
    when : mapping or None, default: None
        With {"kernel": ("rbf", "poly")} it is in a point only with these values of the parameter `kernel`.

    Notes
    -----
    In the unit cube it is the centre of one of L equal cells, u = ((i − low)/step + 0.5)/L.
    With log, the cells lie between log(low − 0.5) and log(high + 0.5) and the point of i is at log(i):
    u = log1p(o/e)/W, W = log1p(L/e), with e = low − 0.5 and o = i − e. A uniform u then falls into the cell of i
    with probability 1/L, with log with probability log((i + 0.5)/(i − 0.5))/W.
    """

    low: int
    high: int
    log: bool = False
    step: int | None = None
    when: Mapping[str, Any] | None = field(default=None, kw_only=True)
    kind: ClassVar[Kind] = "int"

    def __post_init__(self) -> None:
        # Whatever number types came in, plain Python integers are kept: exact at any size.
        object.__setattr__(self, "low", as_int(self.low, "low"))
        object.__setattr__(self, "high", as_int(self.high, "high"))
        object.__setattr__(self, "log", as_log(self.log))
        object.__setattr__(self, "when", as_when(self.when))
        check_order(self.low, self.high)
        if self.log and not 1 <= self.low <= self.high <= LARGEST_LOG_INT:
            raise ValueError(
                f"log=True needs bounds between 1 and 1e300: got low={short(self.low)}, high={short(self.high)}; "
                "change the bounds or drop log"
            )
        if self.step is not None:
            object.__setattr__(self, "step", as_int(self.step, "step"))
            check_not_both(self.log, self.step)
            check_step(self.low, self.high, self.step)

    def __repr__(self) -> str:
        return shown(self)

    @property
    def count(self) -> int:
        """How many integers the bounds hold, L."""
        return (self.high - self.low) // self._by + 1

    @property
    def _by(self) -> int:
        return 1 if self.step is None else self.step

    @property
    def constant(self) -> bool:
        return self.count == 1

    @property
    def smooth(self) -> bool:
        """Whether all cells are finer than the model can see."""
        return self.cells.widest < 1 / FINEST

    @property
    def cells(self) -> Lattice:
        """Where the integers lie in the unit interval."""
        return Lattice(self.low, self.count, self.log)

    @property
    def levels(self) -> Lattice | None:
        """Where the integers lie in the unit interval; None: it is smooth."""
        return None if self.smooth else self.cells

    @property
    def width(self) -> int:
        return 0 if self.constant else 1

    @property
    def size(self) -> float:
        return math.inf if self.smooth else self.count

    def as_value(self, value: object) -> int:
        """A user's value as a plain integer of the range: a float a rounding error beside one is it."""
        i = as_int(nearly_whole(value), "the value")
        check_inside(i, self.low, self.high)
        check_on_step(i, self.low, self._by, self.count)
        return i

    def to_unit(self, value: object) -> Array:
        """The columns of a user's value, (width,)."""
        i = self.as_value(value)
        if self.constant:
            return np.empty(0)
        k = (i - self.low) // self._by
        if self.log:
            return self.cells.at(np.array([float(k)]))
        return np.array([(2 * k + 1) / (2 * self.count)])  # integers: correctly rounded at any size

    def from_unit(self, columns: Array) -> int:
        """The integer whose cell holds the columns (width,), never outside the bounds."""
        if self.constant or columns[0] <= 0:
            return self.low
        u = float(columns[0])
        k = cell_of(u, self.count) if u >= 1 or (self.smooth and not self.log) else int(self.cells.cell(columns)[0])
        return self.low + min(k, self.count - 1) * self._by

    def place(self, u: Array) -> Array:
        """The members whose cells hold u, (n,), (n, width)."""
        return self.snap(u[:, None])

    def snap(self, U: Array) -> Array:
        """The nearest members, (m, width): nearest in v, also with log."""
        inside = np.clip(U, 0.0, 1.0)
        return inside if self.smooth else self.cells.snap(inside)

    def members(self, k: Indices) -> Array:
        """Member k of the range for each k, (n,), from 0, (n, width)."""
        return self.cells.at(k)[:, None]
