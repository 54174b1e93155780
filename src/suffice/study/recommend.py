"""Which of the evaluated points to use: with noise the best value is a lucky draw, the best posterior mean is not.

μ, σ  (n,)  posterior mean and deviation of the objective, its noise left out, at the n points with a value
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from suffice.errors import SufficeError
from suffice.study.history import observations
from suffice.study.settings import Opaque, Settings
from suffice.study.trial import Trial

TIE = 1e-9  # of the outputs' deviation: means that are closer are equal


@dataclass(frozen=True)
class Recommendation:
    """An evaluated point, and what the model knows about the objective there, in the objective's units."""

    trial: Trial
    value: float  # the posterior median: the monotone map back takes medians to medians, but not means to means
    deviation: float  # of the objective about it, to first order in the map


def recommend(trials: Sequence[Trial], settings: Settings) -> Recommendation | None:
    """The done trial with the largest μ, the best observed of equals; None if no trial has a value."""
    if isinstance(settings.model, Opaque):
        raise SufficeError(
            "a recommendation needs the model of the run, of which the file has only the description "
            f"{settings.model.text}; give it by hand: "
            "suffice.study.recommend.recommend(result.trials, dataclasses.replace(result.settings, model=…))"
        )
    done = sorted((trial for trial in trials if trial.state == "done"), key=lambda trial: trial.told or 0)
    if not done:
        return None
    data = observations(done, settings.space.dim, settings.sign)
    # From scratch: the fits of a run start from one another, and may be late to notice the noise.
    fitted = settings.model(data, settings.space)
    mean, std = fitted.posterior.predict(data.X)
    best_first = np.argsort(-data.y, kind="stable")
    row = best_first[np.argmax(mean[best_first] >= mean.max() - TIE)]
    median = fitted.outcome.inverse(mean[[row]])
    deviation = std[row] / fitted.outcome.derivative(median)[0]
    return Recommendation(done[row], settings.sign * float(median[0]), float(deviation))
