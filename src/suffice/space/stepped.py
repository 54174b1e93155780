"""Steps: low, low + step, low + 2 step, … up to high, as a user would type them: 0.15, not 0.15000000000000002.

r   Fraction  (high − low)/step          k   int   the place of a number, 0 … count − 1

What a user types is a decimal, and the float is the nearest to it. So each bound stands for the shortest decimal that
is read as it, the arithmetic is exact, and its result is rounded once.
"""

import math
import numbers
from dataclasses import dataclass, fields
from fractions import Fraction
from typing import Any

from suffice.checks import ROUNDING, as_bool, short


@dataclass(frozen=True)
class Steps:
    """low + k step; the last one may fall short of high."""

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
        if not last and low < high:
            raise ValueError(
                f"step={step!r} is larger than the range from {low!r} to {high!r}, and leaves only {low!r}; "
                "take a smaller step, or write the number itself, which is a constant"
            )
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
            raise ValueError(
                f"{short(v)} is not one of the steps from {float(self.low)!r} by {float(self.step)!r}; the nearest "
                f"{'is' if len(near) == 1 else 'are'} {' and '.join(repr(self.value(j)) for j in near)}"
            )
        return k


def as_log(log: object) -> bool:
    """Whether a range is logarithmic; a number in this place was meant as a step."""
    if isinstance(log, numbers.Real) and not isinstance(log, bool):
        raise TypeError(f"log must be True or False: got {short(log)}; a step is written step={short(log)}")
    return as_bool(log, "log")


def check_not_both(log: bool, step: float | None) -> None:
    """Refuse a step on a logarithmic range, where even steps are no even steps."""
    if log:
        raise ValueError(f"a step goes without log=True: got step={step!r} and log=True; drop one of them")


def check_step(low: int, high: int, step: int) -> None:
    """Refuse a step of whole numbers that is none, or that leaves nothing but `low`."""
    if step < 1:
        raise ValueError(f"step must be ≥ 1: got {short(step)}")
    if low < high < low + step:
        raise ValueError(
            f"step={short(step)} is larger than the range from {short(low)} to {short(high)}, and leaves only "
            f"{short(low)}; take a smaller step, or write the number itself, which is a constant"
        )


def check_on_step(i: int, low: int, step: int, count: int) -> None:
    """Refuse a whole number between two steps, or behind the last."""
    k, beside = divmod(i - low, step)
    if beside or k >= count:
        near = sorted({min(j, count - 1) for j in (k, k + 1)})
        raise ValueError(
            f"{short(i)} is not one of the steps from {short(low)} by {short(step)}; the nearest "
            f"{'is' if len(near) == 1 else 'are'} {' and '.join(short(low + j * step) for j in near)}"
        )


def shown(parameter: Any) -> str:
    """The repr of a parameter: its fields, but those that are None."""
    given = ((field.name, getattr(parameter, field.name)) for field in fields(parameter))
    words = ", ".join(f"{name}={value!r}" for name, value in given if value is not None)
    return f"{type(parameter).__name__}({words})"
