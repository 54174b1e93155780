"""Evaluations by any object with `submit` that returns futures, or jobs with `done()` and `result()` as in submitit.

The run polls whether a job is done, less often the longer it takes, because each poll may query a batch system. A job
may also have `cancel()`, which ends it, and `state` or `running()`, which report whether it has begun. If a job has no
result, it has lost its worker; other jobs are not affected.
"""

import time
import uuid
from collections.abc import Callable
from concurrent.futures import BrokenExecutor, Future
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from typing import Any
from weakref import WeakKeyDictionary

from suffice.executors import Job, Ray, WorkerGone, ray_itself
from suffice.run.backends import Crew, Given
from suffice.run.evaluation import Evaluator, in_words

SHARE = 0.05  # the next poll is after this fraction of the age of a job, so its result is not noticed later
OFTEN, SELDOM = 0.01, 5.0  # seconds between two polls, which look for a file or query a scheduler
# Values of `state` before a job has begun: submitit's on the local machine, then Slurm's.
QUEUED = {"READY", "PENDING", "CONFIGURING", "REQUEUED", "REQUEUE_HOLD", "SUSPENDED", "UNKNOWN"}


@dataclass(eq=False)
class Asked:
    """A job that has to be polled."""

    job: Any
    future: Job
    since: float = field(default_factory=time.monotonic)
    due: float = 0.0  # the time of the next poll
    began: float | None = None

    def look(self) -> None:
        """Poll it, and set the result of its future."""
        now = time.monotonic()
        if self.future.done() or now < self.due:
            return
        if self.began is None and _has_begun(self.job):
            self.began = now
        if not self.job.done():
            self.due = now + min(max(SHARE * (now - self.since), OFTEN), SELDOM)
            return
        try:
            self.future.settle(self.job.result())
        except Exception as error:
            self.future.settle(None, _gone(error))


def _pass_on(done: Future[Any], job: Job) -> None:
    """Pass on the result of a future: only BrokenExecutor concerns other futures as well."""
    if done.cancelled():
        job.give_up()
        return
    error = done.exception()
    if isinstance(error, Exception) and not isinstance(error, BrokenExecutor):
        error = _gone(error)
    job.settle(None if error else done.result(), error)


def _gone(error: Exception) -> WorkerGone:
    """The error of a lost worker: the objective's exceptions come back as values, so the engine raised this one."""
    gone = WorkerGone(f"its job has no result ({_last_line(error)})")
    gone.__cause__ = error
    return gone


def _has_begun(job: Any) -> bool:
    """Whether a job has left the queue, as far as it reports that."""
    state, running = getattr(job, "state", None), getattr(job, "running", None)
    if isinstance(state, str):
        return state.upper() not in QUEUED
    return bool(running()) if callable(running) else True


def _last_line(error: BaseException) -> str:
    """The last line of a job's error: the whole output of the job may precede it."""
    lines = [line.strip() for line in in_words(error).splitlines() if line.strip()]
    return lines[0] if len(lines) == 1 else f"{type(error).__name__}: {lines[-1]}"


def _end(job: Any) -> bool:
    """End a job, if it can be ended."""
    cancel = getattr(job, "cancel", None)
    if callable(cancel):
        with suppress(Exception):  # it is over, or the engine does not answer
            return cancel() is not False  # most return None
    return False


def is_job(thing: Any) -> bool:
    """Whether this is a job to poll."""
    return callable(getattr(thing, "done", None)) and callable(getattr(thing, "result", None))


