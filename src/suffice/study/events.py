"""The record of a study: what happened, in order. Events are only ever added, so nothing that was known is lost.

The history of a study (history.py) is a fold over its events, and a journal (store/journal.py) keeps them.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

from suffice.accuracy.report import SolveReport
from suffice.space import Space
from suffice.study.settings import Settings
from suffice.study.trial import Origin
from suffice.types import Array

Cause: TypeAlias = Literal["failed", "nan", "inf"]  # the caller said so; the value was not a number, or infinite


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


@dataclass(frozen=True)
class Told:
    """The evaluation gave finite values, in the user's units and sense."""

    number: int
    values: Mapping[str, float]
    noise_var: float | None = None
    seconds: float | None = None


@dataclass(frozen=True)
class Failed:
    """The evaluation gave nothing that can be used."""

    number: int
    reason: str
    cause: Cause = "failed"
    seconds: float | None = None


@dataclass(frozen=True)
class Cancelled:
    """The evaluation will not be made; nothing was learned."""

    number: int
    reason: str


Event: TypeAlias = Started | Asked | Told | Failed | Cancelled


def asked(number: int, point: Any, origin: Origin, space: Space, report: SolveReport | None = None) -> Asked:
    """The event of a proposal. Its place in the cube is derived from the point, as it will be after a resume."""
    unit = space.to_unit(point)
    unit.flags.writeable = False
    return Asked(number, point, origin, unit, report)
