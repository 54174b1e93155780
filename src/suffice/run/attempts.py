"""The running evaluations of a run. Each is retried until it has an outcome, even if workers die.

    attempts.start(trial)
    while attempts.wait(seconds):
        for trial, evaluated in attempts.over():     # in the order of the asks
            record(trial, evaluated)
            attempts.forget(trial)                   # only now: nothing is lost if `record` is interrupted

When a worker dies, the lost trials start again. A trial that lost its worker is retried up to `retries` times. Then its
outcome is a crash. A trial that takes longer than `timeout` is ended, and its outcome is a timeout.

A trial here is over (it has an outcome), running (it has a future), or waits to start again. There is no other state,
so an interrupt at any moment leaves nothing behind.
"""

import logging
import time
from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Future, wait
from dataclasses import dataclass, field
from typing import Any
from weakref import WeakSet

from suffice.errors import TrialTimedOut, WorkerDied, WorkersLost
from suffice.record.trial import Trial
from suffice.run.backends import Crew
from suffice.run.evaluation import Evaluated, Evaluator, in_words

log = logging.getLogger("suffice")

TOGETHER = 10.0  # seconds for a pool that has lost one process to give up its other calls, which happens at once


@dataclass(eq=False)
class Attempt:
    """A trial that is being evaluated."""

    trial: Trial
    crew: Crew
    submitted: float = 0.0  # monotonic
    future: Future[Any] | None = None  # of the call that runs now
    deaths: int = 0  # of workers, caused by it
    evaluated: Evaluated | None = None  # the outcome


