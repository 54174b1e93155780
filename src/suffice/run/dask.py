"""Evaluations on a Dask cluster, by a client or its `get_executor()`.

Dask replaces a worker that dies and evaluates again by itself what it was busy with, up to its own limit
(`distributed.scheduler.allowed-failures`, 3). Equal calls that are pure it evaluates once, so every call gets a key of
its own here. Where evaluations have a time limit, a worker announces by an event of Dask when it begins one: before
that a task may wait for a worker as long as it likes.
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
    """A call that tells the client when it begins; it is called in a worker."""

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
    pulse: ClassVar[float | None] = 30.0  # as long as it may take to replace a worker
    _topic: str = field(default_factory=lambda: f"suffice-{uuid.uuid4().hex}", repr=False)
    _keys: "WeakKeyDictionary[Future[Any], str]" = field(default_factory=WeakKeyDictionary, repr=False)
    _begun: dict[str, float] = field(default_factory=dict, repr=False)

    def receive(self, seconds: float | None) -> None:
        """Let a worker read the objective, packed as Dask packs functions."""
        sending = Sending(import_module("cloudpickle").dumps, CLOUD)
        packed = sending.packed(self.evaluate)
        if self.limited:
            self.client.subscribe_topic(self._topic, self._note)
        greeting = self.submit(fault_of_reading, packed)
        if self._keys[greeting] not in self.client.futures:
            raise TypeError("the executor belongs to another Dask client than the current one: give executor=client")
        sending.check(greeting, seconds)

    def _note(self, event: tuple[float, str]) -> None:
        self._begun[event[1]] = time.monotonic()  # its time is that of another machine

    def submit(self, f: Callable[..., Any], /, *args: Any) -> Future[Any]:
        """As a task with a name of its own."""
        key = f"suffice-{uuid.uuid4().hex}"
        call = Announced(f, self._topic, key) if self.limited else f
        executor: Any = self.executor
        future: Future[Any] = executor.submit(call, *args, key=key, pure=False)
        self._keys[future] = key
        return future

    def begun(self, future: Future[Any], submitted: float) -> float | None:  # noqa: ARG002
        """As its worker announced it, the last one if there were several."""
        return self._begun.get(self._keys[future])

    def stop(self, future: Future[Any]) -> bool:
        """Take the task back and let the nanny of its worker kill that, to start another; without one it goes on."""
        key = self._keys[future]
        try:
            busy = [worker for worker, keys in self.client.processing().items() if key in keys]
            known = self.client.scheduler_info(n_workers=-1)["workers"]
            if busy and all(known[worker].get("nanny") for worker in busy):
                future.cancel()  # first: what is lost with its worker, Dask tries again
                self.client.run(kill_worker, workers=busy, nanny=True)
                return True
        except Exception as error:
            log.warning("Dask could not replace the worker of an evaluation that takes too long: %s", in_words(error))
        self._left.append(future)
        return False

    def blames(self, future: Future[Any], others: int) -> bool:  # noqa: ARG002
        """Dask gives a task up on its own account, or all of them when it is restarted: each counts its own."""
        return True

    def obituary(self, future: Future[Any]) -> str:  # noqa: ARG002
        """Dask does not report more."""
        return "Dask cancelled the task"

    def heir(self) -> Crew | None:
        """Dask replaces its workers itself, and its client waits for a scheduler that restarts, as long as Dask's
        `distributed.comm.timeouts.connect`; without a connection there is nobody."""
        while self.client.status == "connecting":
            time.sleep(0.1)
        return self if self.client.status == "running" else None

    def look(self) -> None:
        """A cluster may have no worker for a while, as in the queue of a batch system: the run waits for one."""
        with suppress(Exception):  # Dask is about to say itself that it has no connection
            if threads_of(self.client) == 0:
                log.warning("the Dask cluster has no worker: evaluations are waiting for one")

    def close(self) -> None:
        """The cluster is the user's."""
        if self.limited:
            with suppress(Exception):  # the connection may be gone, and the topic with it
                self.client.unsubscribe_topic(self._topic)


def kill_worker(dask_worker: Any) -> None:
    """Called in a nanny: end the process that it looks after, whatever that does; the nanny starts another."""
    os.kill(dask_worker.process.pid, signal.SIGKILL)


def is_client(given: Any) -> bool:
    """Whether this is a Dask client."""
    return _of_dask(given) and hasattr(given, "get_executor")  # Dask need not be installed


def client_of(executor: Any) -> Any:
    """The client of what was given as an executor: the client itself, the current one for its executor, or None."""
    if is_client(executor):
        return executor
    return import_module("distributed").Client.current() if _of_dask(executor) else None


def threads_of(client: Any) -> int:
    """How many tasks the cluster can run at a time; 0 if no worker is there yet."""
    return sum(client.nthreads().values())


def _of_dask(given: Any) -> bool:
    return type(given).__module__.partition(".")[0] == "distributed"
