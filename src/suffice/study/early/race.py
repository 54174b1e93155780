"""A race over folds: stop a trial once the folds it has done say that it is worse than the best one on the same folds.

K      int    folds of the incumbent, the finished trial with the best value
k      int    folds that the trial has done, among those of the incumbent
d_j    (k,)   difference of the two on fold j, larger is better for the trial           d̄  their mean
s0²    float  variance of such differences of other trials, pooled, and ν0 its degrees of freedom
s²     float  (ν s0² + Σ (d_j − d̄)²) / (ν + k − 1), where other trials lend ν = min(ν0, WEIGHT)

What decides is the mean over all K folds. Given k of them, the mean of all differs from d̄ by
    (d̄_K − d̄) / (s √(1/k − 1/K)) ~ t with ν + k − 1 degrees of freedom,
if the folds are exchangeable (sampling without replacement, Cochran 1977, section 2.6). A trial is stopped where
d̄ + t(1 − risk/L) s √(1/k − 1/K) < 0. There are L = K − min_folds looks at it, so that a trial that is better over all
folds is stopped with a probability of at most `risk` (Bonferroni), however the looks depend on each other.
"""

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from scipy.special import stdtrit

from suffice.checks import as_count
from suffice.study.early.curves import Curve, Field, Level, mean
from suffice.study.early.outlook import FEWEST
from suffice.study.early.risk import as_risk
from suffice.types import Array

WEIGHT = 8.0  # degrees of freedom that other trials may lend: their differences vary as much as this one's, but roughly


@dataclass(frozen=True)
class Race:
    """Stop evaluations that are worse than the best one on the same folds: for cross-validation and repetitions.

    The step of a report is the number of the fold, or of the repetition, and its value what that fold gave; the value
    of the trial is the mean over all of them. After each fold the differences to the best finished trial, fold by fold,
    are tested. What is common to all trials, such as a fold that is hard, does not disturb.

    Parameters
    ----------
    startup : int, default: 4
        Finished trials before any is stopped, at least 4: from fewer nothing could be learned about a stopped one.
    min_folds : int, default: 2
        Folds before a trial is stopped.
    risk : float, default: 0.05
        The probability, over all folds together, that a trial which would be the best is stopped.

    See Also
    --------
    Median : For learning curves, where the steps of one trial follow from one another.

    Examples
    --------
    >>> import suffice as sf
    >>> folds = [0.1, -0.2, 0.0, 0.3, -0.2]  # some folds are hard
    >>> def score(point, trial):
    ...     values = []
    ...     for step, fold in enumerate(folds):
    ...         values.append(-((point["x"] - 0.6) ** 2) + fold)
    ...         trial.report(values[-1], step)
    ...         if trial.should_stop():
    ...             break
    ...     return sum(values) / len(values)
    >>> result = sf.maximize(score, {"x": (0.0, 1.0)}, n_trials=15, seed=0, early_stop=sf.Race())
    >>> abs(result.x["x"] - 0.6) < 0.1
    True
    """

    startup: int = 4
    min_folds: int = 2
    risk: float = 0.05
    level: ClassVar[Level] = staticmethod(mean)

    def __post_init__(self) -> None:
        as_count(self.startup, "Race: startup", FEWEST)
        as_count(self.min_folds, "Race: min_folds", 2)
        as_risk(self.risk, "Race: risk")

    def __call__(self, mine: Curve, field: Field) -> bool:
        whole = [curve for curve in field.finished if len(curve.steps) > 1]
        if len(whole) < self.startup:
            return False
        incumbent = max(whole, key=_final)
        d, folds = differences(mine, incumbent), len(incumbent.steps)
        k = len(d)
        if k < self.min_folds or k >= folds or not np.isfinite(d).all():
            return False
        variance, freedom = self._variance(d, field, incumbent)
        deviation = math.sqrt(variance * (1.0 / k - 1.0 / folds))
        quantile = float(stdtrit(freedom, 1.0 - self.risk / max(1, folds - self.min_folds)))
        return float(d.mean()) + quantile * deviation < 0.0

    def _variance(self, d: Array, field: Field, incumbent: Curve) -> tuple[float, float]:
        """That of the differences, and its degrees of freedom, with what other trials lend."""
        others = [differences(curve, incumbent) for curve in field.finished if curve is not incumbent]
        pairs = [other for other in others if len(other) > 1 and np.isfinite(other).all()]
        known = sum(len(pair) - 1 for pair in pairs)
        own = float(np.sum((d - d.mean()) ** 2))
        lent = min(float(known), WEIGHT)
        pooled = sum(float(np.sum((pair - pair.mean()) ** 2)) for pair in pairs) / known if known else 0.0
        freedom = lent + len(d) - 1
        return (lent * pooled + own) / freedom, freedom


def differences(mine: Curve, other: Curve) -> Array:
    """Mine − other on the folds that both have, in the order of mine, (k,)."""
    theirs = dict(zip(other.steps, other.values, strict=True))
    return np.array([v - theirs[s] for s, v in zip(mine.steps, mine.values, strict=True) if s in theirs])


def _final(curve: Curve) -> float:
    return -math.inf if curve.final is None else curve.final
