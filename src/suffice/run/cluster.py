"""Evaluations on a Dask cluster, by `client.get_executor()`.

Dask replaces a worker that dies and evaluates again by itself what it was busy with, up to its own limit
(`distributed.scheduler.allowed-failures`, 3). What its executor calls pure, it evaluates once for equal arguments; so
every call gets a key of its own here, whatever the executor was told.
"""

import logging
import uuid
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import Any, ClassVar
from weakref import WeakKeyDictionary

from suffice.run.crew import Crew
from suffice.run.evaluation import Evaluation, in_words
from suffice.run.sending import CLOUD, answer, fault_of_nothing, unsent

log = logging.getLogger("suffice")

PATIENCE = 30.0  # seconds for Dask to replace a worker


@dataclass(eq=False)
class Cluster:
    """The executor of a Dask client."""

    executor: Any
    workers: int
    evaluate: Evaluation
    shared: ClassVar[bool] = False
    _keys: "WeakKeyDictionary[Future[Any], str]" = field(default_factory=WeakKeyDictionary, repr=False)
    _left: list[Future[Any]] = field(default_factory=list, repr=False)

    @property
    def capacity(self) -> int | None:
        """A thread that is held up by an evaluation which is over its time can take no other."""
        held = sum(not future.done() for future in self._left)
        return self.workers - held if held else None

    def receive(self, seconds: float | None) -> None:
        """Let a worker read the objective."""
        try:
            greeting = self.submit(fault_of_nothing, self.evaluate)
        except Exception as error:  # Dask pickles at once
            raise unsent(str(error).splitlines()[0] if str(error) else type(error).__name__, CLOUD) from error
        answer(greeting, False, seconds)

    def submit(self, f: Callable[..., Any], /, *args: Any) -> Future[Any]:
        """As a task with a name of its own."""
        key = f"suffice-{uuid.uuid4().hex}"
        future: Future[Any] = self.executor.submit(f, *args, key=key, pure=False)
        self._keys[future] = key
        return future

    def begun(self, future: Future[Any], submitted: float) -> float | None:  # noqa: ARG002
        """When Dask got it: with a thread for each, it begins at once."""
        return submitted

    def stop(self, future: Future[Any]) -> bool:
        """Take the task back, and let Dask replace the worker that is busy with it; without a nanny it cannot."""
        client, key = self.executor._client, self._keys[future]
        try:
            busy = [worker for worker, keys in client.processing().items() if key in keys]
            known = client.scheduler_info(n_workers=-1)["workers"]
            if busy and all(known[worker].get("nanny") for worker in busy):
                future.cancel()
                client.restart_workers(busy, timeout=PATIENCE)
                return True
        except Exception as error:
            log.warning("Dask could not replace the worker of an evaluation that takes too long: %s", in_words(error))
        self._left.append(future)
        return False

    def blames(self, future: Future[Any], others: int) -> bool:  # noqa: ARG002
        """Dask gives a task up on its own account, or all of them when it is restarted: each counts its own."""
        return True

    def obituary(self, future: Future[Any]) -> str:  # noqa: ARG002
        """Dask does not say more."""
        return "Dask gave the task up"

    def heir(self) -> Crew | None:
        """Dask replaces its workers itself; without a connection there is nobody."""
        return self if self.executor._client.status == "running" else None

    def close(self) -> None:
        """The cluster is the user's."""


def is_dask(executor: Any) -> bool:
    """Whether this is the executor of a Dask client."""
    return type(executor).__module__.partition(".")[0] == "distributed" and hasattr(executor, "_client")


def threads_of(executor: Any) -> int:
    """How many tasks the cluster can run at a time; 0 if no worker is there yet."""
    return sum(executor._client.nthreads().values())
