"""Calibration: every value against what was predicted of it when its point was asked for.

μ_t, s_t  float  mean and standard deviation of the next output at x_t, model units: predicted before the value
y_t       float  the value that came, larger is better     u_t  its place in the units of that model, outcome_t(y_t)
z_t       float  (u_t − μ_t) / s_t
λ_t       float  what s_t was multiplied by:  λ_t² = max(L², (ν + Σ min(z_i λ_i, F)²) / (ν + t)), over i < t

For a model that is right, the z_t of a run are independent and standard normal, wherever its points were chosen. A
point counts as within a limit of its prediction, or outside, in whatever units the two are compared, so that warps do
no harm; after a refit each value is still judged by the prediction that was made of it.

No model is right, and its points are not chosen blindly: the acquisition function takes those of which too much is
expected. So what is stated of the next value is rescaled as the values so far call for. Decisions do without λ.
"""

import math
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np
from scipy.special import bdtr, bdtrc, ndtr

from suffice.types import Array

Judgement: TypeAlias = Literal["calibrated", "too sure", "too cautious", "too few to tell"]

OUTER, INNER = (0.9, 1.6449), (0.5, 0.6745)  # nominal shares, and the |z| that bound them
LEVEL = 0.025  # a model that is right is called too sure at most this often, and too cautious as often
PRIOR = 4.0  # ν: the first values count beside as many that a model that is right would have predicted
FARTHEST = 6.0  # F: how far off one value can be, so that a single one does not widen all that follow
LEAST = 0.8  # L: on 188 runs limits of 90 % held 90 to 93 % of the values with it, 91 to 94 % with 1
PLAIN = 5  # values from which a model shows more than its assumptions: a fit to fewer is a guess
FEWEST = 20  # from here on, 90 % limits that hold only 70 % of the values are noticed more often than not


@dataclass(frozen=True)
class Calibration:
    """How well the predicted intervals of a run covered the observed values, by its z-scores.

    Attributes
    ----------
    n : int
        Predictions whose value is known.
    within : float
        Share of ``|z| ≤ 1.645``; nominally 0.90.
    central : float
        Share of ``|z| ≤ 0.674``; nominally 0.50.
    rms : float
        Root mean square of z; nominally 1.
    worst : float
        The largest ``|z|``.
    judgement : {'calibrated', 'too sure', 'too cautious', 'too few to tell'}
        What they come to. Of models that are right, at most 2.5 % are called too sure, and as many too cautious.
    """

    n: int
    within: float
    central: float
    rms: float
    worst: float
    judgement: Judgement

    @property
    def surprising(self) -> bool:
        """Whether the worst prediction is further off than the worst of n is with probability 1 − LEVEL."""
        return 2.0 * self.n * float(ndtr(-self.worst)) <= LEVEL


def rescaling(z: Array) -> float:
    """λ from the z-scores of predictions that were not rescaled, (T,), nan where unknown."""
    known = np.minimum(z[~np.isnan(z)] ** 2, FARTHEST**2)
    return math.sqrt(max(LEAST**2, (PRIOR + float(known.sum())) / (PRIOR + len(known))))


def calibration(z: Array) -> Calibration | None:
    """The summary of z-scores, (T,), nan where unknown; None if all are.

    Too sure: fewer values within their 90 % limits than a binomial count would have with probability 1 − LEVEL.
    Too cautious: more within their 50 % limits, which few values show sooner than the 90 % limits do, and none so far
    outside of them that the mean square is that of a model that is right.
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
        judgement = "too sure"
    elif float(bdtrc(counts[1] - 1, n, INNER[0])) <= LEVEL and rms < 1.0:
        judgement = "too cautious"
    return Calibration(n, counts[0] / n, counts[1] / n, rms, float(np.abs(known).max()), judgement)
