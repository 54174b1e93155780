"""Real numbers in a range.

v   float  a value in the user's units        u   (width,)     its column, in [0, 1]
W   float  log(high/low)                      U   (m, width)   many of them
"""

import difflib
import inspect
import math
import numbers
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from fractions import Fraction
from functools import cached_property
from typing import Any, ClassVar, TypeAlias, TypeGuard

import numpy as np

from suffice.checks import (
    ROUNDING,
    as_bool,
    as_float,
    as_inside,
    as_int,
    check_inside,
    check_order,
    nearly_whole,
    short,
)
from suffice.space.choices import FINEST, Choice, Lattice, Ordinal, as_when, cell_of, is_hashable
from suffice.types import Array, Indices, Kind

#| -- space.stepped: Steps: low, low + step, low + 2 step, … up to high, as a user would type them: 0.15, not
#| 0.15000000000000002.
#|
#| r   Fraction  (high − low)/step          k   int   the place of a number, 0 … count − 1
#|
#| What a user types is a decimal, and the float is the nearest to it. So each bound stands for the shortest decimal
#| that
#| is read as it, the arithmetic is exact, and its result is rounded once.


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


#| -- space.int: Whole numbers in a range.
#|
#| i   int    a value in the user's units        u   (width,)     its column, in [0, 1]
#| L   int    number of integers                 U   (m, width)   many of them
#| k   int    an integer's place, (i − low)/step: 0 … L − 1

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


#| -- space.parameters: What a parameter may be. It does not know its name; `Space` puts the name in front of every
#| message of its.

Parameter: TypeAlias = Float | Int | Choice | Ordinal
Listed: TypeAlias = Choice | Ordinal  # a parameter that takes one of the options that were given

__all__ = ["Choice", "Float", "Int", "Listed", "Ordinal", "Parameter"]


#| -- space.naming: Names of parameters in messages.


class about:  # noqa: N801  # reads as a word: `with about(name):`
    """Put the parameter's name in front of a message. (A generator would take as long as what it is wrapped around.)"""

    __slots__ = ("name",)

    def __init__(self, name: str) -> None:
        self.name = name

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: object) -> None:
        if isinstance(error, TypeError | ValueError):
            named = TypeError if isinstance(error, TypeError) else ValueError
            raise named(f"parameter {self.name!r}: {error}") from None


def listed(names: Sequence[object]) -> str:
    """A few names, and how many there are."""
    more = f", … ({len(names)} names)" if len(names) > 8 else ""
    return ", ".join(map(repr, names[:8])) + more


def nearest_name(word: object, known: Iterable[str]) -> str:
    """What may have been meant by a name that is not known."""
    names = list(known)
    near = difflib.get_close_matches(word, names, 1) if isinstance(word, str) else []
    return "".join(f"did you mean {name!r}? " for name in near) + f"the names are {listed(names)}"


#| -- space.pairs: What stands for a parameter without its class: a pair of bounds, or a single value, which is a
#| constant.

# What other libraries call the ends of a range, a draw from it and its options: an object that has one is no constant.
FOREIGN = ("low", "high", "rvs", "choices", "categories", "dtype", "sample")


def is_pair(given: object) -> TypeGuard[Sequence[Any]]:
    """Two things that may be bounds; two strings were meant as options."""
    if isinstance(given, np.ndarray):
        return bool(given.shape == (2,))
    return isinstance(given, list | tuple) and len(given) == 2 and not any(isinstance(bound, str) for bound in given)


def is_whole(bound: object) -> bool:
    """Whether a bound is written as a whole number: 1, not 1.0."""
    return isinstance(bound, numbers.Integral) and not isinstance(bound, bool | np.bool_)


def constant(given: Any) -> Choice:
    """A parameter with one value: a choice of one option, which takes no column."""
    if inspect.isroutine(given):
        raise TypeError(
            f"a function is no constant: got {short(given)}; a constraint is written Space(parameters, "
            "where=function), a constant function Choice(function)"
        )
    if isinstance(given, list | tuple | set | frozenset | range | np.ndarray):
        raise TypeError(
            f"wanted a parameter, a pair (low, high) or a constant: got {short(given)}; options are written "
            "Choice('a', 'b'), those with an order Ordinal(1, 2, 5), whole numbers Int(low, high, step=2), a "
            "logarithmic range Float(low, high, log=True), a constant sequence Choice((1, 2, 3))"
        )
    plain = isinstance(given, numbers.Number | str | bytes | np.generic) or given is None
    foreign = not plain and any(hasattr(given, name) for name in FOREIGN)
    if isinstance(given, type) or foreign or not is_hashable(given):
        raise TypeError(
            f"wanted Float, Int, Choice, Ordinal, a pair (low, high) or a constant: got {short(given)} of type "
            f"{type(given).__name__}; write it as one of these, such as Float(0, 1) or Choice('a', 'b')"
        )
    return Choice(given)
