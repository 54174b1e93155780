"""Real numbers in a range.

v   float  a value in the user's units        u   (width,)     its column, in [0, 1]
W   float  log(high/low)                      U   (m, width)   many of them
"""

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from suffice.checks import as_bool, as_float, as_inside, check_order
from suffice.types import Array, Kind


@dataclass(frozen=True)
class Float:
    """A parameter that takes any real value from low to high.

    Choose log=True where the order of magnitude matters, as for a learning rate from 1e-5 to 1: half of the points then
    lie below 3e-3 and not below 0.5. It needs low > 0.

    In the unit cube it is u = (v − low)/(high − low). With log, u = log(v/low)/log(high/low). Equal bounds make a
    constant, which takes no columns.
    """

    low: float
    high: float
    log: bool = False
    kind: ClassVar[Kind] = "float"

    def __post_init__(self) -> None:
        # Whatever number types came in, plain Python floats are kept.
        object.__setattr__(self, "low", as_float(self.low, "low"))
        object.__setattr__(self, "high", as_float(self.high, "high"))
        object.__setattr__(self, "log", as_bool(self.log, "log"))
        check_order(self.low, self.high)
        if self.log and self.low <= 0:
            raise ValueError(f"log=True needs low > 0: got low={self.low!r}; raise low or drop log")

    @property
    def constant(self) -> bool:
        return self.low == self.high

    @property
    def smooth(self) -> bool:
        return not self.constant

    @property
    def width(self) -> int:
        return 0 if self.constant else 1

    @property
    def size(self) -> float:
        return 1 if self.constant else math.inf

    def as_value(self, value: object) -> float:
        """A user's value as a float inside the bounds: what a rounding error took over a bound is the bound."""
        return as_inside(as_float(value, "the value"), self.low, self.high, self.log)

    def to_unit(self, value: object) -> Array:
        """The columns of a user's value, (width,)."""
        v = self.as_value(value)
        if self.constant:
            return np.empty(0)
        if self.log:
            return np.array([_log_ratio(self.low, v) / _log_ratio(self.low, self.high)])
        half = _half_if_wide(self.low, self.high)
        return np.array([(half * v - half * self.low) / (half * self.high - half * self.low)])

    def from_unit(self, columns: Array) -> float:
        """The value at the columns (width,), never outside the bounds and exactly a bound at 0 and 1."""
        if self.constant or columns[0] <= 0:
            return self.low
        if columns[0] >= 1:
            return self.high
        u = float(columns[0])
        v = self._log_value(u) if self.log else self._linear_value(u)
        return min(max(v, self.low), self.high)  # rounding may step over a bound

    def place(self, u: Array) -> Array:
        """The members at u, (n,): u itself, (n, width)."""
        return u[:, None]

    def snap(self, U: Array) -> Array:
        """The nearest members, (m, width)."""
        return np.clip(U, 0.0, 1.0)

    def _linear_value(self, u: float) -> float:
        half = _half_if_wide(self.low, self.high)
        return (half * self.low + u * (half * self.high - half * self.low)) / half

    def _log_value(self, u: float) -> float:
        W = _log_ratio(self.low, self.high)
        if self.high < 2 * self.low:  # relative to low, so that a narrow range keeps its digits
            return self.low * math.exp(u * W)
        return math.exp(min(math.log(self.low) + u * W, math.log(self.high)))


def _half_if_wide(low: float, high: float) -> float:
    """A factor that keeps high − low finite: 0.5 where the bounds span more than float64 holds, else 1."""
    return 0.5 if math.isinf(high - low) else 1.0


def _log_ratio(a: float, b: float) -> float:
    """log(b/a) for 0 < a ≤ b, with full relative precision when b is close to a, and without overflow."""
    return math.log1p((b - a) / a) if b < 2 * a else math.log(b) - math.log(a)
