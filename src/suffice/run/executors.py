"""What may be given as an executor, how many trials it evaluates at a time, and the crew that it becomes."""

import logging
import pickle
from collections.abc import Callable
from concurrent.futures import BrokenExecutor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from typing import Any, ClassVar

from suffice.checks import as_count
from suffice.run.attempts import Attempts
from suffice.run.backends import Crew, Given, Threads
from suffice.run.dask import Cluster, client_of, is_client, threads_of
from suffice.run.evaluation import CLOUD, Evaluator, Inline, Sending, fault_of_reading, wants_trial
from suffice.run.loop import as_trial_timeout
from suffice.run.options import RunOptions
from suffice.run.processes import Processes, available, unborn

log = logging.getLogger("suffice")


def attempts_of(f: Callable[..., Any], n_trials: int, options: RunOptions) -> Attempts:
    """How a run of so many trials evaluates an objective, all that can be checked now being checked."""
    executor, evaluate = options["executor"], Evaluator(f, live=wants_trial(f))
    check_executor(executor)
    count = min(width(executor, options["n_parallel"]), n_trials)
    retries, seconds = as_count(options["retries"], "retries", 0), as_trial_timeout(options["trial_timeout"])
    crew, name = crew_of(executor, count, evaluate, seconds is not None), type(executor).__name__
    return Attempts(evaluate, crew, count, retries, seconds, name=name)


def check_executor(executor: Any) -> None:
    """Refuse what is no executor."""
    submits = is_client(executor) or callable(getattr(executor, "submit", None))  # anything may be given
    if executor is not None and (isinstance(executor, type) or not submits):
        raise TypeError(
            "executor must be one of concurrent.futures, like ThreadPoolExecutor(4), or None; n_parallel=4 without one "
            f"evaluates in four processes: got {executor!r}"
        )


def width(executor: Any, n_parallel: int | None) -> int:
    """How many evaluations run at a time; an executor has no public attribute for the number of its workers."""
    if n_parallel is not None:
        return as_count(n_parallel, "n_parallel", 1)
    if executor is None:
        return 1
    client = client_of(executor)
    return available() if client is None else threads_of(client) or available()


def crew_of(executor: Any, count: int, evaluate: Evaluator, limited: bool) -> Crew:
    """The workers for `count` evaluations at a time; `limited`: each has a time limit, so that some may be ended."""
    if executor is None:
        if count == 1 and not limited:
            return Given(Inline(), 1)
        why = "without an executor, n_parallel and trial_timeout use processes; "
        return Processes(count, evaluate, Sending(), why)
    if isinstance(executor, ThreadPoolExecutor):
        return Threads(executor, count)
    client = client_of(executor)
    if client is not None:
        submits = executor.get_executor() if executor is client else executor
        return Cluster(submits, count, client, evaluate, limited)
    sending = _sending(executor)
    if sending is None:
        return Given(executor, count)
    if limited:
        log.warning(
            "with trial_timeout, %d processes of the library evaluate in place of the %s, none of whose processes can "
            "be ended alone; its initializer does not run in them",
            count,
            type(executor).__name__,
        )
        return Processes(count, evaluate, sending)
    return Pool(executor, count, evaluate, sending)


def _sending(executor: Any) -> Sending | None:
    """How a process pool of the standard library or of joblib's loky sends objectives; None for other executors."""
    if isinstance(executor, ProcessPoolExecutor):
        return Sending()
    for kind in type(executor).__mro__:
        package, _, module = kind.__module__.rpartition(".")
        if (kind.__name__, module) == ("ProcessPoolExecutor", "process_executor") and package.endswith("loky"):
            return Sending(partial(_wrapped, import_module(package).wrap_non_picklable_objects), CLOUD)
    return None


def _wrapped(wrap: Callable[..., Any], thing: Any) -> bytes:
    """Something packed as loky does it, such that the standard pickle can read it."""
    return pickle.dumps(wrap(thing, keep_wrapper=False))


@dataclass(eq=False)
class Pool(Crew):
    """A process pool of the user. It is lost as a whole when one process dies; then processes of ours take over."""

    executor: Any
    workers: int
    evaluate: Evaluator
    sending: Sending
    shared: ClassVar[bool] = True

    def receive(self, seconds: float | None) -> None:
        """Let one of its processes read the objective."""
        packed = self.sending.packed(self.evaluate)
        try:
            self.sending.check(self.submit(fault_of_reading, packed), seconds)
        except BrokenExecutor as error:
            raise unborn("before the first evaluation") from error

    def submit(self, f: Callable[..., Any], /, *args: Any) -> Future[Any]:
        """As the pool has it; one that breaks at this moment may not know it yet, and finds its pipes closed."""
        try:
            future: Future[Any] = self.executor.submit(f, *args)
        except OSError as error:
            raise BrokenProcessPool("the pool has closed its pipes") from error
        return future

    def obituary(self, future: Future[Any]) -> str:  # noqa: ARG002
        """Its own process or that of another."""
        return "a worker process died, and with it the pool"

    def heir(self) -> Crew | None:
        """As many processes of the library."""
        log.warning(
            "a process of the %s died, and with it the pool: %d processes of the library take over; its initializer "
            "does not run in them",
            type(self.executor).__name__,
            self.workers,
        )
        return Processes(self.workers, self.evaluate, self.sending)
