"""When a run has done enough: rules that look at the optimizer after each evaluation."""

import math
from dataclasses import dataclass
from itertools import dropwhile
from typing import Protocol

from suffice.checks import as_count, as_real
from suffice.study.front import Front
from suffice.study.history import History
from suffice.study.optimizer import Optimizer
from suffice.study.settings import Settings


class Stop(Protocol):
    """A stopping rule.

    One that cannot judge every study may have a method `check(settings)`, which is called before anything is evaluated
    and raises ValueError, with what to do instead.
    """

    def __call__(self, optimizer: Optimizer) -> str | None:
        """Why to stop now, as a sentence; None to go on."""


@dataclass(frozen=True)
class Target:
    """Stop once the best value is at least as good as `value`: for when you know what is good enough.

    With constraints it is the best value within all limits. Several objectives have no best value.

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

    def check(self, settings: Settings) -> None:
        """Refuse a study of several objectives.

        Parameters
        ----------
        settings : Settings
            Of the study that the rule is to end.
        """
        if settings.several:
            raise ValueError(
                f"sf.Target({self.value:g}) is for one objective: of several there is no best value; stop by "
                "sf.NoImprovement(n), which looks at the front, or by a rule of your own"
            )

    def __call__(self, optimizer: Optimizer) -> str | None:
        self.check(optimizer.settings)
        values = _values(optimizer)
        if not values:
            return None
        best = min(values) if optimizer.sense == "minimize" else max(values)
        reached = best <= self.value if optimizer.sense == "minimize" else best >= self.value
        return f"the target {self.value:g} was reached" if reached else None


@dataclass(frozen=True)
class NoImprovement:
    """Stop after `n` finished trials in a row without a better value: for when you do not know what can be reached.

    With constraints a value beyond a limit is no better one, and nothing is counted before the first within all limits.
    Of several objectives these are trials that did not raise the hypervolume of the front.

    Parameters
    ----------
    n : int
        How many trials to wait for a better value.
    """

    n: int

    def __post_init__(self) -> None:
        as_count(self.n, "NoImprovement: n", 1)

    def __call__(self, optimizer: Optimizer) -> str | None:
        since = _since_the_front(optimizer.history) if optimizer.settings.several else _since_the_best(optimizer)
        return f"no improvement in the last {self.n} trials" if since >= self.n else None


def _since_the_best(optimizer: Optimizer) -> int:
    """How many values came after the first of the best ones."""
    values = _values(optimizer)
    best = (min if optimizer.sense == "minimize" else max)(values, default=math.nan)
    return len(values) - 1 - values.index(best) if values else 0


def _since_the_front(history: History) -> int:
    """How many trials came after the last one that raised the hypervolume of the front; 0 before any did.

    That one is on the front still: what dominates it would have raised the hypervolume later.
    """
    front = Front(history)
    numbers = {trial.number for trial in front.counted}
    places = [place for place, trial in enumerate(history.done) if trial.number in numbers]
    return len(history.done) - 1 - places[-1] if places else 0


def _values(optimizer: Optimizer) -> list[float]:
    """The values in the order they were told, from the first within all limits on; one beyond a limit is the worst."""
    worst = math.inf if optimizer.sense == "minimize" else -math.inf
    values = (trial.value if trial.feasible and trial.value is not None else worst for trial in optimizer.history.done)
    return list(dropwhile(math.isinf, values))
