"""One evaluation, a trial, and the events that make it: asked for, then observed, failed, stopped or cancelled.

The record of a study is the list of its events. They are only ever added, so nothing that was known is lost: a journal
(store/journal.py) keeps them, and the history of the study (history.py) follows from them. A trial never changes; its
successor replaces it.
"""

import math
import time
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, get_args

import numpy as np

from suffice.accuracy.report import IN_WORDS, SolveReport
from suffice.aliases import of_trial
from suffice.belief import VALUE
from suffice.checks import Own, check_digits
from suffice.record.outputs import Limit, is_violated
from suffice.record.settings import Settings
from suffice.space import OpenSpace, SearchSpace
from suffice.text import LONG, block, facts, short_point, table, visible
from suffice.types import Array

State: TypeAlias = Literal["pending", "done", "failed", "cancelled", "pruned"]
Origin: TypeAlias = Literal["given", "design", "model", "foreign", "polish"]
Cause: TypeAlias = Literal["raised", "nan", "inf", "infeasible", "crashed", "timed out", "failed"]

LONGEST = 200  # letters of a reason: a line that is to be read
WHOLE = 100_000  # letters of a traceback that are kept: a message may hold the whole log of a compiler
EVALUATED: tuple[State, ...] = ("done", "failed", "pruned")  # what counts towards the number of trials


@dataclass(frozen=True, eq=False)
class Trial:
    """One evaluation: a point, and its outcome once it is known.

    `Optimizer.ask` returns it; evaluate the objective at `point`. A trial is immutable: `tell` returns an updated one,
    and `Optimizer.trials` and `Result.trials` hold the current ones.

    Attributes
    ----------
    number : int
        Its number in the order of asking, from 0.
    point : ndarray, dict or list
        The point to evaluate; a copy that you may change.
    state : {'pending', 'done', 'failed', 'cancelled', 'pruned'}
        Its state; "pruned" if its evaluation was ended early because of its reports.
    values : dict or None
        The outputs by name, in the user's units and sign: objectives and constrained outputs; None without a value. If
        a constraint is violated, others may be missing.
    reason : str or None
        Why it failed or was cancelled, in one line.
    cause : str or None
        The cause of a failure in one word: it raised an exception ("raised"); it returned "nan" or "inf"; the objective
        reported an infeasible point ("infeasible"); its process died ("crashed"); it took too long ("timed out"); the
        caller reported a failure ("failed").
    seconds : float or None
        How long the evaluation took, if known.
    noise_var : float, dict or None
        The variance of the noise in the value, if known; a dict by name for several outputs.
    solve : SolveReport or None
        How well the acquisition function was maximized; None for points that no model proposed.
    origin : {'given', 'design', 'model', 'foreign', 'polish'}
        Where the point comes from: x0, the initial design, the model, an evaluation without an ask, or a local search
        around the best point.
    order : int or None
        The position of its outcome among the outcomes of all trials; None while pending.
    fixed : dict or None
        The values that were fixed in the ask.
    unit : ndarray
        The point in the unit cube, (d,).
    traceback : str or None
        The traceback of the exception, if it raised one.
    feasible : bool or None
        Whether the measured values satisfy every constraint; None without constraints.
    objectives : tuple of str
        The names of the objectives.
    reports : tuple of (int, float)
        The intermediate values that the evaluation reported: steps and values, in the user's units and sign.
    expected : float or None
        The expected final value of a pruned trial, from which the model learns; its variance is `noise_var`. None if
        too few finished trials have reached that step.
    note : str or None
        Your note about it.
    attributes : dict
        Your attributes by name: numbers, texts, paths of files. The model ignores them.
    """

    number: int
    point: Any = Own()
    state: State = "pending"
    values: Any = Own(None)
    reason: str | None = None
    cause: Cause | None = None
    seconds: float | None = None
    noise_var: Any = Own(None)
    solve: SolveReport | None = field(default=None, repr=False)
    origin: Origin = "model"
    order: int | None = field(default=None, repr=False)
    fixed: Any = Own(None)
    unit: Array = field(default_factory=lambda: np.empty(0), repr=False)
    traceback: str | None = field(default=None, repr=False)
    feasible: bool | None = None
    objectives: tuple[str, ...] = field(default=(VALUE,), repr=False)
    reports: tuple[tuple[int, float], ...] = field(default=(), repr=False)
    expected: float | None = field(default=None, repr=False)
    note: str | None = None
    attributes: Any = Own(None, dict)

    @property
    def value(self) -> float | None:
        """The value of the only objective; None while there is none."""
        values: dict[str, float] | None = self.__dict__["values"]  # not a copy: this is asked a thousand times
        if len(self.objectives) > 1:
            raise AttributeError("value")  # for which __getattr__ has the words
        return None if values is None else values.get(self.objectives[0])

    if not TYPE_CHECKING:  # a checker is to find them itself

        def __getattr__(self, name):
            """What is not there is refused, with what it is called here."""
            raise AttributeError(f"a trial has no {name!r}: {of_trial(name, [*self.__dataclass_fields__, 'value'])}")

    def _repr_html_(self) -> str:
        """For notebooks: its point, what became of it, and how well it was searched for."""
        return trial_html(self)

    def __repr__(self) -> str:
        said = [f"number={self.number}", f"point={short_point(self.point)}", f"state={self.state!r}"]
        if self.values is not None:
            single = tuple(self.values) == self.objectives and len(self.objectives) == 1
            said.append(f"value={self.value!r}" if single else f"values={self.values!r}")
        if self.feasible is False:
            said.append("feasible=False")
        if self.solve is not None and self.solve.kind in IN_WORDS:
            said.append(f"solve.kind={self.solve.kind!r}")
        if self.reports:
            said.append(f"reports=({len(self.reports)} up to step {self.reports[-1][0]})")
        words = {name: getattr(self, name) for name in ("cause", "reason", "seconds", "note")}
        words["attributes"] = self.attributes or None
        said += [f"{name}={visible(repr(value), 300)}" for name, value in words.items() if value is not None]
        return f"Trial({', '.join(said)})"


