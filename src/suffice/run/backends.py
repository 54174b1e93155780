"""Crews: executors, and how each kind handles late evaluations and dead workers.

A crew is an executor that can answer four more questions: when an evaluation began, how to end a late one, which trial
killed its worker, and which crew takes over when workers are lost. `Crew` has the answers for an unknown executor,
`Given` wraps one, and `Threads` handles threads. processes.py, executors.py, dask.py and jobs.py have the others.
"""

import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any, ClassVar, Protocol
from weakref import WeakKeyDictionary


class Submits(Protocol):
    """The one method of an executor that is needed."""

    def submit(self, f: Callable[..., Any], /, *args: Any) -> Future[Any]:
        """Start f(*args) on some worker, now or later."""


class Crew:
    """Workers for the evaluations of one run."""

    shared: ClassVar[bool] = False  # whether all calls are lost when one worker dies
    pulse: ClassVar[float | None] = None  # seconds between calls of `look` while nothing else happens

    @property
    def capacity(self) -> int | None:
        """The number of evaluations that can run at a time, as far as it is known."""
        return None

    @property
    def starting(self) -> str:
        """What starts with the run and takes seconds, such as "2 workers"; "" if nothing does."""
        return ""

    def receive(self, seconds: float | None) -> None:
        """Raise an error if the objective cannot be sent to the workers; wait at most so many seconds."""

    def submit(self, f: Callable[..., Any], /, *args: Any) -> Future[Any]:
        """Start f(*args), as executors do."""
        raise NotImplementedError

    def begun(self, future: Future[Any], submitted: float) -> float | None:  # noqa: ARG002
        """When a call that was submitted at a certain time began, by the monotonic clock; None: it has not.

        Without a report, a call is assumed to begin at once, as it does if each call has a worker.
        """
        return submitted

    def stop(self, future: Future[Any]) -> bool:
        """End a call that takes too long; if that is impossible, return False, and the run ignores the call."""
        return future.cancel()

    def blames(self, future: Future[Any], others: int) -> bool:  # noqa: ARG002
        """Whether a call that was lost together with so many others certainly killed the worker."""
        return others == 0

    def obituary(self, future: Future[Any]) -> str:  # noqa: ARG002
        """A description of how the worker of a call died, as far as it is known."""
        return "its worker died"

    def heir(self) -> "Crew | None":
        """The crew that takes over after a worker has died; None if there is none."""
        return None

    def look(self) -> None:
        """Check the workers, and log problems."""

    def gather(self) -> None:
        """Collect finished calls at the end of the run."""

    def close(self) -> None:
        """Release the library's own workers; the user's workers stay."""


@dataclass(eq=False)
class Given(Crew):
    """An unknown executor: a trial that takes too long keeps running and occupies its worker."""

    executor: Submits
    workers: int  # the number of evaluations at a time
    _left: list[Future[Any]] = field(default_factory=list, init=False, repr=False)  # running calls that are ignored

    @property
    def capacity(self) -> int | None:
        """Occupied workers take no other evaluation."""
        held = sum(not future.done() for future in self._left)
        return self.workers - held if held else None

    def submit(self, f: Callable[..., Any], /, *args: Any) -> Future[Any]:
        """Submit to the executor."""
        return self.executor.submit(f, *args)

    def stop(self, future: Future[Any]) -> bool:
        """Cancel it if it has not begun."""
        ended = future.cancel()
        if not ended:
            self._left.append(future)
        return ended


class _Noted:
    """A call that notes when it began."""

    def __init__(self, f: Callable[..., Any]) -> None:
        self.f, self.began = f, None

    f: Callable[..., Any]
    began: float | None

    def __call__(self, *args: Any) -> Any:
        self.began = time.monotonic()
        return self.f(*args)


@dataclass(eq=False)
class Threads(Crew):
    """The threads of a pool. A thread that hangs cannot be ended. It is abandoned, and a new pool takes over."""

    pool: ThreadPoolExecutor
    workers: int
    _own: list[ThreadPoolExecutor] = field(default_factory=list, repr=False)
    _calls: "WeakKeyDictionary[Future[Any], _Noted]" = field(default_factory=WeakKeyDictionary, repr=False)

    def submit(self, f: Callable[..., Any], /, *args: Any) -> Future[Any]:
        """Submit to the pool, or to the one that replaced it."""
        call = _Noted(f)
        future = (self._own[-1] if self._own else self.pool).submit(call, *args)
        self._calls[future] = call
        return future

    def begun(self, future: Future[Any], submitted: float) -> float | None:  # noqa: ARG002
        """The time that the call itself noted."""
        return self._calls[future].began

    def stop(self, future: Future[Any]) -> bool:
        """Cancel what waits in the queue."""
        ended = future.cancel()
        if not ended:
            self._own.append(ThreadPoolExecutor(self.workers, "suffice"))
        return ended

    def obituary(self, future: Future[Any]) -> str:  # noqa: ARG002
        """Only its initializer can break a pool of threads."""
        return "the initializer of its thread raised"

    def close(self) -> None:
        """Replacement threads end when they are free."""
        for pool in self._own:
            pool.shutdown(wait=False, cancel_futures=True)
