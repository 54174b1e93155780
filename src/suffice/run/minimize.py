"""Run an objective to a budget: minimize and maximize, in this process or over any concurrent.futures executor.

Evaluation is at least once, recording exactly once: a trial is told when its future is done, in that order.
"""

import os
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_COMPLETED, Executor, Future, wait
from dataclasses import dataclass
from typing import Any, Unpack

from suffice.errors import SpaceExhausted
from suffice.run.evaluation import Evaluated, Evaluation, Inline
from suffice.run.options import MinimizeOptions, RunOptions
from suffice.space import Space, as_space
from suffice.study.optimizer import Optimizer
from suffice.study.options import SearchOptions, Sense, part, takes
from suffice.study.result import Result
from suffice.study.stop import Stop
from suffice.study.trial import Trial, as_count

HOPELESS = 3  # evaluations that all raise, from the first on, before the run gives up: a typo must not burn the budget


@takes(MinimizeOptions)
def minimize(f: Callable[[Any], Any], bounds: Any, n_trials: int = 50, **options: Unpack[MinimizeOptions]) -> Result:
    """Find the point of `bounds` where f is smallest, in n_trials evaluations.

    f           the objective: it takes a point and returns one real number; nan says that the evaluation failed
    bounds      a list of pairs (low, high), so that f gets an ndarray; or a dict of pairs or parameters, or a Space, so
                that f gets a dict
    n_trials    how many evaluations to make, those of the initial design and failed ones included

    Ctrl-C ends the run and returns the result so far.
    """
    return _search("minimize", f, bounds, n_trials, options)


@takes(MinimizeOptions)
def maximize(f: Callable[[Any], Any], bounds: Any, n_trials: int = 50, **options: Unpack[MinimizeOptions]) -> Result:
    """Find the point of `bounds` where f is largest: the mirror of `minimize`, with the same arguments."""
    return _search("maximize", f, bounds, n_trials, options)


def _search(sense: Sense, f: Callable[[Any], Any], bounds: Any, n_trials: int, options: MinimizeOptions) -> Result:
    space, study = as_space(bounds), part(options, SearchOptions)
    study["n_initial"] = _n_initial(study["n_initial"], n_trials, space)
    return run(Optimizer(space, sense=sense, **study), f, n_trials, **part(options, RunOptions))


@takes(RunOptions)
def run(optimizer: Optimizer, f: Callable[[Any], Any], n_trials: int, **options: Unpack[RunOptions]) -> Result:
    """Let an optimizer evaluate f until it has n_trials evaluations in all, those told to it before included."""
    executor, n_parallel, timeout = options["executor"], options["n_parallel"], options["timeout"]
    stop, callback, on_error = options["stop"], options["callback"], options["on_error"]
    if not callable(f):
        raise TypeError(f"the objective must be callable: got {type(f).__name__}")
    if on_error not in ("record", "raise"):
        raise ValueError(f"on_error must be 'record' or 'raise': got {on_error!r}")
    if timeout is not None and not timeout >= 0:
        raise ValueError(f"timeout must be seconds ≥ 0 or None: got {timeout!r}")
    rules = tuple(stop) if isinstance(stop, Sequence) else (stop,)
    for rule in (*rules, *(() if callback is None else (callback,))):
        if not callable(rule):
            raise TypeError(f"stop takes rules such as Target(v), and callback takes a function: got {rule!r}")
    deadline = None if timeout is None or timeout > threading.TIMEOUT_MAX else time.monotonic() + timeout
    limits = _Limits(as_count(n_trials, "n_trials", 1), deadline, rules, callback)
    width = _width(executor, n_parallel)
    loop = _Loop(optimizer, Evaluation(f), executor or Inline(), width, limits, on_error == "raise")
    return optimizer.result(loop.run())


@dataclass(frozen=True)
class _Limits:
    """What ends a run."""

    n_trials: int
    deadline: float | None  # monotonic seconds
    rules: tuple[Stop, ...]
    callback: Callable[[Result], Any] | None

    def reached(self, optimizer: Optimizer) -> str | None:
        """Why to stop after the evaluation just told, or None."""
        for rule in self.rules:
            reason = rule(optimizer)
            if reason:
                return reason
        if self.callback is not None:
            try:
                if self.callback(optimizer.result()):
                    return "stopped by the callback"
            except StopIteration:
                return "stopped by the callback"
        return None

    def seconds_left(self) -> float | None:
        return None if self.deadline is None else max(0.0, self.deadline - time.monotonic())


