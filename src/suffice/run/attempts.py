"""The running evaluations of a run: each is tried until it has an outcome, whatever happens to the workers.

    attempts.start(trial)
    while attempts.wait(seconds):
        for trial, evaluated in attempts.over():     # in the order of the asks
            record(trial, evaluated)
            attempts.forget(trial)                   # only now: nothing is lost if `record` is interrupted

When a worker dies, the trials that were lost are started again. One whose worker died is tried `retries` more times,
then its outcome is that it crashed. One that takes longer than `timeout` is ended, and its outcome says so.

A trial that is held here is over (it has an outcome), running (it has a task), or else waits to be started again:
there is no other state, so an interrupt anywhere leaves nothing behind.
"""

import logging
import time
from collections.abc import Callable, Iterator
from concurrent.futures import BrokenExecutor, Future
from concurrent.futures import wait as settled
from dataclasses import dataclass, field

from suffice.errors import TrialTimedOut, WorkerDied, WorkersLost
from suffice.record.trial import Trial
from suffice.run.backends import Crew
from suffice.run.evaluation import Evaluated, Evaluator, Flight, Task, in_words
from suffice.run.live_trial import Line

log = logging.getLogger("suffice")

TOGETHER = 10.0  # seconds for a pool that has lost one process to give up its other calls, which it does at once


@dataclass(eq=False)
class Attempt:
    """A trial that is being evaluated."""

    trial: Trial
    crew: Crew
    submitted: float = 0.0  # monotonic
    deaths: int = 0  # of workers, by its fault
    evaluated: Evaluated | None = None  # the outcome


