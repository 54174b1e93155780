"""What the model of all values says about an output anywhere in the space, in the user's units and sense.

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

from dataclasses import dataclass, replace
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from suffice.errors import NoFinishedTrial, SufficeError
from suffice.gp.model import Fitted, Model
from suffice.space import SearchSpace
from suffice.space.naming import listed, nearest_name
from suffice.study.history import History
from suffice.study.modelling import model_of
from suffice.study.reading.points import as_rows
from suffice.study.settings import Opaque, Settings
from suffice.threads import one_thread
from suffice.types import Array

TWO_SIDED = 1.959963984540054  # deviations of a normal distribution that hold 95 %
NARROW = 1e-6  # model units: the slope is as good as the difference of two ends, of which rounding leaves less


@dataclass(frozen=True)
class Surface:
    """An output as its model has it: without its noise, and as if every evaluation succeeded."""

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


# One model for each output of a history, so that what is read of a result is read from the same ones, each fitted once.
# The keys are weak: the models go with their history. The second has those that were given by hand.
_FITTED: "WeakKeyDictionary[History, dict[str, Fitted]]" = WeakKeyDictionary()
_GIVEN: "WeakKeyDictionary[History, Model]" = WeakKeyDictionary()


def surface(history: History, model: Any = None, name: str | None = None) -> Surface:
    """The surface of all values of one output of a history, by its own model or by another one.

    name    of the output, an objective or a constrained one; None: the only objective, ValueError if there are several

    A model that is given where a file could only describe the one of the run is kept: from then on everything that is
    read of this result is read from it.
    """
    settings, name = history.settings, as_output(name, history.settings)
    if model is not None:
        fitted = _fit(history, model, name)
        if isinstance(settings.model, Opaque):
            _GIVEN[history], _FITTED[history] = model, {name: fitted}
    else:
        known = _FITTED.setdefault(history, {})
        if name not in known:
            known[name] = _fit(history, _GIVEN.get(history, settings.model), name)
        fitted = known[name]
    return Surface(fitted, settings.space, settings.sign(name))


def as_output(name: Any, settings: Settings) -> str:
    """The name of an output, by default of the only objective; ValueError, with the names there are, for others."""
    outputs = settings.outputs
    if name is None:
        if settings.several:
            raise ValueError(f"there are several objectives: say by output= which is meant, of {listed(outputs)}")
        return settings.objective
    if name not in outputs:
        raise ValueError(f"there is no output {name!r}: {nearest_name(str(name), outputs)}")
    found: str = name
    return found


def _fit(history: History, model: Model | Opaque, name: str) -> Fitted:
    """From scratch: the fits of a run start from one another, and may be late to notice the noise."""
    if isinstance(model, Opaque):
        raise SufficeError(
            f"this needs the model of the run, of which the file has only the description {model.text}; give it by "
            "hand, once, before you read the result: suffice.study.reading.predict.surface(result.history, model=…)"
        )
    data = history.observations(name)
    if not len(data):
        of = "" if len(history.settings.outputs) == 1 else f" of {name}"
        raise NoFinishedTrial(
            f"none of the {len(history.trials)} trials has a value{of}, so that there is nothing to learn a model from"
        )
    with one_thread(history.model_rows):
        fitted: Fitted = model_of(replace(history.settings, model=model), name)(data, history.settings.space)
        return fitted


def predict(history: History, points: Any, output: str | None = None) -> tuple[Any, Any]:
    """Median and deviation of an output at points as the user has them: arrays (m,), or floats of one point."""
    found = surface(history, name=output)
    X, one = as_rows(points, history.settings.space)
    with one_thread(found.fitted.posterior.n):
        median, deviation = found.moments(X)
    return (float(median[0]), float(deviation[0])) if one else (median, deviation)
