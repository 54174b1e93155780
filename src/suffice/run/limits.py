"""What ends a run: the number of evaluations, the time, the rules and the callback."""

import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from numbers import Real
from typing import Any

from suffice.checks import as_count
from suffice.run.options import RunOptions
from suffice.study.optimizer import Optimizer
from suffice.study.result import Result
from suffice.study.stop import Stop


@dataclass(frozen=True)
class Limits:
    """When to start no evaluation any more; made where the run begins, since its clock runs from there."""

    n_trials: int
    deadline: float | None = None  # monotonic seconds
    rules: tuple[Stop, ...] = ()
    callback: Callable[[Result], Any] | None = None

    def reached(self, optimizer: Optimizer) -> str | None:
        """Why to stop after the evaluation just told, or None."""
        for rule in self.rules:
            reason = rule(optimizer)
            if reason:
                return reason if isinstance(reason, str) else f"stopped by the rule {rule!r}"
        if self.callback is not None:
            try:
                if self.callback(optimizer.result()):
                    return "stopped by the callback"
            except StopIteration:
                return "stopped by the callback"
        return None

    def seconds_left(self) -> float | None:
        """Until the deadline; None if there is none."""
        return None if self.deadline is None else max(0.0, self.deadline - time.monotonic())


def as_limits(n_trials: int, options: RunOptions) -> Limits:
    """The limits of a run that begins now, checked."""
    count, rules, callback = as_count(n_trials, "n_trials", 1), _as_rules(options["stop"]), options["callback"]
    if callback is not None and (isinstance(callback, type) or not callable(callback)):
        raise TypeError(f"callback takes a function: got {callback!r}")
    seconds = _as_seconds(options["timeout"], "timeout")
    return Limits(count, None if seconds is None else time.monotonic() + seconds, rules, callback)


def _as_rules(stop: object) -> tuple[Stop, ...]:
    rules = tuple(stop) if isinstance(stop, Sequence) else (stop,)
    for rule in rules:
        if isinstance(rule, type) or not callable(rule):
            raise TypeError(f"stop takes rules such as sf.Target(v), one or a list of them: got {rule!r}")
    return rules


def as_trial_timeout(trial_timeout: object) -> float | None:
    """The time of an evaluation; None where there is no limit, or where no clock reaches so far."""
    seconds = _as_seconds(trial_timeout, "trial_timeout")
    if seconds == 0.0:
        raise ValueError("trial_timeout must be seconds > 0 or None: got 0")
    return seconds


def _as_seconds(given: object, name: str) -> float | None:
    """Seconds to wait; None where no clock reaches so far."""
    if given is None:
        return None
    if isinstance(given, bool) or not isinstance(given, Real):
        raise TypeError(f"{name} must be seconds ≥ 0 or None: got {given!r}")
    seconds = float(given)
    if not seconds >= 0:
        raise ValueError(f"{name} must be seconds ≥ 0 or None: got {given!r}")
    return None if seconds > threading.TIMEOUT_MAX else seconds
