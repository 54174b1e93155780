"""What each trial of Optuna teaches: the values of its outputs, that it failed, or that it is under way.

A study of Optuna has an objective for each of its directions, and constraints, whose values are known after an
evaluation: at most 0 is allowed. Both are outputs, each with a name here. A trial that violates a constraint teaches
how far, and what its objectives are. One without values of constraints, because it was added by hand or another
sampler made it, violates none, as in Optuna, and teaches its objectives alone.

A pruned trial was given up because it did badly. It counts with the value that it would have come to, as far as
completed trials tell (pruned.py). Where too few of them had reported by its step, or where it has values of
constraints, its last intermediate value counts, but as no better than the median of the completed ones: a value of an
early step must not be taken for a good final one. If it reported none, it failed.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property

import numpy as np
from optuna.study import StudyDirection
from optuna.trial import FrozenTrial, TrialState

from suffice.accuracy.report import SolveReport
from suffice.belief import VALUE
from suffice.integrations.optuna.attributes import REPORT, Fit, fits_of, origin_of, report_from_plain
from suffice.integrations.optuna.pruned import outlooks
from suffice.study.early.curves import Curve
from suffice.study.early.outlook import Outlook
from suffice.study.options import Sense
from suffice.study.trial import Cause, Origin, State

CONSTRAINT = "constraint "  # before its name: an objective has another one then


def senses(directions: Sequence[StudyDirection]) -> dict[str, Sense]:
    """The objectives of a study by name: one is the value."""
    names = (VALUE,) if len(directions) == 1 else tuple(f"objective {i}" for i in range(len(directions)))
    maximized = [direction == StudyDirection.MAXIMIZE for direction in directions]
    return {name: "maximize" if up else "minimize" for name, up in zip(names, maximized, strict=True)}


@dataclass(frozen=True)
class Lesson:
    """What became of a trial, for the study that is searched."""

    state: State
    values: Mapping[str, float] | None = None  # of its outputs, by name
    feasible: bool | None = None  # whether it is known to violate no constraint, and has a value
    cause: Cause | None = None
    expected: float | None = None  # value of a pruned one …
    variance: float | None = None  # … and about it


PENDING, BROKEN = Lesson("pending"), Lesson("failed", cause="failed")


@dataclass(frozen=True, eq=False)
class Read:
    """What a trial says, read once; a finished trial never changes."""

    trial: FrozenTrial
    number: int
    under_way: bool
    values: Mapping[str, float] | None  # of the objectives, finite
    last: float | None  # intermediate value of a pruned trial
    curve: Curve  # of the intermediate values of the only objective, larger being better
    ended: datetime | None
    violations: Mapping[str, float]  # of constraints, by name; > 0 is violated
    feasible: bool
    origin: Origin
    report: SolveReport | None
    fits: Mapping[str, Fit]  # that were made for it, by output
    memo: dict[int, Outlook | None] = field(default_factory=dict, repr=False)  # what pruned.py has worked out

    @classmethod
    def of(cls, trial: FrozenTrial, directions: Sequence[StudyDirection]) -> "Read":
        attributes, violations, names = trial.system_attrs, _constraints(trial), senses(directions)
        values = None
        if trial.state == TrialState.COMPLETE and all(map(math.isfinite, trial.values)):
            values = dict(zip(names, trial.values, strict=True))
        last = None
        if trial.state == TrialState.PRUNED and trial.intermediate_values and len(names) == 1:
            reported = trial.intermediate_values[max(trial.intermediate_values)]
            last = reported if math.isfinite(reported) else None
        return cls(
            trial=trial,
            number=trial.number,
            under_way=not trial.state.is_finished(),
            values=values,
            last=last,
            curve=_curve(trial, names),
            ended=trial.datetime_complete,
            violations=violations,
            feasible=all(violation <= 0.0 for violation in violations.values()),
            origin=origin_of(attributes),
            report=report_from_plain(attributes.get(REPORT)),
            fits=fits_of(attributes),
        )

    @cached_property
    def limited(self) -> Mapping[str, float]:
        """The constrained outputs that are finite, by the names of outputs."""
        return {CONSTRAINT + name: c for name, c in self.violations.items() if math.isfinite(c)}

    @cached_property
    def alone(self) -> Lesson | None:
        """What it teaches whatever the others say; None if that depends on them."""
        if self.under_way:
            return PENDING
        if not self.feasible:
            beyond = any(c > 0.0 for c in self.limited.values())
            return Lesson("done", {**(self.values or {}), **self.limited}, feasible=False) if beyond else BROKEN
        if self.values is not None:
            return Lesson("done", {**self.values, **self.limited}, feasible=True)
        return BROKEN if self.last is None else None


def _curve(trial: FrozenTrial, names: Mapping[str, Sense]) -> Curve:
    """The intermediate values of a trial with one objective, and its value if it is complete."""
    if len(names) > 1:
        return Curve((), ())
    sign = 1.0 if next(iter(names.values())) == "maximize" else -1.0
    value = trial.value if trial.state == TrialState.COMPLETE else None
    return Curve.of(tuple(sorted(trial.intermediate_values.items())), sign, value)


def _constraints(trial: FrozenTrial) -> Mapping[str, float]:
    """Its constraints by name; before Optuna 5 a trial has only what `constraints_func` returned, in its attributes."""
    if hasattr(trial, "constraints"):
        return trial.constraints
    return {str(i): float(c) for i, c in enumerate(trial.system_attrs.get("constraints") or ())}


def lessons(reads: Sequence[Read], directions: Sequence[StudyDirection]) -> list[Lesson]:
    """What each trial teaches."""
    if all(read.alone is not None for read in reads):
        return [read.alone or BROKEN for read in reads]
    ((name, sense),) = senses(directions).items()  # of several objectives none is pruned
    completed = [read.values[name] for read in reads if read.values is not None and read.feasible]
    middle = float(np.median(completed)) if completed else None
    known, sign = outlooks(reads), 1.0 if sense == "maximize" else -1.0
    return [
        read.alone
        or _expected(known.get(read.number), sign)
        or _pruned(read, name, middle, max if sense == "minimize" else min)
        for read in reads
    ]


def _expected(outlook: Outlook | None, sign: float) -> Lesson | None:
    """What a pruned trial would have come to; None if too little is known."""
    if outlook is None:
        return None
    return Lesson("stopped", expected=sign * outlook.mean, variance=outlook.variance)


def _pruned(read: Read, name: str, middle: float | None, worse: Callable[[float, float], float]) -> Lesson:
    """No better than the middle of the completed ones; without any of these its value says nothing yet."""
    if read.last is None or (middle is None and not read.limited):
        return BROKEN
    if middle is None:
        return Lesson("done", read.limited, feasible=False)
    return Lesson("done", {name: worse(read.last, middle), **read.limited}, feasible=True)