@dataclass(eq=False)
class Attempts:
    """The running trials, at most `width` at a time; as a collection, their numbers."""

    evaluate: Evaluator
    crew: Crew
    width: int
    retries: int = 0
    timeout: float | None = None  # of one evaluation
    line: Callable[[int], tuple[Any, ...]] | None = None  # other arguments of an evaluation, by the number of its trial
    again: Callable[[Trial, str], None] | None = None  # called with a trial that starts again, and the reason
    name: str = "the executor"  # for messages
    make: Callable[[], Crew] | None = None  # makes a crew in place of one that is lost as a whole
    closing: Callable[[], None] | None = None  # releases what `make` has made
    _held: dict[int, Attempt] = field(default_factory=dict, repr=False)  # by the number of the trial
    _seen: "WeakSet[Future[Any]]" = field(default_factory=WeakSet, repr=False)
    _received: bool = field(default=False, repr=False)
    _suspects: frozenset[int] = field(default=frozenset(), repr=False)  # trials that were running when a crew was lost

    def __len__(self) -> int:
        return len(self._held)

    def __iter__(self) -> Iterator[int]:
        return iter(tuple(self._held))

    @property
    def full(self) -> bool:
        """Whether no more trials may start now."""
        capacity = self._capacity
        return len(self) >= (self.width if capacity is None else min(self.width, max(1, capacity)))

    @property
    def _capacity(self) -> int | None:
        """One at a time while one of them may kill its workers, to find out which one."""
        suspected = any(n in self._suspects and held.evaluated is None for n, held in self._held.items())
        return 1 if suspected else self.crew.capacity

    def receive(self, seconds: float | None) -> None:
        """Raise an error if the objective cannot be sent to the workers; checks once, for at most so many seconds."""
        if self._received:
            return
        self.crew.receive(seconds)
        self._received = True

    def start(self, trial: Trial) -> None:
        """Start the evaluation of a trial. An exception of the executor passes, and then the trial is not held."""
        attempt = self._held[trial.number] = Attempt(trial, self.crew)
        try:
            self._submit(attempt)
        except BaseException:
            if attempt.future is None:
                del self._held[trial.number]
            raise

    def wait(self, seconds: float | None = None) -> bool:
        """Wait at most so many seconds until a trial is over; whether one is."""
        until = None if seconds is None else time.monotonic() + seconds
        while True:
            self._look()
            if any(attempt.evaluated for attempt in self._held.values()):
                return True
            self._start_again()
            if until is not None and time.monotonic() >= until:
                return False
            if not self._any_done(self._seconds_to_wait(until)):
                self.crew.look()

    def over(self) -> list[tuple[Trial, Evaluated]]:
        """The trials that are over with their outcomes, in the order of the asks; they are held until `forget`."""
        return [(held.trial, held.evaluated) for _, held in sorted(self._held.items()) if held.evaluated is not None]

    def forget(self, trial: Trial) -> None:
        """Drop a trial that has been recorded."""
        self._held.pop(trial.number, None)

    def end(self) -> list[Trial]:
        """Give up running trials and return them. Those that are over are still held."""
        self.crew.gather()
        for attempt, future in self._running():
            if future.done() and not future.cancelled() and future.exception() is None:
                attempt.evaluated = _evaluated(attempt, future)
            elif not future.cancel():  # it has begun and keeps running
                _hear_late(attempt, future)
            attempt.future = None
        return [held.trial for held in self._held.values() if held.evaluated is None]

    def close(self) -> None:
        """Release the workers that belong to the library."""
        self.crew.close()
        if self.closing is not None:
            self.closing()

    # ------------------------------------------------------------------ the calls

    def _running(self) -> list[tuple[Attempt, Future[Any]]]:
        return [(attempt, attempt.future) for attempt in self._held.values() if attempt.future is not None]

    def _any_done(self, seconds: float | None) -> bool:
        """Wait at most so many seconds for the end of a call; whether one ended."""
        futures = [future for _, future in self._running()]
        return bool(wait(futures, seconds, FIRST_COMPLETED).done)

    def _submit(self, attempt: Attempt) -> None:
        if self.crew.capacity == 0:
            raise WorkersLost("every worker is blocked by an evaluation that runs beyond its timeout")
        for last in (False, True):
            attempt.crew, attempt.submitted = self.crew, time.monotonic()
            try:
                trial = attempt.trial
                line = () if self.line is None else self.line(trial.number)
                attempt.future = self._checked(self.crew.submit(self.evaluate, trial.point, *line))
                return
            except BrokenExecutor as error:  # a worker died since the last check
                if last:
                    raise
                self._take_over(self.crew, error)

    def _checked(self, future: object) -> Future[Any]:
        """What an executor returned, checked, because any object may be used as one."""
        if not isinstance(future, Future):
            kind = type(future).__name__
            raise TypeError(
                f"submit of {self.name} must return a concurrent.futures.Future, or a job with done() and result(): "
                f"got {kind}"
            )
        if future in self._seen:  # two calls would get the same result
            raise TypeError(f"submit of {self.name} returned the same future twice; every call needs its own")
        self._seen.add(future)
        return future

    def _start_again(self) -> None:
        """Start lost trials again, up to the number of workers."""
        for attempt in list(self._held.values()):
            capacity = self._capacity
            if capacity is not None and len(self._running()) >= max(1, capacity):
                return
            if attempt.evaluated is None and attempt.future is None:
                self._submit(attempt)

    # ------------------------------------------------------------------ what goes wrong

    def _look(self) -> None:
        """Handle what happened since the last check."""
        crews: dict[int, Crew] = {}  # that have lost a call
        for attempt, future in self._running():
            if _is_lost(future):
                crews[id(attempt.crew)] = attempt.crew
            elif future.done():
                attempt.evaluated, attempt.future = _evaluated(attempt, future), None
        for crew in crews.values():
            self._sort_out(crew)
        if self.timeout is not None:
            for attempt, future in self._running():
                self._end_if_late(attempt, future, self.timeout)

    def _sort_out(self, crew: Crew) -> None:
        """Find the trial that killed a worker, and the crew that goes on."""
        if crew.shared:
            wait([future for attempt, future in self._running() if attempt.crew is crew], TOGETHER)
        lost = [(attempt, future) for attempt, future in self._running() if attempt.crew is crew and _is_lost(future)]
        guilty = [attempt for attempt, future in lost if crew.blames(future, len(lost) - 1)]
        if self._take_over(crew, next((future.exception() for _, future in lost if not future.cancelled()), None)):
            self._suspects = frozenset(attempt.trial.number for attempt, _ in lost)
        for attempt, future in lost:
            why = crew.obituary(future)
            attempt.deaths += attempt in guilty
            if attempt.deaths > self.retries:
                attempt.evaluated = _crashed(attempt, why)
            else:
                log.warning("trial %d is evaluated again: %s", attempt.trial.number, why)
                if self.again is not None:
                    self.again(attempt.trial, why)
            attempt.future = None

    def _take_over(self, crew: Crew, error: BaseException | None) -> bool:
        """Go on with the heir of a crew that has lost workers; whether the heir is new."""
        if crew is not self.crew:  # it has one already
            return False
        heir, made = crew.heir(), False
        if heir is None and self.make is not None:
            heir, made = self.make(), True
        if heir is None:
            raise error or WorkersLost(
                "the executor cancelled its calls, as when its scheduler or server ends: restart that, then repeat "
                "the same call; with storage= it resumes"
            )
        self.crew = heir
        return made

    def _end_if_late(self, attempt: Attempt, future: Future[Any], limit: float) -> None:
        begun = attempt.crew.begun(future, attempt.submitted)
        took = 0.0 if begun is None else time.monotonic() - begun
        if begun is None or took < limit or future.done():
            return
        ended = attempt.crew.stop(future)
        what = "and was ended" if ended else "and cannot be stopped: it keeps running, and its value will be ignored"
        text = f"the evaluation took more than {limit:g} s, its timeout, {what}"
        log.warning("trial %d: %s", attempt.trial.number, text)
        if not ended:
            _hear_late(attempt, future)
        attempt.evaluated = Evaluated(None, took, TrialTimedOut(text), "", text, "timed out")
        attempt.future = None

    def _seconds_to_wait(self, until: float | None) -> float | None:
        """Seconds until a trial may be late, the time is up, or the crew must check; None if none of these applies."""
        now = time.monotonic()
        ends = [] if until is None else [until]
        ends += [] if self.crew.pulse is None else [now + self.crew.pulse]
        if self.timeout is not None:
            for attempt, future in self._running():
                begun = attempt.crew.begun(future, attempt.submitted)
                ends.append((now if begun is None else begun) + self.timeout)
        return max(0.0, min(ends) - now) if ends else None