@dataclass
class _Loop:
    """Keep `width` evaluations under way until a limit is reached."""

    optimizer: Optimizer
    evaluate: "Evaluation"
    executor: Executor
    width: int
    limits: _Limits
    raising: bool
    recorded: int = 0  # evaluations, and how many of them raised
    raised: int = 0

    def run(self) -> str:
        """Why the run ended, as a sentence."""
        running: dict[Future[Evaluated], Trial] = {}
        try:
            while True:
                ended = self._refill(running)
                if not running:
                    return ended
                done, _ = wait(running, timeout=self.limits.seconds_left(), return_when=FIRST_COMPLETED)
                if not done:
                    return self._abandon(running, "the time is up")
                for future in sorted(done, key=lambda future: running[future].number):
                    evaluated = future.result()  # raises what the executor itself could not do
                    self._record(running.pop(future), evaluated)
                    reason = self.limits.reached(self.optimizer)
                    if reason:
                        return self._abandon(running, reason)
        except KeyboardInterrupt:
            return self._abandon(running, "interrupted")
        except BaseException as error:
            self._abandon(running, "the run was ended by an error")
            error.trials = self.optimizer.trials  # type: ignore[attr-defined]  # nothing evaluated is lost
            error.add_note("The evaluations so far are attached to this exception as `.trials`.")
            raise

    def _refill(self, running: dict["Future[Evaluated]", Trial]) -> str:
        """Start evaluations until the budget, the width or the time is reached; why there are no more."""
        while len(running) < self.width:
            if _evaluated(self.optimizer) + len(running) >= self.limits.n_trials:
                return f"all {self.limits.n_trials} trials are done"
            if self.limits.seconds_left() == 0.0:
                return "the time is up"
            try:
                trial = self.optimizer.ask()
            except SpaceExhausted as error:
                return str(error)
            try:
                running[self.executor.submit(self.evaluate, trial.point)] = trial
            except BaseException:  # Ctrl-C in the objective, or an executor that takes no more work
                self.optimizer.cancel(trial, "interrupted")
                raise
        return ""

    def _record(self, trial: Trial, evaluated: "Evaluated") -> None:
        optimizer, seconds = self.optimizer, evaluated.seconds
        self.recorded += 1
        if evaluated.error is not None:
            self.raised += 1
            optimizer.fail(trial, evaluated.text, seconds=seconds)
            hopeless = self.raised == self.recorded >= min(HOPELESS, self.limits.n_trials)
            if self.raising or hopeless:
                raise evaluated.error
            return
        try:
            optimizer.tell(trial, evaluated.value, seconds=seconds)
        except TypeError as error:  # not a number
            optimizer.fail(trial, str(error), seconds=seconds)
            if self.raising or not any(trial.state == "done" for trial in optimizer.trials):
                raise

    def _abandon(self, running: dict["Future[Evaluated]", Trial], reason: str) -> str:
        """Tell what is done, cancel the rest."""
        for future, trial in running.items():
            if future.done() and not future.cancelled() and future.exception() is None:
                try:
                    self._record(trial, future.result())
                except Exception:  # recorded as failed; the reason that ends the run comes first
                    continue
            else:
                future.cancel()
                self.optimizer.cancel(trial, reason)
        return reason


def _evaluated(optimizer: Optimizer) -> int:
    return sum(trial.state in ("done", "failed") for trial in optimizer.trials)


def _width(executor: Executor | None, n_parallel: int | None) -> int:
    """How many evaluations are under way at a time."""
    if executor is not None and not hasattr(executor, "submit"):
        raise TypeError(f"executor must be one of concurrent.futures, like ThreadPoolExecutor(4): got {executor!r}")
    if n_parallel is None:
        return 1 if executor is None else int(getattr(executor, "_max_workers", None) or os.cpu_count() or 1)
    if executor is None:
        raise ValueError(
            f"n_parallel={n_parallel!r} needs an executor, for instance ThreadPoolExecutor({n_parallel!r})"
        )
    return as_count(n_parallel, "n_parallel", 1)


def _n_initial(n_initial: int | None, n_trials: int, space: Space) -> int | None:
    if n_initial is not None:
        return n_initial
    return min(2 * (len(space.coordinates) + 1), max(2, as_count(n_trials, "n_trials", 1) // 3))
