"""Where evaluations run, and what can be done there about one that goes wrong.

A crew is an executor with answers to the questions that executors leave open: when an evaluation began, how to end one
that takes too long, whose fault the death of a worker is, and who takes over when workers are lost. There is one for
each kind of executor: threads.py, pools.py (process pools as they are given), slots.py (processes of our own),
cluster.py (Dask), and `Given` below for all the others.
"""

import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any, ClassVar, Protocol
from weakref import WeakKeyDictionary

from suffice.run.evaluation import Evaluation, Submits, answer, greet


class Crew(Protocol):
    """Workers for the evaluations of one run."""

    @property
    def shared(self) -> bool:
        """Whether the death of one worker takes all calls along."""

    @property
    def capacity(self) -> int | None:
        """How many evaluations can really run at a time, as far as that is known."""

    def receive(self, seconds: float | None) -> None:
        """Refuse an objective that cannot get to the workers, before anything is evaluated; wait at most so long."""

    def submit(self, f: Callable[..., Any], /, *args: Any) -> Future[Any]:
        """Start f(*args), as executors do."""

    def begun(self, future: Future[Any], submitted: float) -> float | None:
        """When a call that was submitted at a certain time began, by the monotonic clock; None: it has not."""

    def stop(self, future: Future[Any]) -> bool:
        """End a call that takes too long; False if that is impossible, so that it goes on and nobody waits for it."""

    def blames(self, future: Future[Any], others: int) -> bool:
        """Whether a call that was lost together with so many others is known to be what killed the worker."""

    def obituary(self, future: Future[Any]) -> str:
        """What is known of the end of the worker that was busy with a call."""

    def heir(self) -> "Crew | None":
        """The crew that takes over after a worker has died; None if there is none."""

    @property
    def pulse(self) -> float | None:
        """Seconds after which it wants to look at its workers, while nothing else happens; None never does."""

    def look(self) -> None:
        """Look at the workers, and say what is worth saying."""

    def close(self) -> None:
        """Let go of all that is ours; workers of the user stay."""


@dataclass(eq=False)
class Given:
    """Any executor: nothing is known of its workers, and an evaluation that takes too long can only be left alone."""

    executor: Submits
    workers: int  # how many evaluations it gets at a time
    evaluate: Evaluation | None = None  # what the executor sends to other processes, if it is known to do that
    shared: ClassVar[bool] = False
    pulse: ClassVar[float | None] = None
    _left: list[Future[Any]] = field(default_factory=list, repr=False)  # that go on, and that nobody waits for

    @property
    def capacity(self) -> int | None:
        """A worker that is held up by an evaluation which is over its time can take no other."""
        held = sum(not future.done() for future in self._left)
        return self.workers - held if held else None

    def receive(self, seconds: float | None) -> None:
        """Let a worker read it, if it is known to be in another process."""
        if self.evaluate is not None:
            answer(greet(self.executor, self.evaluate, False), False, seconds)

    def submit(self, f: Callable[..., Any], /, *args: Any) -> Future[Any]:
        """As the executor has it."""
        return self.executor.submit(f, *args)

    def begun(self, future: Future[Any], submitted: float) -> float | None:  # noqa: ARG002
        """Nobody says; so it is taken to begin at once, as it does where there is a worker for each."""
        return submitted

    def stop(self, future: Future[Any]) -> bool:
        """It is taken back if it has not begun."""
        if future.cancel():
            return True
        self._left.append(future)
        return False

    def blames(self, future: Future[Any], others: int) -> bool:  # noqa: ARG002
        """Which of several did it cannot be seen."""
        return others == 0

    def obituary(self, future: Future[Any]) -> str:  # noqa: ARG002
        """Nothing is known."""
        return "its worker died"

    def heir(self) -> Crew | None:
        """How to make another executor of this kind is not known."""
        return None

    def look(self) -> None:
        """There is nothing to see."""

    def close(self) -> None:
        """The executor is the user's."""


#| -- run.threads: Evaluations in threads of this process: they can be watched, but not killed.


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
class Threads:
    """The threads of a pool. One that is held up is left behind, and further evaluations go to a fresh pool like it."""

    pool: ThreadPoolExecutor
    shared: ClassVar[bool] = False
    pulse: ClassVar[float | None] = None
    _own: list[ThreadPoolExecutor] = field(default_factory=list, repr=False)
    _calls: "WeakKeyDictionary[Future[Any], _Noted]" = field(default_factory=WeakKeyDictionary, repr=False)

    @property
    def capacity(self) -> int | None:
        """A pool takes any number; what has no thread yet has not begun."""
        return None

    def receive(self, seconds: float | None) -> None:
        """Whatever can be called can be called here."""

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
        """A thread cannot be ended: it goes on, and so that it keeps no evaluation waiting, others take its place."""
        if future.cancel():
            return True
        old: Any = self.pool  # private, but of the standard library
        fresh = ThreadPoolExecutor(old._max_workers, "suffice", old._initializer, old._initargs)
        self._own.append(fresh)
        return False

    def blames(self, future: Future[Any], others: int) -> bool:  # noqa: ARG002
        """A thread does not die of an evaluation."""
        return False

    def obituary(self, future: Future[Any]) -> str:  # noqa: ARG002
        """What breaks a pool of threads is what they begin with."""
        return "the initializer of its thread raised"

    def heir(self) -> Crew | None:
        """The initializer would raise again."""
        return None

    def look(self) -> None:
        """What dies is heard of."""

    def close(self) -> None:
        """The threads that took over end when they are free."""
        for pool in self._own:
            pool.shutdown(wait=False, cancel_futures=True)