def as_cause(cause: Any) -> Cause:
    """Why an evaluation gave nothing, in one of the words for it."""
    if cause not in get_args(Cause):
        raise ValueError(f"cause must be one of {', '.join(map(repr, get_args(Cause)))}: got {cause!r}")
    found: Cause = cause
    return found


def noise_of(trial: Trial, name: str) -> float:
    """The known variance of the noise in one output of a trial; nan where it is not known."""
    known = trial.noise_var
    if isinstance(known, dict):
        return float(known.get(name, math.nan))
    return math.nan if known is None or name not in trial.objectives else float(known)


def observed_value(trial: Trial) -> Any:
    """The values of a trial as `tell` takes them: a number if there is one output, else all of them by name."""
    values: dict[str, float] = trial.values
    return next(iter(values.values())) if tuple(values) == trial.objectives and len(values) == 1 else values


def own(point: Any) -> Any:
    """A point that the caller may change: an array of the record is read-only."""
    return point.copy() if isinstance(point, np.ndarray) else point


def read_only(point: Any) -> Any:
    """A point as the record holds it."""
    if isinstance(point, np.ndarray):
        point.flags.writeable = False
    return point


def trial_html(trial: Trial) -> str:
    """One evaluation: its point, what became of it, and how well it was searched for."""
    known = trial.values or {}
    single = tuple(known) == trial.objectives and len(known) == 1
    pairs = [("value" if single else visible(name), shown_value(value)) for name, value in known.items()]
    if trial.feasible is False:
        pairs.append(("constraints", "infeasible"))
    words = ((name, getattr(trial, name)) for name in ("cause", "reason", "note", "origin"))
    pairs += [(name, visible(said, LONG)) for name, said in words if said]
    pairs += [(visible(name), visible(repr(value), LONG)) for name, value in trial.attributes.items()]
    if trial.solve is not None and trial.solve.kind in IN_WORDS:
        pairs.append(("step", trial.solve.purpose))
    if trial.seconds is not None:
        pairs.append(("seconds", f"{trial.seconds:.3g}"))
    if trial.solve is not None and trial.solve.p_feasible is not None:
        pairs.append(("probability of being feasible", f"{trial.solve.p_feasible:.2g}"))
    if trial.solve is not None and trial.solve.relative_gap is not None:
        pairs.append(("relative gap", f"{trial.solve.relative_gap:.2g}"))
    return block(f"Trial {trial.number}: {trial.state}", table((), point_rows(trial.point)), facts(pairs))


def point_rows(point: Any) -> Iterator[tuple[str, str]]:
    """The values of a point, a row each."""
    if isinstance(point, Mapping):
        yield from ((name, shown_value(value)) for name, value in point.items())
    elif isinstance(point, list) or (isinstance(point, np.ndarray) and point.ndim == 1):
        yield from ((f"x[{j}]", shown_value(value)) for j, value in enumerate(point))
    else:
        yield "point", short_point(point)


def shown_value(value: Any) -> str:
    return f"{value:.6g}" if isinstance(value, float) else repr(value)


# ---------------------------------------------------------------------- events


@dataclass(frozen=True)
class Started:
    """The study began, made of these settings."""

    settings: Settings
    notes: tuple[str, ...] = ()  # what the user should know before anything is evaluated


