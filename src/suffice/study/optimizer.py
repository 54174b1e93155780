"""Ask for a point, tell its value: the only object of the library that changes.

What changes is its journal, to which events are appended. Everything else follows from the events: the history is a
fold over them, and the next point a function of the history. The same settings and the same events give the same
suggestions, bit for bit.
"""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeAlias, Unpack, overload

from suffice.checks import as_count
from suffice.errors import SpaceExhausted
from suffice.space import as_space
from suffice.store.files import FilePath
from suffice.store.journal import Memory
from suffice.study.border import as_cause, as_fixed, as_seconds
from suffice.study.events import Cancelled, Event, Started, asked, failed
from suffice.study.given import as_seed, known_values, not_told
from suffice.study.history import History
from suffice.study.keywords import takes
from suffice.study.options import StudyOptions
from suffice.study.reporting import Reporting
from suffice.study.settings import Settings
from suffice.study.spaces import storage_notes
from suffice.study.suggest import Batch, suggest
from suffice.study.telling import Telling, pending_at
from suffice.study.trial import Cause, Trial, as_told, own, read_only
from suffice.threads import one_thread

Fixed: TypeAlias = Mapping[str, Any] | None


@takes(StudyOptions, complete=False)
class Optimizer(Reporting):
    """Propose points and learn from their values, while you do the evaluations yourself: ask and tell.

    Choose it where `sf.minimize` cannot call the objective, for an experiment by hand or a program elsewhere. It may be
    used from several threads, pickled and copied; in a `with` block it is closed at the end.

    Parameters
    ----------
    space : Space, Pool, OwnSpace, list or dict
        What is searched: a list of pairs (low, high), a dict of parameters or pairs, or a space.

    See Also
    --------
    minimize : Evaluates the objective itself.
    Optimizer.resume : Goes on with the study in a file.

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
        store, seed = options.pop("store", None), as_seed(options.get("seed"), options.pop("rng", None))
        space, y0 = as_space(space), options.pop("y0", None)
        settings = Settings.of(space, **options | {"seed": seed, "x0": None})
        left, known = known_values(options.get("x0"), y0, space, settings.as_values)
        settings = replace(settings, x0=left)
        if store is not None:
            from suffice.study.opening import open_study  # sqlite3 is loaded where there is a file

            words = ["space", *(word for word, value in options.items() if value is not None)]
            journal = open_study(store, settings, words)
            self._begin(journal, journal.completed)
        else:
            self._begin(Memory(), settings)
            self._record.append(Started(settings, storage_notes(settings.space)))
        heard = [trial.unit for trial in self.trials if trial.origin == "foreign"] if known else []
        with self.together():
            for point, value in not_told(known, self.space, heard):
                self.tell(point, value)

    @classmethod
    def resume(
        cls, path: FilePath, *, space: Any = None, model: Any = None, acquisition: Any = None, solver: Any = None
    ) -> "Optimizer":
        """Go on with the study in a file, where it was left.

        The next suggestion is the one that would have come next. Trials that were asked for and not told are still
        pending (`pending`): tell them, or cancel them.

        Parameters
        ----------
        path : path
            The file that was given as `store`, such as "run.db".
        space, model, acquisition, solver : object, default: None
            Where the study has a part that is not one of the library's, the same part again; None takes that of the
            file.

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
        from suffice.study.opening import resume_study

        optimizer = cls.__new__(cls)
        journal = resume_study(path, space, model=model, acquisition=acquisition, solver=solver)
        optimizer._begin(journal, journal.completed)
        return optimizer

    # ------------------------------------------------------------------ ask

    @overload
    def ask(self, *, deadline: float | None = None, fixed: Fixed = None) -> Trial: ...
    @overload
    def ask(self, n: int, *, deadline: float | None = None, fixed: Fixed = None) -> list[Trial]: ...
    def ask(self, n: int | None = None, *, deadline: float | None = None, fixed: Fixed = None) -> Trial | list[Trial]:
        """Get the next point to evaluate as a trial, or a list of n different ones for parallel evaluation.

        Evaluate the objective at `trial.point` and say what came of it by `tell`, `fail` or `cancel`; until then the
        trial is pending, and other points are proposed meanwhile. An ask that is interrupted leaves nothing pending.

        Parameters
        ----------
        n : int or None, default: None
            How many trials to return in a list; None returns one, without a list.
        deadline : float or None, default: None
            Seconds from now after which the best point so far is taken, with its report. The clock is looked at between
            batches of work, so the answer may be late by one batch; the model is not fitted again if its last fit took
            more than half of that time.
        fixed : mapping or None, default: None
            Values that the point must have, such as {"lr": 0.01}; the other parameters are suggested.

        Returns
        -------
        Trial or list of Trial
            What to evaluate. The list is shorter where a finite space runs out.

        Raises
        ------
        SpaceExhausted
            If a finite space has no point left that was not proposed yet.
        NoFeasiblePoint
            If no point was found that satisfies the constraints `where` of the space.
        """
        count = 1 if n is None else as_count(n, "n", 1)
        seconds = as_seconds(deadline, "deadline")
        if seconds == 0.0:
            raise ValueError("deadline must be seconds > 0 or None: got 0")
        until, values = None if seconds is None else time.monotonic() + seconds, as_fixed(fixed, self.space)
        trials: list[Trial] = []
        try:
            with self._lock:
                first = len(self._record.fold.trials)
                try:
                    self._record.journal.sync()
                    trials = self._ask_several(count, until, values)
                except BaseException:
                    self._withdraw(first, "the ask was interrupted")
                    raise
            return trials[0] if n is None else trials
        except BaseException:  # on the way out, where others may ask already
            for trial in trials:
                self.cancel(trial, "the ask was interrupted")
            raise

    def _ask_several(self, count: int, deadline: float | None, fixed: Fixed) -> list[Trial]:
        trials, batch = list[Trial](), Batch(self.settings.solver, count)
        with one_thread(self.history.model_rows):
            for _ in range(count):
                try:
                    found = suggest(
                        self.settings, self.history, self._fitted, deadline=deadline, fixed=fixed, batch=batch
                    )
                except SpaceExhausted:
                    if not trials:
                        raise
                    break
                number = len(self._record.fold.trials)
                if found.report is not None:
                    self._record.remember(number, found.fitted)
                event = asked(number, read_only(found.point), found.origin, self.space, found.report, fixed)
                self._record.append(event, hold=False)  # nobody has it yet
                trial = self._record.fold.trials[number]
                trials.append(replace(trial, point=own(trial.point)))  # the caller may take it apart
        return trials

    # ------------------------------------------------------------------ tell

    def tell(self, trial: Trial | Any, value: Any, *, noise_var: Any = None, seconds: float | None = None) -> Trial:
        """Say what the objective's value at a trial is, or at a point of your own that was evaluated elsewhere.

        A value may come late, after `fail` or `cancel`. To tell the same value twice changes nothing.

        Parameters
        ----------
        trial : Trial or point
            The trial that was evaluated, or a point in the form in which the objective gets it.
        value : float or dict
            What the objective returned: one real number, or a dict of all outputs by name where there are several
            objectives or constraints; nan and the infinities say that the evaluation failed.
        noise_var : float, dict or None, default: None
            The variance of the noise in this value, if you know it; a dict has those of several outputs.
        seconds : float or None, default: None
            How long the evaluation took, if you know it.

        Returns
        -------
        Trial
            The trial with its value.

        Raises
        ------
        ValueError
            If the trial has another value already, because a second measurement is a trial of its own:
            tell(trial.point, value).
        """
        said = Telling.of(trial, value, noise_var, seconds, self.settings)
        with self._lock:
            known = self._known(trial) if isinstance(trial, Trial) else pending_at(trial, self._record.fold, self.space)
            if not isinstance(known, Trial):  # of a foreign point both events are kept, or none
                return self._settle(known, said.event(known.number))
            if known.state in ("done", "stopped") and said.repeats(known, value):
                self._record.journal.sync()
                return known
            return self._settle(said.event(known.number))

    def fail(
        self,
        trial: Trial,
        reason: str = "failed",
        *,
        cause: Cause = "failed",
        seconds: float | None = None,
        traceback: str | None = None,
    ) -> Trial:
        """Say that the evaluation of a trial failed, and why; the run goes on, and learns from it.

        The search keeps away from failed points; in a finite space one is tried again, at most twice and after others.
        Use `cancel` for a failure that has nothing to do with the point, such as a machine that was switched off.

        Parameters
        ----------
        trial : Trial
            The trial whose evaluation failed.
        reason : str, default: 'failed'
            Why, in a line; of a longer text the last line is taken, and the whole becomes the traceback.
        cause : str, default: 'failed'
            "raised", "nan", "inf", "infeasible", "crashed", "timed out", or "failed" for any other.
        seconds : float or None, default: None
            How long the evaluation took, if you know it.
        traceback : str or None, default: None
            What Python printed, if you have it.

        Returns
        -------
        Trial
            The failed trial.
        """
        took = as_seconds(seconds)
        text, why, trace = str(reason), as_cause(cause), None if traceback is None else str(traceback)
        with self._lock:
            known = self._known(trial)
            if known.state == "done":
                raise ValueError(f"trial {known.number} was told {as_told(known)!r} already; it cannot fail any more")
            if known.state == "stopped":
                return known
            return self._settle(failed(known.number, text, why, took, trace))

    def cancel(self, trial: Trial, reason: str = "cancelled") -> Trial:
        """Say that a trial will not be evaluated: nothing is learned from it, and its point may be proposed again.

        Parameters
        ----------
        trial : Trial
            The trial that is given up. One that is settled already stays as it is.
        reason : str, default: 'cancelled'
            Why, in a line.

        Returns
        -------
        Trial
            The cancelled trial.
        """
        with self._lock:
            known = self._known(trial)
            return known if known.state != "pending" else self._settle(Cancelled(known.number, str(reason)))

    # ------------------------------------------------------------------ the record

    def extend(self, planned: Callable[[History], Sequence[Event]]) -> None:
        """Take in events that were made for the history as it is now, all of them or none: for tools that read files.

        planned    gets the history, while nobody can change it, and returns the events that follow
        """
        with self._lock:
            events = planned(self.history)
            if events:
                self._record.append(*events, hold=False)

    def _withdraw(self, first: int, reason: str) -> None:
        """Leave nothing pending of a call that did not return: nobody holds the trials that it added."""
        left = [trial for trial in self._record.fold.trials[first:] if trial.state == "pending"]
        if left:
            self._record.append(*(Cancelled(trial.number, reason) for trial in left))
