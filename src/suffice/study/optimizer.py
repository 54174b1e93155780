"""Ask for a point, tell its value: the only object of the library that changes.

What changes is its journal, to which events are appended. Everything else follows from the events: the history is a
fold over them, and the next point a function of the history. The same settings and the same events give the same
suggestions, bit for bit.
"""

import copy
import logging
import threading
import time
from dataclasses import replace
from typing import Any, Unpack, overload

import numpy as np

from suffice.accuracy.report import SolveReport
from suffice.accuracy.series import Accuracy
from suffice.checks import as_count
from suffice.errors import NoFinishedTrial, SpaceExhausted
from suffice.gp.model import Fitted
from suffice.space import SearchSpace
from suffice.store.journal import Journal, Memory
from suffice.study.assumptions import premises
from suffice.study.border import as_cause, as_noise, as_point, as_seconds, as_values
from suffice.study.events import Cancelled, Event, Failed, Started, Told, asked, failed, told
from suffice.study.history import Fold, History
from suffice.study.narration import narrate
from suffice.study.options import Sense, StudyOptions, takes
from suffice.study.result import Result, make_result
from suffice.study.settings import Settings
from suffice.study.spec import storage_notes
from suffice.study.suggest import suggest
from suffice.study.trial import Cause, Origin, Trial, own
from suffice.threads import one_thread

log = logging.getLogger("suffice")


