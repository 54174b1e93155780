"""alpha_t where evaluations fail: what a point is worth, weighted by the probability that it can be evaluated.

P⁺     (m,)   an optimistic probability of success (belief/feasibility.py)      floor  float  what a failure is worth

    α(x) = floor + P⁺(x) (α(x) − floor)                    of an acquisition in the units of the objective
    α(x) = α(x) + p log P⁺(x),  p = 1 + (WARY − 1)(1 − w)   of a logarithm

w is the probability that failures come by chance: then differences of P⁺ are, too, and are not to be magnified.
Acquisitions know nothing of it. What the user cancels teaches nothing; every other way to fail counts alike.
"""

import numpy as np

from suffice.acquisition import LogWeighted, Weighted
from suffice.belief import success
from suffice.gp.posterior import Posterior
from suffice.study.history import History
from suffice.types import Score

WARY = 60.0  # at the edge of what works one in 1 + WARY suggestions would fail if P⁺ fell evenly there (logweighted.py)
HOPE = 1.0  # κ, for an acquisition that weighs a failure as the worst value: without it nothing new would be tried


def where_it_succeeds(alpha: Score, history: History, posterior: Posterior) -> Score:
    """alpha_t weighted by the probability of success."""
    space = history.settings.space
    tally = history.tally
    done, failed = tally.unit[tally.done], tally.unit[tally.states("failed")]
    columns = [coordinate.columns for coordinate in space.coordinates]
    known = done, failed, posterior.lengthscales, columns
    if alpha.logarithmic:
        weight = success(*known)
        return LogWeighted(alpha, weight, 1.0 + (WARY - 1.0) * weight.share)
    return Weighted(alpha, success(*known, kappa=HOPE), _floor(alpha, posterior))


def _floor(alpha: Score, posterior: Posterior) -> float:
    """What a failed evaluation is worth: the worst value; nothing, of a score that is never negative.

    Of a score in units of its own it is the lowest one at the observed points.
    """
    if alpha.beta is not None:
        return float(posterior.z.min())
    if alpha.shift(1) == 0.0:
        return 0.0
    values = alpha(posterior.X)
    return float(np.min(values, initial=0.0, where=np.isfinite(values)))
