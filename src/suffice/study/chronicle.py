"""The events of a study as they grow: where they are kept, and what follows from them, remembered."""

import logging
from contextlib import suppress
from typing import Any

from suffice.errors import NotStored
from suffice.store.journal import Journal, Memory
from suffice.study.events import Event
from suffice.study.fold import Fold
from suffice.study.history import History
from suffice.study.modelling import Fits
from suffice.study.narration import narrate
from suffice.study.replay import replayed
from suffice.threads import one_thread

log = logging.getLogger("suffice")


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
