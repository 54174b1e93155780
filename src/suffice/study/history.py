"""The history of a study: a fold over its events, and what a model, a solver and a rule may know of it."""

import math
import statistics
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

from suffice.accuracy.report import SolveReport
from suffice.accuracy.series import Accuracy, ledger
from suffice.gp.model import Observations
from suffice.study.early.curves import Curve, Field, grown
from suffice.study.events import Asked, Cancelled, Event, Failed, Reported, Started, Stopped, Told
from suffice.study.settings import Settings
from suffice.study.trial import EVALUATED, Trial
from suffice.types import Array, Ledger

FINE = 1e-3  # of the spread of the values: the finest difference that matters, if the user does not say
TRIES = 3  # of a point of a finite space that fails: a failure by chance in five is one in a hundred then
INFINITE = "an infinite value counts as a failed evaluation, like nan"


@dataclass(frozen=True, eq=False)
class History:
    """What is known at one moment: `grown` by an event it is another one, and `before` an ask it was an earlier one."""

    settings: Settings
    events: tuple[Event, ...] = field(repr=False)
    trials: tuple[Trial, ...] = ()  # every trial in order, pending ones too
    done: tuple[Trial, ...] = ()  # those with values, in the order they were told
    pending: tuple[Trial, ...] = ()  # asked, neither told nor failed nor cancelled
    settled: int = 0  # tellings so far: values, failures and cancellations
    notes: tuple[str, ...] = ()  # what was done about trouble, each note once

    def __repr__(self) -> str:
        counts = Counter(trial.state for trial in self.trials)
        said = ", ".join(f"{n} {state}" for state, n in counts.items())
        return f"<History of {len(self.trials)} trials{f': {said}' if said else ''}>"

    @classmethod
    def of(cls, events: Iterable[Event]) -> "History":
        """The history that the events tell; the first of them is the start."""
        fold = Fold()
        fold.extend(events)
        return fold.history()

    def grown(self, event: Event) -> "History":
        """The history after one more event."""
        return History.of((*self.events, event))

    def before(self, number: int) -> "History":
        """What was known when trial `number` was asked for."""
        end = next(i for i, event in enumerate(self.events) if isinstance(event, Asked) and event.number == number)
        return History.of(self.events[:end])

    @cached_property
    def failed(self) -> tuple[Trial, ...]:
        """The failed trials, in the order they were asked for."""
        return tuple(trial for trial in self.trials if trial.state == "failed")

    @cached_property
    def stopped(self) -> tuple[Trial, ...]:
        """The trials that were stopped early, in the order they were asked for."""
        return tuple(trial for trial in self.trials if trial.state == "stopped")

    @cached_property
    def reports(self) -> tuple[SolveReport, ...]:
        """How the suggestions were found, without those that were cancelled."""
        return tuple(t.solve for t in self.trials if t.solve is not None and t.state != "cancelled")

    @property
    def outputs(self) -> tuple[float | None, ...]:
        """What came of these suggestions, one value for each report, larger being better; None where none did.

        Of several outputs, the values of the first objective.
        """
        return self._outputs(self.settings.objective)

    def _outputs(self, name: str) -> tuple[float | None, ...]:
        sign = self.settings.sign(name)
        kept = (t.values for t in self.trials if t.solve is not None and t.state != "cancelled")
        return tuple(None if values is None or name not in values else sign * values[name] for values in kept)

    @property
    def accuracy(self) -> Accuracy:
        """How good the suggestions were, as far as the record alone tells: the regret bound needs the last model."""
        first, *others = self.settings.outputs
        return Accuracy(
            self.reports,
            outputs=self.outputs,
            evaluation_seconds=self.seconds_evaluating,
            objective=first,
            others={name: self._outputs(name) for name in others},
        )

    @property
    def last(self) -> SolveReport | None:
        """The report of the last suggestion."""
        return self.reports[-1] if self.reports else None

    @property
    def ledger(self) -> Ledger:
        """The two sums of the regret bound over the suggestions so far."""
        return ledger(self.reports)

    @cached_property
    def t(self) -> int:
        """1 + the number of model-based asks so far: the step that the next one is."""
        return 1 + sum(trial.origin == "model" for trial in self.trials)

    @cached_property
    def best(self) -> Trial | None:
        """The feasible trial with the best value, the first of equals in the order of asking; None without any.

        None where there are several objectives: their trials have a front.
        """
        if self.settings.several:
            return None
        sign = self.settings.sign()
        return max(self.feasible, key=lambda trial: sign * (trial.value or 0.0), default=None)

    @cached_property
    def feasible(self) -> tuple[Trial, ...]:
        """The done trials that satisfy every constraint, in the order of asking; all done ones if there is none."""
        return tuple(trial for trial in self.trials if trial.state == "done" and trial.feasible)

    @cached_property
    def resolution(self) -> float | None:
        """Differences of the objective that do not matter, in its units; None before there is a value."""
        if self.settings.resolution is not None or not self.done:
            return self.settings.resolution
        y = self.observations(measured=True).y
        if not len(y):
            return None
        best = y.max() if self.best is None else self.settings.sign() * (self.best.value or 0.0)
        # Initial values are those of a spread design, whose median is about a random point's. Of halves, since the
        # largest of floats have no mean.
        return 2.0 * FINE * abs(float(best / 2 - np.median(y[: max(2, self.settings.n_initial)] / 2)))

    @cached_property
    def trail(self) -> tuple[bool, ...]:
        """Whether each value told raised the best one by the resolution; without those that no model proposed and that
        did not, and with the suggestions that failed. Empty where there are several objectives."""
        if self.settings.several:
            return ()  # a front has no single best value
        sign, level, trail = self.settings.sign(), -math.inf, []
        without = (*self.failed, *self.stopped)
        for trial in sorted((*self.done, *without), key=lambda trial: trial.told or 0) if without else self.done:
            value = sign * (trial.value or 0.0) if trial.state == "done" and trial.feasible else -math.inf
            if value > level + (self.resolution or 0.0):
                level = value
                trail.append(True)
            elif trial.origin == "model":
                trail.append(False)
        return tuple(trail)

    @property
    def idle(self) -> int:
        """Suggestions of the model in a row that failed or did not raise the best value by the resolution."""
        return next((i for i, raised in enumerate(reversed(self.trail)) if raised), len(self.trail))

    @property
    def evaluation_seconds(self) -> float | None:
        """The median time of an evaluation, where times are known."""
        seconds = [t.seconds for t in self.trials if t.state == "done" and t.seconds is not None]
        return statistics.median(seconds) if seconds else None

    @property
    def seconds_evaluating(self) -> float | None:
        """What all evaluations of this run took; None if the time of one that has a value is not known."""
        evaluated = [t for t in self.trials if t.state in EVALUATED and t.origin != "foreign"]
        if not evaluated or any(t.seconds is None for t in evaluated if t.state == "done"):
            return None
        return math.fsum(t.seconds or 0.0 for t in evaluated)

    @cached_property
    def seen(self) -> frozenset[bytes]:
        """The rows that were proposed or told; a cancelled one may be proposed again."""
        return frozenset(trial.unit.tobytes() for trial in self.trials if trial.state != "cancelled")

    @cached_property
    def again(self) -> frozenset[bytes]:
        """The rows where every evaluation failed, fewer than TRIES times; not the last one, where there are others.

        A failure may be transient. Where points are few, one that fails by chance must not be lost for good.
        """
        tries: Counter[bytes] = Counter()
        for trial in self.trials:
            if trial.state != "cancelled":
                tries[trial.unit.tobytes()] += 1 if trial.state == "failed" else TRIES
        left = {row for row, n in tries.items() if n < TRIES}
        if len(left) > 1 or len(tries) < self.settings.space.size:
            left -= {self.trials[-1].unit.tobytes()}
        return frozenset(left)

    def known(self, name: str | None = None, *, measured: bool = False) -> tuple[Trial, ...]:
        """The trials that say something about one output, by default the only objective, in the order they were told.

        measured    without those that were stopped early, whose value is only expected
        """
        name = self.settings.objective if name is None else name
        done = self.done
        if self.settings.constraints:  # where one is violated, others may be missing
            done = tuple(trial for trial in self.done if name in trial.values)
        estimated = [trial for trial in self.stopped if trial.expected is not None]
        if measured or not estimated or name != self.settings.objective:
            return done
        return tuple(sorted((*done, *estimated), key=lambda trial: trial.told or 0))

    def observations(self, name: str | None = None, *, measured: bool = False) -> Observations:
        """The data of one output, larger being better, of the trials that `known` has: here the user's sense ends."""
        name = self.settings.objective if name is None else name
        known = self.known(name, measured=measured)
        values = (trial.values[name] if trial.state == "done" else trial.expected for trial in known)
        return Observations(
            X=rows(known, self.settings.space.dim),
            y=self.settings.sign(name) * np.array(list(values), dtype=float),
            noise_var=np.array([noise_of(trial, name) for trial in known], dtype=float),
        )


