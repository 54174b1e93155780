"""Values so far from all others that they may be mistakes: said, never hidden."""

import numpy as np

from suffice.gp.model import Observations
from suffice.gp.outcome import FARTHEST, Outcome

FAR = 1e3  # times the range of the others
FEWEST = 5  # values that can have an outlier


def outlier_notes(data: Observations, outcome: Outcome) -> tuple[str, ...]:
    """A sentence about each kind of outlier there is; `outcome`: of the last fit."""
    v = np.sort(outcome.standard(data.y))
    if len(v) < FEWEST:
        return ()
    notes: tuple[str, ...] = ()
    if outcome.floor > -FARTHEST:
        notes += ("some values are far worse than all others and count as just bad; if they are errors, tell nan",)
    if v[-1] - v[-2] > FAR * (v[-2] - v[0]) > 0:
        notes += ("one value is far better than all others; if it is an error, tell nan instead",)
    return notes
