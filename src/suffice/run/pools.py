"""Process pools as they are given, of the standard library or of joblib's loky, and pools of one process like them."""

import multiprocessing
import os
from collections.abc import Callable
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar

from suffice.run.crew import Crew
from suffice.run.evaluation import Evaluation
from suffice.run.sending import answer, greet
from suffice.run.slots import Recipe, Slots, begin
from suffice.run.workers import THREADS, available


@dataclass(eq=False)
class Pool:
    """A process pool of the user. It is lost as a whole when one process dies; then slots like it take over."""

    executor: Any
    recipe: Recipe
    workers: int
    evaluate: Evaluation
    shared: ClassVar[bool] = True
    pulse: ClassVar[float | None] = None

    @property
    def capacity(self) -> int | None:
        """A pool takes any number of calls; some wait."""
        return None

    def receive(self, seconds: float | None) -> None:
        """Let one of its processes read the objective."""
        answer(greet(self.executor, self.evaluate, self.recipe.plain), self.recipe.plain, seconds)

    def submit(self, f: Callable[..., Any], /, *args: Any) -> Future[Any]:
        """As the pool has it; one that breaks at this moment may not know it yet, and finds its pipes closed."""
        try:
            future: Future[Any] = self.executor.submit(f, *args)
        except OSError as error:
            raise BrokenProcessPool("the pool has closed its pipes") from error
        return future

    def begun(self, future: Future[Any], submitted: float) -> float | None:  # noqa: ARG002
        """Not asked for: where there is a time limit, slots take the place of the pool from the start."""
        return None

    def stop(self, future: Future[Any]) -> bool:
        """Not asked for either."""
        return future.cancel()

    def blames(self, future: Future[Any], others: int) -> bool:  # noqa: ARG002
        """All calls are lost together, and which of them did it cannot be seen."""
        return others == 0

    def obituary(self, future: Future[Any]) -> str:  # noqa: ARG002
        """Its own process or that of another."""
        return "a worker process died, and with it the pool"

    def heir(self) -> Crew | None:
        """As many processes like these."""
        return Slots(self.recipe, self.workers, self.evaluate)

    def look(self) -> None:
        """What dies is heard of."""

    def close(self) -> None:
        """The pool is the user's."""


def recipe_of(executor: Any) -> Recipe | None:
    """How to make a pool of one process like those of a process pool; None if it is none that is known."""
    if isinstance(executor, ProcessPoolExecutor):
        given: Any = executor  # the attributes are private, and the same from Python 3.11 to 3.14
        start = (given._initializer, given._initargs)
        words = {"mp_context": given._mp_context, "max_tasks_per_child": given._max_tasks_per_child}
        forked = given._mp_context.get_start_method() == "fork"
        return Recipe(partial(ProcessPoolExecutor, 1, initializer=begin, initargs=start, **words), forked=forked)
    for kind in type(executor).__mro__:
        if kind.__name__ == "ProcessPoolExecutor" and ".loky." in f".{kind.__module__}.":
            start = (executor._initializer, executor._initargs)
            words = {"context": executor._context, "env": executor._env}
            return Recipe(partial(kind, 1, initializer=begin, initargs=start, **words), plain=False)
    return None


def own_recipe(count: int) -> Recipe:
    """One of `count` processes of our own, which share the processors."""
    # A forked copy of a process with threads, such as those of a BLAS, may hang.
    context = multiprocessing.get_context("spawn")
    make = partial(ProcessPoolExecutor, 1, mp_context=context, initializer=begin, initargs=(None, ()))
    share = str(max(1, available() // count))
    environment = {name: share for name in THREADS if name not in os.environ}
    return Recipe(
        make, environment=environment, why="without an executor, n_parallel and trial_timeout use processes; "
    )
