"""The trials of an Optuna study as the history of one of ours.

A study of Optuna has an objective for each of its directions, and constraints, whose values are known after an
evaluation: at most 0 is feasible. Both are outputs, each with a name here. What a trial teaches:

complete      its objectives, with the variances of their noise where a user attribute has them (attributes.py), and its
              constraints by how far they are violated. A trial without values of constraints, because it was added by
              hand or another sampler made it, violates none, as in Optuna.
pruned        the value that it would have come to, as for trials that this library stops early: its best intermediate
              value plus what completed trials gained on average from that step on, with the variance of such a gain
              (suffice.pruning.Outlook). Only trials that were complete when it was pruned count, so that what it
              teaches never changes. Where too few of them had reported by its step, or where it has values of
              constraints, its last intermediate value counts, but as no better than the median of the completed ones:
              a value of an early step must not be taken for a good final one. Without any value it failed.
running       that its point is pending.

Each number before the trial that is asked for has its place in the history, so that random streams and the initial
design continue by trial number, whoever asks: a trial outside the present space is a cancelled one at a random point,
of which nothing is learned.

The conditions under which a parameter is active are inferred from the trials: Optuna's objectives do not declare them.

n       int     trials that have parameters
P       int     parameters
codes   (n, P)  which of its values a parameter with few values has in a trial (suffice/space/conditions.py)

A trial that failed or is running may not have asked for a parameter yet. So only evaluated trials show absence: those
that are complete, and those that were pruned after they had reported a value.
"""

import math
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import cached_property
from operator import attrgetter
from typing import Any

import numpy as np
from optuna.distributions import BaseDistribution, CategoricalDistribution, FloatDistribution, IntDistribution
from optuna.study import StudyDirection
from optuna.trial import FrozenTrial, TrialState

from suffice.accuracy.report import SolveReport
from suffice.belief import VALUE
from suffice.integrations.optuna.attributes import (
    REPORT,
    Fit,
    fits_of,
    noise_of,
    origin_of,
    proposed_number,
    report_from_plain,
)
from suffice.integrations.optuna.space import Mapped, as_parameter
from suffice.pruning import Curve, Outlook, best
from suffice.record.history import History
from suffice.record.options import Direction
from suffice.record.outputs import AtMost, Limit
from suffice.record.settings import Settings
from suffice.record.trial import Origin, State, Trial
from suffice.space import conditions
from suffice.space.conditions import ABSENT, UNKNOWN, Whens
from suffice.space.parameters import Parameter
from suffice.streams import Streams
from suffice.types import Array


def objectives_of(directions: Sequence[StudyDirection]) -> dict[str, Direction]:
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
    expected: float | None = None  # value of a pruned trial …
    variance: float | None = None  # … and its variance


