"""How a run went: where it began, what it came to, and whether it was still getting better at its end.

level   float  the best value so far; a value is an improvement if it is better by more than the resolution
V       (n,)   the hypervolume of several objectives, which has levelled off where the last evaluations add little to it
"""

import math
import statistics
from dataclasses import dataclass

from suffice.study.front import Front
from suffice.study.history import History
from suffice.study.trial import Trial

LATE = 0.2  # of the evaluations, the last ones: a run that found something better among them is not done
LITTLE = 0.01  # of the hypervolume
FEWEST = 10  # evaluations from which a share of them means something


@dataclass(frozen=True)
class Progress:
    """What the values of a run, within all limits, say in the order in which they came."""

    evaluated: int  # with a value, failed or stopped early
    failed: int
    first: Trial  # the first that had a value
    best: Trial
    median: float  # of all values
    improved: int  # the evaluation, counted from 1, that was the last improvement
    resolution: float  # what counts as one, in the objective's units

    @property
    def since(self) -> int:
        """Evaluations after the last improvement."""
        return self.evaluated - self.improved

    @property
    def improving(self) -> bool | None:
        """Whether the last improvement was among the late evaluations; None where there are too few to say."""
        return None if self.evaluated < FEWEST else self.since < LATE * self.evaluated

    @classmethod
    def of(cls, history: History) -> "Progress | None":
        """None if no trial has a value within all limits."""
        best, sign, resolution = history.best, history.settings.sign(), history.resolution or 0.0
        if best is None:
            return None
        told = sorted((*history.done, *history.failed, *history.stopped), key=lambda trial: trial.told or 0)
        level, improved = -float("inf"), 0
        for place, trial in enumerate(told, 1):
            if trial.feasible and trial.value is not None and sign * trial.value > level + resolution:
                level, improved = sign * trial.value, place
        return cls(
            evaluated=len(told),
            failed=len(history.failed),
            first=min(history.feasible, key=lambda trial: trial.told or 0),
            best=best,
            median=statistics.median(trial.value or 0.0 for trial in history.feasible),
            improved=improved,
            resolution=resolution,
        )


@dataclass(frozen=True)
class Growth:
    """The same of several objectives: how the hypervolume of their front grew."""

    evaluated: int
    failed: int
    volume: float
    late: float  # the share of it that the last evaluations added

    @property
    def improving(self) -> bool | None:
        """Whether these added more than little; None where there are too few to say."""
        return None if self.evaluated < FEWEST else self.late > LITTLE

    @classmethod
    def of(cls, history: History) -> "Growth | None":
        """None if no trial is feasible."""
        V = Front(history).hypervolume
        if not history.feasible:
            return None
        before, volume = float(V[max(0, math.ceil((1 - LATE) * len(V)) - 1)]), float(V[-1])
        late = (volume - before) / volume if volume > 0.0 else 0.0
        return cls(len(V), len(history.failed), volume, late)
