"""The history of a study: what a model, a solver and a rule may know of it, as it follows from the events.

n     int     trials                              d     int    columns of the cube
q     int     outputs                             row   int    the place of a trial among all trials

`History` is a value: all that is known at one moment. `Chronicle` is the same as it grows, event by event in constant
time; with the models of the last suggestion it is all that an optimizer remembers besides its journal. Both have the
trials once more as columns, `TrialTable`, for what is read of all of them.
"""

import math
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from suffice.accuracy.calibration import rescaling
from suffice.accuracy.report import SolveReport
from suffice.accuracy.series import Accuracy
from suffice.gp.model import GP, Observations
from suffice.pruning import Curve, Field, grown
from suffice.record.settings import Settings
from suffice.record.table import GrowingTable, TrialTable
from suffice.record.trial import (
    EVALUATED,
    OUTCOMES,
    Asked,
    Cancelled,
    Claimed,
    Defined,
    Event,
    Failed,
    Noted,
    Reported,
    Started,
    State,
    Stopped,
    Told,
    Trial,
)
from suffice.space import OpenSpace
from suffice.store.journal import Journal, Memory, kept
from suffice.types import Array, Indices, Ledger

FINE = 1e-3  # of the spread of the values: the finest difference that matters, if the user does not say
TRIES = 3  # of a point of a finite space that fails: a failure by chance in five is one in a hundred then


