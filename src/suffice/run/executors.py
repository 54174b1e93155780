"""Accepted executors, the number of trials that they evaluate at a time, and their crews."""

import logging
import pickle
from collections.abc import Callable
from concurrent.futures import BrokenExecutor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from importlib import import_module
from typing import Any, ClassVar, TypeGuard

from suffice.checks import as_count
from suffice.executors import Ray
from suffice.run.attempts import Attempts
from suffice.run.backends import Crew, Given, Threads
from suffice.run.dask import Cluster, client_of, is_client, threads_of
from suffice.run.evaluation import CLOUD, Evaluator, Inline, Sending, fault_of_reading, wants_trial
from suffice.run.jobs import crew_of_jobs
from suffice.run.options import Evaluation, RunOptions
from suffice.run.processes import Processes, available, unborn

log = logging.getLogger("suffice")


def attempts_of(f: Callable[..., Any], n_trials: int, options: RunOptions, evaluation: Evaluation) -> Attempts:
    """The evaluations of an objective in a run of so many trials; checks everything that can be checked now."""
    executor, evaluate = options["executor"], Evaluator(f, live=wants_trial(f))
    limited, factory = evaluation.timeout is not None, None
    if is_factory(executor):
        factory = Factory(executor)
        executor = factory.executor()
    check_executor(executor)
    count = min(width(executor, options["n_parallel"]), n_trials)

    def crew(executor: Any) -> Crew:
        return crew_of(executor, count, evaluate, limited, made=factory is not None)

    found = Attempts(evaluate, crew(executor), count, evaluation.retries, evaluation.timeout)
    found.name = type(executor).__name__
    if factory is not None:
        made = factory
        found.make, found.closing = (lambda: crew(made.executor())), made.close
    return found


def is_factory(given: Any) -> TypeGuard[Callable[[], Any]]:
    """Whether this is a function without arguments that makes executors, and no executor itself."""
    return callable(given) and not isinstance(given, type) and not hasattr(given, "submit") and not is_client(given)


@dataclass(frozen=True)
class Factory:
    """The user's function that makes executors, which are shut down at the end of the run."""

    function: Callable[[], Any]
    made: list[Any] = field(default_factory=list)

    def executor(self) -> Any:
        """Make another executor."""
        made = self.function()
        if made is None or not callable(getattr(made, "submit", None)):
            raise TypeError(f"executor is a function, and must return an executor: got {made!r} from it")
        self.made.append(made)
        return made

    def close(self) -> None:
        """Shut them down, without waiting for running calls."""
        for executor in self.made:
            with suppress(Exception):  # it is broken or has no such method
                executor.shutdown(wait=False)


def check_executor(executor: Any) -> None:
    """Raise an error for anything that is no executor."""
    submits = is_client(executor) or callable(getattr(executor, "submit", None))  # any object may be passed
    if executor is not None and (isinstance(executor, type) or not submits):
        raise TypeError(
            "executor must have a method submit, like ThreadPoolExecutor(4), or be a function that returns such an "
            f"executor, or None; n_parallel=4 without one evaluates in four processes: got {executor!r}"
        )


def width(executor: Any, n_parallel: int | None) -> int:
    """The number of evaluations at a time; an executor has no public attribute for its number of workers."""
    if n_parallel is not None and n_parallel != -1:
        return as_count(n_parallel, "n_parallel", 1, "a whole number ≥ 1, or -1 for one evaluation per processor")
    if executor is None:
        return 1 if n_parallel is None else available()
    if isinstance(executor, Ray):
        return executor.width()
    client = client_of(executor)
    return available() if client is None else threads_of(client) or available()


def crew_of(executor: Any, count: int, evaluate: Evaluator, limited: bool, made: bool = False) -> Crew:
    """The workers for `count` evaluations at a time.

    limited    evaluations have a timeout, so some may be ended
    made       the executor came from a function that can make another one
    """
    if executor is None:
        if count == 1 and not limited:
            return Given(Inline(), 1)
        why = "without an executor, n_parallel and a timeout of the evaluation use processes; "
        return Processes(count, evaluate, Sending(), why, other=cloud_sending())
    if isinstance(executor, ThreadPoolExecutor):
        return Threads(executor, count)
    client = client_of(executor)
    if client is not None:
        submits = executor.get_executor() if executor is client else executor
        return Cluster(submits, count, client, evaluate, limited)
    sending = _sending(executor)
    if sending is None:
        return crew_of_jobs(executor, count, evaluate, limited)
    if limited:
        log.warning(
            "with a timeout of the evaluation, %d processes of the library replace the %s, whose processes cannot be "
            "ended one by one; its initializer does not run in them",
            count,
            type(executor).__name__,
        )
        return Processes(count, evaluate, sending)
    return Pool(executor, count, evaluate, sending, made)


def _sending(executor: Any) -> Sending | None:
    """How a process pool from the standard library or joblib's loky sends objectives; None for other executors."""
    if isinstance(executor, ProcessPoolExecutor):
        return Sending()
    for kind in type(executor).__mro__:
        package, _, module = kind.__module__.rpartition(".")
        if (kind.__name__, module) == ("ProcessPoolExecutor", "process_executor") and package.endswith("loky"):
            return Sending(partial(_wrapped, import_module(package).wrap_non_picklable_objects), CLOUD)
    return None


def cloud_sending() -> Sending | None:
    """How joblib's loky sends functions from anywhere; None if joblib is not installed."""
    try:
        loky = import_module("joblib.externals.loky")
    except ImportError:
        return None
    return Sending(partial(_wrapped, loky.wrap_non_picklable_objects), CLOUD)


def _wrapped(wrap: Callable[..., Any], thing: Any) -> bytes:
    """An object packed by loky, readable by the standard pickle."""
    return pickle.dumps(wrap(thing, keep_wrapper=False))


@dataclass(eq=False)
class Pool(Crew):
    """A process pool of the user. If one process dies, the pool is lost, and the library's processes take over."""

    executor: Any
    workers: int
    evaluate: Evaluator
    sending: Sending
    made: bool = False  # by a function that can make another one
    shared: ClassVar[bool] = True

    def receive(self, seconds: float | None) -> None:
        """Check that one of its processes can read the objective."""
        packed = self.sending.packed(self.evaluate)
        try:
            self.sending.check(self.submit(fault_of_reading, packed), seconds)
        except BrokenExecutor as error:
            raise unborn("before the first evaluation") from error

    def submit(self, f: Callable[..., Any], /, *args: Any) -> Future[Any]:
        """Submit to the pool. A pool that breaks at this moment may raise an OSError, because its pipes are closed."""
        try:
            future: Future[Any] = self.executor.submit(f, *args)
        except OSError as error:
            raise BrokenProcessPool("the pool has closed its pipes") from error
        return future

    def obituary(self, future: Future[Any]) -> str:  # noqa: ARG002
        """Its own process died, or that of another call."""
        return "a worker process died, which broke the pool"

    def heir(self) -> Crew | None:
        """As many processes of the library, if the pool cannot be made again."""
        if self.made:
            return None
        log.warning(
            "a process of the %s died, which broke the pool: %d processes of the library take over; its initializer "
            "does not run in them",
            type(self.executor).__name__,
            self.workers,
        )
        return Processes(self.workers, self.evaluate, self.sending)
