"""The front of a study of several objectives: the trials that no other trial beats in all of them.

Y    (n, m)  values of the feasible trials, larger is better             r   (m,)  the reference point
low, high    (m,)  the worst and the best value of each objective on the front

A trial of the front can be exchanged only for one that is worse in some objective; `pick` and `knee` choose one.
"""

from collections.abc import Mapping, Sequence
from functools import cached_property

import numpy as np

from suffice.checks import as_real
from suffice.errors import NoFinishedTrial
from suffice.pareto import BEYOND, hypervolumes, nondominated
from suffice.record.history import History
from suffice.record.outputs import in_words
from suffice.record.settings import Settings
from suffice.record.trial import EVALUATED, Trial
from suffice.space.parameters import nearest_name
from suffice.text import counted
from suffice.types import Array


class Front:
    """What a history says about several objectives; it is made once for each history and does not change."""

    def __init__(self, history: History) -> None:
        self.history = history
        self.settings = history.settings

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

        None before there is a feasible trial. Suggestions use other reference points, which change from step to step.
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
        r = np.maximum(r, np.finfo(float).min)  # finite, however bad the worst values are
        names = self.settings.objectives
        return {name: self.settings.sign(name) * float(value) for name, value in zip(names, r, strict=True)}

    @cached_property
    def counted(self) -> tuple[Trial, ...]:
        """Those of the front that are better than the reference point in every objective, so that they add volume."""
        if self.reference is None:
            return ()
        r = self._row(self.reference)
        return tuple(trial for trial in self.trials if np.all(objectives([trial], self.settings)[0] > r))

    @cached_property
    def hypervolume(self) -> Array:
        """What the front of the first 1, 2, …, n evaluations dominates, (n,), failed and infeasible ones included.

        In the product of the objectives' units, above the one reference point.
        """
        return self.above(() if self.reference is None else (self.reference,))

    def above(self, references: Sequence[Mapping[str, float]]) -> Array:
        """The same above a point that is as bad as any of the references in each objective; 0 without any."""
        evaluated = [trial for trial in self.history.trials if trial.state in EVALUATED]
        if not references:
            return np.zeros(len(evaluated))
        Y = np.full((len(evaluated), len(self.settings.objectives)), -np.inf)
        rows = [i for i, trial in enumerate(evaluated) if trial.state == "done" and trial.feasible]
        Y[rows] = objectives([evaluated[i] for i in rows], self.settings)
        with np.errstate(over="ignore", invalid="ignore"):  # a volume for which there is no float is infinite
            found = hypervolumes(Y, np.min([self._row(reference) for reference in references], axis=0))
        return np.where(np.isnan(found), np.inf, found)

    def _row(self, point: Mapping[str, float]) -> Array:
        """A point of objectives, larger is better, (m,)."""
        return np.array([self.settings.sign(name) * point[name] for name in self.settings.objectives])

    def some(self, most: int) -> tuple[Trial, ...]:
        """At most so many trials of the front, evenly along it, both ends among them."""
        trials = self.trials
        if len(trials) <= most:
            return trials
        return tuple(trials[row] for row in np.linspace(0, len(trials) - 1, most).round().astype(np.intp))

    def __str__(self) -> str:
        """Such as "5 trials, hypervolume 0.71 (reference: error 1.2, gain -0.3)", and whether the reference moves."""
        said = counted(len(self.trials), "trial")
        if self.reference is None or not self.trials:
            return said
        moves = "" if self.settings.reference else "; it moves with the front: pass reference= to fix it"
        return f"{said}, hypervolume {self.hypervolume[-1]:.6g} (reference: {in_words(self.reference)}{moves})"

    def pick(self, limits: Mapping[str, float]) -> Trial:
        """The trial of the front that is at least so good in some objectives, and the best in the others.

        Of several others, the one whose worst of them, as a fraction of its range on the front, is the best.
        """
        names = tuple(self.settings.objectives)
        for name in limits:
            if name not in names:
                raise ValueError(f"there is no objective {name!r}: {nearest_name(name, names)}")
        if not self.trials:
            raise NoFinishedTrial(
                f"none of the {len(self.history.trials)} trials has feasible values yet, so the front is empty"
            )
        Y = objectives(self.trials, self.settings)
        wanted = {names.index(name): self.settings.sign(name) * as_real(v, name) for name, v in limits.items()}
        good = np.arange(len(Y))
        for j, limit in wanted.items():
            good = good[Y[good, j] >= limit]
        if not len(good):
            best = ", ".join(f"{names[j]} {self.settings.sign(names[j]) * float(Y[:, j].max()):g}" for j in wanted)
            said = ", ".join(f"{name}={value!r}" for name, value in limits.items())
            raise ValueError(f"no trial of the front reaches {said}: the best value of each is {best}")
        others = [j for j in range(len(names)) if j not in wanted] or list(range(len(names)))
        Y = Y / 2.0  # so that no difference is more than there are floats
        low, high = Y.min(axis=0), Y.max(axis=0)
        parts = ((Y - low) / np.where(high > low, high - low, 1.0))[good][:, others]
        best = np.lexsort((-parts.sum(axis=1), -parts.min(axis=1)))[0]
        return self.trials[int(good[best])]

    def knee(self) -> Trial:
        """The trial of the front whose worst objective, as a fraction of its range on the front, is the best."""
        return self.pick({})


def objectives(trials: Sequence[Trial], settings: Settings) -> Array:
    """The objectives of trials that have all of them, larger is better, (n, m)."""
    names = tuple(settings.objectives)
    signs = [settings.sign(name) for name in names]
    rows = [[sign * trial.values[name] for name, sign in zip(names, signs, strict=True)] for trial in trials]
    return np.array(rows, dtype=float).reshape(len(rows), len(names))


def found(history: History) -> str:
    """What a study has found so far, in a few words: "best 0.25 of trial 7", "a front of 5 trials"."""
    if history.settings.several:
        if n := len(Front(history).trials):
            return f"a front of {counted(n, 'trial')}"
    elif history.best is not None:
        return f"best {history.best.value!r} of trial {history.best.number}"
    return "nothing feasible" if history.done else "nothing was found"
