"""How a run went: where it began, what it came to, and whether it was still getting better at its end.

level   float  the best value so far; a value is an improvement if it is better by more than the resolution
"""

import statistics
from dataclasses import dataclass

from suffice.study.history import History
from suffice.study.trial import Trial

LATE = 0.2  # of the evaluations, the last ones: a run that found something better among them is not done
FEWEST = 10  # evaluations from which a share of them means something


@dataclass(frozen=True)
class Progress:
    """What the values of a run say in the order in which they came."""

    evaluated: int  # with a value or failed
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
        """None if no trial has a value."""
        best, sign, resolution = history.best, history.settings.sign(), history.resolution or 0.0
        if best is None:
            return None
        told = sorted((*history.done, *history.failed), key=lambda trial: trial.told or 0)
        level, improved = -float("inf"), 0
        for place, trial in enumerate(told, 1):
            if trial.value is not None and sign * trial.value > level + resolution:
                level, improved = sign * trial.value, place
        return cls(
            evaluated=len(told),
            failed=len(history.failed),
            first=history.done[0],
            best=best,
            median=statistics.median(trial.value or 0.0 for trial in history.done),
            improved=improved,
            resolution=resolution,
        )
