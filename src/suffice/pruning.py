"""Pruning: which evaluations to stop early, because of what they report on their way.

step   int    an epoch, a number of trees, a fold        value  float  what was reported there, larger is better
final  float  the value that was observed at the end     level  float  the last, the best or the mean of the reports

A rule compares the learning curve of a trial with those of the others. Slow starters may win in the end, so `Median`
and `Halving` stop no trial that may still become the best, as far as finished trials tell (`Outlook`).
"""

import math
from bisect import bisect_right
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import ClassVar, Protocol, TypeAlias

import numpy as np
from scipy.special import stdtrit

from suffice.aliases import answering
from suffice.checks import as_count, as_real
from suffice.types import Array

__all__ = ["Halving", "Median", "Race"]

FEWEST = 4  # finished trials from which a variance can be predicted: with fewer it is infinite

Reports: TypeAlias = tuple[tuple[int, float], ...]
Level: TypeAlias = Callable[[Sequence[float]], float]


def last(values: Sequence[float]) -> float:
    """The report of the step itself."""
    return values[-1]


def best(values: Sequence[float]) -> float:
    """The best report so far."""
    return max(values)


def mean(values: Sequence[float]) -> float:
    """The mean of the reports so far: of folds, or of repetitions."""
    return math.fsum(values) / len(values)


@dataclass(frozen=True, slots=True)
class Curve:
    """The reports of one trial, larger being better, in the order of their steps."""

    steps: tuple[int, ...]
    values: tuple[float, ...]
    final: float | None = None  # None: the trial has no value, now or for good

    @classmethod
    def of(cls, reports: Reports, sign: float, final: float | None = None) -> "Curve":
        """From the user's sense; what is not finite is worse than every number."""
        inside = (sign * value for _, value in reports)
        values = tuple(value if math.isfinite(value) else -math.inf for value in inside)
        return cls(tuple(step for step, _ in reports), values, None if final is None else sign * final)

    def upto(self, step: int) -> tuple[float, ...]:
        """The reports up to a step; none if the first came later."""
        return self.values[: bisect_right(self.steps, step)]


@dataclass(eq=False)
class Field:
    """The curves of all trials of a study, as they grow; what is asked of the finished ones is remembered by step."""

    curves: dict[int, Curve] = field(default_factory=dict)  # by the number of the trial, finished or not
    finished: list[Curve] = field(default_factory=list)  # those with a value, in the order they were observed
    _columns: dict[tuple[Level, int], tuple[list[float], list[float], int]] = field(default_factory=dict, repr=False)

    def put(self, number: int, curve: Curve) -> None:
        """The curve of a trial as it is now; one with a value will not change any more."""
        self.curves[number] = curve
        if curve.final is not None:
            self.finished.append(curve)

    def drop(self, number: int) -> None:
        """A trial that failed or was cancelled is no measure for others."""
        self.curves.pop(number, None)

    def column(self, level: Level, step: int) -> tuple[Array, Array]:
        """Levels at a step and final values of the finished trials that had a report by then, (m,) each."""
        levels, finals, count = self._columns.get((level, step), ([], [], 0))
        for curve in self.finished[count:]:
            reported = curve.upto(step)
            if reported and curve.final is not None and math.isfinite(found := level(reported)):
                levels.append(found)
                finals.append(curve.final)
        self._columns[level, step] = levels, finals, len(self.finished)
        return np.array(levels), np.array(finals)

    @property
    def best(self) -> float:
        """The best final value; −inf without any."""
        return max((curve.final for curve in self.finished if curve.final is not None), default=-math.inf)

    @property
    def longest(self) -> int:
        """The last step of any finished trial; −1 if none has reported."""
        return max((curve.steps[-1] for curve in self.finished if curve.steps), default=-1)

    def others(self, number: int) -> Iterable[Curve]:
        """The curves of all other trials."""
        return (curve for other, curve in self.curves.items() if other != number)


def grown(reports: Reports, step: int, value: float) -> Reports:
    """The reports with one more. A step that was reported before replaces all from there on: an evaluation is repeated
    after its worker, or the whole run, was killed."""
    kept = reports
    while kept and kept[-1][0] >= step:
        kept = kept[:-1]
    return (*kept, (step, value))


class Pruner(Protocol):
    """A rule that decides whether to stop a running trial; a frozen dataclass."""

    @property
    def level(self) -> Level:
        """What the rule makes of the reports up to a step: the last, the best or the mean of them."""

    def __call__(self, mine: Curve, field: Field) -> bool:
        """Whether to stop the trial with this curve, after its last report; `field` has the curves of all others."""


def wants_stop(rule: Pruner | None, number: int, field: Field) -> bool:
    """Whether a rule would stop a trial now.

    A report that is no number ends a trial. One that has come as far as any finished trial is left alone: it is about
    to return its value.
    """
    mine = field.curves.get(number)
    if rule is None or mine is None or not mine.steps or mine.final is not None:
        return False
    if not math.isfinite(mine.values[-1]):
        return True
    if not field.finished or mine.steps[-1] >= field.longest:
        return False
    return bool(rule(mine, field))