@dataclass(frozen=True, eq=False)
class History:
    """What is known at one moment; `before` an ask it was an earlier one."""

    settings: Settings
    events: tuple[Event, ...] = field(repr=False)
    trials: tuple[Trial, ...] = ()  # every trial in order, pending ones too
    done: tuple[Trial, ...] = ()  # those with values, in the order they were observed
    pending: tuple[Trial, ...] = ()  # those without an outcome
    settled: int = 0  # outcomes so far: values, failures, stops and cancellations
    notes: tuple[str, ...] = ()  # what was done about trouble, each note once
    stale: int = 0  # the models that proposed trials before this number had values that were withdrawn since
    counted: TrialTable | None = field(default=None, repr=False)  # the trials as columns, where they are known already

    def __repr__(self) -> str:
        counts = Counter(trial.state for trial in self.trials)
        said = ", ".join(f"{n} {state}" for state, n in counts.items())
        return f"<History of {len(self.trials)} trials{f': {said}' if said else ''}>"

    @classmethod
    def of(cls, events: Iterable[Event]) -> "History":
        """The history of the events; the first of them is the start."""
        return Chronicle(Memory(list(events))).history

    def ask(self, number: int) -> Asked:
        """The event of the proposal of trial `number`."""
        return next(event for event in self.events if isinstance(event, Asked) and event.number == number)

    def before(self, number: int) -> "History":
        """What was known when trial `number` was asked for."""
        ask = self.ask(number)
        known = self.events[: self.events.index(ask)]
        if ask.basis is not None:
            outcomes = [i for i, event in enumerate(known) if isinstance(event, OUTCOMES)][ask.basis.outcomes :]
            later = set(outcomes)
            known = tuple(event for i, event in enumerate(known) if i not in later)
        return History.of(known)

    @cached_property
    def table(self) -> TrialTable:
        """The trials as columns, from which everything below is read."""
        return TrialTable.of(self.trials, self.done, self.settings) if self.counted is None else self.counted

    def _at(self, rows: Indices) -> tuple[Trial, ...]:
        return tuple(map(self.trials.__getitem__, rows.tolist()))

    @cached_property
    def failed(self) -> tuple[Trial, ...]:
        """The failed trials, in the order they were asked for."""
        return self._at(self._rows("failed"))

    @cached_property
    def stopped(self) -> tuple[Trial, ...]:
        """The trials that were stopped early, in the order they were asked for."""
        return self._at(self._rows("pruned"))

    @cached_property
    def _solved(self) -> Indices:
        """The rows of suggestions with a report, without those that were cancelled."""
        return np.flatnonzero(self.table["solved"] & ~self.table.states("cancelled"))

    @cached_property
    def reports(self) -> tuple[SolveReport, ...]:
        """How the suggestions were found, without those that were cancelled."""
        return tuple(trial.solve for trial in self._at(self._solved) if trial.solve is not None)

    def _outputs(self, name: str) -> tuple[float | None, ...]:
        """What came of these suggestions, one value for each report, larger being better; None where none did."""
        sign = self.settings.sign(name)
        kept = (trial.values for trial in self._at(self._solved))
        return tuple(None if values is None or name not in values else sign * values[name] for values in kept)

    @property
    def accuracy(self) -> Accuracy:
        """How good the suggestions were, from the record alone: the regret bound needs the last model."""
        first, *others = self.settings.outputs
        return Accuracy(
            self.reports,
            outputs=self._outputs(first),
            evaluation_seconds=self.seconds_evaluating,
            objective=first,
            others={name: self._outputs(name) for name in others},
        )

    @property
    def last(self) -> SolveReport | None:
        """The report of the last suggestion."""
        return self.trials[self._solved[-1]].solve if len(self._solved) else None

    @property
    def ledger(self) -> Ledger:
        """The two sums of the regret bound over the suggestions so far; a step without an estimate adds its width."""
        missed, width = (math.fsum(self.table[word][self._solved].tolist()) for word in ("missed", "width"))
        return Ledger(inaccuracies=missed, widths=width)

    @cached_property
    def t(self) -> int:
        """1 + the number of model-based asks so far: the step that the next one is."""
        return 1 + int(np.count_nonzero(self.table.origins("model")))

    @cached_property
    def rescaled(self) -> dict[str, float]:
        """By output, what the next prediction is to be rescaled by (accuracy/calibration.py); explorations left out."""
        kept = ~self.table["explores"]
        found: dict[str, float] = {}
        for i, name in enumerate(self.settings.outputs):
            z = self.table["z"][:, i].copy()
            z[self.aside(name)] = math.nan  # an error says nothing about predictions
            found[name] = rescaling(z[kept])
        return found

    def aside(self, name: str | None = None) -> Indices:
        """The rows of trials whose values of an output, by default of the only objective, were set aside as errors.

        By the model of the last suggestion, which knew nothing of later ones; none if a value was withdrawn since.
        """
        name = self.settings.objective if name is None else name
        binding = None if self.last is None or self._solved[-1] < self.stale else self.last.binding
        rows = () if binding is None else binding.of(name).outcome.aside
        return self._known(name, False)[list(rows)] if rows else np.empty(0, dtype=np.intp)

    @cached_property
    def best(self) -> Trial | None:
        """The feasible trial with the best value, the first of equals in the order of asking; None without any.

        None where there are several objectives: their trials have a front.
        """
        inside = self.table.feasible
        if self.settings.several or not len(inside):
            return None
        return self.trials[int(inside[np.argmax(self._level[inside])])]

    @cached_property
    def feasible(self) -> tuple[Trial, ...]:
        """The done trials that satisfy every constraint, in the order of asking; all done ones if there is none."""
        return self._at(self.table.feasible)

    @property
    def _level(self) -> Array:
        """The only objective of each trial, (n,), larger is better; 0 where it is not known."""
        value = self.table.value(self.settings.objective)
        return self.settings.sign() * np.where(np.isnan(value), 0.0, value)

    @cached_property
    def resolution(self) -> float | None:
        """Differences of the objective that do not matter, in its units; None before there is a value."""
        if self.settings.resolution is not None or not self.done:
            return self.settings.resolution
        y = self.observations(measured=True).y
        if not len(y):
            return None
        good = np.setdiff1d(self.table.feasible, self.aside()) if self.best is not None else self.aside()[:0]
        best = self._level[good].max() if len(good) else y.max()
        # Initial values are those of a spread design, whose median is about a random point's. Of halves, since the
        # largest of floats have no mean.
        return 2.0 * FINE * abs(float(best / 2 - np.median(y[: max(2, self.settings.n_initial)] / 2)))

    @cached_property
    def trail(self) -> tuple[bool, ...]:
        """Whether each observed value raised the best one by the resolution; empty with several objectives.

        Values at points that no model proposed count only if they did; suggestions that failed count.
        """
        ordered, raised = self.raised
        return tuple(raised[raised | self.table.origins("model")[ordered]].tolist())

    @cached_property
    def raised(self) -> tuple[Indices, NDArray[np.bool_]]:
        """The rows of trials in the order of their outcomes, failed ones included, and which raised the best value by
        the resolution."""
        if self.settings.several:
            return np.empty(0, dtype=np.intp), np.empty(0, dtype=np.bool_)  # a front has no single best value
        ordered, without = self.table.done, np.flatnonzero(self.table.states("failed", "pruned"))
        ordered = self._in_order(np.concatenate([ordered, without])) if len(without) else ordered
        counts = self.table.states("done")[ordered] & self.table["feasible"][ordered] & ~np.isin(ordered, self.aside())
        value = np.where(counts, self._level[ordered], -math.inf)
        before = np.maximum.accumulate(np.concatenate([[-math.inf], value[:-1]]))
        level, raised = -math.inf, np.zeros(len(ordered), dtype=np.bool_)
        for place in np.flatnonzero(value > before).tolist():  # only a new best value can raise the level
            if value[place] > level + (self.resolution or 0.0):
                level, raised[place] = float(value[place]), True
        return ordered, raised

    @property
    def idle(self) -> int:
        """Suggestions of the model in a row that failed or did not raise the best value by the resolution."""
        return next((i for i, raised in enumerate(reversed(self.trail)) if raised), len(self.trail))

    @cached_property
    def explorations(self) -> Indices:
        """The rows of trials that left the best place on purpose, in the order of asking."""
        return np.flatnonzero(self.table["explores"] & ~self.table.states("cancelled"))

    @property
    def duds(self) -> Array:
        """Where exploring brought nothing better than the median of the initial values, or nothing yet, (k, d)."""
        rows, first = self.explorations, self.table.done[: max(2, self.settings.n_initial)]
        if not len(rows) or not len(first):
            return self.table.unit[rows]
        good = self.table.states("done")[rows] & (self._level[rows] >= np.median(self._level[first]))
        return self.table.unit[rows[~good]]

    @property
    def since_explored(self) -> int | None:
        """Model-based asks since the last one that explored, 1 right after it; None: none did."""
        if not len(self.explorations):
            return None
        return 1 + int(np.count_nonzero(self.table.origins("model")[self.explorations[-1] + 1 :]))

    @property
    def in_vain(self) -> int:
        """Explorations that did not raise the best value since it was last raised by the resolution; pending ones have
        not, either."""
        ordered, raised = self.raised
        if not raised.any():
            return 0
        waiting = self.table["explores"] & self.table.states("pending")
        late = self.table["explores"][ordered[np.flatnonzero(raised)[-1] + 1 :]]
        return int(np.count_nonzero(late) + np.count_nonzero(waiting))

    @property
    def evaluated(self) -> int:
        """How many evaluations were made: told, failed or stopped early."""
        return int(np.count_nonzero(self.table.states(*EVALUATED)))

    @property
    def model_rows(self) -> int:
        """The rows of the largest matrix in a model of what is known, about: `one_thread` asks for them."""
        n, model = len(self.done), self.settings.model
        return min(n, model.max_points) if isinstance(model, GP) else n

    @property
    def evaluation_seconds(self) -> float | None:
        """The median time of an evaluation, where times are known."""
        seconds = self.table["seconds"][self.table.states("done")]
        seconds = seconds[~np.isnan(seconds)]
        return float(np.median(seconds)) if len(seconds) else None

    @property
    def seconds_evaluating(self) -> float | None:
        """What all evaluations of this run took; None if the time of one that has a value is not known."""
        evaluated = self.table.states(*EVALUATED) & ~self.table.origins("foreign")
        unknown = np.isnan(self.table["seconds"])
        if not evaluated.any() or np.any(evaluated & unknown & self.table.states("done")):
            return None
        return math.fsum(self.table["seconds"][evaluated & ~unknown].tolist())

    @cached_property
    def seen(self) -> frozenset[bytes]:
        """The rows that were proposed or told; a cancelled one may be proposed again."""
        return frozenset(self.table.keys_of(~self.table.states("cancelled")))

    @cached_property
    def again(self) -> frozenset[bytes]:
        """The rows where every evaluation failed, fewer than TRIES times; not the last one, where there are others.

        A failure may be transient. Where points are few, one that fails by chance must not be lost for good.
        """
        failed = self.table.states("failed")
        tries, others = Counter(self.table.keys_of(failed)), ~failed & ~self.table.states("cancelled")
        left = {row for row, n in tries.items() if n < TRIES}.difference(self.table.keys_of(others) if tries else ())
        if len(left) > 1 or (left and len(self.seen) < self.settings.space.size):
            left -= {self.trials[-1].unit.tobytes()}
        return frozenset(left)

    def known(self, name: str | None = None, *, measured: bool = False) -> tuple[Trial, ...]:
        """The trials with a value of one output, by default the only objective, in the order of their outcomes.

        measured    without those that were stopped early, whose value is only expected
        """
        return self._at(self._known(self.settings.objective if name is None else name, measured))

    def _known(self, name: str, measured: bool) -> Indices:
        """The rows of these trials."""
        done, value = self.table.done, self.table.value(name)
        if self.settings.constraints:  # where one is violated, others may be missing
            done = done[~np.isnan(value[done])]
        if measured or name != self.settings.objective:
            return done
        stopped = self._rows("pruned")
        estimated = stopped[~np.isnan(value[stopped])]
        return self._in_order(np.concatenate([done, estimated])) if len(estimated) else done

    def _rows(self, state: State) -> Indices:
        return np.flatnonzero(self.table.states(state))

    def _in_order(self, rows: Indices) -> Indices:
        """Rows in the order of their outcomes."""
        return rows[np.argsort(self.table["order"][rows], kind="stable")]

    def observations(self, name: str | None = None, *, measured: bool = False) -> Observations:
        """The data of one output, larger being better, of the trials that `known` has: here the user's sense ends."""
        name = self.settings.objective if name is None else name
        known = self._known(name, measured)
        y = self.settings.sign(name) * self.table.value(name)[known]
        return Observations(self.table.unit[known], y, self.table.noise(name)[known])


