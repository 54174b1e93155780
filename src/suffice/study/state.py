"""The events of a study as they grow: where they are kept, and what follows from them, remembered."""

import logging
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import numpy as np

from suffice.ask.models import Fits, replayed
from suffice.errors import NotStored
from suffice.record.arguments import as_point, as_seconds, check_telling
from suffice.record.events import (
    Asked,
    Cancelled,
    Event,
    Failed,
    Stopped,
    Told,
    asked,
    told,
)
from suffice.record.history import Fold, History
from suffice.record.outputs import as_variances
from suffice.record.settings import Settings
from suffice.record.trial import Trial, as_told, read_only
from suffice.result.front import Front, found
from suffice.space import SearchSpace
from suffice.store.journal import Journal, Memory
from suffice.threads import one_thread

#| -- study.narration: What happens in a study as lines of the standard log, on the logger "suffice": INFO for
#| evaluations, DEBUG for asks.
#|
#| Nothing is shown unless the program sets up `logging`; trouble is logged as WARNING elsewhere.

log = logging.getLogger("suffice")


def narrate(event: Event, fold: Fold) -> None:
    """Log an event that the fold holds already."""
    if not log.isEnabledFor(logging.INFO):
        return
    match event:
        case Asked(number):
            if log.isEnabledFor(logging.DEBUG):
                log.debug("trial %d: %s", number, _proposal(fold.trials[number]))
        case Told(number):
            trial = fold.trials[number]
            log.info("trial %d: %r%s%s", number, as_told(trial), _best(trial, fold), _took(trial))
        case Failed(number, reason, cause):
            log.info("trial %d failed (%s): %s%s", number, cause, reason, _took(fold.trials[number]))
        case Stopped(number):
            trial = fold.trials[number]
            step = f" at step {trial.reports[-1][0]}" if trial.reports else ""
            log.info("trial %d was stopped early%s%s", number, step, _took(trial))
        case Cancelled(number, reason):
            log.info("trial %d was cancelled: %s", number, reason)
        case _:
            pass


def _proposal(trial: Trial) -> str:
    """Where the point comes from; of the model's points, the effort and the accuracy of the search."""
    solve = trial.solve
    if solve is None:
        return {"design": "of the initial design", "given": "given as x0"}.get(trial.origin, "told from outside")
    said = ["proposed by the model"] + ([] if solve.kind is None else [f"step {solve.kind!r}"])
    said.append(f"{solve.n_evals} evaluations of the acquisition")
    if solve.relative_gap is not None:
        said.append(f"relative gap {solve.relative_gap:.2g}")
    said.append(solve.status.name)
    said += [f"{phase} {1e3 * seconds:.1f} ms" for phase, seconds in solve.seconds.items()]
    return ", ".join(said)


def _best(trial: Trial, fold: Fold) -> str:
    if trial.origin == "foreign":  # they come by the thousand, and to look for the best takes as long
        return ", told from outside"
    history, beyond = fold.history(), "" if trial.feasible else ", beyond a limit"
    if history.best is not None and history.best.number == trial.number:
        return ", the best so far"
    if history.settings.several and any(one.number == trial.number for one in Front(history).trials):
        return f", one of {found(history)}"
    return f"{beyond}, {found(history)}"


def _took(trial: Trial) -> str:
    return "" if trial.seconds is None else f", {trial.seconds:.3g} s"


