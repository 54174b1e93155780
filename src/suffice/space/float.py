"""Real numbers in a range.

v   float  a value in the user's units        u   (width,)     its column, in [0, 1]
W   float  log(high/low)                      U   (m, width)   many of them
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from suffice.checks import as_float, as_inside, check_order
from suffice.space.lattice import FINEST, Lattice, cell_of
from suffice.space.stepped import Steps, as_log, check_not_both, shown
from suffice.space.when import as_when
from suffice.types import Array, Indices, Kind


@dataclass(frozen=True)
class Float:
    """A parameter that takes any real value from low to high.

    Parameters
    ----------
    low, high : float
        The bounds, both included. Equal bounds make a constant.
    log : bool, default: False
        True where the order of magnitude matters, as for a learning rate from 1e-5 to 1: half of the points then lie
        below 3e-3 and not below 0.5. It needs low > 0.
    step : float or None, default: None
        With 0.05 it takes low, low + 0.05, low + 0.1, … only, as they are typed: 0.15, not 0.15000000000000002. The
        last of them is high, or the one before where the next would be beyond. A step goes without log.
    when : mapping or None, default: None
        With {"kernel": ("rbf", "poly")} it is in a point only with these values of the parameter `kernel`.

    Notes
    -----
    In the unit cube it is u = (v − low)/(high − low). With log, u = log(v/low)/log(high/low). With a step, number k of
    L is the centre of one of L equal cells, u = (k + 0.5)/L. A constant takes no columns.
    """

    low: float
    high: float
    log: bool = False
    step: float | None = None
    when: Mapping[str, Any] | None = field(default=None, kw_only=True)
    kind: ClassVar[Kind] = "float"

    def __post_init__(self) -> None:
        # Whatever number types came in, plain Python floats are kept.
        object.__setattr__(self, "low", as_float(self.low, "low"))
        object.__setattr__(self, "high", as_float(self.high, "high"))
        object.__setattr__(self, "log", as_log(self.log))
        object.__setattr__(self, "when", as_when(self.when))
        check_order(self.low, self.high)
        if self.log and self.low <= 0:
            raise ValueError(f"log=True needs low > 0: got low={self.low!r}; raise low or drop log")
        if self.step is not None:
            object.__setattr__(self, "step", as_float(self.step, "step"))
            check_not_both(self.log, self.step)
            _ = self._steps  # refuses a step that is none

    def __repr__(self) -> str:
        return shown(self)

    @cached_property
    def _steps(self) -> Steps | None:
        return None if self.step is None else Steps.of(self.low, self.high, self.step)

    @property
    def constant(self) -> bool:
        return self.low == self.high

    @property
    def smooth(self) -> bool:
        """Whether it takes every value, or steps finer than the model can see."""
        return not self.constant and (self._steps is None or self._steps.count > FINEST)

    @property
    def levels(self) -> Lattice | None:
        """Where the steps lie in the unit interval; None: it is smooth."""
        return None if self._steps is None or self.smooth else Lattice(0, self._steps.count, log=False)

    @property
    def width(self) -> int:
        return 0 if self.constant else 1

    @property
    def size(self) -> float:
        if self.constant:
            return 1
        return math.inf if self._steps is None or self.smooth else self._steps.count

    def as_value(self, value: object) -> float:
        """A user's value as a plain float of the range: one a rounding error outside, or beside a step, is on it."""
        v = as_inside(as_float(value, "the value"), self.low, self.high, self.log)
        return v if self._steps is None else self._steps.value(self._steps.place(v))

    def to_unit(self, value: object) -> Array:
        """The columns of a user's value, (width,)."""
        v = self.as_value(value)
        if self.constant:
            return np.empty(0)
        if self._steps is not None:
            return np.array([(2 * self._steps.place(v) + 1) / (2 * self._steps.count)])
        if self.log:
            return np.array([_log_ratio(self.low, v) / _log_ratio(self.low, self.high)])
        half = _half_if_wide(self.low, self.high)
        return np.array([(half * v - half * self.low) / (half * self.high - half * self.low)])

    def from_unit(self, columns: Array) -> float:
        """The value at the columns (width,), never outside the bounds and exactly a bound at 0 and 1."""
        if self.constant or columns[0] <= 0:
            return self.low
        if self._steps is not None:
            return self._steps.value(cell_of(float(columns[0]), self._steps.count))
        return self._smooth_value(float(columns[0]))

    def values(self, u: Array) -> list[float]:
        """The values at u, (n,), of a smooth range: each as from_unit has it, to the last bit."""
        if self.log:  # one by one: numpy may round an exponential differently
            return [self._smooth_value(v) for v in u.tolist()]
        half = _half_if_wide(self.low, self.high)
        v = (half * self.low + u * (half * self.high - half * self.low)) / half
        inside: list[float] = np.where(
            u <= 0, self.low, np.where(u >= 1, self.high, np.clip(v, self.low, self.high))
        ).tolist()
        return inside

    def _smooth_value(self, u: float) -> float:
        if u <= 0:
            return self.low
        if u >= 1:
            return self.high
        v = self._log_value(u) if self.log else self._linear_value(u)
        return min(max(v, self.low), self.high)  # rounding may step over a bound

    def place(self, u: Array) -> Array:
        """The members at u, (n,): u itself, or the step whose cell holds it, (n, width)."""
        return u[:, None] if self.levels is None else self.snap(u[:, None])

    def snap(self, U: Array) -> Array:
        """The nearest members, (m, width)."""
        within: Array = np.clip(U, 0.0, 1.0)
        return within if self.levels is None else self.levels.snap(within)

    def members(self, k: Indices) -> Array:
        """Step k for each k, (n,), from 0, (n, width)."""
        assert self.levels is not None  # what is smooth has no numbers
        return self.levels.at(k)[:, None]

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
