"""Evaluations in threads of this process: they can be watched, but not killed."""

import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any, ClassVar
from weakref import WeakKeyDictionary

from suffice.run.crew import Crew


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
