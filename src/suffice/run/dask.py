"""Evaluations on a Dask cluster, through a client or its `get_executor()`.

Dask replaces a worker that dies and repeats its calls, up to its own limit (`distributed.scheduler.allowed-failures`,
3). It evaluates equal pure calls only once, so every call has its own key here. If evaluations have a timeout, a worker
announces the start of each one by a Dask event, because a task may wait for a worker for any time.
"""

import logging
import os
import signal
import time
import uuid
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any, ClassVar
from weakref import WeakKeyDictionary

from suffice.run.backends import Crew, Given
from suffice.run.evaluation import CLOUD, Evaluator, Sending, fault_of_reading, in_words

log = logging.getLogger("suffice")


@dataclass(frozen=True)
class Announced:
    """A call that reports its start to the client; it runs in a worker."""

    f: Callable[..., Any]
    topic: str
    key: str

    def __call__(self, *args: Any) -> Any:
        import_module("distributed").get_worker().log_event(self.topic, self.key)
        return self.f(*args)


@dataclass(eq=False)
class Cluster(Given):
    """The executor of a Dask client."""

    client: Any
    evaluate: Evaluator
    limited: bool = False  # whether evaluations have a time limit
    pulse: ClassVar[float | None] = 30.0  # seconds to replace a worker
    _topic: str = field(default_factory=lambda: f"suffice-{uuid.uuid4().hex}", repr=False)
    _keys: "WeakKeyDictionary[Future[Any], str]" = field(default_factory=WeakKeyDictionary, repr=False)
    _begun: dict[str, float] = field(default_factory=dict, repr=False)

    def receive(self, seconds: float | None) -> None:
        """Check that a worker can read the objective, packed as Dask packs functions."""
        sending = Sending(import_module("cloudpickle").dumps, CLOUD)
        packed = sending.packed(self.evaluate)
        if self.limited:
            self.client.subscribe_topic(self._topic, self._note)
        greeting = self.submit(fault_of_reading, packed)
        if self._keys[greeting] not in self.client.futures:
            raise TypeError("the executor belongs to another Dask client than the current one: give executor=client")
        sending.check(greeting, seconds)

    def _note(self, event: tuple[float, str]) -> None:
        self._begun[event[1]] = time.monotonic()  # its clock is that of another machine

    def submit(self, f: Callable[..., Any], /, *args: Any) -> Future[Any]:
        """Submit a task with its own key."""
        key = f"suffice-{uuid.uuid4().hex}"
        call = Announced(f, self._topic, key) if self.limited else f
        executor: Any = self.executor
        future: Future[Any] = executor.submit(call, *args, key=key, pure=False)
        self._keys[future] = key
        return future

    def begun(self, future: Future[Any], submitted: float) -> float | None:  # noqa: ARG002
        """The start that its worker announced, the last one if there are several."""
        return self._begun.get(self._keys[future])

    def stop(self, future: Future[Any]) -> bool:
        """Cancel the task and let the nanny restart its worker; without a nanny it keeps running."""
        key = self._keys[future]
        try:
            busy = [worker for worker, keys in self.client.processing().items() if key in keys]
            known = self.client.scheduler_info(n_workers=-1)["workers"]
            if busy and all(known[worker].get("nanny") for worker in busy):
                future.cancel()  # first, because Dask repeats what is lost with a worker
                self.client.run(kill_worker, workers=busy, nanny=True)
                return True
        except Exception as error:
            log.warning("Dask could not replace the worker of an evaluation that takes too long: %s", in_words(error))
        self._left.append(future)
        return False

    def blames(self, future: Future[Any], others: int) -> bool:  # noqa: ARG002
        """Dask gives up a task for its own failures, or all tasks when it restarts, so each is blamed for itself."""
        return True

    def obituary(self, future: Future[Any]) -> str:  # noqa: ARG002
        """Dask does not report more."""
        return "Dask cancelled the task"

    def heir(self) -> Crew | None:
        """Itself: Dask replaces its workers, and its client waits for a restarting scheduler as long as Dask's
        `distributed.comm.timeouts.connect`. None without a connection."""
        while self.client.status == "connecting":
            time.sleep(0.1)
        return self if self.client.status == "running" else None

    def look(self) -> None:
        """Log that the run waits for a worker; a cluster in the queue of a batch system may have none for a while."""
        with suppress(Exception):  # Dask reports a missing connection itself
            if threads_of(self.client) == 0:
                log.warning("the Dask cluster has no worker: evaluations are waiting for one")

    def close(self) -> None:
        """Unsubscribe only, because the cluster belongs to the user."""
        if self.limited:
            with suppress(Exception):  # the connection and the topic may be gone
                self.client.unsubscribe_topic(self._topic)


def kill_worker(dask_worker: Any) -> None:
    """Called in a nanny: kill its worker process; the nanny starts another."""
    os.kill(dask_worker.process.pid, signal.SIGKILL)


def is_client(given: Any) -> bool:
    """Whether this is a Dask client."""
    return _of_dask(given) and hasattr(given, "get_executor")  # Dask need not be installed


def client_of(executor: Any) -> Any:
    """The client behind an executor: the client itself, the current one for its executor, or None."""
    if is_client(executor):
        return executor
    return import_module("distributed").Client.current() if _of_dask(executor) else None


def threads_of(client: Any) -> int:
    """The number of tasks that the cluster can run at a time; 0 without workers."""
    return sum(client.nthreads().values())


def _of_dask(given: Any) -> bool:
    return type(given).__module__.partition(".")[0] == "distributed"
