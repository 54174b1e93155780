"""What the model of all values says about the objective anywhere in the space, in the objective's units and sense.

X     (m, d)  rows of the unit cube               μ, σ  (m,)  posterior mean and deviation there, model units
h             the monotone map from model units back to the objective's: y = ± h(z)

    median = ± h(μ)      sd = (h(μ + σ) − h(μ − σ)) / 2      a band of ±z deviations: from ± h(μ − zσ) to ± h(μ + zσ)

So sd is half the width of what holds 68 %, and without a warp the deviation. σ h'(μ) is the same where σ is small, and
too small where the model is uncertain after a warp, whose slope changes over the band.

h takes quantiles to quantiles, so the ends of a band hold what they say. It does not take means to means: where the
model has bent the values (`GP(warp=True)`), the mean of the objective lies beside its median, on the side of the longer
tail, and where that tail is heavy it says little. So what is called the mean here is the median, which without a warp
is the mean.
"""

from dataclasses import dataclass
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from suffice.errors import NoFinishedTrial, SufficeError
from suffice.gp.model import Fitted, Model
from suffice.space import SearchSpace
from suffice.study.history import History
from suffice.study.reading.points import as_rows
from suffice.study.settings import Opaque
from suffice.threads import one_thread
from suffice.types import Array

TWO_SIDED = 1.959963984540054  # deviations of a normal distribution that hold 95 %
NARROW = 1e-6  # model units: the slope is as good as the difference of two ends, of which rounding leaves less


@dataclass(frozen=True)
class Surface:
    """The objective as the model has it: without its noise, and as if every evaluation succeeded."""

    fitted: Fitted
    space: SearchSpace
    sign: float  # what turns larger-is-better into the user's sense, and back

    def __repr__(self) -> str:
        return f"<Surface over {len(self.space.names)} parameters, from {self.fitted.n_seen} values>"

    def median(self, X: Array) -> Array:
        """The posterior median at rows of the cube, (m,), which takes less work than the band."""
        return self._back(self.fitted.posterior.mean(X))

    def at(self, X: Array, z: float = TWO_SIDED) -> tuple[Array, Array, Array]:
        """The median at rows of the cube, and the two ends of a band of ±z deviations, (m,) each, low below high."""
        mean, std = self.fitted.posterior.predict(X)
        ends = self._back(mean - z * std), self._back(mean + z * std)
        return self._back(mean), np.minimum(*ends), np.maximum(*ends)

    def moments(self, X: Array) -> tuple[Array, Array]:
        """The median at rows of the cube and the deviation about it, half the width of what holds 68 %, (m,) each."""
        mean, std = self.fitted.posterior.predict(X)
        median, deviation = self.mapped(mean, std)
        with np.errstate(over="ignore", invalid="ignore"):  # as in `_inverse`
            half = self.fitted.outcome.halfwidth(mean, std)
        return median, np.where((std > NARROW) & np.isfinite(half), half, deviation)

    def mapped(self, mean: Array, std: Array) -> tuple[Array, Array]:
        """The same of means and deviations in model units, (m,) each, to first order in the map."""
        median = self._inverse(mean)
        return self.sign * median, std / self.fitted.outcome.derivative(median)

    def _back(self, z: Array) -> Array:
        return self.sign * self._inverse(z)

    def _inverse(self, z: Array) -> Array:
        with np.errstate(over="ignore"):  # the far end of a band after a warp may be beyond float64
            return self.fitted.outcome.inverse(z)


# One model for each history, so that what is read of a result is read from the same one, fitted once. The keys are
# weak: a model goes with its history.
_FITTED: "WeakKeyDictionary[History, Fitted]" = WeakKeyDictionary()


def surface(history: History, model: Any = None) -> Surface:
    """The surface of all values of a history, by its own model or by another one.

    A model that is given where a file could only describe the one of the run is kept: from then on everything that is
    read of this result is read from it.
    """
    settings = history.settings
    described = isinstance(settings.model, Opaque)
    fitted = _FITTED.get(history) if model is None else None
    if fitted is None:
        fitted = _fit(history, settings.model if model is None else model)
        if model is None or described:
            _FITTED[history] = fitted
    return Surface(fitted, settings.space, settings.sign())


def _fit(history: History, model: Model | Opaque) -> Fitted:
    """From scratch: the fits of a run start from one another, and may be late to notice the noise."""
    if isinstance(model, Opaque):
        raise SufficeError(
            f"this needs the model of the run, of which the file has only the description {model.text}; give it by "
            "hand, once, before you read the result: suffice.study.reading.predict.surface(result.history, model=…)"
        )
    data = history.observations()
    if not len(data):
        raise NoFinishedTrial(
            f"none of the {len(history.trials)} trials has a value, so that there is nothing to learn a model from"
        )
    with one_thread(len(data)):
        return model(data, history.settings.space)


def predict(history: History, points: Any) -> tuple[Any, Any]:
    """Median and deviation of the objective at points as the user has them: arrays (m,), or floats of one point."""
    found = surface(history)
    X, one = as_rows(points, history.settings.space)
    with one_thread(found.fitted.n_seen):
        median, deviation = found.moments(X)
    return (float(median[0]), float(deviation[0])) if one else (median, deviation)
