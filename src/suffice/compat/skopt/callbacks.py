"""Functions of the result so far, called after each evaluation: one that returns True ends the run."""

import os
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from suffice.compat.skopt.arguments import explained
from suffice.compat.skopt.utils import OptimizeResult, dump, load
from suffice.store.files import FilePath


def check_callback(callback: Any) -> list[Callable[[Any], Any]]:
    """A list of functions, from None, a function or a list of them."""
    if callback is None:
        return []
    several = callback if isinstance(callback, list) else [callback]
    for one in several:
        if not callable(one):
            raise ValueError(f"callback must be a function of the result, or a list of them: got {one!r}")
    return several


@explained(
    n_total="The total number of evaluations.",
    n_init="The number of given points among them.",
    n_random="The number of initial points after these.",
)
class VerboseCallback:
    """Print a line before and after each evaluation."""

    def __init__(self, n_total: int, n_init: int = 0, n_random: int = 0) -> None:
        self.n_init, self.n_random, self.n_total, self.iter_no = n_init, n_random, n_total, 1
        self._begin()

    def _begin(self) -> None:
        given, initial = self.iter_no <= self.n_init, self.iter_no <= self.n_init + self.n_random
        where = "at a given point" if given else "at an initial point" if initial else "at a point chosen by the model"
        print(f"evaluation {self.iter_no} of {self.n_total}, {where}")
        self._start_time = time.time()

    def __call__(self, res: OptimizeResult) -> None:
        seconds = time.time() - self._start_time
        print(f"    value {res.func_vals[-1]:.4f}, least so far {res.fun:.4f}, {seconds:.4f} s")
        self.iter_no += 1
        if self.iter_no <= self.n_total:
            self._begin()


class TimerCallback:
    """Record the seconds between evaluations in the list `iter_time`."""

    def __init__(self) -> None:
        self._time = time.time()
        self.iter_time: list[float] = []

    def __call__(self, res: OptimizeResult) -> None:  # noqa: ARG002
        now = time.time()
        self.iter_time.append(now - self._time)
        self._time = now


class EarlyStopper:
    """Base class of the rules that end a run; a subclass has the method `_criterion`."""

    def __call__(self, result: OptimizeResult) -> bool | None:
        return self._criterion(result)

    def _criterion(self, result: OptimizeResult) -> bool | None:
        """Whether to stop; None if that cannot be told yet."""
        raise NotImplementedError(f"{type(self).__name__} needs a method _criterion(result) that returns True to stop")


@explained(delta="The largest distance: the sum over the dimensions, in their units.")
class DeltaXStopper(EarlyStopper):
    """Stop when the last two points are close to each other."""

    def __init__(self, delta: float) -> None:
        self.delta = delta

    def _criterion(self, result: OptimizeResult) -> bool | None:
        if len(result.x_iters) < 2:
            return None
        return bool(result.space.distance(result.x_iters[-2], result.x_iters[-1]) < self.delta)


@explained(delta="The largest difference.", n_best="The number of compared values.")
class DeltaYStopper(EarlyStopper):
    """Stop when the least values are close to each other."""

    def __init__(self, delta: float, n_best: int = 5) -> None:
        self.delta, self.n_best = delta, n_best

    def _criterion(self, result: OptimizeResult) -> bool | None:
        if len(result.func_vals) < self.n_best:
            return None
        least = np.sort(result.func_vals)
        return bool(least[self.n_best - 1] - least[0] < self.delta)


@explained(n_iterations="The number of evaluations.", threshold="The largest improvement that ends the run.")
class HollowIterationsStopper(EarlyStopper):
    """Stop when the last evaluations have lowered the least value by little."""

    def __init__(self, n_iterations: int, threshold: float = 0) -> None:
        self.n_iterations, self.threshold = n_iterations, abs(threshold)

    def _criterion(self, result: OptimizeResult) -> bool | None:
        if len(result.func_vals) <= self.n_iterations:
            return False
        least = np.fmin.accumulate(result.func_vals)
        return bool(least[-self.n_iterations - 1] - least[-1] <= self.threshold)


@explained(total_time="The time budget in seconds.")
class DeadlineStopper(EarlyStopper):
    """Stop in time: when less time is left than the longest evaluation took."""

    def __init__(self, total_time: float) -> None:
        self._timer, self.total_time = TimerCallback(), total_time
        self.iter_time = self._timer.iter_time

    def _criterion(self, result: OptimizeResult) -> bool | None:
        self._timer(result)
        if not result.x_iters:
            return None
        return self.total_time - sum(self.iter_time) <= max(self.iter_time)


@explained(threshold="The value to reach.")
class ThresholdStopper(EarlyStopper):
    """Stop when a value is small enough."""

    def __init__(self, threshold: float) -> None:
        self.threshold = threshold

    def _criterion(self, result: OptimizeResult) -> bool | None:
        return bool(np.any(np.asarray(result.func_vals) <= self.threshold))


@explained(
    threshold="The standard deviation to reach.",
    log_interval="The number of models between printed lines.",
)
class StdStopper(EarlyStopper):
    """Stop when the standard deviation of the values known to a model is small.

    It is provided for compatibility; the spread of the values says little about the best one.
    """

    def __init__(self, threshold: float, log_interval: int = 10) -> None:
        self.threshold, self.log_interval = threshold, log_interval

    def _criterion(self, result: OptimizeResult) -> bool | None:
        deviations = [model.y_train_std_ for model in result.models or []]
        if not deviations:
            return False
        if len(deviations) % self.log_interval == 0:
            print(f"{len(deviations)} models, standard deviations from {min(deviations):g} to {max(deviations):g}")
        return bool(min(deviations) <= self.threshold)


@explained(
    checkpoint_path=("path", 'The file, such as "run.pkl".'),
    dump_options=("object", "Further arguments of `dump`, such as store_objective=False or compress=9."),
)
class CheckpointSaver:
    """Write the result so far into a file after each evaluation, so that a run can be resumed.

    The file is replaced atomically: it always holds the last result or the one before. A run resumes with
    ``gp_minimize(f, dimensions, callback=[saver], **saver.load())``.
    """

    def __init__(self, checkpoint_path: FilePath, **dump_options: Any) -> None:
        self.checkpoint_path, self.dump_options = checkpoint_path, dump_options

    def __call__(self, res: OptimizeResult) -> None:
        dump(res, self.checkpoint_path, **self.dump_options)

    def load(self) -> dict[str, Any]:
        """The arguments that resume a run; empty if there is no file yet.

        Returns
        -------
        dict
            With x0, y0 and base_estimator.
        """
        if not os.path.exists(self.checkpoint_path):
            return {}
        result = load(self.checkpoint_path)
        model = result.models[-1] if result.models else None
        return {"x0": result.x_iters, "y0": result.func_vals, "base_estimator": model}
