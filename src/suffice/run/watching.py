"""Who hears what happens in a run while it happens: a display, a log, a table that grows.

A watcher is a function of one argument. It is called in the thread of the run, between two steps, so it sees a
consistent optimizer and should be quick. A watcher that raises an exception is left out from then on, because a display
is not worth a run; Ctrl-C in it ends the run as anywhere.
"""

import logging
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from suffice.study.optimizer import Optimizer
from suffice.study.trial import Trial

log = logging.getLogger("suffice")


@dataclass(frozen=True)
class Moment:
    """What happened just now.

    kind       "started": `trial` is to be evaluated; "again": it is evaluated once more; "settled": it is
               done, failed, stopped or cancelled, as its state says; "ended": the run is over
    trial      the trial that it is about, as it is now; None at the end
    budget     how many evaluations the run may make
    message    why: for "again" and "ended"
    """

    kind: Literal["started", "again", "settled", "ended"]
    optimizer: Optimizer
    budget: int
    trial: Trial | None = None
    message: str = ""


Watcher: TypeAlias = Callable[[Moment], None]


@dataclass
class Audience:
    """The watchers of a run."""

    watchers: Iterable[Watcher] = ()
    _present: list[Watcher] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        self._present = list(self.watchers)

    def hear(self, moment: Moment) -> None:
        """Tell every watcher."""
        for watcher in tuple(self._present):
            try:
                watcher(moment)
            except Exception:
                self._present.remove(watcher)
                log.warning("%r raised an exception and is told no more about this run", watcher, exc_info=True)
