"""Which of the evaluated points to use: with noise the best value is a lucky draw, the best posterior mean is not.

μ, σ  (n,)  posterior mean and deviation of the objective, its noise left out, at the n points with a value
μ_c   (n,)  posterior mean of a constrained output at these points, larger is better      l_c  float  its limit

With constraints it is one of the points that are probably within every limit: μ_c ≥ l_c. The best point often lies at a
limit, where a model that takes a little noise into account may have μ_c on the other side of it. So an output that has
hardly any noise, by its model, is taken as it was measured.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from suffice.study.history import History
from suffice.study.reading.predict import as_output, surface
from suffice.study.trial import Trial
from suffice.types import Array

TIE = 1e-9  # of the outputs' deviation: means that are closer are equal
# Of the outputs' deviation. Fitted to 12 to 40 values of functions without noise, models had 0.002 to 0.013.
HARDLY = 0.02


@dataclass(frozen=True)
class Recommendation:
    """An evaluated point, and what the model knows about the objective there, in the objective's units."""

    trial: Trial
    value: float  # the posterior median: the monotone map back takes medians to medians, but not means to means
    deviation: float  # of the objective about it: half the width of what holds 68 %


def recommend(history: History, model: Any = None) -> Recommendation | None:
    """The done trial with the largest μ, probably within every limit, the best observed of equals; None without any.

    ValueError where there are several objectives.
    """
    name = as_output(None, history.settings)
    trials, data = history.known(name, measured=True), history.observations(name, measured=True)
    allowed = np.flatnonzero(_allowed(history, trials, data.X, model))
    if not len(allowed):
        return None
    found, X, y = surface(history, model, name), data.X[allowed], data.y[allowed]
    mean = found.fitted.posterior.mean(X)  # the deviations of all would take most of the time
    best_first = np.argsort(-y, kind="stable")
    row = best_first[np.argmax(mean[best_first] >= mean.max() - TIE)]
    median, deviation = found.moments(X[[row]])
    return Recommendation(trials[int(allowed[row])], float(median[0]), float(deviation[0]))


def _allowed(history: History, trials: Sequence[Trial], X: Array, model: Any) -> NDArray[np.bool_]:
    """Which trials, at rows X of the cube, are probably within every limit, (n,)."""
    allowed = np.ones(len(trials), dtype=np.bool_)
    if not len(trials):
        return allowed
    for name, limit in history.settings.constraints.items():
        if not history.known(name):  # each of the trials violates another limit
            return np.zeros(len(trials), dtype=np.bool_)
        fitted = surface(history, model, name).fitted
        posterior, level = fitted.posterior, float(fitted.outcome(np.array([limit.sign * limit.limit]))[0])
        noise = posterior.scale * math.sqrt(float(np.median(posterior.factor.tau)))
        measured = [name in t.values and limit.violation(t.values[name]) == 0.0 for t in trials]
        allowed &= np.array(measured) if noise <= HARDLY else posterior.mean(X) >= level
    return allowed
