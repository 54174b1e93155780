"""A worker of a shared study: where it gets its trials, and that the others know that it is alive.

Any worker that finds no trial proposes some, for all who wait; while one of them does, the others wait for what it
finds. There is nobody who must not die: the lock of who proposes ends with the connection, and what is right does not
depend on it, because the server takes a new trial only from who knew all earlier ones.

Where evaluations are slow, one worker waits at a time, and every point is proposed with all that is known. Where they
are fast, many wait, and a model of the same values proposes points for all of them.
"""

import logging
import threading
from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from typing import Any

from suffice.errors import UnusableFile
from suffice.record.trial import Trial
from suffice.result.findings import failures
from suffice.study.optimizer import Optimizer

log = logging.getLogger("suffice")

BEATS = 4  # signs of life within the length of a lease: one that is lost, or late, does no harm
PULSE = 0.5  # seconds between two looks at what the others do, while evaluations run here
# Seconds between two looks at most, where nothing runs here: who waits is told when there is something to do, and looks
# for what nobody tells, such as the death of another worker.
LONGEST = 5.0


@dataclass(eq=False)
class Shift:
    """What a worker does in a study of so many trials until it leaves."""

    optimizer: Optimizer
    n_trials: int  # in all
    retries: int  # how often a trial is claimed again whose worker has died
    polished: int = 0  # how many trials of the study, the last ones, refine the best point
    pulse: float = PULSE
    journal: Any = field(init=False, repr=False)  # of record/shared.py, which is imported with a study that needs it
    _over: threading.Event = field(default_factory=threading.Event, repr=False)
    _seen: int = field(default=0, repr=False)  # events that rules and callbacks have heard of
    _pause: float = field(default=PULSE, repr=False)  # until the next look

    def __post_init__(self) -> None:
        self.journal = self.optimizer.journal
        self.journal.hired = True
        lease = self.journal.address.lease
        thread = threading.Thread(target=self._beat, args=(lease / BEATS,), name="suffice-beat", daemon=True)
        thread.start()

    def next(self, running: Collection[int], wanted: int) -> Trial | None:
        """A trial to be evaluated here; None: there is none now."""
        while True:
            trial = self._claimed(running, wanted)
            if trial is not None or not self._left():
                return trial
            if not self.journal.book.proposes():
                return None  # another worker does
            try:
                self.optimizer.sync()
                left = self._left()  # which the record says: whoever proposes the last ones, they are the same
                polish = left <= self.polished
                count = min(max(self.journal.book.wanted(), wanted), left if polish else left - self.polished)
                if count and not self.journal.book.free(running):
                    self.optimizer.propose(count, polish=polish)
            finally:
                self.journal.book.yields()

    def ended(self) -> str:
        """Why there is nothing to do any more; nothing where others still evaluate, and may die."""
        history = self.optimizer.history
        if history.evaluated < self.n_trials or history.pending:
            return ""
        failed = failures(history.trials)
        if history.evaluated > self.n_trials:
            return f"{history.evaluated} trials are already done, and n_trials={self.n_trials} adds none"
        return f"{self.n_trials} trials are done, {failed}" if failed else f"all {self.n_trials} trials are done"

    def wait(self, seconds: float | None) -> None:
        """Wait until there may be something to do, at most so long; the longer, the longer nothing has happened."""
        book = self.journal.book
        heard = book.server.hear(self._pause if seconds is None else min(seconds, self._pause), book.worker)
        self._pause = self.pulse if heard else min(2.0 * self._pause, LONGEST, book.address.lease)

    def news(self, reached: Callable[[Optimizer], str | None]) -> str | None:
        """Ask rules and callbacks, if anything has happened since they were asked last."""
        self.optimizer.sync()
        events = len(self.optimizer.journal)
        if events == self._seen:
            return None
        self._seen = events
        return reached(self.optimizer)

    def release(self, trial: Trial) -> None:
        """Leave a trial that was claimed to the others."""
        self.journal.book.release(trial.number)

    def close(self) -> None:
        """This worker leaves."""
        self._over.set()
        try:
            self.journal.book.leave()
        except UnusableFile as error:  # the others see it by the lease
            log.debug("%s", error)
        self.journal.hired = False

    # ------------------------------------------------------------------ trials

    def _claimed(self, running: Collection[int], wanted: int) -> Trial | None:
        while True:
            claim = self.journal.claim(tuple(running), wanted)
            if claim is None:
                return None
            trial: Trial = self.optimizer.trials[claim.number]
            self._pause = self.pulse
            if claim.tries <= 1 + self.retries:
                if claim.tries > 1:
                    log.warning("trial %d is evaluated again: its worker gave no sign of life", claim.number)
                return trial
            why = f"its worker gave no sign of life, in all of {claim.tries - 1} tries"
            self.optimizer.fail(trial, why, cause="crashed")

    def _left(self) -> int:
        """How many trials may still be proposed."""
        history = self.optimizer.history
        return max(0, self.n_trials - history.evaluated - len(history.pending))

    def _beat(self, seconds: float) -> None:
        while not self._over.wait(seconds):
            try:
                self.journal.book.beat()
            except UnusableFile as error:
                log.warning("no sign of life: %s", error)
