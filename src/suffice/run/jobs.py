"""Evaluations by anything that has `submit`: futures, and jobs with `done()` and `result()`, as submitit has them.

A job is asked now and then whether it is done, the less often the longer it takes, because to ask may cost a question
to a batch system. It may have more: `cancel()` ends it, and `state` or `running()` tells whether it has begun or waits
in a queue. A job that has no result has lost its worker, and no other job with it.
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

SHARE = 0.05  # of its age until now, after which a job is asked again: it is late by no more than that
OFTEN, SELDOM = 0.01, 5.0  # seconds between two questions: a file is looked for; a scheduler is asked
# What `state` is before a job has begun: submitit's words on this machine, then Slurm's.
QUEUED = {"READY", "PENDING", "CONFIGURING", "REQUEUED", "REQUEUE_HOLD", "SUSPENDED", "UNKNOWN"}


@dataclass(eq=False)
class Asked:
    """A job that has to be asked."""

    job: Any
    future: Job
    since: float = field(default_factory=time.monotonic)
    due: float = 0.0  # when to ask it next
    began: float | None = None

    def look(self) -> None:
        """Take in what has become of it."""
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
    """What became of a future: only BrokenExecutor is about the others, too."""
    if done.cancelled():
        job.give_up()
        return
    error = done.exception()
    if isinstance(error, Exception) and not isinstance(error, BrokenExecutor):
        error = _gone(error)
    job.settle(None if error else done.result(), error)


def _gone(error: Exception) -> WorkerGone:
    """What the objective raises comes back as a value; so what a job raises is the engine's."""
    gone = WorkerGone(f"its job has no result ({_last_line(error)})")
    gone.__cause__ = error
    return gone


def _has_begun(job: Any) -> bool:
    """Whether a job has left the queue, as far as it says so."""
    state, running = getattr(job, "state", None), getattr(job, "running", None)
    if isinstance(state, str):
        return state.upper() not in QUEUED
    return bool(running()) if callable(running) else True


def _last_line(error: BaseException) -> str:
    """What an error of a job ends with: before it there may be the whole output of the job."""
    lines = [line.strip() for line in in_words(error).splitlines() if line.strip()]
    return lines[0] if len(lines) == 1 else f"{type(error).__name__}: {lines[-1]}"


def _end(job: Any) -> bool:
    """End a job, if it can be ended."""
    cancel = getattr(job, "cancel", None)
    if callable(cancel):
        with suppress(Exception):  # it is over, or nobody answers
            return cancel() is not False  # most return None
    return False


def is_job(thing: Any) -> bool:
    """Whether this is something to be asked."""
    return callable(getattr(thing, "done", None)) and callable(getattr(thing, "result", None))


@dataclass(eq=False)
class Jobs(Given):
    """An executor about which nothing is known, but that its jobs or futures may tell."""

    _asked: dict[int, Asked] = field(default_factory=dict, init=False, repr=False)  # by the identity of the job
    _heard: "WeakKeyDictionary[Future[Any], Job]" = field(default_factory=WeakKeyDictionary, init=False, repr=False)
    _lost: bool = field(default=False, init=False, repr=False)  # whether what was lost last died alone

    @property
    def pulse(self) -> float | None:  # type: ignore[override]
        """Until the next question."""
        if not self._asked:
            return None
        return max(0.0, min(asked.due for asked in self._asked.values()) - time.monotonic())

    def submit(self, f: Callable[..., Any], /, *args: Any) -> Future[Any]:
        """As the executor has it; its future or job becomes one that tells a lost worker from a lost executor."""
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
        """Ask the jobs."""
        for key, asked in list(self._asked.items()):
            asked.look()
            if asked.future.done():
                del self._asked[key]

    def gather(self) -> None:
        """Ask them all once more."""
        for asked in self._asked.values():
            asked.due = 0.0
        self.look()

    def begun(self, future: Future[Any], submitted: float) -> float | None:
        """When it was first seen to run."""
        asked = next((asked for asked in self._asked.values() if asked.future is future), None)
        return submitted if asked is None else asked.began

    def blames(self, future: Future[Any], others: int) -> bool:
        """A job dies of what it did."""
        self._lost = not future.cancelled() and isinstance(future.exception(), WorkerGone)
        return self._lost or others == 0

    def obituary(self, future: Future[Any]) -> str:
        """As the engine has it."""
        error = None if future.cancelled() else future.exception()
        return str(error) if isinstance(error, WorkerGone) else super().obituary(future)

    def heir(self) -> Crew | None:
        """Other jobs go on."""
        return self if self._lost else None


@dataclass(frozen=True)
class Announced:
    """A call that notes its beginning with an actor of Ray; it is called in a worker."""

    f: Callable[..., Any]
    clock: Any
    key: str

    def __call__(self, *args: Any) -> Any:
        self.clock.begin.remote(self.key)
        return self.f(*args)


class Clock:
    """The actor: which calls have begun."""

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
    """Tasks of Ray, which announce when they begin where they have a time limit."""

    evaluate: Evaluator | None = None
    limited: bool = False
    _clock: Any = field(default=None, init=False, repr=False)
    _keys: "WeakKeyDictionary[Future[Any], str]" = field(default_factory=WeakKeyDictionary, init=False, repr=False)
    _begun: dict[str, float] = field(default_factory=dict, init=False, repr=False)

    @property
    def pulse(self) -> float | None:  # type: ignore[override]
        """How exact a time limit is: as often the actor is asked."""
        return 0.2 if self.limited else None

    def submit(self, f: Callable[..., Any], /, *args: Any) -> Future[Any]:
        """As a task, with a key where it is timed."""
        if not self.limited:
            return super().submit(f, *args)
        if self._clock is None:
            self._clock = ray_itself().remote(Clock).options(num_cpus=0).remote()
        key = uuid.uuid4().hex
        future = super().submit(Announced(f, self._clock, key), *args)
        self._keys[future] = key
        return future

    def begun(self, future: Future[Any], submitted: float) -> float | None:
        """When the actor had first heard of it."""
        if not self.limited:
            return submitted
        key = self._keys[future]
        if key not in self._begun and ray_itself().get(self._clock.has_begun.remote(key)):
            self._begun[key] = time.monotonic()
        return self._begun.get(key)

    def close(self) -> None:
        """The actor ends with the run."""
        if self._clock is not None:
            with suppress(Exception):  # the connection may be gone, and the actor with it
                ray_itself().kill(self._clock)


def crew_of_jobs(executor: Any, count: int, evaluate: Evaluator, limited: bool) -> Crew:
    """The crew of an executor that is none of the standard library, of loky or of Dask."""
    return RayTasks(executor, count, evaluate, limited) if isinstance(executor, Ray) else Jobs(executor, count)
