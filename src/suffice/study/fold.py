"""From events to a history: a fold, in constant time for each event."""

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from suffice.study.early.curves import Curve, Field, grown
from suffice.study.events import Asked, Cancelled, Event, Failed, Reported, Started, Stopped, Told
from suffice.study.history import History
from suffice.study.settings import Settings
from suffice.study.tally import Growing
from suffice.study.trial import Trial

INFINITE = "an infinite value counts as a failed evaluation, like nan"


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
        self._columns: Growing | None = None  # the trials once more, for what is read of all of them
        self._history: History | None = None  # until the next event

    def extend(self, events: Iterable[Event]) -> None:
        """Take in more events."""
        for event in events:
            self._history = None
            self._apply(event)
            self.events.append(event)

    @property
    def known(self) -> Settings:
        """What the study was made with."""
        if self.settings is None:
            raise ValueError("a history begins with the event Started, which holds the settings: got none")
        return self.settings

    @property
    def columns(self) -> Growing:
        """The trials as columns."""
        if self._columns is None:
            self._columns = Growing(self.known)
        return self._columns

    def history(self) -> History:
        """What the events so far tell; the same value until there is another event."""
        if self._history is None:
            settings, events, trials, notes = self.known, tuple(self.events), tuple(self.trials), tuple(self.notes)
            done, pending = (tuple(map(trials.__getitem__, numbers)) for numbers in (self.done, self.pending))
            self._history = History(
                settings, events, trials, done, pending, self.settled, notes, counted=self.columns.tally()
            )
        return self._history

    def _apply(self, event: Event) -> None:
        match event:
            case Started(settings, notes):
                self.settings = settings
                self._note(*notes)
            case Asked(number, point, origin, unit, report, fixed):
                aims = tuple(self.known.objectives)
                trial = Trial(number, point, origin=origin, solve=report, unit=unit, fixed=fixed, objectives=aims)
                self.trials.append(trial)
                self.columns.put(number, trial)
                self.pending[number] = None
                if report is not None:
                    self.modelled = number
                    self._note(*report.notes)
            case Told(number, values, noise, seconds):
                why: dict[str, Any] = {"reason": None, "cause": None, "traceback": None}  # it may have failed before
                why["feasible"] = self.known.is_allowed(values)
                self._settle(number, state="done", values=dict(values), noise_var=noise, seconds=seconds, **why)
                self.done.append(number)
                self.columns.finish(number)
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
        trial = self.trials[number] = replace(self.trials[number], told=self.settled, **known)
        self.columns.put(number, trial)
        self.settled += 1
        self.pending.pop(number, None)

    def _note(self, *notes: str) -> None:
        self.notes |= dict.fromkeys(notes)
