"""The front of a study of several objectives: the trials that no other trial beats in all of them.

Y    (n, m)  values of the feasible trials, larger is better             r   (m,)  the reference point
low, high    (m,)  the worst and the best value of each objective on the front

A trial of the front can be exchanged only for one that is worse in some objective; `pick` and `knee` choose one.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from suffice.checks import as_real
from suffice.errors import NoFinishedTrial
from suffice.pareto.front import nondominated
from suffice.pareto.hypervolume import hypervolumes
from suffice.record.history import History
from suffice.record.outputs import in_words
from suffice.record.settings import Settings
from suffice.record.trial import EVALUATED, Trial
from suffice.result.predict import as_output, surface
from suffice.space.parameters import nearest_name
from suffice.types import Array, Indices

BEYOND = 0.1  # of the length of the front: how much worse than its worst values the reference point is
LARGEST = float(np.finfo(float).max)  # the reference point is finite, however bad the worst values are


class Front:
    """What a history says about several objectives; it is made once for each history and does not change."""

    def __init__(self, history: History) -> None:
        self.history = history

    @property
    def settings(self) -> Settings:
        return self.history.settings

    @cached_property
    def values(self) -> Array:
        """The objectives of the feasible trials, in the order of asking, larger is better, (n, m)."""
        return objectives(self.history.feasible, self.settings)

    @cached_property
    def trials(self) -> tuple[Trial, ...]:
        """Those that no other one dominates, by the first objective, its best value first; of equals the first."""
        rows = np.flatnonzero(nondominated(self.values, distinct=True))
        order = np.lexsort((rows, *(-self.values[rows].T[::-1])))
        return tuple(self.history.feasible[row] for row in rows[order])

    @cached_property
    def reference(self) -> dict[str, float] | None:
        """The reference point: the one that was given, or a little worse than the worst values on the front.

        None before there is a feasible trial. Suggestions have reference points of their own, which change from step to
        step: those are about where to look, this one is about what was found.
        """
        if self.settings.reference is not None:
            given: dict[str, float] = self.settings.reference
            return given
        if not self.trials:
            return None
        Y = objectives(self.trials, self.settings)
        low, high = Y.min(axis=0), Y.max(axis=0)
        length = BEYOND * high - BEYOND * low  # each by itself: their difference may be more than there are floats
        with np.errstate(over="ignore"):
            r = low - np.where(high > low, length, BEYOND * np.maximum(np.abs(low), 1.0))
        r = np.maximum(r, -LARGEST)
        names = self.settings.objectives
        return {name: self.settings.sign(name) * float(value) for name, value in zip(names, r, strict=True)}

    @cached_property
    def counted(self) -> tuple[Trial, ...]:
        """Those of the front that are better than the reference point in every objective, so that they add volume."""
        if self.reference is None:
            return ()
        r = self._reference_row()
        return tuple(trial for trial in self.trials if np.all(objectives([trial], self.settings)[0] > r))

    @cached_property
    def hypervolume(self) -> Array:
        """What the front of the first 1, 2, …, n evaluations dominates, (n,), failed and infeasible ones included.

        In the product of the objectives' units, above the one reference point.
        """
        evaluated = [trial for trial in self.history.trials if trial.state in EVALUATED]
        if self.reference is None:
            return np.zeros(len(evaluated))
        Y = np.full((len(evaluated), len(self.settings.objectives)), -np.inf)
        rows = [i for i, trial in enumerate(evaluated) if trial.state == "done" and trial.feasible]
        Y[rows] = objectives([evaluated[i] for i in rows], self.settings)
        with np.errstate(over="ignore", invalid="ignore"):  # a volume for which there is no float is infinite
            found = hypervolumes(Y, self._reference_row())
        return np.where(np.isnan(found), np.inf, found)

    def _reference_row(self) -> Array:
        """The reference point, larger is better, (m,)."""
        given = self.reference
        assert given is not None  # it was looked at
        return np.array([self.settings.sign(name) * given[name] for name in self.settings.objectives])

    def some(self, most: int) -> tuple[Trial, ...]:
        """At most so many trials of the front, evenly along it, both ends among them."""
        trials = self.trials
        if len(trials) <= most:
            return trials
        return tuple(trials[row] for row in np.linspace(0, len(trials) - 1, most).round().astype(np.intp))

    def __str__(self) -> str:
        """Such as "5 trials, hypervolume 0.71 (reference: error 1.2, gain -0.3)"."""
        n = len(self.trials)
        said = f"{n} trial{'s' * (n != 1)}"
        if self.reference is None or not n:
            return said
        return f"{said}, hypervolume {self.hypervolume[-1]:.6g} (reference: {in_words(self.reference)})"

    def pick(self, limits: Mapping[str, float]) -> Trial:
        """The trial of the front that is at least so good in some objectives, and the best in the others.

        Of several others, the one whose worst of them, as a share of its range on the front, is the best.
        """
        names = tuple(self.settings.objectives)
        for name in limits:
            if name not in names:
                raise ValueError(f"there is no objective {name!r}: {nearest_name(name, names)}")
        self._check()
        Y = objectives(self.trials, self.settings)
        wanted = {names.index(name): self._limit(name, value) for name, value in limits.items()}
        good = np.flatnonzero(np.all([Y[:, j] >= limit for j, limit in wanted.items()], axis=0)) if wanted else None
        if good is not None and not len(good):
            best = ", ".join(f"{names[j]} {self.settings.sign(names[j]) * float(Y[:, j].max()):g}" for j in wanted)
            said = ", ".join(f"{name}={value!r}" for name, value in limits.items())
            raise ValueError(f"no trial of the front is as good as {said}: the best values of each are {best}")
        others = [j for j in range(len(names)) if j not in wanted] or list(range(len(names)))
        return self._compromise(Y, np.arange(len(Y)) if good is None else good, others)

    def knee(self) -> Trial:
        """The trial of the front whose worst objective, as a share of its range on the front, is the best."""
        self._check()
        Y = objectives(self.trials, self.settings)
        return self._compromise(Y, np.arange(len(Y)), list(range(Y.shape[1])))

    def _compromise(self, Y: Array, rows: Indices, columns: list[int]) -> Trial:
        Y = Y / 2.0  # so that no difference is more than there are floats
        low, high = Y.min(axis=0), Y.max(axis=0)
        shares = ((Y - low) / np.where(high > low, high - low, 1.0))[rows][:, columns]
        best = np.lexsort((-shares.sum(axis=1), -shares.min(axis=1)))[0]
        return self.trials[int(rows[best])]

    def _limit(self, name: str, value: float) -> float:
        return self.settings.sign(name) * as_real(value, name)

    def _check(self) -> None:
        if not self.trials:
            raise NoFinishedTrial(
                f"none of the {len(self.history.trials)} trials has feasible values yet, so that there is no front"
            )


def objectives(trials: "tuple[Trial, ...] | list[Trial]", settings: Settings) -> Array:
    """The objectives of trials that have all of them, larger is better, (n, m)."""
    names = tuple(settings.objectives)
    signs = [settings.sign(name) for name in names]
    rows = [[sign * trial.values[name] for name, sign in zip(names, signs, strict=True)] for trial in trials]
    return np.array(rows, dtype=float).reshape(len(rows), len(names))


def found(history: History) -> str:
    """What a study has found so far, in a few words: "best 0.25 of trial 7", "a front of 5 trials"."""
    if history.settings.several:
        n = len(Front(history).trials)
        return f"a front of {n} trial{'s' * (n != 1)}" if n else _nothing(history)
    best = history.best
    return _nothing(history) if best is None else f"best {best.value!r} of trial {best.number}"


def _nothing(history: History) -> str:
    return "nothing within all limits" if history.done else "nothing was found"


#| -- study.recommend: Which of the evaluated points to use: with noise the best value is a lucky draw, the best
#| posterior mean is not.
#|
#| μ, σ  (n,)  posterior mean and deviation of the objective, its noise left out, at the n points with a value
#| μ_c   (n,)  posterior mean of a constrained output at these points, larger is better      l_c  float  its limit
#|
#| With constraints it is one of the points that are probably within every limit: μ_c ≥ l_c. The best point often lies
#| at a
#| limit, where a model that takes a little noise into account may have μ_c on the other side of it. So an output that
#| has
#| hardly any noise, by its model, is taken as it was measured.

TIE = 1e-9  # of the outputs' deviation: means that are closer are equal
# Of the outputs' deviation. Fitted to 12 to 40 values of functions without noise, models had 0.002 to 0.013.
HARDLY = 0.02


@dataclass(frozen=True)
class Recommendation:
    """An evaluated point, and what the model knows about the objective there, in the objective's units."""

    trial: Trial
    value: float  # the posterior median: the monotone map back takes medians to medians, but not means to means
    deviation: float  # of the objective about it: half the width of what holds 68 %


