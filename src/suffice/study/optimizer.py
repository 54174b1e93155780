"""Ask for a point, tell its value: the only object of the library that changes.

What changes is its journal, to which events are appended. Everything else follows from the events: the history of the
study, and the next point, which is a function of the history. The same settings and the same events give the same
suggestions, bit for bit.
"""

import copy
import logging
import threading
import time
import weakref
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self, TypeAlias, Unpack, overload

from suffice.accuracy.series import Accuracy
from suffice.aliases import answering, of_optimizer
from suffice.ask.models import Fits, replayed
from suffice.ask.polish import check_polish
from suffice.ask.suggest import Batch, suggest
from suffice.checks import as_bool, as_count, as_seconds
from suffice.errors import NoFinishedTrial, Overtaken, SpaceExhausted
from suffice.pruning import Pruner, wants_stop
from suffice.record.arguments import as_fixed, as_seed, known_values, unrecorded
from suffice.record.encoding import storage_notes
from suffice.record.history import Chronicle, History
from suffice.record.options import Direction, StudyOptions, takes
from suffice.record.outputs import as_value
from suffice.record.settings import Opaque, Settings
from suffice.record.trial import (
    Basis,
    Cancelled,
    Cause,
    Event,
    Reported,
    Started,
    Trial,
    as_cause,
    asked,
    failed,
    noted,
    own,
    read_only,
)
from suffice.result.display import study_html
from suffice.result.feasibility import infeasible_in_words
from suffice.result.front import found
from suffice.result.result import Result, accuracy_of, make_result
from suffice.space import Parameter, SearchSpace, as_space
from suffice.store.files import FilePath
from suffice.store.journal import Journal, Memory, let_go
from suffice.study.observations import (
    Observation,
    check_not_done,
    defined,
    log,
    narrate,
    pending_at,
    present,
    stopped,
    withdrawn,
)
from suffice.threads import one_thread

Fixed: TypeAlias = Mapping[str, Any] | None


