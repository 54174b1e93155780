"""What may be given as an executor, how many evaluations it gets at a time, and the crew that it becomes."""

from collections.abc import Callable
from concurrent.futures import Executor, ThreadPoolExecutor
from typing import Any

from suffice.checks import as_count
from suffice.run.attempts import Attempts
from suffice.run.cluster import Cluster, is_dask, threads_of
from suffice.run.crew import Crew, Given
from suffice.run.evaluation import Evaluation, Inline
from suffice.run.limits import as_trial_timeout
from suffice.run.objective import wants_trial
from suffice.run.options import RunOptions
from suffice.run.pools import Pool, own_recipe, recipe_of
from suffice.run.slots import Slots
from suffice.run.threads import Threads
from suffice.run.workers import available


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
