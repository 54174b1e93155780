"""Calibration: every value against its prediction, made when the point was chosen.

μ_t, s_t  float  mean and standard deviation of the next output at x_t, model units: predicted before the value
y_t       float  the value that came, larger is better     u_t  its place in the units of that model, outcome_t(y_t)
z_t       float  (u_t − μ_t) / s_t
λ_t       float  what s_t was multiplied by:  λ_t² = max(L², (ν + Σ min(z_i λ_i, F)²) / (ν + t)), over i < t

For a correct model, the z_t of a run are independent and standard normal, wherever its points were chosen. Whether a
value lies within an interval does not depend on the units in which the two are compared, so warps do no harm. After a
refit each value is still compared with the prediction made before it was observed.

No model is correct, and the acquisition function favours points for which the model is too optimistic. So the predicted
standard deviation of the next value is rescaled by the values so far. Choosing points does not use λ.
"""

import math
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np
from scipy.special import bdtr, bdtrc, ndtr

from suffice.types import Array

Judgement: TypeAlias = Literal["calibrated", "overconfident", "underconfident", "too few to tell"]

OUTER, INNER = (0.9, 1.6449), (0.5, 0.6745)  # nominal fractions, and the |z| that bound them
LEVEL = 0.025  # a correct model is called overconfident at most this often, and underconfident as often
PRIOR = 4.0  # ν: the first values count beside as many from a correct model
FARTHEST = 6.0  # F: how far off one value can be, so that a single one does not widen all that follow
LEAST = 0.8  # L: on 188 runs 90 % intervals held 90 to 93 % of the values with it, 91 to 94 % with 1
PLAIN = 5  # values from which a model shows more than its assumptions: a fit to fewer is a guess
FEWEST = 20  # from here on, 90 % intervals that hold only 70 % of the values are noticed more often than not


@dataclass(frozen=True)
class Calibration:
    """How well the predicted intervals of a run covered the observed values, by its z-scores.

    Attributes
    ----------
    n : int
        Predictions whose value is known.
    within : float
        Fraction of ``|z| ≤ 1.645``; nominally 0.90.
    central : float
        Fraction of ``|z| ≤ 0.674``; nominally 0.50.
    rms : float
        Root mean square of z; nominally 1.
    worst : float
        The largest ``|z|``.
    judgement : {'calibrated', 'overconfident', 'underconfident', 'too few to tell'}
        The conclusion. Of correct models, at most 2.5 % are called overconfident, and as many underconfident.
    """

    n: int
    within: float
    central: float
    rms: float
    worst: float
    judgement: Judgement

    @property
    def surprising(self) -> bool:
        """Whether the worst z-score exceeds the 1 − LEVEL quantile of the worst of n."""
        return 2.0 * self.n * float(ndtr(-self.worst)) <= LEVEL


def rescaling(z: Array) -> float:
    """λ from the z-scores of predictions that were not rescaled, (T,), nan where unknown."""
    known = np.minimum(z[~np.isnan(z)] ** 2, FARTHEST**2)
    return math.sqrt(max(LEAST**2, (PRIOR + float(known.sum())) / (PRIOR + len(known))))


def calibration(z: Array) -> Calibration | None:
    """The summary of z-scores, (T,), nan where unknown; None if all are.

    Overconfident: fewer values within their 90 % intervals than a binomial count would have with probability 1 − LEVEL.
    Underconfident: more within their 50 % intervals, which few values show sooner than the 90 % intervals do, and none
    so far outside of them that the mean square is that of a correct model.
    """
    known = z[~np.isnan(z)]
    n = len(known)
    if not n:
        return None
    counts = [int(np.count_nonzero(np.abs(known) <= limit)) for _, limit in (OUTER, INNER)]
    rms = math.hypot(*known) / math.sqrt(n)
    judgement: Judgement = "calibrated" if n >= FEWEST else "too few to tell"
    if n < PLAIN:
        judgement = "too few to tell"
    elif float(bdtr(counts[0], n, OUTER[0])) <= LEVEL:
        judgement = "overconfident"
    elif float(bdtrc(counts[1] - 1, n, INNER[0])) <= LEVEL and rms < 1.0:
        judgement = "underconfident"
    return Calibration(n, counts[0] / n, counts[1] / n, rms, float(np.abs(known).max()), judgement)
