"""Stop what is worse than half of the finished trials were at the same step, if it has hardly a chance to be the best.

The first half is the median rule of Golovin et al. (2017), Google Vizier. It stops slow starters that win in the end;
the second half, a prediction of the final value (outlook.py), lets them go on.
"""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from suffice.checks import as_count
from suffice.study.early.curves import Curve, Field, Level, best
from suffice.study.early.outlook import is_hopeless
from suffice.study.early.risk import as_risk


@dataclass(frozen=True)
class Median:
    """Stop evaluations that are worse than the median of the others at the same step: for learning curves.

    A trial is stopped if its best report so far is worse than the median of what finished trials had reported best by
    that step, and if its final value, predicted from what finished trials gained from that step on, would be better
    than the best one with a probability of less than `risk`.

    Parameters
    ----------
    startup : int, default: 5
        Finished trials before any is stopped, at least 4.
    warmup : int, default: 0
        Reports up to this step stop nothing.
    risk : float, default: 0.01
        The chance to become the best with which a trial is given up. With 1 every trial that is worse than the median
        is stopped, slow starters too.

    See Also
    --------
    Halving : Decides at a few steps only, and stops more at each.
    Race : For folds and repetitions.

    Examples
    --------
    >>> import suffice as sf
    >>> def train(point, trial):
    ...     for step in range(1, 21):
    ...         loss = (point["x"] - 0.3) ** 2 + 1 / step
    ...         trial.report(loss, step)
    ...         if trial.should_stop():
    ...             break
    ...     return loss
    >>> result = sf.minimize(train, {"x": (0.0, 1.0)}, n_trials=20, seed=0, early_stop=sf.Median())
    >>> any(trial.state == "stopped" for trial in result.trials)
    True
    """

    startup: int = 5
    warmup: int = 0
    risk: float = 0.01
    level: ClassVar[Level] = staticmethod(best)

    def __post_init__(self) -> None:
        as_count(self.startup, "Median: startup", 4)
        as_count(self.warmup, "Median: warmup", 0)
        as_risk(self.risk, "Median: risk")

    def __call__(self, mine: Curve, field: Field) -> bool:
        step = mine.steps[-1]
        column = field.column(best, step)
        levels, _ = column
        if step <= self.warmup or len(levels) < self.startup:
            return False
        level = best(mine.values)
        return level < float(np.median(levels)) and (self.risk == 1.0 or is_hopeless(level, field, column, self.risk))