@dataclass(eq=False)
class Attempts:
    """The running trials, at most `width` at a time; as a collection, their numbers."""

    evaluate: Evaluator
    crew: Crew
    width: int
    retries: int = 0
    timeout: float | None = None  # of one evaluation
    line: Callable[[int], Line] | None = None  # by which an evaluation reports, for the number of its trial
    again: Callable[[Trial, str], None] | None = None  # hears that a trial is started again, and why
    name: str = ""  # of the executor, for messages
    _held: dict[int, Attempt] = field(default_factory=dict, repr=False)  # by the number of the trial
    _flight: Flight[Attempt] = field(init=False, repr=False)
    _received: bool = field(default=False, repr=False)

    def __post_init__(self) -> None:
        self._flight = Flight(self.crew, self.width, self.name)

    def __len__(self) -> int:
        return len(self._held)

    def __iter__(self) -> Iterator[int]:
        return iter(tuple(self._held))

    @property
    def full(self) -> bool:
        """Whether no more may be started now."""
        capacity = self.crew.capacity
        return len(self) >= (self.width if capacity is None else min(self.width, max(1, capacity)))

    def receive(self, seconds: float | None) -> None:
        """Refuse an objective that cannot get to the workers; waits at most so long, and asks only once."""
        if self._received:
            return
        self.crew.receive(seconds)
        self._received = True

    def start(self, trial: Trial) -> None:
        """Begin to evaluate a trial; what the executor raises comes out, and then the trial is not held."""
        attempt = Attempt(trial, self.crew)
        self._held[trial.number] = attempt
        try:
            self._submit(attempt)
        except BaseException:
            if all(task.what is not attempt for task in self._flight):
                del self._held[trial.number]
            raise

    def wait(self, seconds: float | None = None) -> bool:
        """Wait until a trial is over, at most so long; whether one is."""
        until = None if seconds is None else time.monotonic() + seconds
        while True:
            self._look()
            if any(attempt.evaluated for attempt in self._held.values()):
                return True
            self._start_again()
            if until is not None and time.monotonic() >= until:
                return False
            if not self._flight.wait(self._seconds_to_wait(until)):
                self.crew.look()

    def over(self) -> list[tuple[Trial, Evaluated]]:
        """The trials that are over and what came of them, in the order of the asks; they are held until `forget`."""
        return [(held.trial, held.evaluated) for _, held in sorted(self._held.items()) if held.evaluated is not None]

    def forget(self, trial: Trial) -> None:
        """Let go of a trial that has been recorded."""
        self._held.pop(trial.number, None)

    def end(self) -> list[Trial]:
        """Give up what still runs; the trials that will have no value. Those that are over are still held."""
        for task in self._flight.finished():
            if task.has_result:
                task.what.evaluated = _evaluated(task)
        for task in self._flight.end():
            if task.what.evaluated is None:
                _hear_late(task)
        return [held.trial for held in self._held.values() if held.evaluated is None]

    def close(self) -> None:
        """Let go of the workers, as far as they are ours."""
        self.crew.close()

    # ------------------------------------------------------------------ what goes wrong

    def _submit(self, attempt: Attempt) -> None:
        if self.crew.capacity == 0:
            raise WorkersLost("every worker is held up by an evaluation that is over its time limit and goes on")
        for last in (False, True):
            attempt.crew, attempt.submitted = self.crew, time.monotonic()
            try:
                trial = attempt.trial
                line = () if self.line is None else (self.line(trial.number),)
                self._flight.start(attempt, self.evaluate, trial.point, *line)
                return
            except BrokenExecutor as error:  # a worker died since the last look
                if last:
                    raise
                self._take_over(self.crew, error)

    def _look(self) -> None:
        """Take in what happened since the last look."""
        lost: list[Task[Attempt]] = []
        for task in self._flight.finished():
            if task.lost:
                lost.append(task)
            else:
                task.what.evaluated = _evaluated(task)
                self._flight.forget(task)
        for crew in {id(task.what.crew): task.what.crew for task in lost}.values():
            self._sort_out(crew)
        if self.timeout is not None:
            for task in self._flight:
                self._end_if_late(task, self.timeout)

    def _sort_out(self, crew: Crew) -> None:
        """Find out whose fault the death of a worker is, and which crew goes on."""
        if crew.shared:
            settled([task.future for task in self._flight if task.what.crew is crew], TOGETHER)
        lost = [task for task in self._flight if task.what.crew is crew and task.lost]
        guilty = [task for task in lost if crew.blames(task.future, len(lost) - 1)]
        self._take_over(crew, next((task.future.exception() for task in lost if not task.future.cancelled()), None))
        for task in lost:
            attempt, why = task.what, crew.obituary(task.future)
            attempt.deaths += task in guilty
            if attempt.deaths > self.retries:
                attempt.evaluated = _crashed(attempt, why)
            else:
                log.warning("trial %d is evaluated again: %s", attempt.trial.number, why)
                if self.again is not None:
                    self.again(attempt.trial, why)
            self._flight.forget(task)

    def _take_over(self, crew: Crew, error: BaseException | None) -> None:
        """Go on with the heir of a crew that has lost workers."""
        if crew is not self.crew:  # it has one already
            return
        heir = crew.heir()
        if heir is None:
            raise error or WorkersLost(
                "the executor has given up its calls, as one does whose scheduler or server has ended: start that "
                "again, then the same call once more; with storage= it resumes"
            )
        self.crew = self._flight.executor = heir

    def _start_again(self) -> None:
        """Start what was lost, as far as there are workers."""
        for attempt in list(self._held.values()):
            running, capacity = {task.what.trial.number for task in self._flight}, self.crew.capacity
            if capacity is not None and len(running) >= max(1, capacity):
                return
            if attempt.evaluated is None and attempt.trial.number not in running:
                self._submit(attempt)

    def _end_if_late(self, task: Task[Attempt], limit: float) -> None:
        attempt = task.what
        begun = attempt.crew.begun(task.future, attempt.submitted)
        took = 0.0 if begun is None else time.monotonic() - begun
        if begun is None or took < limit or task.future.done():
            return
        ended = attempt.crew.stop(task.future)
        what = "and was ended" if ended else "and cannot be ended here: it goes on, and its value will not be heard"
        text = f"the evaluation took more than {limit:g} s, its time limit, {what}"
        log.warning("trial %d: %s", attempt.trial.number, text)
        if not ended:
            _hear_late(task)
        attempt.evaluated = Evaluated(None, took, TrialTimedOut(text), "", text, "timed out")
        self._flight.forget(task)

    def _seconds_to_wait(self, until: float | None) -> float | None:
        """Until a trial may be late, the time is up, or the crew wants to look around; None if none of them can be."""
        now = time.monotonic()
        ends = [] if until is None else [until]
        ends += [] if self.crew.pulse is None else [now + self.crew.pulse]
        if self.timeout is not None:
            for task in self._flight:
                begun = task.what.crew.begun(task.future, task.what.submitted)
                ends.append((now if begun is None else begun) + self.timeout)
        return max(0.0, min(ends) - now) if ends else None


def _evaluated(task: Task[Attempt]) -> Evaluated:
    """What an evaluation gave; an executor that could not evaluate, or returns something else, has lost it."""
    try:
        found = task.result()
    except Exception as error:  # such as a point that cannot be pickled; Ctrl-C passes through
        text = f"the executor could not evaluate it: {in_words(error)}"
        words = text.partition(". ")[0]  # Dask explains at length
        return Evaluated(None, time.monotonic() - task.what.submitted, error, text, words, "crashed")
    if isinstance(found, Evaluated):
        return found
    text = f"the executor must return what the call returned: got {type(found).__name__} instead"
    return Evaluated(None, 0.0, TypeError(text), text, text)


def _crashed(attempt: Attempt, why: str) -> Evaluated:
    tries = f", in all of {attempt.deaths} tries" if attempt.deaths > 1 else ""
    text = f"{why}{tries}"
    return Evaluated(None, time.monotonic() - attempt.submitted, WorkerDied(text), "", text, "crashed")


def _hear_late(task: Task[Attempt]) -> None:
    """Log what comes of an evaluation that nobody waits for any more."""
    number = task.what.trial.number

    def late(future: Future[object]) -> None:
        if not future.cancelled() and future.exception() is None:
            log.info("trial %d came to an end after it had been given up: %r", number, future.result())

    task.future.add_done_callback(late)
