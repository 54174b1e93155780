"""When a run has done enough: rules that look at the optimizer after each evaluation."""

import math
from dataclasses import dataclass
from typing import Protocol

from suffice.checks import as_count, as_real
from suffice.study.optimizer import Optimizer


class Stop(Protocol):
    """A stopping rule."""

    def __call__(self, optimizer: Optimizer) -> str | None:
        """Why to stop now, as a sentence; None to go on."""


@dataclass(frozen=True)
class Target:
    """Stop once the best value is at least as good as `value`: for when you know what is good enough.

    Parameters
    ----------
    value : float
        What is good enough, in the objective's units and sense.

    Examples
    --------
    >>> import suffice as sf
    >>> result = sf.minimize(lambda x: x[0] ** 2, [(-1, 1)], stop=sf.Target(0.1), seed=0)
    >>> result.nfev < 50
    True
    """

    value: float

    def __post_init__(self) -> None:
        if not math.isfinite(as_real(self.value, "Target: value")):
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
    """Stop after `n` finished trials in a row without a better value: for when you do not know what can be reached.

    Parameters
    ----------
    n : int
        How many trials to wait for a better value.
    """

    n: int

    def __post_init__(self) -> None:
        as_count(self.n, "NoImprovement: n", 1)

    def __call__(self, optimizer: Optimizer) -> str | None:
        values = _values(optimizer)
        if len(values) <= self.n:
            return None
        best = min(values) if optimizer.sense == "minimize" else max(values)
        since = len(values) - 1 - values.index(best)
        return f"no improvement in the last {self.n} trials" if since >= self.n else None


def _values(optimizer: Optimizer) -> list[float]:
    """The values in the order they were told."""
    return [trial.value for trial in optimizer.history.done if trial.value is not None]