@dataclass(frozen=True)
class Basis:
    """What was known when a point of a shared study was proposed; elsewhere that is all that comes before it.

    Workers tell values while another one proposes, so these may stand before a proposal that did not know them. It knew
    the first so many outcomes of the record, and all earlier trials.
    """

    outcomes: int
    place: int = 0  # among the points that were asked for together
    size: int = 1  # how many these are


@dataclass(frozen=True, eq=False)
class Asked:
    """A point was proposed, or (origin "foreign") came from outside; it is pending until one of the events below."""

    number: int
    point: Any  # in the user's units: the fact
    origin: Origin
    unit: Array = field(repr=False)  # (d,): its place in the unit cube, which follows from the point
    report: SolveReport | None = None
    fixed: Mapping[str, Any] | None = None  # values that were given with the ask, by name: the others were looked for
    basis: Basis | None = None  # None: it knew everything before it
    clock: float | None = field(default=None, compare=False)  # seconds since 1970 at which a file got it


@dataclass(frozen=True, eq=False)
class Defined:
    """The evaluation asked for other parameters than were proposed, in a study whose objective defines its space."""

    number: int
    point: Mapping[str, Any]  # all that it had
    space: OpenSpace | None = None  # from here on; None: the same as before


@dataclass(frozen=True)
class Claimed:
    """A worker of a shared study began to evaluate the trial; it may be the second one, where the first has died."""

    number: int
    worker: str
    clock: float | None = field(default=None, compare=False)  # seconds since 1970 at which a file got it


@dataclass(frozen=True)
class Told:
    """The evaluation gave finite values, in the user's units and sign: all of them, unless a constraint is violated."""

    number: int
    values: Mapping[str, float]
    noise_var: float | Mapping[str, float] | None = None  # of the only objective, or by the name of the output
    seconds: float | None = None
    repeats: int = 1  # the values are means of so many measurements, and noise_var was estimated from them
    clock: float | None = field(default=None, compare=False)  # seconds since 1970 at which a file got it


@dataclass(frozen=True)
class Failed:
    """The evaluation gave nothing that can be used."""

    number: int
    reason: str  # one line
    cause: Cause = "failed"
    seconds: float | None = None
    traceback: str | None = None
    clock: float | None = field(default=None, compare=False)  # seconds since 1970 at which a file got it


@dataclass(frozen=True, slots=True)
class Reported:
    """The evaluation has come to a step, and this is its value there, in the user's units and sign."""

    number: int
    step: int
    value: float


@dataclass(frozen=True)
class Stopped:
    """The evaluation was ended early, because of what it had reported."""

    number: int
    expected: float | None = None  # the final value that is believed, in the user's units and sign; None: not known
    variance: float | None = None  # of the final value about it
    seconds: float | None = None
    clock: float | None = field(default=None, compare=False)  # seconds since 1970 at which a file got it


@dataclass(frozen=True)
class Cancelled:
    """The evaluation will not be made, or its value was withdrawn as wrong; nothing was learned."""

    number: int
    reason: str
    clock: float | None = field(default=None, compare=False)  # seconds since 1970 at which a file got it


OUTCOMES = (Told, Failed, Stopped, Cancelled)


@dataclass(frozen=True)
class Noted:
    """The user has something to say about a trial, whatever its state; nothing else follows from it."""

    number: int
    note: str | None  # in place of an earlier one; None: it stays
    attributes: Mapping[str, Any]  # beside the earlier ones, or in place of those with the same names


Event: TypeAlias = Started | Asked | Defined | Claimed | Reported | Told | Failed | Stopped | Cancelled | Noted


class OpenPoints:
    """Whether each point is in its space where the objective defines the space; elsewhere its decoding has seen it."""

    def __init__(self) -> None:
        self._space: SearchSpace | None = None  # None: another kind of space
        self._points: dict[int, Any] = {}

    def take(self, event: Event) -> None:
        """An error like those of a wrong point, if one is not in the space as it is from here on."""
        if isinstance(event, Started):
            self._space = event.settings.space if isinstance(event.settings.space, OpenSpace) else None
        if self._space is None or not isinstance(event, Asked | Defined):
            return
        grown = event.space if isinstance(event, Defined) else None
        space, earlier = (self._space, ()) if grown is None else (grown, self._points.values())
        for point in (*earlier, event.point):
            space.to_unit(point)
        self._space = space
        self._points[event.number] = event.point