def recommend(history: History, model: Any = None) -> Recommendation | None:
    """The done trial with the largest μ, probably within every limit, the best observed of equals; None without any.

    ValueError where there are several objectives.
    """
    name = as_output(None, history.settings)
    trials, data = history.known(name, measured=True), history.observations(name, measured=True)
    allowed = np.flatnonzero(_allowed(history, trials, data.X, model))
    if not len(allowed):
        return None
    found, X, y = surface(history, model, name), data.X[allowed], data.y[allowed]
    mean = found.fitted.posterior.mean(X)  # the deviations of all would take most of the time
    best_first = np.argsort(-y, kind="stable")
    row = best_first[np.argmax(mean[best_first] >= mean.max() - TIE)]
    median, deviation = found.moments(X[[row]])
    return Recommendation(trials[int(allowed[row])], float(median[0]), float(deviation[0]))


def _allowed(history: History, trials: Sequence[Trial], X: Array, model: Any) -> NDArray[np.bool_]:
    """Which trials, at rows X of the cube, are probably within every limit, (n,)."""
    allowed = np.ones(len(trials), dtype=np.bool_)
    if not len(trials):
        return allowed
    for name, limit in history.settings.constraints.items():
        if not history.known(name):  # each of the trials violates another limit
            return np.zeros(len(trials), dtype=np.bool_)
        fitted = surface(history, model, name).fitted
        posterior, level = fitted.posterior, float(fitted.outcome(np.array([limit.sign * limit.limit]))[0])
        noise = posterior.scale * math.sqrt(float(np.median(posterior.factor.tau)))
        measured = [name in t.values and limit.violation(t.values[name]) == 0.0 for t in trials]
        allowed &= np.array(measured) if noise <= HARDLY else posterior.mean(X) >= level
    return allowed
