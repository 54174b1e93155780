"""Where trials are evaluated, and what can be done there about one that goes wrong.

A crew is an executor with answers to the questions that executors leave open: when an evaluation began, how to end one
that takes too long, which trial killed its worker, and who takes over when workers are lost. `Crew` has the answers of
an executor about which nothing is known, `Given` wraps one, and `Threads` knows more about threads. processes.py,
executors.py, dask.py and jobs.py have the others.
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
        """Start f(*args) somewhere, some time."""


class Crew:
    """Workers for the evaluations of one run."""

    shared: ClassVar[bool] = False  # whether the death of one worker takes all calls along
    pulse: ClassVar[float | None] = None  # seconds after which it wants to `look`, while nothing else happens

    @property
    def capacity(self) -> int | None:
        """How many evaluations can really run at a time, as far as that is known."""
        return None

    def receive(self, seconds: float | None) -> None:
        """Refuse an objective that cannot be sent to the workers, before the first evaluation; wait at most so long."""

    def submit(self, f: Callable[..., Any], /, *args: Any) -> Future[Any]:
        """Start f(*args), as executors do."""
        raise NotImplementedError

    def begun(self, future: Future[Any], submitted: float) -> float | None:  # noqa: ARG002
        """When a call that was submitted at a certain time began, by the monotonic clock; None: it has not.

        Where nobody reports it, a call is taken to begin at once, as it does where there is a worker for each.
        """
        return submitted

    def stop(self, future: Future[Any]) -> bool:
        """End a call that takes too long; False if that is impossible, so that it goes on and nobody waits for it."""
        return future.cancel()

    def blames(self, future: Future[Any], others: int) -> bool:  # noqa: ARG002
        """Whether a call that was lost together with so many others is known to be what killed the worker."""
        return others == 0

    def obituary(self, future: Future[Any]) -> str:  # noqa: ARG002
        """What is known of the end of the worker that was busy with a call."""
        return "its worker died"

    def heir(self) -> "Crew | None":
        """The crew that takes over after a worker has died; None if there is none."""
        return None

    def look(self) -> None:
        """Look at the workers, and log what is worth it."""

    def gather(self) -> None:
        """Take in what is over and was not heard of yet: the run ends."""

    def close(self) -> None:
        """Let go of all that is ours; workers of the user stay."""


@dataclass(eq=False)
class Given(Crew):
    """An executor about which nothing is known: a trial that takes too long is left alone, and holds up its worker."""

    executor: Submits
    workers: int  # how many evaluations it gets at a time
    _left: list[Future[Any]] = field(default_factory=list, init=False, repr=False)  # that go on, and nobody waits for

    @property
    def capacity(self) -> int | None:
        """A worker that is held up takes no other evaluation."""
        held = sum(not future.done() for future in self._left)
        return self.workers - held if held else None

    def submit(self, f: Callable[..., Any], /, *args: Any) -> Future[Any]:
        """As the executor has it."""
        return self.executor.submit(f, *args)

    def stop(self, future: Future[Any]) -> bool:
        """It is taken back if it has not begun."""
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
    """The threads of a pool. One that hangs cannot be ended: it is left behind, and a new pool takes over."""

    pool: ThreadPoolExecutor
    workers: int
    _own: list[ThreadPoolExecutor] = field(default_factory=list, repr=False)
    _calls: "WeakKeyDictionary[Future[Any], _Noted]" = field(default_factory=WeakKeyDictionary, repr=False)

    def submit(self, f: Callable[..., Any], /, *args: Any) -> Future[Any]:
        """To the pool, or to the one that took its place."""
        call = _Noted(f)
        future = (self._own[-1] if self._own else self.pool).submit(call, *args)
        self._calls[future] = call
        return future

    def begun(self, future: Future[Any], submitted: float) -> float | None:  # noqa: ARG002
        """As the call itself noted it."""
        return self._calls[future].began

    def stop(self, future: Future[Any]) -> bool:
        """What waits in the queue is taken back."""
        ended = future.cancel()
        if not ended:
            self._own.append(ThreadPoolExecutor(self.workers, "suffice"))
        return ended

    def obituary(self, future: Future[Any]) -> str:  # noqa: ARG002
        """What breaks a pool of threads is what they begin with."""
        return "the initializer of its thread raised"

    def close(self) -> None:
        """The threads that took over end when they are free."""
        for pool in self._own:
            pool.shutdown(wait=False, cancel_futures=True)
