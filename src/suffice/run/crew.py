"""Where evaluations run, and what can be done there about one that goes wrong.

A crew is an executor with answers to the questions that executors leave open: when an evaluation began, how to end one
that takes too long, whose fault the death of a worker is, and who takes over when workers are lost. There is one for
each kind of executor: threads.py, pools.py (process pools as they are given), slots.py (processes of our own),
cluster.py (Dask), and `Given` below for all the others.
"""

from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import Any, ClassVar, Protocol

from suffice.run.evaluation import Evaluation
from suffice.run.flight import Submits
from suffice.run.sending import answer, greet


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
