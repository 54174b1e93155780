"""A study as it is known: its trials, its best point, its accuracy, and where its record is kept.

Asking and telling, which change it, are in optimizer.py.
"""

import copy
import threading
import weakref
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from suffice.accuracy.series import Accuracy
from suffice.errors import NoFinishedTrial
from suffice.gp.model import Fitted
from suffice.space import SearchSpace
from suffice.space.naming import nearest_name
from suffice.store.journal import Journal
from suffice.study.chronicle import Chronicle, let_go
from suffice.study.concluding import accuracy_of, make_result
from suffice.study.events import Event
from suffice.study.front import found
from suffice.study.history import History
from suffice.study.modelling import Fits, model_of
from suffice.study.options import Sense
from suffice.study.reading.feasibility import beyond_limits
from suffice.study.reading.html import study_html
from suffice.study.result import Result
from suffice.study.settings import Settings
from suffice.study.trial import Trial, own
from suffice.study.words import ONE_ONLY, OPTIMIZERS, called_here
from suffice.threads import one_thread


class Study:
    """What can be read of an optimizer, from several threads."""

    def _begin(self, journal: Journal[Event], settings: Settings) -> None:
        """Be the study that the journal keeps, or will keep, and that goes on with these settings."""
        self._settings = settings
        self._record = Chronicle(journal)
        self._lock = threading.RLock()
        if journal.path is not None:
            weakref.finalize(self, let_go, journal)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def close(self) -> None:
        """Write what is not in the file yet, and let others write it.

        All that is known can still be read. It happens by itself when the program ends, however it ends. A study that
        is not in a file does not need it.
        """
        with self._lock:
            self._record.journal.close()

    @contextmanager
    def together(self) -> Iterator[None]:
        """Write all that is told inside into the file at once, at the end: for thousands of values told together."""
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
            known = [word for word in dir(type(self)) if not word.startswith("_")]
            said = "" if name.startswith("_") else called_here(name, known, OPTIMIZERS | ONE_ONLY)
            raise AttributeError(f"an optimizer has no {name!r}" + (f": {said}" if said else ""))

    # ------------------------------------------------------------------ what is known

    @property
    def settings(self) -> Settings:
        """Everything that it takes to make this study again."""
        return self._settings

    @property
    def store(self) -> Path | None:
        """The file of the study; None if it is in memory."""
        return self._record.journal.path

    @property
    def patience(self) -> float:
        """Seconds to try again for, where the file cannot be written, before NotStored is raised; 0 at first."""
        return self._record.journal.patience

    @patience.setter
    def patience(self, seconds: float) -> None:
        self._record.journal.patience = seconds

    @property
    def space(self) -> SearchSpace:
        """The space that is searched."""
        return self.settings.space

    @property
    def sense(self) -> Sense:
        """Whether the objective is minimized or maximized."""
        return self.settings.sense

    @property
    def seed(self) -> int:
        """What makes the same run again."""
        return self.settings.seed

    @property
    def history(self) -> History:
        """Everything that happened so far, as a frozen value."""
        with self._lock:
            return self._record.history

    @property
    def trials(self) -> tuple[Trial, ...]:
        """Every trial in order, pending ones too."""
        with self._lock:
            return tuple(self._record.fold.trials)

    @property
    def pending(self) -> tuple[Trial, ...]:
        """The trials that were asked for, and neither told nor failed nor cancelled, in the order of asking."""
        with self._lock:
            fold = self._record.fold
            trials = [fold.trials[number] for number in fold.pending]
            return tuple(replace(trial, point=own(trial.point)) for trial in trials)

    @property
    def best(self) -> Trial:
        """The feasible trial with the best value, the first of equals; NoFinishedTrial where there is none."""
        history = self.history
        if self.settings.several:
            raise AttributeError("best")  # for which __getattr__ has the words
        if history.best is None:
            if history.done:
                raise NoFinishedTrial(beyond_limits(history))
            raise NoFinishedTrial(
                f"none of the {len(history.trials)} trials has a value yet: ask(), evaluate, tell(trial, value)"
            )
        return history.best

    @property
    def accuracy(self) -> Accuracy:
        """How good the suggestions were, as an `Accuracy`: printed, a verdict; the numbers are its attributes."""
        with self._lock:
            return accuracy_of(self.history, self._fitted)

    def result(self, message: str = "the run so far") -> Result:
        """The best point and the whole history as a SciPy OptimizeResult.

        Parameters
        ----------
        message : str, default: 'the run so far'
            What the result says about why the run ended.

        Returns
        -------
        Result
            What is known now; it does not change any more.
        """
        if not isinstance(message, str):  # a file with another one would be refused
            raise TypeError(f"message must be a string: got {message!r}")
        with self._lock:
            return make_result(self.history, message, self.accuracy)

    def fit(self, output: str | None = None) -> Fitted:
        """Fit the model to all values told so far.

        Parameters
        ----------
        output : str or None, default: None
            Whose values: an objective or a constrained output by its name; None takes the only objective, or the first.

        Returns
        -------
        Fitted
            Its `posterior` predicts in the units of the model; `Result.predict` does so in those of the objective.
        """
        with self._lock:
            name = self.settings.objective if output is None else output
            if name not in self.settings.outputs:
                raise ValueError(f"there is no output {name!r}: {nearest_name(name, self.settings.outputs)}")
            data, before = self.history.observations(name), self._fitted or {}
            with one_thread(self.history.model_rows):
                # Not cached here: who looks between two asks must not change when the next fit is due.
                fitted: Fitted = model_of(self.settings, name)(data, self.space, before.get(name))
                return fitted

    @property
    def _fitted(self) -> Fits | None:
        """The models of the last suggestion, from which the next ones go on."""
        return self._record.fitted