def as_rule(given: object) -> Pruner | None:
    """A rule as the user gives it, checked before anything is evaluated."""
    if given is None:
        return None
    if isinstance(given, type) or not callable(given) or not callable(getattr(given, "level", None)):  # of any class
        name = given.__name__ if isinstance(given, type) else None
        hint = f"; create an instance of the class, as in {name}()" if name else ""
        raise TypeError(f"pruner must be a rule such as sf.pruning.Median(), or None: got {given!r}{hint}")
    rule: Pruner = given  # type: ignore[assignment]
    return rule


def as_risk(given: object, name: str) -> float:
    """A number above 0 and at most 1."""
    risk = as_real(given, name)
    if not 0.0 < risk <= 1.0:
        raise ValueError(f"{name} must be a probability above 0 and at most 1: got {given!r}; 0.01 is one in a hundred")
    return risk


@dataclass(frozen=True)
class Outlook:
    """A prediction of a trial's final value, larger being better, seen from the step s that it has reached.

    m finished trials had a report by s and gained d_i = final_i − level_i(s) from there, with mean d̄ and standard
    deviation S. If gains are samples of one normal distribution, (d − d̄) / (S √(1 + 1/m)) of a new trial is t with
    m − 1 degrees of freedom, whose variance is (m − 1)/(m − 3) for m > 3 (Geisser 1993, Predictive Inference, 2.2).
    """

    mean: float
    scale: float  # S √(1 + 1/m)
    m: int

    @classmethod
    def of(cls, level: float, levels: Array, finals: Array) -> "Outlook | None":
        """From the level of a trial and the column of the finished ones; None if there are fewer than FEWEST."""
        m = len(levels)
        if m < FEWEST or not math.isfinite(level):
            return None
        gains = finals - levels
        spread = float(np.std(gains, ddof=1)) * math.sqrt(1.0 + 1.0 / m)
        return cls(level + float(gains.mean()), spread, m)

    @property
    def variance(self) -> float:
        """Of the final value about its mean."""
        return self.scale**2 * (self.m - 1) / (self.m - 3)

    def upper(self, risk: float) -> float:
        """What the final value exceeds with this probability."""
        return self.mean + self.scale * float(stdtrit(self.m - 1, 1.0 - risk))


def is_hopeless(level: float, field: Field, column: tuple[Array, Array], risk: float) -> bool:
    """Whether a trial would reach the best final value with less than this probability; never if it cannot be said."""
    outlook = Outlook.of(level, *column)
    return outlook is not None and outlook.upper(risk) < field.best