def _is_lost(future: Future[Any]) -> bool:
    """Whether a call will never return without being its own fault: it was cancelled, or its worker has died.

    When one worker dies, an executor may give up all its calls. The call that killed it cannot be identified here.
    """
    return future.cancelled() or (future.done() and isinstance(future.exception(), BrokenExecutor))


def _evaluated(attempt: Attempt, future: Future[Any]) -> Evaluated:
    """The outcome of an evaluation; it is lost if the executor could not evaluate or returns something else."""
    try:
        found = future.result()
    except Exception as error:  # such as a point that cannot be pickled; Ctrl-C passes through
        text = f"the executor could not evaluate it: {in_words(error)}"
        words = text.partition(". ")[0]  # Dask explains at length
        return Evaluated(None, time.monotonic() - attempt.submitted, error, text, words, "crashed")
    if isinstance(found, Evaluated):
        return found
    text = f"the executor must return what the call returned: got {type(found).__name__} instead"
    return Evaluated(None, 0.0, TypeError(text), text, text)


def _crashed(attempt: Attempt, why: str) -> Evaluated:
    text = f"{why}, in all of {attempt.deaths} tries" if attempt.deaths > 1 else why
    return Evaluated(None, time.monotonic() - attempt.submitted, WorkerDied(text), "", text, "crashed")


def _hear_late(attempt: Attempt, future: Future[Any]) -> None:
    """Log the outcome of an evaluation that the run has given up."""

    def late(future: Future[Any]) -> None:
        if not future.cancelled() and future.exception() is None:
            log.info("trial %d ended after it was given up: %r", attempt.trial.number, future.result())

    future.add_done_callback(late)
