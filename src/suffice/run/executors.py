"""What may be given as an executor, how many evaluations it gets at a time, and the crew that it becomes."""

import multiprocessing
import os
from collections.abc import Callable
from concurrent.futures import Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar

from suffice.checks import as_count
from suffice.run.attempts import Attempts
from suffice.run.backends import Crew, Given, Threads
from suffice.run.dask import Cluster, is_dask, threads_of
from suffice.run.evaluation import Evaluation, Inline, answer, greet, wants_trial
from suffice.run.loop import as_trial_timeout
from suffice.run.options import RunOptions
from suffice.run.processes import THREADS, Recipe, Slots, available, begin

#| -- run.pools: Process pools as they are given, of the standard library or of joblib's loky, and pools of one
#| process like them.


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


def attempts_of(f: Callable[[Any], Any], n_trials: int, options: RunOptions) -> Attempts:
    """How a run of so many trials evaluates an objective, all that can be checked now being checked."""
    executor, evaluate = options["executor"], Evaluation(f, live=wants_trial(f))
    check_executor(executor)
    count = min(width(executor, options["n_parallel"]), n_trials)
    retries, seconds = as_count(options["retries"], "retries", 0), as_trial_timeout(options["trial_timeout"])
    return Attempts(evaluate, crew_of(executor, count, evaluate, seconds is not None), count, retries, seconds)


def check_executor(executor: Any) -> None:
    """Refuse what is no executor."""
    if type(executor).__module__.startswith("distributed.") and callable(getattr(executor, "get_executor", None)):
        raise TypeError("executor must be one of concurrent.futures: of a Dask client, client.get_executor()")
    if executor is not None and (isinstance(executor, type) or not callable(getattr(executor, "submit", None))):
        raise TypeError(
            "executor must be one of concurrent.futures, like ThreadPoolExecutor(4), or None; n_parallel=4 without one "
            f"evaluates in four processes: got {executor!r}"
        )


def width(executor: Executor | None, n_parallel: int | None) -> int:
    """How many evaluations are under way at a time."""
    if n_parallel is not None:
        return as_count(n_parallel, "n_parallel", 1)
    return 1 if executor is None else _workers(executor)


def crew_of(executor: Any, count: int, evaluate: Evaluation, limited: bool) -> Crew:
    """The workers for `count` evaluations at a time; `limited`: each has a time limit, so that some may be ended."""
    if executor is None:
        if count == 1 and not limited:
            return Given(Inline(), 1)
        return Slots(own_recipe(count), count, evaluate)
    if isinstance(executor, ThreadPoolExecutor):
        return Threads(executor)
    if is_dask(executor):
        return Cluster(executor, count, evaluate, limited)
    recipe = recipe_of(executor)
    if recipe is None:
        mpi = type(executor).__module__.partition(".")[0] == "mpi4py"
        return Given(executor, count, evaluate if mpi else None)
    workers = min(count, _workers(executor))
    return Slots(recipe, workers, evaluate) if limited else Pool(executor, recipe, workers, evaluate)


def _workers(executor: Any) -> int:
    if is_dask(executor):
        return threads_of(executor) or available()
    workers = getattr(executor, "_max_workers", None)  # private, but all of the standard library have it
    return workers if isinstance(workers, int) and workers >= 1 else available()
