"""What a user may pass as a number: any real number but no bool; plain Python types come out.

`what` names the argument in the message; the parameter's name is put in front by `Space`.
"""

import math
import numbers
import reprlib
from collections.abc import Callable
from dataclasses import MISSING
from datetime import date, timedelta
from typing import Any

import numpy as np

RESOLUTION = 1e-9  # of prior deviations, weights, lengths and volumes: finer differences count as none
NOTHING = 1e-6  # of the spread of scores or of values: a smaller difference is none
DIGITS = 4300  # of an integer: beyond, Python neither writes it as text nor reads it
TOO_LARGE = 10**DIGITS
ROUNDING = 5e-9  # half a unit of the ninth digit: a spreadsheet may keep no more of a number


def as_real(value: object, what: str) -> float:
    """A float, which may be infinite or nan."""
    if type(value) is float:  # nearly always, and many times for each trial that is read from a file
        return value
    # numpy registers its number types as Real, and a duration among them
    if isinstance(value, bool | np.timedelta64) or not isinstance(value, numbers.Real):
        raise TypeError(f"{what} must be a number: got {short(value)} of type {type(value).__name__}{of_time(value)}")
    try:
        return float(value)
    except OverflowError:  # an integer beyond float64
        return math.inf if value > 0 else -math.inf  # type: ignore[operator]


def of_time(value: object) -> str:
    """What to write instead of a duration or a date; "" for anything else."""
    if isinstance(value, np.timedelta64 | timedelta):
        return "; in seconds it is value / np.timedelta64(1, 's'), or value.total_seconds()"
    if isinstance(value, np.datetime64 | date):
        return "; seconds since a date are (value - start) / np.timedelta64(1, 's')"
    return ""


def as_float(value: object, what: str) -> float:
    """A finite float."""
    number = as_real(value, what)
    if not math.isfinite(number):
        raise ValueError(f"{what} must be finite in float64: got {short(value)}")
    return number


def as_int(value: object, what: str) -> int:
    """An int, exact at any size; a float with a whole value is one too."""
    if isinstance(value, numbers.Integral) and not isinstance(value, bool | np.timedelta64):
        check_digits(value, what)
        return int(value)
    number = as_float(value, what)
    if not number.is_integer():
        raise ValueError(f"{what} must be a whole number: got {short(value)}")
    return int(number)


def check_digits(value: object, what: str) -> None:
    """Refuse an integer, also within a tuple, that no file and no message could have."""
    if isinstance(value, tuple):
        for item in value:
            check_digits(item, what)
    elif isinstance(value, int) and abs(value) >= TOO_LARGE:
        raise ValueError(
            f"{what} must have at most {DIGITS} digits, because longer integers cannot be stored: got an integer of "
            f"{value.bit_length()} bits; use a smaller one"
        )


def nearly_whole(value: object) -> object:
    """The whole number that a float is a rounding error beside; anything else as it is."""
    if not isinstance(value, float | np.floating) or not math.isfinite(value):
        return value
    whole = round(float(value))
    return whole if abs(float(value) - whole) <= ROUNDING else value


def as_count(value: object, what: str, least: int, wanted: str = "") -> int:
    """A whole number, at least `least`; a float is none, even a whole one. `wanted` says in words which ones are."""
    check_digits(value, what)
    if isinstance(value, bool | np.timedelta64) or not isinstance(value, numbers.Integral) or value < least:
        raise ValueError(f"{what} must be {wanted or f'a whole number ≥ {least}'}: got {short(value)}")
    return int(value)


def as_bool(value: object, what: str) -> bool:
    """A bool, nothing that merely counts as one."""
    if not isinstance(value, bool | np.bool_):
        raise TypeError(f"{what} must be True or False: got {short(value)} of type {type(value).__name__}")
    return bool(value)


def as_seconds(seconds: object, name: str = "seconds") -> float | None:
    """A finite duration ≥ 0, or None."""
    if seconds is None:
        return None
    is_number = isinstance(seconds, numbers.Real) and not isinstance(seconds, bool | np.timedelta64)
    number = float(seconds) if is_number else math.nan  # type: ignore[arg-type]
    if not (math.isfinite(number) and number >= 0):
        raise ValueError(f"{name} must be a finite number of seconds ≥ 0, or None: got {seconds!r}{of_time(seconds)}")
    return number


def as_number(given: object, what: str, wanted: str, allowed: Callable[[float], bool], hint: str = "") -> float | None:
    """A finite float that is allowed, or None; `wanted` says in words which ones are."""
    if given is None:
        return None
    number = as_real(given, what)
    if not (math.isfinite(number) and allowed(number)):
        raise ValueError(f"{what} must be {wanted}: got {given!r}{hint}")
    return number


def check_order(low: float, high: float) -> None:
    """Refuse reversed bounds; equal ones are a constant."""
    if low > high:
        raise ValueError(f"low must not exceed high: got low={short(low)}, high={short(high)}; swap them")


def check_inside(value: float, low: float, high: float) -> None:
    """Refuse a value outside its bounds."""
    if not low <= value <= high:
        raise ValueError(f"{short(value)} is outside the bounds [{short(low)}, {short(high)}]")


def as_inside(value: float, low: float, high: float, log: bool = False) -> float:
    """The value, or the bound that it oversteps by no more than a rounding error; else it is refused.

    The error is relative to the range, on a log scale and where the range is a single number to the bound.
    """
    inside = min(max(value, low), high)
    slack = ROUNDING * abs(inside) if log or low == high else ROUNDING * high - ROUNDING * low
    if not abs(value - inside) <= slack:
        check_inside(value, low, high)
    return inside


class Converted:
    """A field of a frozen dataclass that holds what a function makes of the value that was given."""

    def __init__(self, convert: Callable[[Any], Any], default: Any) -> None:
        self.convert, self.default = convert, default

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    def __get__(self, instance: Any, owner: type | None = None) -> Any:
        if instance is not None:
            return instance.__dict__[self.name]
        if self.default is MISSING:  # `dataclass` asks for it, and takes this for none
            raise AttributeError(self.name)
        return self.default

    def __set__(self, instance: Any, value: Any) -> None:
        instance.__dict__[self.name] = self.convert(value)


def converted(convert: Callable[[Any], Any], default: Any = MISSING) -> Any:
    """The default of such a field; `Any`, so that the field has the type it is annotated with."""
    return Converted(convert, default)


class Own(Converted):
    """A field that is handed out as the caller's own copy: who takes a dict apart does not change the record.

    empty    what makes the value where None is given
    """

    def __init__(self, default: Any = MISSING, empty: Callable[[], Any] = lambda: None) -> None:
        super().__init__(lambda value: empty() if value is None else value, default)

    def __get__(self, instance: Any, owner: type | None = None) -> Any:
        kept = super().__get__(instance, owner)
        return kept.copy() if isinstance(kept, dict | list) else kept  # arrays are read-only


def short(value: object) -> str:
    """A repr of bounded length."""
    return reprlib.repr(value)