class Chronicle:
    """A journal, and two caches: the events decide what they hold."""

    def __init__(self, journal: Journal[Event]) -> None:
        self.journal = journal
        self._fold: Fold | None = None
        self._fitted: tuple[int | None, Fits | None] = (None, None)  # the trial that the models proposed, the models

    def __getstate__(self) -> dict[str, Any]:
        """A copy, pickled or deep, is in memory: a file has one writer."""
        return {**self.__dict__, "journal": Memory(list(self.journal.read()))}

    def append(self, *events: Event, hold: bool = True) -> None:
        """The one place where something changes; what the events say is noted and logged once."""
        before = () if self._fold is None else tuple(self._fold.notes)
        self.journal.append(*events, hold=hold)
        for note in self.fold.notes:
            if note not in before:
                log.warning("%s", note)
        for event in events:
            narrate(event, self.fold)

    @property
    def fold(self) -> Fold:
        """The fold over all events; if it is interrupted half-way, the next one starts from the first event."""
        fold, self._fold = self._fold, None
        fold = Fold() if fold is None else fold
        fold.extend(self.journal.read(len(fold.events)))
        self._fold = fold
        return fold

    @property
    def history(self) -> History:
        """What the events so far tell."""
        return self.fold.history()

    @property
    def fitted(self) -> Fits | None:
        """The models behind the last suggestion of the record; they are made again if they are not remembered."""
        last = self.fold.modelled
        number, fitted = self._fitted
        if number != last:
            with one_thread(self.history.model_rows):
                fitted = replayed(self.history)
            self._fitted = last, fitted
        return fitted

    def remember(self, number: int, fitted: Fits | None) -> None:
        """The models that proposed trial `number`; if the trial does not get into the record, they are forgotten."""
        self._fitted = number, fitted


def let_go(journal: Journal[Event]) -> None:
    """Close the journal of an optimizer that nobody holds any more."""
    try:
        journal.close()
    except NotStored as error:
        with suppress(Exception):
            log.error("%s; the optimizer that held them is gone", error)


#| -- study.telling: What a user says about an evaluation, checked before anything changes, and which trial it is
#| about.


@dataclass(frozen=True)
class Telling:
    """The outputs of an evaluation, nan where one is missing; they become an event once their trial is known."""

    values: Mapping[str, float]
    noise_var: Any
    seconds: float | None
    settings: Settings

    @classmethod
    def of(cls, trial: Any, value: Any, noise_var: Any, seconds: Any, settings: Settings) -> "Telling":
        """From what `tell` is given; TypeError or ValueError, by name, where it is none."""
        check_telling(trial, value)
        aims, took = settings.objectives, as_seconds(seconds)
        values = settings.as_values(value)
        return cls(values, as_variances(noise_var, aims, settings.outputs), took, settings)

    def event(self, number: int) -> Told | Failed:
        """What it says about the trial with this number."""
        return told(number, self.values, self.noise_var, self.seconds, self.settings.constraints)

    def repeats(self, known: Trial, value: Any) -> bool:
        """Whether a done trial was told just this; ValueError if it was told something else, or stopped early."""
        if known.state == "stopped":
            raise ValueError(
                f"trial {known.number} was stopped early: got {value!r}; a whole evaluation of its point is told "
                "as tell(trial.point, value)"
            )
        event = self.event(known.number)
        if isinstance(event, Told) and event.values == known.values:
            return True
        raise ValueError(
            f"trial {known.number} was told {as_told(known)!r} already: got {value!r}; "
            "a second measurement of a point is told as tell(trial.point, value)"
        )


def present(trial: Any, trials: Sequence[Trial]) -> Trial:
    """The present state of a trial that an optimizer made, which has these trials."""
    if not isinstance(trial, Trial):
        raise TypeError(f"wanted a trial, as ask() returns it: got {trial!r} of type {type(trial).__name__}")
    if 0 <= trial.number < len(trials) and np.array_equal(trials[trial.number].unit, trial.unit):
        return trials[trial.number]
    raise ValueError(
        f"trial {trial.number} is not one of this optimizer's {len(trials)} trials; "
        "a point evaluated elsewhere is told as tell(point, value)"
    )


def pending_at(point: Any, fold: Fold, space: SearchSpace) -> Trial | Asked:
    """The pending trial at a point, or the event that it came from outside."""
    given = as_point(point, space)
    unit = space.to_unit(given)
    for number in fold.pending:
        if np.array_equal(fold.trials[number].unit, unit):
            return fold.trials[number]
    return asked(len(fold.trials), read_only(given), "foreign", space, at=unit)