@takes(StudyOptions)
class Optimizer:
    """Propose points and learn from their values, while you do the evaluations yourself: ask and tell.

        optimizer = sf.Optimizer([(0, 1), (0, 1)])
        trial = optimizer.ask()
        optimizer.tell(trial, f(trial.point))

    Choose it where `sf.minimize` cannot call the objective, for an experiment by hand or a program elsewhere. It may be
    used from several threads, pickled and copied.

    space    a Space, a list of pairs (low, high), or a dict of parameters or pairs
    """

    def __init__(self, space: Any, **options: Unpack[StudyOptions]) -> None:
        settings = Settings.of(space, **options)
        self._settings = settings
        self._journal: Journal[Event] = Memory()
        self._fold: Fold | None = None  # a cache: the events decide what it holds
        self._fitted: Fitted | None = None  # a cache: the data decide what it holds
        self._lock = threading.RLock()
        self._append(Started(settings, storage_notes(settings.space)))

    def __getstate__(self) -> dict[str, Any]:
        """For pickle and deepcopy: all but the lock, which is of this process."""
        with self._lock:
            return {name: value for name, value in self.__dict__.items() if name != "_lock"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state, _lock=threading.RLock())

    def __copy__(self) -> "Optimizer":
        """A copy with a journal of its own: two optimizers that write into one would each see trials it never made."""
        return copy.deepcopy(self)

    def __repr__(self) -> str:
        history = self.history
        best = f", best {history.best.value:g}" if history.best is not None else ""
        return f"<Optimizer of {len(self.space.names)} parameters, {self.sense}, {len(history.trials)} trials{best}>"

    # ------------------------------------------------------------------ what is known

    @property
    def settings(self) -> Settings:
        """Everything that it takes to make this optimizer again."""
        return self._settings

    @property
    def space(self) -> SearchSpace:
        """The space that is searched."""
        return self._settings.space

    @property
    def sense(self) -> Sense:
        """Whether the objective is minimized or maximized."""
        return self._settings.sense

    @property
    def seed(self) -> int:
        """What makes the same run again."""
        return self._settings.seed

    @property
    def history(self) -> History:
        """Everything that happened so far, as a frozen value."""
        with self._lock:
            return self._folded().history()

    @property
    def trials(self) -> tuple[Trial, ...]:
        """Every trial in order, pending ones too."""
        with self._lock:
            return tuple(self._folded().trials)

    @property
    def best(self) -> Trial:
        """The done trial with the best value, the first of equals."""
        history = self.history
        if history.best is None:
            raise NoFinishedTrial(
                f"none of the {len(history.trials)} trials has a value yet: ask(), evaluate, tell(trial, value)"
            )
        return history.best

    @property
    def accuracy(self) -> Accuracy:
        """How good the suggestions were: printed, a verdict; as attributes, relative gaps, z-scores, η_t, M_T, the
        realised gain and the regret bound."""
        with self._lock:
            history, fitted = self.history, self._fitted
            told = Accuracy(history.reports, outputs=history.outputs, evaluation_seconds=history.seconds_evaluating)
            if fitted is None:
                return told
            return replace(told, gain=fitted.posterior.gain, premises=premises(fitted, history))

    def result(self, message: str = "the run so far") -> Result:
        """The best point and the whole history as a SciPy OptimizeResult."""
        if not isinstance(message, str):  # a file with another one would be refused
            raise TypeError(f"message must be a string: got {message!r}")
        with self._lock:
            return make_result(self.history, message, self.accuracy)

    def fit(self) -> Fitted:
        """The model of all values told so far."""
        with self._lock:
            data = self.history.observations()
            with one_thread(len(data)):
                # Not cached here: who looks between two asks must not change when the next fit is due.
                model: Any = self._settings.model
                fitted: Fitted = model(data, self.space, self._fitted)
                return fitted

    # ------------------------------------------------------------------ ask

    @overload
    def ask(self, *, deadline: float | None = None) -> Trial: ...
    @overload
    def ask(self, n: int, *, deadline: float | None = None) -> list[Trial]: ...
    def ask(self, n: int | None = None, *, deadline: float | None = None) -> Trial | list[Trial]:
        """Get the next point to evaluate as a trial, or a list of n different ones for parallel evaluation.

        Evaluate the objective at `trial.point` and say what came of it by `tell`, `fail` or `cancel`; until then the
        trial is pending, and other points are proposed meanwhile.

        deadline: seconds from now after which the best point so far is taken, with its report. The clock is looked at
        between batches of work, so the answer may be late by one batch; the model is not fitted again if its last fit
        took more than half of that time.

        The list is shorter where a finite space runs out; SpaceExhausted is for the ask that finds nothing at all.
        An ask that is interrupted leaves nothing pending.
        """
        count = 1 if n is None else as_count(n, "n", 1)
        seconds = as_seconds(deadline, "deadline")
        if seconds == 0.0:
            raise ValueError("deadline must be seconds > 0 or None: got 0")
        until = None if seconds is None else time.monotonic() + seconds
        trials: list[Trial] = []
        try:
            with self._lock:
                first = len(self._folded().trials)
                try:
                    trials = self._ask_several(count, until)
                except BaseException:
                    self._withdraw(first, "the ask was interrupted")
                    raise
            return trials[0] if n is None else trials
        except BaseException:  # on the way out, where others may ask already
            for trial in trials:
                self.cancel(trial, "the ask was interrupted")
            raise

    def _ask_several(self, count: int, deadline: float | None) -> list[Trial]:
        trials: list[Trial] = []
        with one_thread(len(self._folded().done)):
            for _ in range(count):
                try:
                    found = suggest(self._settings, self.history, self._fitted, deadline=deadline)
                except SpaceExhausted:
                    if not trials:
                        raise
                    break
                self._fitted = found.fitted
                trial = self._add(found.point, found.origin, found.report)
                trials.append(replace(trial, point=own(trial.point)))  # the caller may take it apart
        return trials

    # ------------------------------------------------------------------ tell

    def tell(
        self, trial: Trial | Any, value: Any, *, noise_var: float | None = None, seconds: float | None = None
    ) -> Trial:
        """Say what the objective's value at a trial is, or at a point of your own that was evaluated elsewhere.

        value        one real number; nan and the infinities say that the evaluation failed
        noise_var    the variance of the noise in this value, if you know it
        seconds      how long the evaluation took, if you know it

        A value may come late, after `fail` or `cancel`. To tell the same value twice changes nothing; another value for
        the same trial is an error, because a second measurement is a trial of its own: tell(trial.point, value).
        """
        values, noise, took = as_values(value, self._settings.objectives), as_noise(noise_var), as_seconds(seconds)
        with self._lock:
            first = len(self._folded().trials)
            try:
                known = self._known(trial) if isinstance(trial, Trial) else self._pending_at(trial)
                if known.state == "done":
                    if values == known.values:
                        return known
                    raise ValueError(
                        f"trial {known.number} was told {known.value!r} already: got {value!r}; "
                        "a second measurement of a point is told as tell(trial.point, value)"
                    )
                return self._settle(told(known.number, values, noise, took))
            except BaseException:
                self._withdraw(first, "the telling was interrupted")
                raise

    def fail(
        self,
        trial: Trial,
        reason: str = "failed",
        *,
        cause: Cause = "failed",
        seconds: float | None = None,
        traceback: str | None = None,
    ) -> Trial:
        """Say that the evaluation of a trial failed, and why; the run goes on, and the point is not proposed again.

        reason       in a line; of a longer text the last line is taken, and the whole becomes the traceback
        cause        "raised", "nan", "inf", "infeasible", "crashed", "timed out", or "failed" for any other
        seconds      how long the evaluation took, if you know it
        traceback    what Python printed, if you have it

        The model keeps away from failed points. Use `cancel` for a failure that has nothing to do with the point, such
        as a machine that was switched off.
        """
        took = as_seconds(seconds)
        text, why, trace = str(reason), as_cause(cause), None if traceback is None else str(traceback)
        with self._lock:
            known = self._known(trial)
            if known.state == "done":
                raise ValueError(f"trial {known.number} was told {known.value!r} already; it cannot fail any more")
            return self._settle(failed(known.number, text, why, took, trace))

    def cancel(self, trial: Trial, reason: str = "cancelled") -> Trial:
        """Say that a trial will not be evaluated: nothing is learned from it, and its point may be proposed again."""
        with self._lock:
            known = self._known(trial)
            return known if known.state != "pending" else self._settle(Cancelled(known.number, str(reason)))

    def _known(self, trial: Trial) -> Trial:
        """The present state of a trial that this optimizer made."""
        if not isinstance(trial, Trial):
            raise TypeError(f"wanted a trial, as ask() returns it: got {trial!r} of type {type(trial).__name__}")
        trials = self._folded().trials
        if 0 <= trial.number < len(trials) and np.array_equal(trials[trial.number].unit, trial.unit):
            return trials[trial.number]
        raise ValueError(
            f"trial {trial.number} is not one of this optimizer's {len(trials)} trials; "
            "a point evaluated elsewhere is told as tell(point, value)"
        )

    def _pending_at(self, point: Any) -> Trial:
        """The pending trial at a point, or a new foreign one."""
        given = as_point(point, self.space)
        unit = self.space.to_unit(given)
        fold = self._folded()
        for number in fold.pending:
            if np.array_equal(fold.trials[number].unit, unit):
                return fold.trials[number]
        return self._add(given, "foreign")

    # ------------------------------------------------------------------ the record

    def _append(self, event: Event) -> None:
        """The one place where something changes; what the event says is noted and logged once."""
        before = () if self._fold is None else tuple(self._fold.notes)
        self._journal.append(event)
        for note in self._folded().notes:
            if note not in before:
                log.warning("%s", note)
        narrate(event, self._folded())

    def _folded(self) -> Fold:
        """The fold over all events; if it is interrupted half-way, the next one starts from the first event."""
        fold, self._fold = self._fold, None
        fold = Fold() if fold is None else fold
        fold.extend(self._journal.read(len(fold.events)))
        self._fold = fold
        return fold

    def _withdraw(self, first: int, reason: str) -> None:
        """Leave nothing pending of a call that did not return: nobody holds the trials that it added."""
        for trial in self._folded().trials[first:]:
            if trial.state == "pending":
                self._append(Cancelled(trial.number, reason))

    def _settle(self, event: Told | Failed | Cancelled) -> Trial:
        self._append(event)
        return self._folded().trials[event.number]

    def _add(self, point: Any, origin: Origin, report: SolveReport | None = None) -> Trial:
        if isinstance(point, np.ndarray):
            point.flags.writeable = False
        number = len(self._folded().trials)
        self._append(asked(number, point, origin, self.space, report))
        return self._folded().trials[number]
