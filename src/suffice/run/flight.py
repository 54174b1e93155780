"""Tasks under way in an executor, each with what it is for: the part that every loop over futures needs.

    flight = Flight(executor, width=4)
    while work or flight:
        while work and not flight.full:
            flight.start(work[0], f, work[0].argument)      # raises: the executor takes no more work
            del work[0]                                      # only now it is under way
        flight.wait(seconds=1.0)
        for task in flight.finished():                       # in the order of their start
            record(task.what, task.result())
            flight.forget(task)                              # only now: nothing is lost if `record` is interrupted
    ...
    for task in flight.end():                                # at the end, or after an error
        ...                                                  # task.has_result says whether there is something to keep

It knows futures and nothing of what the tasks mean, so it decides neither what an error says nor what to do next.
"""

from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Future, wait
from dataclasses import dataclass, field
from typing import Any, Generic, Protocol, TypeVar
from weakref import WeakSet

What = TypeVar("What")


class Submits(Protocol):
    """The one method of an executor that is needed."""

    def submit(self, f: Callable[..., Any], /, *args: Any) -> Future[Any]:
        """Start f(*args) somewhere, some time."""


@dataclass(frozen=True)
class Task(Generic[What]):
    """A call that an executor was given, and what it is for."""

    what: What
    future: Future[Any]

    @property
    def has_result(self) -> bool:
        """Whether the call has returned."""
        return self.future.done() and not self.future.cancelled() and self.future.exception() is None

    @property
    def lost(self) -> bool:
        """Whether it will never return, although nothing is known against it: cancelled, or its worker has died.

        When one worker dies, an executor gives up all its tasks; which of them did it cannot be seen here.
        """
        return self.future.cancelled() or (self.future.done() and isinstance(self.future.exception(), BrokenExecutor))

    def result(self) -> Any:
        """What the call returned; raises what kept the executor from getting it. It does not wait."""
        return self.future.result(timeout=0)


@dataclass
class Flight(Generic[What]):
    """The tasks under way, at most `width`, in the order in which they were started."""

    executor: Submits
    width: int
    _tasks: dict[Future[Any], Task[What]] = field(default_factory=dict, repr=False)
    _seen: "WeakSet[Future[Any]]" = field(default_factory=WeakSet, repr=False)

    def __len__(self) -> int:
        return len(self._tasks)

    def __iter__(self) -> Iterator[Task[What]]:
        return iter(tuple(self._tasks.values()))

    @property
    def full(self) -> bool:
        """Whether no more may be started."""
        return len(self) >= self.width

    def start(self, what: What, f: Callable[..., Any], /, *args: Any) -> None:
        """Let the executor call f(*args); what its `submit` raises comes out, and then nothing is under way for it."""
        future = self.executor.submit(f, *args)
        name = type(getattr(self.executor, "executor", self.executor)).__name__  # of what the user has given
        if not isinstance(future, Future):
            raise TypeError(f"submit of {name} must return a concurrent.futures.Future: got {type(future).__name__}")
        if future in self._seen:  # its result would be taken for those of two calls
            raise TypeError(f"submit of {name} returned the same future twice; every call needs its own")
        self._seen.add(future)
        self._tasks[future] = Task(what, future)

    def wait(self, seconds: float | None = None) -> bool:
        """Wait until a task is finished, at most so long; whether one is."""
        done, _ = wait(self._tasks, timeout=seconds, return_when=FIRST_COMPLETED)
        return bool(done)

    def finished(self) -> list[Task[What]]:
        """The tasks that are over, well or not, in the order of their start; they are held until `forget`."""
        return [task for task in self if task.future.done()]

    def forget(self, task: Task[What]) -> None:
        """Let go of a task that has been dealt with."""
        self._tasks.pop(task.future, None)

    def end(self) -> list[Task[What]]:
        """Take back what the executor has not begun, let go of all tasks, and hand them over in order.

        What has begun cannot be taken back: it goes on, and nobody will hear of it.
        """
        for future in self._tasks:
            future.cancel()
        tasks = list(self)
        self._tasks.clear()
        return tasks
