"""Executors for engines that have none of their own, to be given as `executor=`."""

import math
import threading
from collections.abc import Callable, Mapping
from concurrent.futures import BrokenExecutor, Future
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from suffice.checks import as_number, converted
from suffice.errors import MissingExtra

__all__ = ["Ray"]


class Job(Future[Any]):
    """The future of a job that dies alone: the death of its worker is a BrokenExecutor that concerns no other job.

    `cancel` ends it even while it runs, as far as `end` can; `settle` takes no notice of what comes after that.
    """

    def __init__(self, end: Callable[[], bool]) -> None:
        super().__init__()
        self._end = end
        self._settling = threading.RLock()  # a job may be over while it is cancelled

    def cancel(self) -> bool:
        """End the job; False if it is over, or cannot be ended."""
        if self.done():
            return self.cancelled()
        return self._end() and self.give_up()

    def give_up(self) -> bool:
        """It was cancelled; False if it is over."""
        with self._settling:
            if not self.done():
                super().cancel()
                self.set_running_or_notify_cancel()  # notify waiting threads now
            return self.cancelled()

    def settle(self, value: Any, error: BaseException | None = None) -> None:
        """The job is over, unless it was cancelled."""
        with self._settling:
            if self.done():
                return
            if error is None:
                self.set_result(value)
            else:
                self.set_exception(error)


class WorkerGone(BrokenExecutor):
    """The worker of one job has died."""


@dataclass(frozen=True)
class Ray:
    """Evaluations as tasks of Ray, on the cluster that the program is connected to by `ray.init`.

    Without `ray.init`, Ray starts on this machine, or connects to the cluster that the variable RAY_ADDRESS names.
    Every evaluation is a task of its own. Where its worker dies, it is tried again as `sf.Evaluation(retries=…)` says;
    where it takes too long, or the run ends, its worker is killed.

    Parameters
    ----------
    num_cpus : float, default: 1
        Processors that Ray reserves for one evaluation, a number ≥ 0.
    num_gpus : float, default: 0
        GPUs that Ray reserves for one evaluation, a number ≥ 0.
    options : dict or None, default: None
        More options of a Ray task, such as {"resources": {"tpu": 1}, "runtime_env": {"pip": ["lightgbm"]}}.

    Examples
    --------
    >>> import suffice as sf
    >>> executor = sf.executors.Ray(num_cpus=2)
    >>> sf.minimize(loss, space, 50, executor=executor, n_parallel=8)  # doctest: +SKIP
    """

    num_cpus: float = converted(lambda given: as_number(given, "Ray: num_cpus", "a number ≥ 0", lambda n: n >= 0), 1)
    num_gpus: float = converted(lambda given: as_number(given, "Ray: num_gpus", "a number ≥ 0", lambda n: n >= 0), 0)
    options: Mapping[str, Any] | None = None

    def submit(self, f: Callable[..., Any], /, *args: Any) -> Future[Any]:
        """Start ``f(*args)`` as a task.

        Parameters
        ----------
        f : callable
            What to call on the cluster.
        *args : object
            Its arguments.

        Returns
        -------
        Future
            Its future; `cancel` kills the worker of a task that runs.
        """
        ray = ray_itself()
        words = {"num_cpus": self.num_cpus, "num_gpus": self.num_gpus, "max_retries": 0, **(self.options or {})}
        task = ray.remote(_called).options(**words).remote(f, *args)

        def end() -> bool:
            with suppress(Exception):  # it is over, or the connection is
                ray.cancel(task, force=True)
            return True

        job = Job(end)
        task.future().add_done_callback(lambda done: _pass_on(ray, done, job))
        return job

    def width(self) -> int:
        """How many evaluations the cluster can run at a time, as it is now.

        Returns
        -------
        int
            At least 1.
        """
        ray = ray_itself()
        if not ray.is_initialized():
            ray.init()
        there = ray.cluster_resources()
        asked = {"CPU": self.num_cpus, "GPU": self.num_gpus, **dict((self.options or {}).get("resources") or {})}
        counts = [there.get(name, 0.0) / each for name, each in asked.items() if each]
        return max(1, math.floor(min(counts, default=1.0)))


def ray_itself() -> Any:
    """The package; MissingExtra if it is not installed."""
    try:
        import ray
    except ImportError as error:
        raise MissingExtra("", "ray", "sf.executors.Ray") from error
    return ray


def _called(f: Callable[..., Any], *args: Any) -> Any:
    return f(*args)


def _pass_on(ray: Any, done: Future[Any], job: Job) -> None:
    """What became of a task, to its job; the errors of Ray itself are deaths, and those of the call are not."""
    error = done.exception()
    own = isinstance(error, ray.exceptions.RayError) and not isinstance(error, ray.exceptions.RayTaskError)
    if own:
        gone = WorkerGone(f"its Ray worker died ({str(error).strip().splitlines()[0]})")
        gone.__cause__ = error
        error = gone
    job.settle(None if error else done.result(), error)
