"""The trials of an Optuna study as the history of one of ours.

Each of the numbers before the trial that is asked for has its place in the history, so that the streams of randomness
and the initial design go on by trial number, whoever asks: a trial that says nothing about the present space is there
as a cancelled one at a random place, of which nothing is learned.
"""

import math
from bisect import bisect_right
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import cached_property
from itertools import combinations
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from optuna.distributions import BaseDistribution, CategoricalDistribution, FloatDistribution, IntDistribution
from optuna.study import StudyDirection
from optuna.trial import FrozenTrial, TrialState

from suffice.accuracy.report import SolveReport
from suffice.belief import VALUE
from suffice.integrations.optuna.attributes import REPORT, Fit, fits_of, origin_of, proposed_params, report_from_plain
from suffice.integrations.optuna.space import Mapped, as_parameter, options_of
from suffice.pruning import Curve, Outlook, best
from suffice.record.history import History
from suffice.record.options import Sense
from suffice.record.outputs import AtMost, Limit
from suffice.record.settings import Settings
from suffice.record.trial import Cause, Origin, State, Trial
from suffice.streams import Streams
from suffice.types import Array

#| -- integrations.optuna.pruned: What a pruned trial would have come to, by the trials that went on: as for trials
#| that this library stops early.
#|
#| Its best intermediate value, plus what completed trials gained on average from that step on, with the variance of
#| such a
#| gain (suffice/study/early/outlook.py). Only trials count that were complete when it was pruned: so what it teaches
#| never
#| changes, whoever reads the study and whenever.


def outlooks(reads: Sequence["Read"]) -> dict[int, Outlook]:
    """By number, for pruned trials of one objective, larger being better; not for those with too few before them."""
    complete = [read for read in reads if read.values is not None and read.feasible and read.ended and read.curve.steps]
    complete.sort(key=_ended)
    times = [_ended(read) for read in complete]
    found: dict[int, Outlook] = {}
    for read in reads:
        if read.last is None or not read.ended or read.limited:
            continue
        count = bisect_right(times, _ended(read))
        if count not in read.memo:
            read.memo.clear()  # a trial came late into this storage
            read.memo[count] = _outlook(read, complete[:count])
        outlook = read.memo[count]
        if outlook is not None:
            found[read.number] = outlook
    return found


def _outlook(read: "Read", before: Sequence["Read"]) -> Outlook | None:
    step = read.curve.steps[-1]
    pairs = [(best(upto), other.curve.final) for other in before if (upto := other.curve.upto(step))]
    known = np.array([pair for pair in pairs if np.isfinite(pair[0])], dtype=float).reshape(-1, 2)
    return Outlook.of(best(read.curve.values), known[:, 0], known[:, 1])


def _ended(read: "Read") -> Any:
    return read.ended


#| -- integrations.optuna.lessons: What each trial of Optuna teaches: the values of its outputs, that it failed, or
#| that it is under way.
#|
#| A study of Optuna has an objective for each of its directions, and constraints, whose values are known after an
#| evaluation: at most 0 is allowed. Both are outputs, each with a name here. A trial that violates a constraint
#| teaches
#| how far, and what its objectives are. One without values of constraints, because it was added by hand or another
#| sampler made it, violates none, as in Optuna, and teaches its objectives alone.
#|
#| A pruned trial was given up because it did badly. It counts with the value that it would have come to, as far as
#| completed trials tell (pruned.py). Where too few of them had reported by its step, or where it has values of
#| constraints, its last intermediate value counts, but as no better than the median of the completed ones: a value of
#| an
#| early step must not be taken for a good final one. If it reported none, it failed.

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
            cause=lesson.cause,
            expected=lesson.expected,
            noise_var=lesson.variance,
            solve=read.report,
            origin=read.origin,
            told=None if lesson.state == "pending" else read.number,
            unit=row,
            feasible=lesson.feasible,
            objectives=objectives,
        )
        if not read.under_way:
            self.trials[read.number] = read, lesson, made
        return made


def whole_point(read: Read, mapped: Mapped) -> Mapping[str, Any]:
    """The values of a trial; of one that has not asked for all of them yet, the proposed ones too."""
    trial = read.trial
    if trial.state == TrialState.COMPLETE:
        return trial.params
    fixed = trial.system_attrs.get("fixed_params", {})
    return {**proposed_params(trial.system_attrs, mapped.distributions), **fixed, **trial.params}


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
    if first and any(trial.state == "stopped" for trial in known.values()):  # their place among the others is by `told`
        known = {i: replace(trial, told=place) for place, (i, trial) in enumerate(known.items())}
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
    return Trial(number, {}, state="cancelled", origin="design", told=number, unit=np.array(row))


#| -- integrations.optuna.conditions: Which parameters decide whether another one is there: read off the trials, since
#| Optuna's objectives do not say.
#|
#| n       int     trials that have parameters
#| P       int     parameters
#| codes   (n, P)  which of its values a parameter with few values has in a trial; ABSENT, or UNKNOWN: there, any
#| value
#| A, B            the trials that have a parameter p; those that were evaluated and have it not
#|
#| A parent q explains p if every evaluated trial of A has q, and no value of q is found both in A and in B. Then p is
#| active with the values of q in A. If no parent alone explains p, two together may: then no trial of B has both of
#| their
#| values. What nothing explains has no condition: it is proposed always, and modelled in its middle where it is
#| absent.
#|
#| A trial that failed or is running may not have asked for p yet, so that only evaluated ones tell of absence: those
#| that
#| are complete, and those that were pruned after they had reported a value.

ABSENT, UNKNOWN = -1, -2
FEW = 64  # values of a parent: of more, each is seen too rarely to be told from chance
PAIRED = 12  # parents that are tried in pairs