@answering
@dataclass(frozen=True)
class Median:
    """Prune trials that are worse than the median of the others at the same step: for learning curves.

    A trial is pruned if its best report so far is worse than the median of the best reports of finished trials by that
    step, and if its predicted final value is better than the best one with a probability of less than `risk`. The
    prediction uses the gains of finished trials from that step on.

    Parameters
    ----------
    startup : int, default: 5
        Finished trials before any is pruned, at least 4.
    warmup : int, default: 0
        Reports up to this step prune nothing.
    risk : float, default: 0.01
        A trial is pruned if its probability of becoming the best is below this. With 1 every trial that is worse than
        the median is pruned, slow starters too.

    See Also
    --------
    Halving : Decides at a few steps only, and prunes more at each.
    Race : For folds and repetitions.

    Notes
    -----
    The first condition is the median rule of Golovin et al. (2017), Google Vizier; the second keeps slow
    starters.

    Examples
    --------
    >>> import suffice as sf
    >>> def train(point, trial):
    ...     for step in range(1, 21):
    ...         loss = (point["x"] - 0.3) ** 2 + 1 / step
    ...         trial.report(loss, step)
    ...         if trial.should_prune():
    ...             break
    ...     return loss
    >>> result = sf.minimize(train, {"x": (0.0, 1.0)}, n_trials=20, seed=0, pruner=sf.pruning.Median())
    >>> any(trial.state == "pruned" for trial in result.trials)
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


@answering
@dataclass(frozen=True)
class Halving:
    """Prune trials that are not among the best fraction at certain steps: asynchronous successive halving.

    The steps are min_step, min_step · eta, min_step · eta², and so on. At each of them a trial continues if its best
    report so far is among the best 1/eta of all trials that reached it, or if its predicted final value is better than
    the best one with a probability of at least `risk`.

    Parameters
    ----------
    min_step : int, default: 1
        The first step at which trials are pruned.
    eta : float, default: 3.0
        The factor between steps; one in so many trials continues: with 3, every third.
    risk : float, default: 0.01
        A trial is pruned if its probability of becoming the best is below this. With 1 the ranks alone decide, and
        slow starters are pruned.

    See Also
    --------
    Median : Decides at every step.
    Race : For folds and repetitions.

    Notes
    -----
    Li et al. (2020), A System for Massively Parallel Hyperparameter Tuning (ASHA), in its stopping form.

    Examples
    --------
    >>> import suffice as sf
    >>> sf.pruning.Halving(min_step=2, eta=4)
    Halving(min_step=2, eta=4, risk=0.01)
    """

    min_step: int = 1
    eta: float = 3.0
    risk: float = 0.01
    level: ClassVar[Level] = staticmethod(best)

    def __post_init__(self) -> None:
        as_count(self.min_step, "Halving: min_step", 1)
        if not 1.0 < as_real(self.eta, "Halving: eta") < math.inf:
            raise ValueError(f"Halving: eta must be a number above 1: got {self.eta!r}")
        as_risk(self.risk, "Halving: risk")

    def __call__(self, mine: Curve, field: Field) -> bool:
        rung = self.rung(mine)
        if rung is None:
            return False
        level = best(mine.upto(rung))
        there = [
            best(reached)
            for curve in field.curves.values()
            if curve is not mine and _came(curve, rung)
            if (reached := curve.upto(rung))
        ]
        if sum(other > level for other in there) < max(1.0, (len(there) + 1) / self.eta):
            return False
        column = field.column(best, rung)
        if len(column[0]) < FEWEST:
            return False
        return self.risk == 1.0 or is_hopeless(level, field, column, self.risk)

    def rung(self, mine: Curve) -> int | None:
        """The rung that the last report has reached, where the one before had not; None if there is none."""
        step, before = mine.steps[-1], mine.steps[-2] if len(mine.steps) > 1 else 0
        if step < self.min_step:
            return None
        k = math.floor(math.log(step / self.min_step) / math.log(self.eta) + 1e-9)  # exact where it is a whole number
        rung = math.ceil(self.min_step * self.eta**k - 1e-9)
        return rung if before < rung <= step else None


def _came(curve: Curve, rung: int) -> bool:
    return bool(curve.steps) and curve.steps[-1] >= rung


@answering
@dataclass(frozen=True)
class Race:
    """Prune trials that are worse than the best one on the same folds: for cross-validation and repetitions.

    The step of a report is the number of the fold or repetition, and its value the score of that fold; the value of the
    trial is the mean over all of them. After each fold the differences to the best finished trial are tested fold by
    fold, so effects common to all trials, such as a hard fold, cancel.

    Parameters
    ----------
    startup : int, default: 4
        Finished trials before any is pruned, at least 4, because the model needs them to predict pruned trials.
    min_folds : int, default: 2
        Folds before a trial is pruned.
    risk : float, default: 0.05
        The probability, over all folds together, of pruning a trial that would be the best.

    See Also
    --------
    Median : For learning curves, where the steps of one trial follow from one another.

    Notes
    -----
    Of the K folds of the best trial, k are done, with differences d_j and their mean d̄. If folds are
    exchangeable, the mean over all K differs from d̄ by s √(1/k − 1/K) times a t variable with ν + k − 1 degrees of
    freedom (sampling without replacement, Cochran 1977, section 2.6), where s² = (ν s0² + Σ (d_j − d̄)²) / (ν + k − 1),
    and s0² is the pooled variance of other trials' differences, which lend ν degrees of freedom. A trial is pruned if
    d̄ + t(1 − risk/L) s √(1/k − 1/K) < 0. There are L = K − min_folds looks at it (Bonferroni).

    Examples
    --------
    >>> import suffice as sf
    >>> folds = [0.1, -0.2, 0.0, 0.3, -0.2]  # some folds are hard
    >>> def score(point, trial):
    ...     values = []
    ...     for step, fold in enumerate(folds):
    ...         values.append(-((point["x"] - 0.6) ** 2) + fold)
    ...         trial.report(values[-1], step)
    ...         if trial.should_prune():
    ...             break
    ...     return sum(values) / len(values)
    >>> result = sf.maximize(score, {"x": (0.0, 1.0)}, n_trials=15, seed=0, pruner=sf.pruning.Race())
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
        lent = min(float(known), 8.0)  # other trials' differences vary as much as this one's, but roughly
        pooled = sum(float(np.sum((pair - pair.mean()) ** 2)) for pair in pairs) / known if known else 0.0
        freedom = lent + len(d) - 1
        return (lent * pooled + own) / freedom, freedom


def differences(mine: Curve, other: Curve) -> Array:
    """Mine − other on the folds that both have, in the order of mine, (k,)."""
    theirs = dict(zip(other.steps, other.values, strict=True))
    return np.array([v - theirs[s] for s, v in zip(mine.steps, mine.values, strict=True) if s in theirs])


def _final(curve: Curve) -> float:
    return -math.inf if curve.final is None else curve.final
