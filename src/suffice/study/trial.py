"""One evaluation: asked for, then told, failed or cancelled. A Trial never changes; its successor replaces it."""

import math
from dataclasses import dataclass, field
from decimal import Decimal
from numbers import Real
from typing import Any, Literal, TypeAlias

import numpy as np

from suffice.accuracy.report import SolveReport
from suffice.space import Choice, Space
from suffice.types import Array

State: TypeAlias = Literal["pending", "done", "failed", "cancelled"]
Origin: TypeAlias = Literal["given", "design", "model", "foreign"]


@dataclass(frozen=True, eq=False)
class Trial:
    """A point of the space and what became of it."""

    number: int
    point: Any  # ndarray or dict, as the space
    state: State = "pending"
    value: float | None = None  # in the user's units and sense
    reason: str | None = None  # why it failed or was cancelled
    seconds: float | None = None  # how long the evaluation took, where known
    noise_var: float | None = None  # known variance of the noise in value
    solve: SolveReport | None = field(default=None, repr=False)  # None for points that no model proposed
    origin: Origin = "model"
    told: int | None = field(default=None, repr=False)  # its place in the order of tellings; None while pending
    x: Array = field(default_factory=lambda: np.empty(0), repr=False)  # (d,): the point in the unit cube


def as_point(point: Any, space: Space) -> Any:
    """A user's point in plain types. Its numbers stay as they are: a trip through the cube would round them."""
    there = space.from_unit(space.to_unit(point))
    if isinstance(there, np.ndarray):
        return np.array(point, dtype=float)
    choices = {name for name, parameter in space.params.items() if isinstance(parameter, Choice)}
    return {name: value if name in choices else type(value)(point[name]) for name, value in there.items()}


def as_value(value: object) -> float:
    """A real number from what an objective returned: a real scalar or an array of one; TypeError for the rest."""
    try:
        number = _number(value)
    except Exception as error:  # a tensor that requires grad, for one, refuses to become an array
        raise TypeError(f"{_wanted(value)}; it could not be turned into a number: {error!r}") from error
    if number is None:
        raise TypeError(f"{_wanted(value)}; return a float (nan says that the evaluation failed)")
    return number


def _number(value: Any) -> float | None:
    """The real number; None if it is none. What the value itself raises comes out."""
    if np.ma.is_masked(value):
        return math.nan  # the number behind a mask is an arbitrary one
    if isinstance(value, np.ndarray | np.generic) and value.size == 1:
        value = value.item()
    elif not isinstance(value, np.ndarray | np.generic) and hasattr(value, "__array__"):
        array = np.asarray(value)
        value = array.item() if array.size == 1 else value
    if not isinstance(value, Real | Decimal):
        return None
    try:
        return float(value)
    except OverflowError:  # an int beyond 1e308
        return math.inf if value > 0 else -math.inf  # type: ignore[operator]
    except ValueError:  # a signalling NaN
        return math.nan


def _wanted(value: object) -> str:
    try:
        shown = repr(value)
    except Exception:
        shown = "(it cannot be shown)"
    shown = shown if len(shown) <= 80 else shown[:77] + "..."
    return f"the objective's value must be one real number: got {type(value).__name__} {shown}"


def as_noise(noise_var: object) -> float | None:
    """A known noise variance, or None."""
    if noise_var is None:
        return None
    variance = as_value(noise_var)
    if not (math.isfinite(variance) and variance >= 0):
        raise ValueError(f"noise_var must be a finite variance ≥ 0: got {variance!r}; leave it out if unknown")
    return variance


def as_count(value: object, name: str, least: int) -> int:
    """A whole number, at least `least`."""
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < least:
        raise ValueError(f"{name} must be a whole number ≥ {least}: got {value!r}")
    return int(value)