def noise_of(trial: Trial, name: str) -> float:
    """The known variance of the noise in one output of a trial; nan where it is not known."""
    known = trial.noise_var
    if isinstance(known, dict):
        return float(known.get(name, math.nan))
    return math.nan if known is None or name not in trial.objectives else float(known)


def rows(trials: Sequence[Trial], dim: int) -> Array:
    """The places of trials in the cube, (n, d)."""
    return np.array([trial.unit for trial in trials], dtype=float).reshape(len(trials), dim)


class Fold:
    """A history as it grows, event by event in constant time; `history` is what it comes to."""

    def __init__(self) -> None:
        self.events: list[Event] = []
        self.settings: Settings | None = None
        self.trials: list[Trial] = []
        self.done: list[int] = []
        self.pending: dict[int, None] = {}  # numbers, in order
        self.settled = 0
        self.modelled: int | None = None  # the last trial that a model proposed
        self.notes: dict[str, None] = {}  # in order, each once
        self.field = Field()  # what the evaluations reported

    def extend(self, events: Iterable[Event]) -> None:
        """Take in more events."""
        for event in events:
            self._apply(event)
            self.events.append(event)

    @property
    def known(self) -> Settings:
        """What the study was made with."""
        if self.settings is None:
            raise ValueError("a history begins with the event Started, which holds the settings: got none")
        return self.settings

    def history(self) -> History:
        """What the events so far tell."""
        done, pending = (tuple(self.trials[number] for number in numbers) for numbers in (self.done, self.pending))
        return History(
            self.known, tuple(self.events), tuple(self.trials), done, pending, self.settled, tuple(self.notes)
        )

    def _apply(self, event: Event) -> None:
        match event:
            case Started(settings, notes):
                self.settings = settings
                self._note(*notes)
            case Asked(number, point, origin, unit, report, fixed):
                aims = tuple(self.known.objectives)
                trial = Trial(number, point, origin=origin, solve=report, unit=unit, fixed=fixed, objectives=aims)
                self.trials.append(trial)
                self.pending[number] = None
                if report is not None:
                    self.modelled = number
                    self._note(*report.notes)
            case Told(number, values, noise, seconds):
                why: dict[str, Any] = {"reason": None, "cause": None, "traceback": None}  # it may have failed before
                why["feasible"] = self.known.is_allowed(values)
                self._settle(number, state="done", values=dict(values), noise_var=noise, seconds=seconds, **why)
                self.done.append(number)
                self._finish(self.trials[number])
            case Failed(number, reason, cause, seconds, traceback):
                why = {"reason": reason, "cause": cause, "traceback": traceback}
                self._settle(number, state="failed", seconds=seconds, **why)
                self._note(*((INFINITE,) if cause == "inf" else ()))
                self.field.drop(number)
            case Reported(number, step, value):
                if number in self.pending:  # else it comes late
                    trial = self.trials[number]
                    trial = self.trials[number] = replace(trial, reports=grown(trial.reports, step, value))
                    self.field.put(number, Curve.of(trial.reports, self.known.sign()))
            case Stopped(number, expected, variance, seconds):
                why = {"reason": None, "cause": None, "traceback": None}
                self._settle(number, state="stopped", expected=expected, noise_var=variance, seconds=seconds, **why)
            case Cancelled(number, reason):
                self._settle(number, state="cancelled", reason=reason)
                self.field.drop(number)

    def _finish(self, trial: Trial) -> None:
        """A trial has a value, and if it is one that could be the best, others are measured by it."""
        value = trial.values.get(self.known.objective)
        if value is None or not trial.feasible:
            self.field.drop(trial.number)
        else:
            self.field.put(trial.number, Curve.of(trial.reports, self.known.sign(), value))

    def _settle(self, number: int, **known: Any) -> None:
        """Replace a trial by its successor, of which this is known."""
        self.trials[number] = replace(self.trials[number], told=self.settled, **known)
        self.settled += 1
        self.pending.pop(number, None)

    def _note(self, *notes: str) -> None:
        self.notes |= dict.fromkeys(notes)
