"""alpha_t under constraints: what a point is worth as far as it satisfies all limits.

    α + log P                               of a logarithm, such as that of the expected improvement (chances.py)
    α among the points that may satisfy     of an upper confidence bound or a sample of the objective (confined.py)
    floor + P (α − floor)                   of any other: floor is what a point beyond a limit is worth (weighted.py)

Acquisitions know nothing of it, except that the best value to beat is that of a point within all limits.
"""

import numpy as np

from suffice.acquisition.chances import Chance, LogProduct, log_chances
from suffice.acquisition.confined import Confined, Slack
from suffice.acquisition.weighted import Weighted
from suffice.belief import Beliefs
from suffice.types import Array, Score

LEAST_KAPPA = 1.0  # deviations: with less a limit would be taken for violated where it is as probably kept


def where_it_is_allowed(alpha: Score, beliefs: Beliefs) -> Score:
    """alpha_t among the points that satisfy every constraint, as far as that is known."""
    chances = log_chances(beliefs)
    if alpha.logarithmic:
        return LogProduct(alpha, chances)
    if alpha.beta is not None and alpha.kind is None:
        slack = Slack.of(beliefs, kappa(alpha.beta))
        return Confined(alpha, slack, beneath(alpha, slack, beliefs))
    floor = 0.0 if alpha.shift(1) == 0.0 else _lowest(beliefs)
    return Weighted(alpha, Chance(chances), floor)


def kappa(beta: float) -> float:
    """κ: the deviations that every limited output is held within, where the objective is within β."""
    return max(LEAST_KAPPA, beta)


def worst(beliefs: Beliefs, x: Array, beta: float) -> dict[str, float]:
    """μ_c − κ σ_c of each limited output at x, (d,), by what was measured alone, in larger-is-better units."""
    found = {}
    for name in beliefs.levels:
        mean, std = beliefs.posteriors[name].predict(x[None])
        found[name] = float(beliefs.outcomes[name].inverse(mean - kappa(beta) * std)[0])
    return found


def beneath(alpha: Score, slack: Slack, beliefs: Beliefs) -> float:
    """What a point that no limit allows is worth: the lowest value seen, and no more than the best found within.

    So the largest value of `Confined` is one that is allowed, wherever a point that was found is. If the models doubt
    all of these, alpha's own shift says what nothing is below.
    """
    lowest, found = _lowest(beliefs), beliefs.standing
    inside = alpha(found)[slack(found) >= 0.0]
    inside = inside[np.isfinite(inside)]
    if len(inside):
        return min(lowest, float(inside.max()))
    shift = alpha.shift(1)
    return lowest if shift is None else min(lowest, -shift)


def _lowest(beliefs: Beliefs) -> float:
    """The lowest value of the objective that was seen, model units."""
    return min(float(beliefs.posteriors[name].z.min(initial=0.0)) for name in beliefs.objectives)