def rows(trials: Sequence[Trial], dim: int) -> Array:
    """The places of trials in the cube, (n, d)."""
    return np.array([trial.unit for trial in trials], dtype=float).reshape(len(trials), dim)


class Chronicle:
    """A journal and what follows from its events: remembered, and grown by the events that came since."""

    def __init__(self, journal: Journal[Event]) -> None:
        self.journal = journal
        self._forget()

    def _forget(self) -> None:
        self._events: list[Event] = []
        self._settings: Settings | None = None
        self._trials: list[Trial] = []
        self._done: list[int] = []
        self._pending: dict[int, None] = {}  # numbers, in order
        self._settled = 0
        self._modelled: int | None = None  # the last trial that a model proposed
        self._stale = 0  # see `History.stale`
        self._notes: dict[str, None] = {}  # in order, each once
        self._field = Field()  # what the evaluations reported
        self._table: GrowingTable | None = None  # the trials once more, for what is read of all of them; made then
        self._history: History | None = None  # until the next event
        self._models: tuple[int | None, Any] = (None, None)  # the trial that they proposed, the models
        self._whole = True  # False while events are taken in: an interruption leaves half of one behind

    def __getstate__(self) -> dict[str, Any]:
        """A copy, pickled or deep, is in memory: a file has one writer."""
        return {**self.__dict__, "journal": Memory(list(self.journal.read()))}

    def append(self, *events: Event, hold: bool = True) -> tuple[str, ...]:
        """The one place where something changes; returns the notes that were not there before."""
        before = set(self._notes)
        self.journal.append(*events, hold=hold)
        return tuple(note for note in self._now._notes if note not in before)

    @property
    def _now(self) -> "Chronicle":
        """Itself, with all events of the journal taken in; after an interruption from the first one on."""
        if not self._whole:
            self._forget()
        self._whole = False
        with kept():
            for event in self.journal.read(len(self._events)):
                self._history = None
                self._apply(event)
                self._events.append(event)
        self._whole = True
        return self

    @property
    def trials(self) -> list[Trial]:
        """Every trial in the order of asking."""
        return self._now._trials

    @property
    def pending(self) -> list[Trial]:
        """Those that were asked for, and neither observed nor failed nor stopped nor cancelled."""
        trials = self.trials
        return [trials[number] for number in self._pending]

    @property
    def field(self) -> Field:
        """The learning curves of all trials."""
        return self._now._field

    @property
    def history(self) -> "History":
        """The history of the events so far; the same object until there is another event."""
        history = self._now._history
        if history is None:
            events, trials, notes = tuple(self._events), tuple(self._trials), tuple(self._notes)
            done, pending = (tuple(map(trials.__getitem__, numbers)) for numbers in (self._done, self._pending))
            if self._table is None:
                self._table = GrowingTable.of(self.settings, self._trials, self._done)
            table = self._table.table()
            told = self._settled
            history = History(self.settings, events, trials, done, pending, told, notes, self._stale, counted=table)
            self._history = history
        return history

    def models(self, replayed: Callable[["History"], Any]) -> Any:
        """The models behind the last suggestion of the record; `replayed` makes those that are not remembered."""
        last = self._now._modelled
        number, models = self._models
        if number != last:
            models = replayed(self.history)
            self._models = last, models
        return models

    def remember(self, number: int, models: Any) -> None:
        """The models that proposed trial `number`; if the trial does not get into the record, they are forgotten."""
        self._models = number, models

    def forget(self) -> None:
        """Rebuild the models when they are wanted: those that are remembered proposed what others were faster with."""
        self._models = None, None

    @property
    def settings(self) -> Settings:
        """What the study was made with, in the space that is known by now."""
        return self._now._known

    @property
    def _known(self) -> Settings:
        if self._settings is None:
            raise ValueError("a history begins with the event Started, which holds the settings: got none")
        return self._settings

    def _placed(self, trial: Trial, point: Any = None) -> Trial:
        """A trial where its point is in the space as it is now."""
        point = trial.point if point is None else point
        return replace(trial, point=point, unit=self._known.space.to_unit(point))

    def _apply(self, event: Event) -> None:
        match event:
            case Started(settings, notes):
                self._settings = settings
                self._note(*notes)
            case Asked(number, point, origin, unit, report, fixed):
                aims = tuple(self._known.objectives)
                trial = Trial(number, point, origin=origin, solve=report, unit=unit, fixed=fixed, objectives=aims)
                self._trials.append(self._placed(trial) if isinstance(self._known.space, OpenSpace) else trial)
                self._put(number)
                self._pending[number] = None
                if report is not None:
                    self._modelled = number
                    self._note(*report.notes)
            case Defined(number, point, space):
                self._table = None  # places change
                if space is not None:
                    self._settings, self._modelled = self._known.within(space), None
                    self._trials = [self._placed(trial) for trial in self._trials]
                self._trials[number] = self._placed(self._trials[number], dict(point))
            case Told(number, values, noise, seconds):
                why: dict[str, Any] = {"reason": None, "cause": None, "traceback": None}  # it may have failed before
                why["feasible"] = self._known.is_allowed(values)
                self._settle(number, state="done", values=dict(values), noise_var=noise, seconds=seconds, **why)
                self._done.append(number)
                if self._table is not None:
                    self._table.finish(number)
                self._finish(self._trials[number])
            case Failed(number, reason, cause, seconds, traceback):
                why = {"reason": reason, "cause": cause, "traceback": traceback}
                self._settle(number, state="failed", seconds=seconds, **why)
                if cause == "inf":
                    self._note("an infinite value counts as a failed evaluation, like nan")
                self._field.drop(number)
            case Reported(number, step, value):
                if number in self._pending:  # else it comes late
                    trial = self._trials[number]
                    trial = self._trials[number] = replace(trial, reports=grown(trial.reports, step, value))
                    self._field.put(number, Curve.of(trial.reports, self._known.sign()))
            case Noted(number, note, attributes):
                trial = self._trials[number]
                note, known = trial.note if note is None else note, {**trial.attributes, **attributes}
                self._trials[number] = replace(trial, note=note, attributes=known)
            case Stopped(number, expected, variance, seconds):
                why = {"reason": None, "cause": None, "traceback": None}
                self._settle(number, state="pruned", expected=expected, noise_var=variance, seconds=seconds, **why)
            case Cancelled(number, reason):
                if self._trials[number].state == "done":  # it is withdrawn: no model that knew it can be extended
                    self._done.remove(number)
                    self._table = self._modelled = None
                    self._stale = len(self._trials)
                none: dict[str, Any] = dict.fromkeys(("values", "noise_var", "seconds", "feasible"))
                self._settle(number, state="cancelled", reason=reason, **none)
                self._field.drop(number)
            case Claimed():
                pass  # who evaluates a trial says nothing about it

    def _finish(self, trial: Trial) -> None:
        """A trial has a value, and if it is one that could be the best, others are measured by it."""
        value = trial.values.get(self._known.objective)
        if value is None or not trial.feasible:
            self._field.drop(trial.number)
        else:
            self._field.put(trial.number, Curve.of(trial.reports, self._known.sign(), value))

    def _settle(self, number: int, **known: Any) -> None:
        """Replace a trial by its successor, of which this is known."""
        self._trials[number] = replace(self._trials[number], order=self._settled, **known)
        self._put(number)
        self._settled += 1
        self._pending.pop(number, None)

    def _put(self, number: int) -> None:
        if self._table is not None:
            self._table.put(number, self._trials[number])

    def _note(self, *notes: str) -> None:
        self._notes |= dict.fromkeys(notes)
