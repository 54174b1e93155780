"""The record of a study: what happened, in order. Events are only ever added, so nothing that was known is lost.

The history of a study (history.py) is a fold over its events, and a journal (store/journal.py) keeps them.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from suffice.accuracy.report import SolveReport
from suffice.record.outputs import Limit, is_violated
from suffice.record.settings import Settings
from suffice.record.trial import Cause, Origin
from suffice.space import SearchSpace
from suffice.types import Array

LONGEST = 200  # letters of a reason: a line that is to be read
WHOLE = 100_000  # letters of a traceback that are kept: a message may hold the whole log of a compiler


@dataclass(frozen=True)
class Started:
    """The study began, made of these settings."""

    settings: Settings
    notes: tuple[str, ...] = ()  # what the user should know before anything is evaluated


@dataclass(frozen=True, eq=False)
class Asked:
    """A point was proposed, or (origin "foreign") came from outside; it is pending until one of the events below."""

    number: int
    point: Any  # in the user's units: the fact
    origin: Origin
    unit: Array = field(repr=False)  # (d,): its place in the unit cube, which follows from the point
    report: SolveReport | None = None
    fixed: Mapping[str, Any] | None = None  # values that were given with the ask, by name: the others were looked for


@dataclass(frozen=True)
class Told:
    """The evaluation gave finite values, in the user's units and sense: all of them, unless a limit is violated."""

    number: int
    values: Mapping[str, float]
    noise_var: float | Mapping[str, float] | None = None  # of the only objective, or by the name of the output
    seconds: float | None = None


@dataclass(frozen=True)
class Failed:
    """The evaluation gave nothing that can be used."""

    number: int
    reason: str  # one line
    cause: Cause = "failed"
    seconds: float | None = None
    traceback: str | None = None


@dataclass(frozen=True, slots=True)
class Reported:
    """The evaluation has come to a step, and this is its value there, in the user's units and sense."""

    number: int
    step: int
    value: float


@dataclass(frozen=True)
class Stopped:
    """The evaluation was ended early, because of what it had reported."""

    number: int
    expected: float | None = None  # the final value that is believed, in the user's units and sense; None: not known
    variance: float | None = None  # of the final value about it
    seconds: float | None = None


@dataclass(frozen=True)
class Cancelled:
    """The evaluation will not be made; nothing was learned."""

    number: int
    reason: str


Event: TypeAlias = Started | Asked | Reported | Told | Failed | Stopped | Cancelled


def asked(
    number: int,
    point: Any,
    origin: Origin,
    space: SearchSpace,
    report: SolveReport | None = None,
    fixed: Mapping[str, Any] | None = None,
    at: Array | None = None,
) -> Asked:
    """The event of a proposal. Its place in the cube is derived from the point, as it will be after a resume.

    at    the place itself, where a file has it: that of a point that is not made of parameters
    """
    unit = space.to_unit(point) if at is None else at
    unit.flags.writeable = False
    return Asked(number, point, origin, unit, report, fixed)


def told(
    number: int,
    values: Mapping[str, float],
    noise: float | Mapping[str, float] | None,
    seconds: float | None,
    constraints: Mapping[str, Limit] | None = None,
) -> Told | Failed:
    """The event of a telling: values that are not finite say that the evaluation failed.

    Where a constraint is violated, others may be missing: a design that breaks has no weight worth knowing.
    """
    known = {name: value for name, value in values.items() if math.isfinite(value)}
    bad = [(name, value) for name, value in values.items() if name not in known]
    if not bad or is_violated(known, constraints or {}):
        return Told(number, known, noise, seconds)
    name, value = bad[0]
    if math.isnan(value):  # of several outputs, what was left out is nan as well
        return Failed(number, "the value was nan" if len(values) == 1 else f"{name} was missing or nan", "nan", seconds)
    return Failed(number, f"{'the value' if len(values) == 1 else name} was {value}", "inf", seconds)


def failed(
    number: int, reason: str, cause: Cause = "failed", seconds: float | None = None, traceback: str | None = None
) -> Failed:
    """The event of a failure: its reason is one line, and a longer text is kept as the traceback."""
    line = in_a_line(reason)
    text = reason if traceback is None and line != reason.strip() else traceback
    if text is not None and len(text) > WHOLE:
        left_out = f"\n... {len(text) - WHOLE} letters are left out ...\n"
        text = text[: WHOLE // 2] + left_out + text[-WHOLE // 2 :]
    return Failed(number, line, cause, seconds, text)


def in_a_line(text: str) -> str:
    """A text in one line that is not too long; of a traceback only the exception."""
    lines = text.strip().splitlines()
    calls = [i for i, line in enumerate(lines) if line.startswith("  File ")]
    if calls:  # the lines of the call itself are indented, the exception that ended it is not
        after = lines[calls[-1] + 1 :]
        lines = after[next((i for i, line in enumerate(after) if not line.startswith(" ")), 0) :]
    line = " ".join(part.strip() for part in lines if part.strip())
    return line if len(line) <= LONGEST else line[: LONGEST - 3] + "..."