@takes(StudyOptions, complete=False)
class Optimizer:
    """Ask for points and tell their values, while you evaluate them yourself.

    Use it if `sf.minimize` cannot call the objective, as for an experiment by hand or a program elsewhere. It can be
    used from several threads, pickled and copied; a `with` block closes it.

    Parameters
    ----------
    space : Space, Pool, CustomSpace, list or dict
        The search space: a list of pairs (low, high), a dict of parameters or pairs, or a space.

    See Also
    --------
    minimize : For an objective that can be called.
    Optimizer.resume : Resumes the study in a file.

    Examples
    --------
    >>> import suffice as sf
    >>> optimizer = sf.Optimizer({"x": (0.0, 1.0)}, seed=0)
    >>> for _ in range(12):
    ...     trial = optimizer.ask()
    ...     done = optimizer.tell(trial, (trial.point["x"] - 0.3) ** 2)
    >>> optimizer.best.value < 0.001
    True
    """

    def __init__(self, space: Any, **options: Unpack[StudyOptions]) -> None:
        storage, seed = options.pop("storage", None), as_seed(options.get("seed"))
        space, y0 = as_space(space), options.pop("y0", None)
        settings = Settings.of(space, **options | {"seed": seed, "x0": None})
        left, known = known_values(options.get("x0"), y0, space, settings.as_values)
        settings = replace(settings, x0=left)
        if storage is not None:
            from suffice.record.study_file import open_study  # sqlite3 is loaded where there is a file

            words = ["space", *(word for word, value in options.items() if value is not None)]
            journal = open_study(storage, settings, words)
            self._begin(journal, journal.settings)
        else:
            self._begin(Memory(), settings)
            self._append(Started(settings, storage_notes(settings.space)))
        with self.together() if known else nullcontext():
            heard = [trial.unit for trial in self.trials if trial.origin == "foreign"]
            for point, value, noise in unrecorded(known, self.space, heard):
                self.tell(point, value, noise_var=noise)

    @classmethod
    def resume(
        cls, path: FilePath, *, space: Any = None, model: Any = None, acquisition: Any = None, solver: Any = None
    ) -> "Optimizer":
        """Resume the study in a file where it was left.

        The next suggestion is the one that would have come next. Trials without a value are still pending
        (`pending`): tell them, or cancel them.

        Parameters
        ----------
        path : path
            The file that was given as `storage`, such as "run.db".
        space, model, acquisition, solver : object, default: None
            A part that is not one of the library's has to be given again; None takes that of the file.

        Returns
        -------
        Optimizer
            The study as it was left, which writes into the same file.

        Raises
        ------
        FileNotFoundError
            If there is no such file.
        UnusableFile
            If the file cannot be read or written now, as where another process is writing it.
        UnreadableFile
            If it holds no study, or is damaged.
        """
        from suffice.record.study_file import resume_study

        optimizer = cls.__new__(cls)
        journal = resume_study(path, space, model=model, acquisition=acquisition, solver=solver)
        optimizer._begin(journal, journal.settings)
        return optimizer

    def _begin(self, journal: Journal[Event], settings: Settings) -> None:
        """Be the study that the journal keeps, or will keep, and that goes on with these settings."""
        self._record = Chronicle(journal)
        self._settings = self._record.settings if len(journal) else settings
        self._lock = threading.RLock()
        if journal.path is not None or journal.shared:
            weakref.finalize(self, let_go, journal)

    # ------------------------------------------------------------------ ask

    @overload
    def ask(self, *, deadline: float | None = None, fixed: Fixed = None, polish: bool = False) -> Trial: ...
    @overload
    def ask(
        self, n: int, *, deadline: float | None = None, fixed: Fixed = None, polish: bool = False
    ) -> list[Trial]: ...
    def ask(
        self, n: int | None = None, *, deadline: float | None = None, fixed: Fixed = None, polish: bool = False
    ) -> Trial | list[Trial]:
        """Get the next point to evaluate as a trial, or a list of n different ones for parallel evaluation.

        Evaluate the objective at `trial.point` and report the outcome by `tell`, `fail` or `cancel`; until then the
        trial is pending, and other points are proposed. An ask that is interrupted leaves nothing pending.

        Parameters
        ----------
        n : int or None, default: None
            How many trials to return in a list; None returns one, without a list.
        deadline : float or None, default: None
            Seconds from now after which the best point so far is returned. The clock is checked between batches of
            work, so the answer may be late by one batch. The model is not refitted if its last fit took more than half
            of that time.
        fixed : mapping or None, default: None
            Values that the point must have, such as {"lr": 0.01}; the other parameters are suggested.
        polish : bool, default: False
            Whether to refine the best point by a local search, as `minimize` does in its last trials. Only for one
            objective without noise and without constraints on outputs, in a space with real parameters.

        Returns
        -------
        Trial or list of Trial
            The trials to evaluate; fewer than n if a finite space is exhausted.

        Raises
        ------
        SpaceExhausted
            If every point of a finite space has been proposed.
        NoFeasiblePoint
            If no point was found that satisfies the constraints `where` of the space.
        """
        count = 1 if n is None else as_count(n, "n", 1)
        seconds = as_seconds(deadline, "deadline")
        if seconds == 0.0:
            raise ValueError("deadline must be seconds > 0 or None: got 0")
        until = None if seconds is None else time.monotonic() + seconds
        values = None if fixed is None else as_fixed(fixed, self.space)
        if as_bool(polish, "polish"):
            check_polish(self.settings, values)
        trials: list[Trial] = []
        try:
            with self._lock:
                while not trials:
                    self._record.journal.sync()
                    first = len(self._record.trials)
                    try:
                        trials = self._ask_several(count, until, values, polish)
                    except Overtaken:  # of a shared study: another one proposes, too
                        self._withdraw(first, "another worker was faster")
                    except BaseException:
                        self._withdraw(first, "the ask was interrupted")
                        raise
            return trials[0] if n is None else trials
        except BaseException:  # on the way out, where others may ask already
            for trial in trials:
                self.cancel(trial, "the ask was interrupted")
            raise

    def propose(self, n: int, *, polish: bool = False) -> None:
        """Propose n points of a shared study, for any worker to evaluate.

        If another worker proposes at the same time, only the points added first are kept.
        """
        with self._lock, suppress(Overtaken):
            self._ask_several(n, None, None, polish)

    def sync(self) -> None:
        """Read what the other workers of a shared study have recorded."""
        with self._lock:
            self._record.journal.sync()

    @property
    def journal(self) -> Journal[Event]:
        """The journal of the record, for the workers of a shared study."""
        return self._record.journal

    def _ask_several(self, count: int, deadline: float | None, fixed: Fixed, polish: bool) -> list[Trial]:
        trials, batch, shared = list[Trial](), Batch(self.settings.solver, count), self._record.journal.shared
        with one_thread(self.history.model_rows):
            for place in range(count):
                try:
                    found = suggest(
                        self.settings,
                        self.history,
                        self._fitted,
                        deadline=deadline,
                        fixed=fixed,
                        batch=batch,
                        polish=polish,
                    )
                except SpaceExhausted:
                    if not trials:
                        raise
                    break
                number = len(self._record.trials)
                if found.report is not None:
                    self._record.remember(number, found.fitted)
                basis = Basis(self.history.settled, place, count) if shared else None
                at = read_only(found.point)
                event = asked(number, at, found.origin, self.space, found.report, fixed, found.unit, basis)
                try:
                    self._append(event, hold=False)  # nobody has it yet
                except Overtaken:  # another trial has this number, and was proposed by other models
                    self._record.forget()
                    raise
                trial = self._record.trials[number]
                trials.append(replace(trial, point=own(trial.point)))  # the caller may take it apart
        return trials

    # ------------------------------------------------------------------ tell

    @answering
    def tell(self, trial: Trial | Any, value: Any, *, noise_var: Any = None, seconds: float | None = None) -> Trial:
        """Record the value of the objective at a trial, or at a point that was evaluated elsewhere.

        A value may come late, after `fail` or `cancel`. Recording the same value twice changes nothing.

        Parameters
        ----------
        trial : Trial or point
            The trial that was evaluated, or a point in the form in which the objective gets it.
        value : float, list or dict
            What the objective returned: one real number, or a dict of all outputs by name where there are several
            objectives or constraints; nan and infinities record a failed evaluation. A list of numbers stands for
            repeated measurements: their mean is recorded, with its estimated variance.
        noise_var : float, dict or None, default: None
            The variance of the noise in this value, if known; a dict by name for several outputs.
        seconds : float or None, default: None
            How long the evaluation took, if you know it.

        Returns
        -------
        Trial
            The trial with its value.

        Raises
        ------
        ValueError
            If the trial already has another value. Record a second measurement as a new trial, tell(trial.point,
            value); `withdraw` a wrong value first.
        """
        said = Observation.of(trial, value, noise_var, seconds, self.settings)

        def act() -> Trial:
            known = (
                present(trial, self._record.trials)
                if isinstance(trial, Trial)
                else pending_at(trial, self._record, self.space)
            )
            if not isinstance(known, Trial):  # of a foreign point both events are kept, or none
                return self._settle(known, said.event(known.number, self._record))
            if known.state in ("done", "pruned") and said.repeats(known, value):
                self._record.journal.sync()
                return known
            return self._settle(said.event(known.number, self._record))

        return self._at_present(act)

    def fail(
        self,
        trial: Trial,
        reason: str = "failed",
        *,
        cause: Cause = "failed",
        seconds: float | None = None,
        traceback: str | None = None,
    ) -> Trial:
        """Record that the evaluation of a trial failed, and why; the model learns from it.

        Failed points are avoided; a finite space tries them again at most twice, after others. Use `cancel` for a
        failure that does not depend on the point, such as a machine that was switched off.

        Parameters
        ----------
        trial : Trial
            The trial whose evaluation failed.
        reason : str, default: 'failed'
            The reason in one line; of a longer text the last line is used, and the whole becomes the traceback.
        cause : str, default: 'failed'
            "raised", "nan", "inf", "infeasible", "crashed", "timed out", or "failed" for any other.
        seconds : float or None, default: None
            How long the evaluation took, if you know it.
        traceback : str or None, default: None
            The traceback, if you have it.

        Returns
        -------
        Trial
            The failed trial.
        """
        took = as_seconds(seconds)
        text, why, trace = str(reason), as_cause(cause), None if traceback is None else str(traceback)

        def act() -> Trial:
            known = present(trial, self._record.trials)
            check_not_done(known, "fail")
            return known if known.state == "pruned" else self._settle(failed(known.number, text, why, took, trace))

        return self._at_present(act)

    def cancel(self, trial: Trial, reason: str = "cancelled") -> Trial:
        """Record that a trial will not be evaluated; the model ignores it, and its point may be proposed again.

        Parameters
        ----------
        trial : Trial
            The trial to cancel. A trial that is no longer pending is unchanged; `withdraw` takes back a value.
        reason : str, default: 'cancelled'
            The reason, in one line.

        Returns
        -------
        Trial
            The cancelled trial.
        """

        def act() -> Trial:
            known = present(trial, self._record.trials)
            return known if known.state != "pending" else self._settle(Cancelled(known.number, str(reason)))

        return self._at_present(act)

    def withdraw(self, trial: Trial, reason: str = "withdrawn") -> Trial:
        """Withdraw a wrong value: the trial becomes cancelled, and you can `tell` the right value afterwards.

        The model, the best trial and the figures no longer use the value. The record keeps it, so that earlier
        suggestions stay reproducible. A study on a server does not support this.

        Parameters
        ----------
        trial : Trial
            The trial whose value is wrong. A cancelled trial is unchanged.
        reason : str, default: 'withdrawn'
            The reason, in one line; the value is added to it.

        Returns
        -------
        Trial
            The trial without a value.
        """
        if self._record.journal.shared:  # its workers ask with what they know, which may be the wrong value
            raise ValueError("a study on a server cannot withdraw a value; measure again: tell(trial.point, value)")
        with self._lock:
            known = present(trial, self._record.trials)
            if known.state == "cancelled":
                return known
            if known.state != "done":
                raise ValueError(f"trial {known.number} is {known.state} and has no value to withdraw; tell its value")
            return self._settle(withdrawn(known, str(reason)))

    def note(self, trial: Trial, text: str | None = None, /, **attributes: Any) -> Trial:
        """Record a note about a trial, and attributes by name; nothing else depends on them.

        Parameters
        ----------
        trial : Trial
            The trial, in any state.
        text : str or None, default: None
            The note, which replaces an earlier one; None keeps that.
        **attributes : object
            Attributes by name: note(trial, operator="Ann", model=Path("7.pt")). Numbers, texts, True, False, None, and
            lists and dicts of them are stored as they are; anything else, such as a path, as text.

        Returns
        -------
        Trial
            The trial with its `note` and all its `attributes`.
        """
        with self._lock:
            known = present(trial, self._record.trials)
            return self._settle(noted(known.number, text, attributes))

    # ------------------------------------------------------------------ evaluations that report

    def report(self, trial: Trial, value: Any, step: int) -> Trial:
        """Record an intermediate value of a running trial: a loss after an epoch, the score of a fold.

        A report of an earlier step replaces all reports from that step on, as when an evaluation is repeated. Reports
        about a trial that is no longer pending are ignored.

        Parameters
        ----------
        trial : Trial
            The trial that is being evaluated.
        value : float
            The value at that step, in the units and with the sign of the objective.
        step : int
            The step, a whole number ≥ 0, such as the epoch or the number of the fold. Trials are compared at equal
            steps.

        Returns
        -------
        Trial
            The trial with its reports.
        """
        if self.settings.several:
            raise ValueError("report is for one objective: this study has several and prunes no trials")
        number, place = as_value(value, "a report"), as_count(step, "step", 0)
        with self._lock:
            known = present(trial, self._record.trials)
            if known.state != "pending":
                return known
            return self._settle(Reported(known.number, place, number))

    def should_prune(self, trial: Trial) -> bool:
        """Whether the rule `pruner` would prune a running trial, given its reports.

        Parameters
        ----------
        trial : Trial
            The trial that is being evaluated.

        Returns
        -------
        bool
            If True, end the evaluation and call `prune`. Without a pruner it is always False.
        """
        with self._lock:
            known = present(trial, self._record.trials)
            return known.state == "pending" and wants_stop(self._rule, known.number, self._record.field)

    def prune(self, trial: Trial, *, seconds: float | None = None) -> Trial:
        """Record that a trial was pruned: its evaluation ended early because of its reports.

        The trial has no value and is never the best. The model uses its expected final value, with a variance, if at
        least four finished trials have reached the same step. A last report that is not a finite number records a
        failure.

        Parameters
        ----------
        trial : Trial
            The pruned trial.
        seconds : float or None, default: None
            How long the evaluation took, if you know it.

        Returns
        -------
        Trial
            The trial with its new state. Pruning it again changes nothing.
        """
        took = as_seconds(seconds)

        def act() -> Trial:
            known = present(trial, self._record.trials)
            check_not_done(known, "be stopped")
            if known.state == "pruned":
                return known
            return self._settle(stopped(known, self._record.field, self._rule, self.settings.sign(), took))

        return self._at_present(act)

    @property
    def _rule(self) -> Pruner | None:
        """The rule; None where there is none, or where a file could only describe it."""
        rule = self.settings.pruner
        return None if isinstance(rule, Opaque) else rule

    # ------------------------------------------------------------------ what is known

    @property
    def settings(self) -> Settings:
        """The settings of the study."""
        return self._settings

    @property
    def storage(self) -> Path | None:
        """The file of the study; None if it is in memory."""
        return self._record.journal.path

    @property
    def patience(self) -> float:
        """Seconds to retry if the file cannot be written, before NotStored is raised; initially 0."""
        return self._record.journal.patience

    @patience.setter
    def patience(self, seconds: float) -> None:
        self._record.journal.patience = seconds

    @property
    def space(self) -> SearchSpace:
        """The search space."""
        return self.settings.space

    @property
    def direction(self) -> Direction:
        """Whether the objective is minimized or maximized."""
        return self.settings.direction

    @property
    def seed(self) -> int:
        """The seed that reproduces the run."""
        return self.settings.seed

    @property
    def history(self) -> History:
        """The history so far, an immutable value."""
        with self._lock:
            return self._record.history

    @property
    def trials(self) -> tuple[Trial, ...]:
        """Every trial in order, pending ones too."""
        with self._lock:
            return tuple(self._record.trials)

    @property
    def pending(self) -> tuple[Trial, ...]:
        """The trials that have no outcome yet, in the order of asking."""
        with self._lock:
            return tuple(replace(trial, point=own(trial.point)) for trial in self._record.pending)

    @property
    def best(self) -> Trial:
        """The feasible trial with the best value, the first of equals; NoFinishedTrial where there is none."""
        history = self.history
        if self.settings.several:
            raise AttributeError(f"an optimizer has no 'best': {of_optimizer('best', [])}")
        if history.best is None:
            if history.done:
                raise NoFinishedTrial(infeasible_in_words(history))
            raise NoFinishedTrial(
                f"none of the {len(history.trials)} trials has a value yet: ask(), evaluate, tell(trial, value)"
            )
        return history.best

    # ------------------------------------------------------------------ models and result

    @property
    def accuracy(self) -> Accuracy:
        """The accuracy of the suggestions: print it for a summary."""
        with self._lock:
            return accuracy_of(self.history, self._fitted)

    def result(self, message: str = "the run so far") -> Result:
        """The best point and the whole history as a SciPy OptimizeResult.

        Parameters
        ----------
        message : str, default: 'the run so far'
            The message of the result: why the run ended.

        Returns
        -------
        Result
            The result so far, which does not change later.
        """
        if not isinstance(message, str):  # a file with another one would be refused
            raise TypeError(f"message must be a string: got {message!r}")
        with self._lock:
            return make_result(self.history, message, self.accuracy)

    @property
    def _fitted(self) -> Fits | None:
        """The models of the last suggestion, which the next ones extend."""
        found: Fits | None = self._record.models(replayed)
        return found

    # ------------------------------------------------------------------ the record

    def extend(self, planned: Callable[[History], Sequence[Event]]) -> None:
        """Add events that were made for the current history, all of them or none: for tools that read files.

        planned a function of the locked history that returns the events to add
        """
        with self._lock:
            events = planned(self.history)
            if events:
                self._append(*events, hold=False)

    def define(self, trial: Trial, asked: Mapping[str, tuple[Parameter, Any]], ended: bool) -> None:
        """Take in what an evaluation has asked for, in a study whose objective defines its space: what runs do.

        asked    parameters and their values by name
        ended    whether the evaluation came to its end, so that it did not ask for anything else
        """
        with self._lock:
            event = defined(self.history, trial.number, asked, ended)
            if event is not None:
                self._append(event)

    def _at_present(self, act: Callable[[], Trial]) -> Trial:
        """What an act on the record returns; of a shared study, on the record as it is now."""
        with self._lock:
            while self._record.journal.shared:
                self._record.journal.sync()
                with suppress(Overtaken):
                    return act()
            return act()

    def _withdraw(self, first: int, reason: str) -> None:
        """Leave nothing pending of a call that did not return: nobody holds the trials that it added."""
        left = [trial for trial in self._record.trials[first:] if trial.state == "pending"]
        if left:
            self._append(*(Cancelled(trial.number, reason) for trial in left))

    def _append(self, *events: Event, hold: bool = True) -> None:
        try:
            notes = self._record.append(*events, hold=hold)
        finally:
            self._settings = self._record.settings  # also of events that are held in memory
        for note in notes:
            log.warning("%s", note)
        if log.isEnabledFor(logging.INFO):
            for event in events:
                narrate(event, self._record)

    def _settle(self, *events: Any) -> Trial:
        self._append(*events)
        found: Trial = self._record.trials[events[-1].number]
        return found

    # ------------------------------------------------------------------ lifecycle

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def close(self) -> None:
        """Write pending events to the file and release it for other processes.

        The study can still be read. A program closes its studies when it ends, and a study in memory needs no closing.
        """
        with self._lock:
            self._record.journal.close()

    @contextmanager
    def together(self) -> Iterator[None]:
        """A context that writes everything recorded inside to the file at once, at the end: for thousands of values."""
        with self._lock, self._record.journal.together():
            yield

    def __getstate__(self) -> dict[str, Any]:
        """For pickle and deepcopy: all but the lock, which is of this process. The copy is in memory, not in a file."""
        with self._lock:
            return {name: value for name, value in self.__dict__.items() if name != "_lock"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state, _lock=threading.RLock())

    def __copy__(self) -> Self:
        """A copy with a journal of its own: two that write into one would each see trials it never made."""
        return copy.deepcopy(self)

    def __repr__(self) -> str:
        history = self.history
        best = f", best {history.best.value:g}" if history.best is not None else ""
        if best == "" and history.done:
            best = f", {found(history)}"
        what = f"{len(self.space.names)} parameters, {self.settings.aims}, {len(history.trials)} trials{best}"
        return f"<{type(self).__name__} of {what}>"

    def _repr_html_(self) -> str:
        """For notebooks: the best point so far and the way to it."""
        return study_html(self.history, f"{type(self).__name__} of {len(self.space.names)} parameters")

    if not TYPE_CHECKING:  # a checker knows what there is

        def __getattr__(self, name):
            """What is not there is refused, with what it is called here."""
            if hasattr(type(self), name):  # it is there, and lacks something itself: that is the error to show
                return object.__getattribute__(self, name)
            known = [word for word in dir(type(self)) if not word.startswith("_")]
            said = "" if name.startswith("_") else of_optimizer(name, known)
            raise AttributeError(f"an optimizer has no {name!r}" + (f": {said}" if said else ""))