@dataclass(frozen=True, eq=False)
class Read:
    """What a trial says, read once; a finished trial never changes."""

    trial: FrozenTrial
    number: int
    pending: bool
    values: Mapping[str, float] | None  # of the objectives, finite
    noise: dict[str, float] | None  # known variances of the noise in them
    last: float | None  # intermediate value of a pruned trial
    curve: Curve  # of the intermediate values of the only objective, larger being better
    ended: datetime | None
    violations: Mapping[str, float]  # of constraints, by name; > 0 is violated
    feasible: bool
    origin: Origin
    report: SolveReport | None
    fits: Mapping[str, Fit]  # that were made for it, by output
    memo: dict[int, Outlook | None] = field(default_factory=dict, repr=False)  # outlook by complete trials before it

    @classmethod
    def of(cls, trial: FrozenTrial, directions: Sequence[StudyDirection]) -> "Read":
        attributes, violations, names = trial.system_attrs, _constraints(trial), objectives_of(directions)
        values, noise = None, None
        if trial.state == TrialState.COMPLETE and all(map(math.isfinite, trial.values)):
            values = dict(zip(names, trial.values, strict=True))
            noise = noise_of(trial.user_attrs, trial.number, tuple(names))
        last = None
        if trial.state == TrialState.PRUNED and trial.intermediate_values and len(names) == 1:
            reported = trial.intermediate_values[max(trial.intermediate_values)]
            last = reported if math.isfinite(reported) else None
        return cls(
            trial=trial,
            number=trial.number,
            pending=not trial.state.is_finished(),
            values=values,
            noise=noise,
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
        """The constrained outputs that are finite, by names that no objective has."""
        return {f"constraint {name}": c for name, c in self.violations.items() if math.isfinite(c)}

    @cached_property
    def alone(self) -> Lesson | None:
        """What it teaches whatever the others say; None if that depends on them."""
        if self.pending:
            return Lesson("pending")
        if not self.feasible:
            if not any(c > 0.0 for c in self.limited.values()):
                return Lesson("failed")
            return Lesson("done", {**(self.values or {}), **self.limited}, feasible=False)
        if self.values is not None:
            return Lesson("done", {**self.values, **self.limited}, feasible=True)
        return Lesson("failed") if self.last is None else None


def _curve(trial: FrozenTrial, names: Mapping[str, Direction]) -> Curve:
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
    alone = [read.alone for read in reads if read.alone is not None]
    if len(alone) == len(reads):
        return alone
    ((name, direction),) = objectives_of(directions).items()  # of several objectives none is pruned
    completed = [read.values[name] for read in reads if read.values is not None and read.feasible]
    middle = float(np.median(completed)) if completed else None
    known, sign = outlooks(reads), 1.0 if direction == "maximize" else -1.0
    return [read.alone or _pruned(read, known.get(read.number), sign, name, middle) for read in reads]


def outlooks(reads: Sequence[Read]) -> dict[int, Outlook]:
    """By number, for pruned trials of one objective, larger being better; not for those with too few before them."""
    ended = attrgetter("ended")
    complete = [read for read in reads if read.values is not None and read.feasible and read.ended and read.curve.steps]
    complete.sort(key=ended)
    times = list(map(ended, complete))
    found: dict[int, Outlook] = {}
    for read in reads:
        if read.last is None or not read.ended or read.limited:
            continue
        count = bisect_right(times, read.ended)
        if count not in read.memo:
            read.memo.clear()  # a trial came late into this storage
            read.memo[count] = _outlook(read, complete[:count])
        outlook = read.memo[count]
        if outlook is not None:
            found[read.number] = outlook
    return found


def _outlook(read: Read, before: Sequence[Read]) -> Outlook | None:
    step = read.curve.steps[-1]
    pairs = [(best(upto), other.curve.final) for other in before if (upto := other.curve.upto(step))]
    known = np.array([pair for pair in pairs if np.isfinite(pair[0])], dtype=float).reshape(-1, 2)
    return Outlook.of(best(read.curve.values), known[:, 0], known[:, 1])


def _pruned(read: Read, outlook: Outlook | None, sign: float, name: str, middle: float | None) -> Lesson:
    """What it would have come to; else no better than the median of the completed ones, if there are any."""
    if outlook is not None:
        return Lesson("pruned", expected=sign * outlook.mean, variance=outlook.variance)
    if read.last is None or (middle is None and not read.limited):
        return Lesson("failed")
    if middle is None:
        return Lesson("done", read.limited, feasible=False)
    worse = min if sign > 0 else max
    return Lesson("done", {name: worse(read.last, middle), **read.limited}, feasible=True)


@dataclass
class Rows:
    """The places of finished trials in one space, each converted once: this saves time and decides nothing."""

    mapped: Mapped
    known: dict[int, tuple[Read, Array | None]] = field(default_factory=dict)
    trials: dict[int, tuple[Read, Lesson, Trial]] = field(default_factory=dict)

    def fill(self, reads: Sequence[Read]) -> None:
        """Convert those that are not known, all at once."""
        new = [read for read in reads if not self._knows(read)]
        X, inside = self.mapped.rows([whole_point(read, self.mapped) for read in new])
        X.flags.writeable = False
        for read, row, has_a_place in zip(new, X, inside.tolist(), strict=True):
            self.known[read.number] = read, row if has_a_place else None

    def _knows(self, read: Read) -> bool:
        found = self.known.get(read.number)
        return found is not None and found[0] is read

    def at(self, read: Read) -> Array | None:
        """The place of a trial, (d,); None if it has none."""
        if not self._knows(read):
            self.fill([read])
        return self.known[read.number][1]

    def trial(self, read: Read, lesson: Lesson, objectives: tuple[str, ...]) -> Trial | None:
        """The trial as one of ours; None if it has no place in this space."""
        found = self.trials.get(read.number)
        if found is not None and found[0] is read and found[1] == lesson:
            return found[2]
        row = self.at(read)
        if row is None:
            return None
        made = Trial(
            read.number,
            point=read.trial.params,
            state=lesson.state,
            values=None if lesson.values is None else dict(lesson.values),
            cause="failed" if lesson.state == "failed" else None,
            expected=lesson.expected,
            noise_var=read.noise if lesson.variance is None else lesson.variance,
            solve=read.report,
            origin=read.origin,
            order=None if lesson.state == "pending" else read.number,
            unit=row,
            feasible=lesson.feasible,
            objectives=objectives,
        )
        if not read.pending:
            self.trials[read.number] = read, lesson, made
        return made


def whole_point(read: Read, mapped: Mapped) -> Mapping[str, Any]:
    """The values of a trial; of one that has not asked for all of them yet, the proposed ones too."""
    trial = read.trial
    if trial.state == TrialState.COMPLETE:
        return trial.params
    proposed = {name: proposed_number(trial.system_attrs, name) for name in mapped.distributions}
    fixed = trial.system_attrs.get("fixed_params", {})
    return {**mapped.restored(proposed), **fixed, **trial.params}


def history_of(
    settings: Settings,
    reads: Sequence[Read],
    told: Sequence[Lesson],
    rows: Rows,
    number: int,
    fits: Mapping[str, Fit],
) -> tuple[History, Mapping[str, Fit]]:
    """The history that the trial with this number is proposed for, and those of the fits whose trials come first in it.

    A model can be extended if the observations of its fit come before all others, in one order for all outputs. What
    is known only grows, so that the trials of an earlier fit are among those of a later one, unless two workers have
    read the storage while it changed; then the later of the two is left out.
    """
    found: dict[int, Trial] = {}
    for read, lesson in zip(reads, told, strict=True):
        trial = rows.trial(read, lesson, tuple(settings.objectives))
        if trial is not None:
            found[read.number] = trial
    trials = [found.get(i) or _nothing(settings, i) for i in range(number)]
    trials += [trial for i, trial in sorted(found.items()) if i > number]
    known = {trial.number: trial for trial in trials if trial.state == "done" or trial.expected is not None}
    first, kept = dict[int, Trial](), dict[str, Fit]()
    for name, fit in sorted(fits.items(), key=lambda fitted: len(fitted[1].numbers)):
        if first.keys() <= fit.numbers <= known.keys():
            first |= {i: known[i] for i in sorted(fit.numbers - first.keys())}
            kept[name] = fit
    known = {**first, **known}
    if first and any(trial.state == "pruned" for trial in known.values()):  # their place among the others is by `order`
        known = {i: replace(trial, order=place) for place, (i, trial) in enumerate(known.items())}
        trials = [known.get(trial.number, trial) for trial in trials]
    done = {i: trial for i, trial in known.items() if trial.state == "done"}
    pending = tuple(trial for trial in trials if trial.state == "pending")
    return History(settings, (), tuple(trials), tuple(done.values()), pending, len(trials) - len(pending)), kept


def limits_in(reads: Sequence[Read], told: Sequence[Lesson], rows: Rows) -> dict[str, Limit]:
    """What the constraints are that trials in this space have values of, by name; 0 is allowed."""
    found = {
        name
        for read, lesson in zip(reads, told, strict=True)
        if read.limited and lesson.state == "done" and rows.at(read) is not None
        for name in read.limited
    }
    return {name: AtMost(0.0) for name in sorted(found)}


def _nothing(settings: Settings, number: int) -> Trial:
    row = settings.space.sample(1, Streams(settings.seed)("independent", number))[0]
    return Trial(number, {}, state="cancelled", origin="design", order=number, unit=np.array(row))


# ---------------------------------------------------------------------- conditions


@dataclass
class Patterns:
    """What each trial has, as codes; finished trials are looked at once."""

    distributions: Mapping[str, BaseDistribution]
    known: dict[int, tuple[Read, tuple[int, ...]]] = field(default_factory=dict)

    @cached_property
    def parameters(self) -> dict[str, Parameter]:
        """The parameters of the distributions."""
        return {name: as_parameter(distribution) for name, distribution in self.distributions.items()}

    @cached_property
    def counts(self) -> dict[str, int]:
        """How many values each parameter has that may be a parent."""
        return conditions.countable(self.parameters)

    def of(self, read: Read) -> tuple[int, ...]:
        """The code of each parameter, (P,)."""
        found = self.known.get(read.number)
        if found is not None and found[0] is read:
            return found[1]
        params = read.trial.params
        row = tuple(
            ABSENT if name not in params else self._code(name, params[name], distribution)
            for name, distribution in self.distributions.items()
        )
        if not read.pending:
            self.known[read.number] = read, row
        return row

    def _code(self, name: str, value: Any, distribution: BaseDistribution) -> int:
        if name not in self.counts:
            return UNKNOWN
        code = code_of(distribution, value)
        return code if 0 <= code < self.counts[name] else UNKNOWN


def code_of(distribution: BaseDistribution, value: Any) -> int:
    """Which of the values it is, from 0; one of an earlier range may be none of them."""
    match distribution:
        case CategoricalDistribution():
            return int(distribution.to_internal_repr(value))
        case IntDistribution():
            return round((int(value) - distribution.low) / distribution.step)
        case FloatDistribution(step=float(step)):
            return round((float(value) - distribution.low) / step)
    return UNKNOWN


def inferred(reads: Sequence[Read], patterns: Patterns) -> Whens:
    """The conditions that explain which trials have which parameters."""
    kept = [read for read in reads if read.trial.params]
    shape = len(kept), len(patterns.distributions)
    codes = np.array([patterns.of(read) for read in kept], dtype=np.intp).reshape(shape)
    evaluated = np.array([_is_evaluated(read.trial) for read in kept], dtype=np.bool_)
    return conditions.inferred(patterns.parameters, codes, evaluated)


def _is_evaluated(trial: FrozenTrial) -> bool:
    return trial.state == TrialState.COMPLETE or (trial.state == TrialState.PRUNED and bool(trial.intermediate_values))


def conditional(distributions: Mapping[str, BaseDistribution], whens: Whens) -> Mapped:
    """The space with these conditions; without any if they make no sense together, as after a change of ranges."""
    try:
        return Mapped.of(distributions, whens)
    except ValueError:
        return Mapped.of(distributions)
