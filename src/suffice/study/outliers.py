"""Values so far from all others that they may be mistakes: said, never hidden."""

import numpy as np

from suffice.gp.model import Observations
from suffice.gp.outcome import FARTHEST, Outcome

FAR = 1e3  # times the range of the others
FEWEST = 5  # values that can have an outlier


def outlier_notes(data: Observations, outcome: Outcome) -> tuple[str, ...]:
    """A sentence about each kind of outlier there is; `outcome`: of the last fit."""
    worse, better = outliers(data, outcome)
    notes: tuple[str, ...] = ()
    if worse:
        notes += ("some values are far worse than all others and count as just bad; if they are errors, tell nan",)
    if better:
        notes += ("one value is far better than all others; if it is an error, tell nan instead",)
    return notes


def outliers(data: Observations, outcome: Outcome) -> tuple[int, bool]:
    """How many values are so far below all others that they count as just bad, and whether one is as far above."""
    v = np.sort(outcome.standard(data.y))
    if len(v) < FEWEST:
        return 0, False
    worse = int(np.count_nonzero(v <= outcome.floor)) if outcome.floor > -FARTHEST else 0
    return worse, bool(v[-1] - v[-2] > FAR * (v[-2] - v[0]) > 0)
