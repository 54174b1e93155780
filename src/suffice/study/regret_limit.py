"""How far the point that a result recommends may be from the optimum, by a model of its own: a function of the history.

r      (d,)   the recommended point, a row of the unit cube     unit  float  the objective's units in a model unit
α(x)   (m,)   μ(x) − μ(r) + β sqrt(Var[f(x) − f(r)]), the lead that x may have (acquisition/lead.py)

    f* − f(r) ≤ unit · max α,     as far as f(x) − f(r) is nowhere more than β of its deviations above its mean

The model is the study's own, but cautious (gp/cautious.py): unwarped, so that its units are the objective's up to a
factor, and less sure of what was not seen than the fit that suggests points.
"""

import math
from dataclasses import dataclass

import numpy as np

from suffice.accuracy.certificate import certify
from suffice.acquisition.beta import Beta
from suffice.acquisition.lead import Lead
from suffice.gp.cautious import shortened, unwarped
from suffice.gp.model import GP
from suffice.gp.posterior import Posterior
from suffice.solvers import Heavy
from suffice.space import SearchSpace
from suffice.streams import Streams
from suffice.study.history import History
from suffice.study.recommend import recommend
from suffice.study.trial import Trial
from suffice.types import Array, Step

SEARCH = Heavy(draws=2000, near=500, starts=8)  # polishes every observed point too: within 1e-8 of the largest lead
SCREEN = 500  # draws that show most limits to be too large, without a search
NOISE = 1 / 3  # of the tolerance: a smaller deviation of the noise does not make a best value lucky enough to matter
# Shares of the fitted length-scales, chosen together with the rule's β (docs/measurements/stopping.md). Without noise
# the pile of points at the best one decides about the fit; with noise, which hides the differences in it, it does less.
SHORTER, SHORTER_WITHOUT_NOISE = 0.8, 0.7
ROUNDING = 1e-3  # of the tolerance: what is left to a proof for the rounding of its bounds
VAGUE = 0.5  # of the prior deviation: where more is left, little is known


@dataclass(frozen=True)
class Limit:
    """What the regret of a point can be at most, by a cautious model."""

    regret: float  # in the objective's units: the largest that was found, at most the tolerance
    trial: Trial  # the point
    noisy: bool  # it is the one with the best posterior mean, not the one with the best value
    proven: bool  # no point has a lead above the tolerance; else a search found none
    beta: float
    theoretical: bool  # no assumption behind β is known to be broken
    vague: float  # share of the space of which the model knows little


def regret_limit(history: History, beta: Beta, tolerance: float, seconds: float | None = None) -> Limit | None:
    """A limit of the regret of the recommended point that is not above the tolerance; None where there is none.

    seconds    for a proof that no lead is above the tolerance; None: none that a search finds is
    """
    settings, data, model = history.settings, history.observations(), history.settings.model
    if not np.ptp(data.y) > 0:  # equal values say nothing about how much others may differ
        return None
    plain, fitted = unwarped(model if isinstance(model, GP) else GP(), data, settings.space)
    unit = fitted.outcome.scale * fitted.outcome.spread * fitted.outcome.unit
    noisy = unit * _noise(fitted.posterior) > NOISE * tolerance
    fitted = shortened(plain, fitted, data, settings.space, SHORTER if noisy else SHORTER_WITHOUT_NOISE)
    posterior = fitted.posterior
    step = Step(history.t, posterior.X[np.argsort(-posterior.z, kind="stable")])
    b, rng = beta(step, posterior), Streams(settings.seed)("stop", len(history.trials))

    draws = settings.space.sample(SCREEN, rng)
    seen = step.design[posterior.mean(step.design).argmax() if noisy else 0]
    if unit * _largest(Lead(posterior, b, seen), draws) > tolerance:
        return None
    trial = _recommended(history, noisy)
    alpha = Lead(posterior, b, trial.unit)
    found = max(_largest(alpha, draws), SEARCH(alpha, settings.space, step=step, rng=rng).value)
    if not unit * found <= tolerance:
        return None
    if seconds is not None and not _proven(alpha, settings.space, tolerance / unit, seconds):
        return None
    return Limit(
        unit * found,
        trial,
        noisy,
        seconds is not None,
        b,
        not beta.broken(posterior),
        float(np.mean(posterior.predict(draws)[1] > VAGUE * posterior.scale)),
    )


def _proven(alpha: Lead, space: SearchSpace, enough: float, seconds: float) -> bool:
    """Whether branch and bound shows that no lead is above `enough`; boxes that are ROUNDING below are not split."""
    return all(
        certify(side, space, value=value + (1.0 - ROUNDING) * enough, seconds=seconds / 2).upper <= value + enough
        for side, value in alpha.sides
    )


def _noise(posterior: Posterior) -> float:
    """The deviation of the noise in a usual value, model units."""
    return posterior.scale * math.sqrt(float(np.median(posterior.factor.tau)))


def _largest(alpha: Lead, X: Array) -> float:
    return float(alpha(X).max(initial=0.0))  # 0 is the lead of the point over itself


def _recommended(history: History, noisy: bool) -> Trial:
    """What a result names: without noise `x`, with noise `x_recommended`."""
    found = recommend(history) if noisy else None
    trial = history.best if found is None else found.trial
    if trial is None:
        raise ValueError("a limit of the regret needs a trial with a value: got none")
    return trial