@dataclass(eq=False)
class Jobs(Given):
    """An unknown executor with futures or jobs."""

    _asked: dict[int, Asked] = field(default_factory=dict, init=False, repr=False)  # by the identity of the job
    _heard: "WeakKeyDictionary[Future[Any], Job]" = field(default_factory=WeakKeyDictionary, init=False, repr=False)
    _lost: bool = field(default=False, init=False, repr=False)  # whether the last lost job died alone

    @property
    def pulse(self) -> float | None:  # type: ignore[override]
        """Seconds until the next poll."""
        if not self._asked:
            return None
        return max(0.0, min(asked.due for asked in self._asked.values()) - time.monotonic())

    def submit(self, f: Callable[..., Any], /, *args: Any) -> Future[Any]:
        """Submit to the executor; the future that is returned distinguishes a lost worker from a lost executor."""
        job: Any = self.executor.submit(f, *args)
        if isinstance(job, Job) or not is_job(job):
            return job  # type: ignore[no-any-return]
        if isinstance(job, Future):
            if job not in self._heard:
                self._heard[job] = Job(job.cancel)
                job.add_done_callback(partial(_pass_on, job=self._heard[job]))
            return self._heard[job]
        known = self._asked.get(id(job))
        if known is None:
            known = self._asked[id(job)] = Asked(job, Job(lambda: _end(job)))
        return known.future

    def look(self) -> None:
        """Poll the jobs."""
        for key, asked in list(self._asked.items()):
            asked.look()
            if asked.future.done():
                del self._asked[key]

    def gather(self) -> None:
        """Poll all jobs once more."""
        for asked in self._asked.values():
            asked.due = 0.0
        self.look()

    def begun(self, future: Future[Any], submitted: float) -> float | None:
        """The time of the first poll that found it running."""
        asked = next((asked for asked in self._asked.values() if asked.future is future), None)
        return submitted if asked is None else asked.began

    def blames(self, future: Future[Any], others: int) -> bool:
        """A lost job is blamed for its own death."""
        self._lost = not future.cancelled() and isinstance(future.exception(), WorkerGone)
        return self._lost or others == 0

    def obituary(self, future: Future[Any]) -> str:
        """The engine's error."""
        error = None if future.cancelled() else future.exception()
        return str(error) if isinstance(error, WorkerGone) else super().obituary(future)

    def heir(self) -> Crew | None:
        """Itself: other jobs go on."""
        return self if self._lost else None


@dataclass(frozen=True)
class Announced:
    """A call that reports its start to an actor of Ray; it runs in a worker."""

    f: Callable[..., Any]
    clock: Any
    key: str

    def __call__(self, *args: Any) -> Any:
        self.clock.begin.remote(self.key)
        return self.f(*args)


class Clock:
    """The actor that stores which calls have begun."""

    def __init__(self) -> None:
        self.begun: set[str] = set()

    def begin(self, key: str) -> None:
        """A call begins."""
        self.begun.add(key)

    def has_begun(self, key: str) -> bool:
        """Whether a call has begun."""
        return key in self.begun


@dataclass(eq=False)
class RayTasks(Jobs):
    """Tasks of Ray. With a timeout, they announce their start."""

    evaluate: Evaluator | None = None
    limited: bool = False
    _clock: Any = field(default=None, init=False, repr=False)
    _keys: "WeakKeyDictionary[Future[Any], str]" = field(default_factory=WeakKeyDictionary, init=False, repr=False)
    _begun: dict[str, float] = field(default_factory=dict, init=False, repr=False)

    @property
    def pulse(self) -> float | None:  # type: ignore[override]
        """Seconds between queries of the actor, so the precision of a timeout."""
        return 0.2 if self.limited else None

    def submit(self, f: Callable[..., Any], /, *args: Any) -> Future[Any]:
        """Submit a task, with a key if it has a timeout."""
        if not self.limited:
            return super().submit(f, *args)
        if self._clock is None:
            self._clock = ray_itself().remote(Clock).options(num_cpus=0).remote()
        key = uuid.uuid4().hex
        future = super().submit(Announced(f, self._clock, key), *args)
        self._keys[future] = key
        return future

    def begun(self, future: Future[Any], submitted: float) -> float | None:
        """The time of the first query that reported its start."""
        if not self.limited:
            return submitted
        key = self._keys[future]
        if key not in self._begun and ray_itself().get(self._clock.has_begun.remote(key)):
            self._begun[key] = time.monotonic()
        return self._begun.get(key)

    def close(self) -> None:
        """The actor ends with the run."""
        if self._clock is not None:
            with suppress(Exception):  # the connection and the actor may be gone
                ray_itself().kill(self._clock)


def crew_of_jobs(executor: Any, count: int, evaluate: Evaluator, limited: bool) -> Crew:
    """The crew of an executor that is not from the standard library, loky or Dask."""
    return RayTasks(executor, count, evaluate, limited) if isinstance(executor, Ray) else Jobs(executor, count)
