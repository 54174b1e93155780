"""What ends a run: the number of evaluations, the time, the rules and the callback."""

import inspect
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from numbers import Real
from typing import Any

import numpy as np

from suffice.checks import as_count, short
from suffice.run.objective import takes_one
from suffice.run.options import RunOptions
from suffice.study.optimizer import Optimizer
from suffice.study.result import Result
from suffice.study.settings import Settings
from suffice.study.stop import Stop


@dataclass(frozen=True)
class Limits:
    """When to start no evaluation any more; made where the run begins, since its clock runs from there."""

    n_trials: int
    deadline: float | None = None  # monotonic seconds
    rules: tuple[Stop, ...] = ()
    callbacks: tuple[Callable[[Result], Any], ...] = ()

    def reached(self, optimizer: Optimizer) -> str | None:
        """Why to stop after the evaluation just told, or None."""
        for rule in self.rules:
            reason = rule(optimizer)
            if reason:
                return reason if isinstance(reason, str) else f"stopped by the rule {rule!r}"
        for callback in self.callbacks:
            try:
                said = callback(optimizer.result())
                if said:  # as `file.write` returns a number: whoever did not mean it sees why
                    means_it = isinstance(said, bool | np.bool_)
                    return f"stopped by the callback{'' if means_it else f', which returned {short(said)}'}"
            except StopIteration:
                return "stopped by the callback"
        return None

    def seconds_left(self) -> float | None:
        """Until the deadline; None if there is none."""
        return None if self.deadline is None else max(0.0, self.deadline - time.monotonic())


def as_limits(n_trials: int, options: RunOptions, settings: Settings | None = None) -> Limits:
    """The limits of a run that begins now, checked; settings: those of its study, which a rule may not be made for."""
    count, rules, callbacks = as_budget(n_trials), _as_rules(options["stop"]), _as_callbacks(options["callback"])
    for rule in rules:
        check = getattr(rule, "check", None)  # one of the user's own need not have it
        if callable(check) and settings is not None:
            check(settings)
    seconds = _as_seconds(options["timeout"], "timeout must be seconds ≥ 0 or None")
    return Limits(count, None if seconds is None else time.monotonic() + seconds, rules, callbacks)


def as_budget(n_trials: object) -> int:
    """How many evaluations to make; 50.0, which comes of arithmetic, is as good as 50."""
    whole = isinstance(n_trials, float | np.floating) and float(n_trials).is_integer()
    return as_count(int(n_trials) if whole else n_trials, "n_trials", 1)  # type: ignore[call-overload]


def _as_callbacks(callback: object) -> tuple[Callable[[Result], Any], ...]:
    """One callback, or several."""
    if callback is None:
        return ()
    several = tuple(callback) if isinstance(callback, list | tuple) else (callback,)
    for one in several:
        if isinstance(one, type) or not callable(one):
            raise TypeError(f"callback takes a function, or a list of them: got {one!r}")
        if not takes_one(one):
            raise TypeError(
                "a callback is called with one argument, the result so far, whose last trial is result.trials[-1]: got "
                f"{getattr(one, '__name__', one)}{inspect.signature(one)}"
            )
    return several


def _as_rules(stop: object) -> tuple[Stop, ...]:
    rules = tuple(stop) if isinstance(stop, Sequence) else (stop,)
    for rule in rules:
        if isinstance(rule, type):
            name = rule.__name__
            raise TypeError(f"stop takes rules: got the class {name}; make one of it, as in sf.{name}(10)")
        if not callable(rule):
            raise TypeError(f"stop takes rules such as sf.Target(v), one or a list of them: got {rule!r}")
    return rules


def as_trial_timeout(trial_timeout: object) -> float | None:
    """The time of an evaluation; None where there is no limit, or where no clock reaches so far."""
    wanted = "trial_timeout must be seconds > 0 or None"
    seconds = _as_seconds(trial_timeout, wanted)
    if seconds == 0.0:
        raise ValueError(f"{wanted}: got 0")
    return seconds


def _as_seconds(given: object, wanted: str) -> float | None:
    """Seconds to wait; None where no clock reaches so far."""
    if given is None:
        return None
    if isinstance(given, bool) or not isinstance(given, Real):
        raise TypeError(f"{wanted}: got {given!r}")
    seconds = float(given)
    if not seconds >= 0:
        raise ValueError(f"{wanted}: got {given!r}")
    return None if seconds > threading.TIMEOUT_MAX else seconds
