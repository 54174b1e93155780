"""Which of the evaluated points to use: with noise the best value is a lucky draw, the best posterior mean is not.

μ, σ  (n,)  posterior mean and deviation of the objective, its noise left out, at the n points with a value
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from suffice.study.history import History
from suffice.study.reading.predict import surface
from suffice.study.trial import Trial

TIE = 1e-9  # of the outputs' deviation: means that are closer are equal


@dataclass(frozen=True)
class Recommendation:
    """An evaluated point, and what the model knows about the objective there, in the objective's units."""

    trial: Trial
    value: float  # the posterior median: the monotone map back takes medians to medians, but not means to means
    deviation: float  # of the objective about it: half the width of what holds 68 %


def recommend(history: History, model: Any = None) -> Recommendation | None:
    """The done trial with the largest μ, the best observed of equals; None if no trial has a value."""
    data = history.observations()
    if not len(data):
        return None
    found = surface(history, model)
    mean = found.fitted.posterior.mean(data.X)  # the deviations of all would take most of the time
    best_first = np.argsort(-data.y, kind="stable")
    row = best_first[np.argmax(mean[best_first] >= mean.max() - TIE)]
    median, deviation = found.moments(data.X[[row]])
    return Recommendation(history.done[row], float(median[0]), float(deviation[0]))
