"""alpha_t under constraints: what a point is worth as far as it satisfies all limits.

    α + log P                               of a logarithm, such as that of the expected improvement (chances.py)
    α among the points that may satisfy     of an upper confidence bound or a sample of the objective (confined.py)
    floor + P (α − floor)                   of any other: floor is what a point beyond a limit is worth (weighted.py)

Acquisitions know nothing of it, except that the best value to beat is that of a point within all limits.
"""

from suffice.acquisition.chances import Chance, LogProduct, log_chances
from suffice.acquisition.confined import Confined, Slack
from suffice.acquisition.weighted import Weighted
from suffice.belief import Beliefs
from suffice.types import Score

LEAST_KAPPA = 1.0  # deviations: with less a limit would be taken for violated where it is as probably kept


def where_it_is_allowed(alpha: Score, beliefs: Beliefs) -> Score:
    """alpha_t among the points that satisfy every constraint, as far as that is known."""
    chances = log_chances(beliefs)
    if alpha.logarithmic:
        return LogProduct(alpha, chances)
    if alpha.beta is not None and alpha.kind is None:
        return Confined(alpha, Slack.of(beliefs, max(LEAST_KAPPA, alpha.beta)), _lowest(beliefs))
    floor = 0.0 if alpha.shift(1) == 0.0 else _lowest(beliefs)
    return Weighted(alpha, Chance(chances), floor)


def _lowest(beliefs: Beliefs) -> float:
    """The lowest value of the objective that was seen, model units: no point within all limits has less to offer."""
    return min(float(beliefs.posteriors[name].z.min(initial=0.0)) for name in beliefs.objectives)
