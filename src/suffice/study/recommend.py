"""Which of the evaluated points to use: with noise the best value is a lucky draw, the best posterior mean is not.

μ, σ  (n,)  posterior mean and deviation of the objective, its noise left out, at the n points with a value
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from suffice.errors import SufficeError
from suffice.study.history import History
from suffice.study.settings import Opaque
from suffice.study.trial import Trial

TIE = 1e-9  # of the outputs' deviation: means that are closer are equal


@dataclass(frozen=True)
class Recommendation:
    """An evaluated point, and what the model knows about the objective there, in the objective's units."""

    trial: Trial
    value: float  # the posterior median: the monotone map back takes medians to medians, but not means to means
    deviation: float  # of the objective about it, to first order in the map


def recommend(history: History, model: Any = None) -> Recommendation | None:
    """The done trial with the largest μ, the best observed of equals; None if no trial has a value."""
    settings = history.settings
    model = settings.model if model is None else model
    if isinstance(model, Opaque):
        raise SufficeError(
            "a recommendation needs the model of the run, of which the file has only the description "
            f"{model.text}; give it by hand: "
            "suffice.study.recommend.recommend(result.history, model=…)"
        )
    data = history.observations()
    if not len(data):
        return None
    # From scratch: the fits of a run start from one another, and may be late to notice the noise.
    fitted = model(data, settings.space)
    mean, std = fitted.posterior.predict(data.X)
    best_first = np.argsort(-data.y, kind="stable")
    row = best_first[np.argmax(mean[best_first] >= mean.max() - TIE)]
    median = fitted.outcome.inverse(mean[[row]])
    deviation = std[row] / fitted.outcome.derivative(median)[0]
    return Recommendation(history.done[row], settings.sign() * float(median[0]), float(deviation))
