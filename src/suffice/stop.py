"""When a run has done enough: rules that look at the optimizer after each evaluation."""

import math
from dataclasses import dataclass
from typing import Protocol

from suffice.optimizer import Optimizer


class Stop(Protocol):
    """A stopping rule."""

    def __call__(self, optimizer: Optimizer) -> str | None:
        """Why to stop now, as a sentence; None to go on."""


@dataclass(frozen=True)
class Target:
    """Stop once the best value is at least as good as `value`."""

    value: float

    def __post_init__(self) -> None:
        if not math.isfinite(self.value):
            raise ValueError(f"Target needs a finite value: got {self.value!r}")

    def __call__(self, optimizer: Optimizer) -> str | None:
        values = _values(optimizer)
        if not values:
            return None
        best = min(values) if optimizer.sense == "minimize" else max(values)
        reached = best <= self.value if optimizer.sense == "minimize" else best >= self.value
        return f"the target {self.value:g} was reached" if reached else None


@dataclass(frozen=True)
class NoImprovement:
    """Stop after `n` finished trials in a row without a better value."""

    n: int

    def __post_init__(self) -> None:
        if self.n < 1:
            raise ValueError(f"NoImprovement needs n ≥ 1: got {self.n!r}")

    def __call__(self, optimizer: Optimizer) -> str | None:
        values = _values(optimizer)
        if len(values) <= self.n:
            return None
        best = min(values) if optimizer.sense == "minimize" else max(values)
        since = len(values) - 1 - values.index(best)
        return f"no improvement in the last {self.n} trials" if since >= self.n else None


def _values(optimizer: Optimizer) -> list[float]:
    """The values in the order they were told."""
    told = [trial for trial in optimizer.trials if trial.told is not None and trial.value is not None]
    return [trial.value for trial in sorted(told, key=lambda trial: trial.told or 0) if trial.value is not None]
