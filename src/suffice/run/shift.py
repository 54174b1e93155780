"""A worker of a shared study: it gets trials from the server and renews its lease.

A worker that finds no trial proposes some for all waiting workers; meanwhile the others wait. Any worker may die: the
proposer's lock ends with its connection. Correctness does not depend on the lock, because the server accepts a new
trial only from a worker that knew all earlier ones.

If evaluations are slow, one worker waits at a time, and every proposal uses all values. If they are fast, many workers
wait, and one model proposes points for all of them.
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

BEATS = 4  # renewals within a lease: one that is lost or late does no harm
PULSE = 0.5  # seconds between two checks of the other workers while evaluations run here
# The longest time in seconds between two checks while nothing runs here. The server notifies a waiting worker of work;
# the checks find what it does not announce, such as the death of another worker.
LONGEST = 5.0


@dataclass(eq=False)
class Shift:
    """The work of one worker in a study of so many trials."""

    optimizer: Optimizer
    n_trials: int  # in all
    retries: int  # how often a trial is repeated after its worker died
    polished: int = 0  # the number of last trials of the study that refine the best point
    pulse: float = PULSE
    journal: Any = field(init=False, repr=False)  # from record/shared.py, which is imported only for such a study
    _over: threading.Event = field(default_factory=threading.Event, repr=False)
    _seen: int = field(default=0, repr=False)  # events that rules and callbacks have seen
    _pause: float = field(default=PULSE, repr=False)  # until the next check

    def __post_init__(self) -> None:
        self.journal = self.optimizer.journal
        self.journal.hired = True
        lease = self.journal.address.lease
        thread = threading.Thread(target=self._beat, args=(lease / BEATS,), name="suffice-beat", daemon=True)
        thread.start()

    def next(self, running: Collection[int], wanted: int) -> Trial | None:
        """A trial to evaluate here; None if there is none now."""
        while True:
            trial = self._claimed(running, wanted)
            if trial is not None or not self._left():
                return trial
            if not self.journal.book.proposes():
                return None  # another worker does
            try:
                self.optimizer.sync()
                left = self._left()  # from the record, so all workers propose the same last ones
                polish = left <= self.polished
                count = min(max(self.journal.book.wanted(), wanted), left if polish else left - self.polished)
                if count and not self.journal.book.free(running):
                    self.optimizer.propose(count, polish=polish)
            finally:
                self.journal.book.yields()

    def ended(self) -> str:
        """Why there is nothing left to do; empty while others still evaluate, because they may die."""
        history = self.optimizer.history
        if history.evaluated < self.n_trials or history.pending:
            return ""
        failed = failures(history.trials)
        if history.evaluated > self.n_trials:
            return f"{history.evaluated} trials are already done, and n_trials={self.n_trials} adds none"
        return f"{self.n_trials} trials are done, {failed}" if failed else f"all {self.n_trials} trials are done"

    def wait(self, seconds: float | None) -> None:
        """Wait at most so many seconds until there may be work; pauses grow while nothing happens."""
        book = self.journal.book
        heard = book.server.hear(self._pause if seconds is None else min(seconds, self._pause), book.worker)
        self._pause = self.pulse if heard else min(2.0 * self._pause, LONGEST, book.address.lease)

    def news(self, reached: Callable[[Optimizer], str | None]) -> str | None:
        """Ask rules and callbacks if anything has happened since the last time."""
        self.optimizer.sync()
        events = len(self.optimizer.journal)
        if events == self._seen:
            return None
        self._seen = events
        return reached(self.optimizer)

    def release(self, trial: Trial) -> None:
        """Return a claimed trial to the others."""
        self.journal.book.release(trial.number)

    def close(self) -> None:
        """This worker leaves."""
        self._over.set()
        try:
            self.journal.book.leave()
        except UnusableFile as error:  # the lease expires, so the others notice
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
        """The number of trials that may still be proposed."""
        history = self.optimizer.history
        return max(0, self.n_trials - history.evaluated - len(history.pending))

    def _beat(self, seconds: float) -> None:
        while not self._over.wait(seconds):
            try:
                self.journal.book.beat()
            except UnusableFile as error:
                log.warning("no sign of life: %s", error)