Codes: TypeAlias = NDArray[np.intp]
Mask: TypeAlias = NDArray[np.bool_]
Whens: TypeAlias = dict[str, dict[str, tuple[Any, ...]]]


@dataclass
class Patterns:
    """What each trial has, as codes; finished trials are looked at once."""

    distributions: Mapping[str, BaseDistribution]
    known: dict[int, tuple[Read, tuple[int, ...]]] = field(default_factory=dict)
    counts: dict[str, float] = field(default_factory=dict)  # of the values of each parameter that may be a parent

    def __post_init__(self) -> None:
        for name, distribution in self.distributions.items():
            count = values_of(distribution)
            if count <= FEW:
                self.counts[name] = count

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
        if not read.under_way:
            self.known[read.number] = read, row
        return row

    def _code(self, name: str, value: Any, distribution: BaseDistribution) -> int:
        if name not in self.counts:
            return UNKNOWN
        code = code_of(distribution, value)
        return code if 0 <= code < self.counts[name] else UNKNOWN


def values_of(distribution: BaseDistribution) -> float:
    """How many values a parameter takes."""
    return float(as_parameter(distribution).size)


def code_of(distribution: BaseDistribution, value: Any) -> int:
    """Which of the values it is, from 0."""
    match distribution:
        case CategoricalDistribution():
            return int(distribution.to_internal_repr(value))
        case IntDistribution():
            return round((int(value) - distribution.low) / distribution.step)
        case FloatDistribution(step=float(step)):
            return round((float(value) - distribution.low) / step)
    return UNKNOWN


def value_at(distribution: BaseDistribution, code: int) -> Any:
    """The value with this code, as the parameter takes it."""
    if isinstance(distribution, CategoricalDistribution):
        return options_of(distribution)[code]
    parameter = as_parameter(distribution)
    return parameter.from_unit(parameter.members(np.array([code]))[0])


def inferred(reads: Sequence[Read], patterns: Patterns) -> Whens:
    """The conditions that explain which trials have which parameters."""
    names = list(patterns.distributions)
    kept = [read for read in reads if read.trial.params]
    codes = np.array([patterns.of(read) for read in kept], dtype=np.intp).reshape(len(kept), len(names))
    evaluated = np.array([_is_evaluated(read.trial) for read in kept], dtype=np.bool_)
    found: Whens = {}
    for p in np.flatnonzero((codes[evaluated] == ABSENT).any(axis=0)).tolist():
        when = _condition(p, codes, evaluated, patterns, names)
        if when:
            found[names[p]] = when
    return found


def _is_evaluated(trial: FrozenTrial) -> bool:
    return trial.state == TrialState.COMPLETE or (trial.state == TrialState.PRUNED and bool(trial.intermediate_values))


def _condition(p: int, codes: Codes, evaluated: Mask, patterns: Patterns, names: list[str]) -> dict[str, Any]:
    """The parents of parameter p, each with the values that p needs; {} if nothing explains it."""
    here = codes[:, p] != ABSENT
    A, B, sure = codes[here], codes[evaluated & ~here], codes[evaluated & here]
    if not len(sure):
        return {}
    parents = [q for q in range(len(names)) if q != p and names[q] in patterns.counts]
    parents = [q for q in parents if _before(q, p, codes[evaluated]) and not (sure[:, q] < 0).any()]
    meets = {q: np.isin(B[:, q], A[A[:, q] >= 0, q]) for q in parents}
    alone = [q for q in parents if not meets[q].any()]
    if alone:
        best: tuple[int, ...] = (max(alone, key=lambda q: _support(codes[:, q])),)
    else:
        likely = sorted(parents, key=lambda q: int(meets[q].sum()))[:PAIRED]
        pairs = [pair for pair in combinations(likely, 2) if not (meets[pair[0]] & meets[pair[1]]).any()]
        best = max(pairs, key=lambda pair: sum(_support(codes[:, q]) for q in pair), default=())
    return {names[q]: _values(A[:, q], B[:, q], names[q], patterns) for q in best}


def _before(q: int, p: int, codes: Codes) -> bool:
    """Whether q may be a parent of p: more trials have it, or as many, and it was met first. So no circle can arise."""
    has_q, has_p = (int((codes[:, i] != ABSENT).sum()) for i in (q, p))
    return has_q > has_p or (has_q == has_p and q < p)


def _support(column: Codes) -> int:
    """How often a value came again: each time, a condition on it could have been refuted."""
    counts = np.bincount(column[column >= 0])
    return int(np.maximum(counts - 1, 0).sum())


def _values(with_p: Codes, without: Codes, name: str, patterns: Patterns) -> tuple[Any, ...]:
    """The values of the parent with which p is active: those seen with it, and of numbers also those between and
    beyond, where the nearest one that was seen decides."""
    distribution, count = patterns.distributions[name], patterns.counts[name]
    active = set(np.unique(with_p[with_p >= 0]).tolist())
    chosen = set(active)
    if not isinstance(distribution, CategoricalDistribution):
        seen = active | {int(code) for code in np.unique(without) if code >= 0}
        for code in set(range(int(count))) - seen:
            distance = min(abs(code - other) for other in seen)
            if {code - distance, code + distance} & active:
                chosen.add(code)
    return tuple(value_at(distribution, code) for code in sorted(chosen))


def conditional(distributions: Mapping[str, BaseDistribution], whens: Whens) -> Mapped:
    """The space with these conditions; without any if they make no sense together, as after a change of ranges."""
    try:
        return Mapped.of(distributions, whens)
    except ValueError:
        return Mapped.of(distributions)
