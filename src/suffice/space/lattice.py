"""The separate values of a range: where whole numbers lie in the unit interval, and the steps of a float.

L     int       numbers                    k   (…)    the place of a number, 0 … L − 1
o     float     its offset from the lower edge of the first cell: cell k is [k, k + 1), its centre k + 0.5
e     float     the lower edge itself, low − 0.5
W     float     width of a logarithmic range, log(upper edge / lower edge) = log1p(L/e)
r     Fraction  (v − low)/step, which is k up to rounding
"""

import math
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from suffice.checks import ROUNDING, short
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


@dataclass(frozen=True)
class Steps:
    """low + k step, as a user would type them: 0.15, not 0.15000000000000002; the last may fall short of high.

    What a user types is a decimal, and the float is the nearest to it. So each bound stands for the shortest decimal
    that is read as it, the arithmetic is exact, and its result is rounded once.
    """

    low: Fraction
    step: Fraction
    count: int
    high: float | None  # what the last number is, where a step ends there up to rounding; None: it falls short

    @classmethod
    def of(cls, low: float, high: float, step: float) -> "Steps":
        """The numbers of a range; refuses a step that is none, or that leaves nothing but `low`."""
        if not step > 0:
            raise ValueError(f"step must be > 0: got {step!r}")
        a, b, s = (Fraction(repr(number)) for number in (low, high, step))
        r = (b - a) / s
        last = math.floor(r + Fraction(ROUNDING))
        check_not_too_wide(low, high, step, last + 1)
        return cls(a, s, last + 1, high if abs(r - last) <= Fraction(ROUNDING) else None)

    def value(self, k: int) -> float:
        """Number k."""
        if k == self.count - 1 and self.high is not None:
            return self.high
        return float(self.low + k * self.step)

    def place(self, v: float) -> int:
        """Which of the numbers v is, up to rounding."""
        r = (Fraction(repr(v)) - self.low) / self.step
        k = min(max(round(r), 0), self.count - 1)
        if abs(r - k) > ROUNDING * max(1, self.count):
            near = sorted({min(max(j, 0), self.count - 1) for j in (math.floor(r), math.floor(r) + 1)})
            raise off_step(v, float(self.low), float(self.step), map(self.value, near))
        return k


def check_not_too_wide(low: float, high: float, step: float, count: int) -> None:
    """Refuse a step that leaves nothing but `low` of a range."""
    if count == 1 and low < high:
        raise ValueError(
            f"step={short(step)} is larger than the range from {short(low)} to {short(high)}, and leaves only "
            f"{short(low)}; use a smaller step, or write the number itself for a constant"
        )


def off_step(v: float, low: float, step: float, near: Iterable[float]) -> ValueError:
    """The error for a value between two steps, or behind the last."""
    nearest = [short(number) for number in near]
    return ValueError(
        f"{short(v)} is not one of the steps from {short(low)} by {short(step)}; the nearest "
        f"{'is' if len(nearest) == 1 else 'are'} {' and '.join(nearest)}"
    )