def in_order(events: Iterable[Event]) -> Iterable[Event]:
    """The events, if they can have happened in this order; else ValueError at the first that cannot."""
    asks, points = 0, OpenPoints()
    for i, event in enumerate(events):
        if isinstance(event, Started) != (i == 0):
            raise ValueError("a study starts once, with its first event")
        if not isinstance(event, Started):
            if isinstance(event, Asked) and event.number != asks:
                raise ValueError(f"trial {asks} has the number {event.number!r}")
            asks += isinstance(event, Asked)
            if not 0 <= event.number < asks:
                raise ValueError(f"trial {event.number} was settled before it was asked for")
        points.take(event)
        yield event


def stamped(event: Event) -> Event:
    """The event with the time of day: files have it for who looks at a run, and nothing else follows from it."""
    if isinstance(event, Started | Defined | Reported | Noted) or event.clock is not None:
        return event
    return replace(event, clock=round(time.time(), 2))


def asked(
    number: int,
    point: Any,
    origin: Origin,
    space: SearchSpace,
    report: SolveReport | None = None,
    fixed: Mapping[str, Any] | None = None,
    at: Array | None = None,
    basis: Basis | None = None,
    clock: float | None = None,
) -> Asked:
    """The event of a proposal. Its place in the cube is derived from the point, as it will be after a resume.

    at    the place, where it is known already, or where a file has it: that of a point that is not made of parameters
    """
    unit = space.to_unit(point) if at is None else at
    unit.flags.writeable = False
    return Asked(number, point, origin, unit, report, fixed, basis, clock)


def told(
    number: int,
    values: Mapping[str, float],
    noise: float | Mapping[str, float] | None,
    seconds: float | None,
    constraints: Mapping[str, Limit] | None = None,
    repeats: int = 1,
) -> Told | Failed:
    """The event of an observation: values that are not finite make it a failure.

    Where a constraint is violated, others may be missing: a design that breaks has no weight worth knowing.
    """
    known = {name: value for name, value in values.items() if math.isfinite(value)}
    bad = [(name, value) for name, value in values.items() if name not in known]
    if not bad or is_violated(known, constraints or {}):
        return Told(number, known, noise, seconds, repeats)
    name, value = bad[0]
    if math.isnan(value):  # of several outputs, what was left out is nan as well
        return Failed(number, "the value was nan" if len(values) == 1 else f"{name} was missing or nan", "nan", seconds)
    return Failed(number, f"{'the value' if len(values) == 1 else name} was {value}", "inf", seconds)


def failed(
    number: int,
    reason: str,
    cause: Cause = "failed",
    seconds: float | None = None,
    traceback: str | None = None,
    clock: float | None = None,
) -> Failed:
    """The event of a failure: its reason is one line, and a longer text is kept as the traceback."""
    line = in_a_line(reason)
    text = reason if traceback is None and line != reason.strip() else traceback
    if text is not None and len(text) > WHOLE:
        left_out = f"\n... {len(text) - WHOLE} characters are left out ...\n"
        text = text[: WHOLE // 2] + left_out + text[-WHOLE // 2 :]
    return Failed(number, line, cause, seconds, text, clock)


def noted(number: int, note: object, attributes: Mapping[str, Any]) -> Noted:
    """The event of a note: what no file could hold is kept as its text, since an evaluation must not fail of it.

    ValueError for an integer that has no text either.
    """
    check_digits(note, "the note")
    text = None if note is None else str(note).strip()[:WHOLE]
    return Noted(
        number, text, {str(name): as_plain(value, f"the attribute {name!r}") for name, value in attributes.items()}
    )


def as_plain(value: Any, what: str) -> Any:
    """A value as JSON has it: numbers, texts, lists and dicts; of anything else its text, such as that of a path."""
    value = value.item() if isinstance(value, np.generic) else value
    check_digits(value, what)
    if value is None or isinstance(value, bool | int) or (isinstance(value, float) and math.isfinite(value)):
        return value
    if isinstance(value, list | tuple):
        return [as_plain(item, what) for item in value]
    if isinstance(value, Mapping):
        for name in value:
            check_digits(name, what)
        if len(set(map(str, value))) < len(value):
            raise ValueError(
                f"two keys of {what} are the same as text, which is how they are stored: got {list(value)!r}"
            )
        return {str(name): as_plain(item, what) for name, item in value.items()}
    return str(value)[:WHOLE]


def in_a_line(text: str) -> str:
    """A text in one line that is not too long; of a traceback only the exception."""
    lines = text.strip().splitlines()
    calls = [i for i, line in enumerate(lines) if line.startswith("  File ")]
    if calls:  # the lines of the call itself are indented, the exception that ended it is not
        after = lines[calls[-1] + 1 :]
        lines = after[next((i for i, line in enumerate(after) if not line.startswith(" ")), 0) :]
    line = " ".join(part.strip() for part in lines if part.strip())
    return line if len(line) <= LONGEST else line[: LONGEST - 3] + "..."
