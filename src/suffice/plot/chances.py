"""Where the models hold it probable that every constrained output is within its limit.

μ, σ   (m,)   posterior mean and deviation of a constrained output, larger is better          l   float   its limit

    P = Π_c Φ((μ_c − l_c)/σ_c)        outputs independent of each other, their noise left out
"""

import numpy as np
from scipy.special import ndtr

from suffice.errors import SufficeError
from suffice.study.reading.predict import surface
from suffice.study.result import Result
from suffice.types import Array

TINY = 1e-12  # model units: a deviation of zero has no quotient


def chance(result: Result, X: Array) -> Array | None:
    """The predicted probability that rows of the cube are feasible, (m,); None without constraints or their models."""
    limits = result.settings.constraints
    if not limits:
        return None
    found = np.ones(len(X))
    for name, limit in limits.items():
        try:
            fitted = surface(result.history, name=name).fitted
        except SufficeError:  # a limited output that no evaluation returned
            return None
        mean, std = fitted.posterior.predict(X)
        level = float(fitted.outcome(np.array([limit.sign * limit.limit]))[0])
        found *= ndtr((mean - level) / np.maximum(std, TINY))
    return found
