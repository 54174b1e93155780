"""The upper confidence bound among the points that may satisfy every constraint (CONFIG, Xu et al. 2022).

c        a constrained output, larger-is-better          l_c   float  the level that it must reach, model units
slack(x) (m,)   min_c (μ_c(x) + κ σ_c(x) − l_c)/s_c: where it is negative, x satisfies some limit only against the odds

    α(x) = inner(x) where slack(x) ≥ 0,        min(inner(x), max(inner(x) + L slack(x), floor + slack(x))) elsewhere

So α is inner among the points that the models hold possible and falls steeply from there: it is largest among them, if
there are any, unless inner rises more than L times as fast as the slack falls. If there are none, it is largest where
the violation is least. The steep slope takes the place of a cliff, at whose edge local searches end too early.

No optimum is excluded as long as every output is within κ of its deviations, and α is nowhere above inner: that is what
the regret and the violations of CONFIG are limited by (accuracy/limited.py). If the largest slack is negative, no point
satisfies all limits, under the models; `Slack` has a bound over boxes, so that this can be proven.
"""

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from suffice.accuracy.eta import ucb_shift
from suffice.acquisition.ucb import UCBScore
from suffice.belief import Beliefs
from suffice.types import Array, Domain, Score

STEEP = 10.0  # L: audited limits of α* held in 60 of 63 steps with it, with 40 in 59, with a cliff in 56
PASSED_ON = ("smooth", "believes", "domain", "beta", "eta_asked", "kind")


@dataclass(frozen=True, eq=False)
class Slack(Score):
    """min_c (μ_c + κ σ_c − l_c)/s_c: how far inside its limits a point may be, in deviations of the prior."""

    outputs: tuple[UCBScore, ...]  # μ_c + κ σ_c
    levels: tuple[float, ...]
    beta: float = field()  # κ
    kind = "slack"
    smooth, bounded = True, True

    def __post_init__(self) -> None:
        object.__setattr__(self, "bounded", all(output.bounded for output in self.outputs))

    @classmethod
    def of(cls, beliefs: Beliefs, kappa: float) -> "Slack":
        """Of all constrained outputs, pending points at the mean."""
        outputs = tuple(UCBScore(beliefs.believed[name], kappa) for name in beliefs.levels)
        return cls(outputs, tuple(beliefs.levels.values()), kappa)

    def __call__(self, X: Array) -> Array:
        least: Array = self._scaled([output(X) for output in self.outputs]).min(axis=0)
        return least

    def value_and_grad(self, X: Array) -> tuple[Array, Array]:
        """Of the output with the least slack."""
        values, gradients = zip(*(output.value_and_grad(X) for output in self.outputs), strict=True)
        slack = self._scaled(list(values))
        least = slack.argmin(axis=0)
        rows = np.arange(len(X))
        return slack[least, rows], np.array(gradients)[least, rows] / self._scales[least][:, None]

    def bound(self, lower: Array, upper: Array) -> Array:
        """At least the slack of every point of a box, (m,), proven: that of each output is."""
        least: Array = self._scaled([output.bound(lower, upper) for output in self.outputs]).min(axis=0)
        return least + 1e-12 * (1.0 + np.abs(least))

    @property
    def scales(self) -> Array:
        """The shortest length-scales, (d,)."""
        shortest: Array = np.min([output.scales for output in self.outputs], axis=0)
        return shortest

    def depth(self) -> float:
        """What −slack is at most anywhere: μ_c is within |μ_c − m|_k of the prior mean m (ucb_shift)."""
        lowest = [-ucb_shift(output.posterior) for output in self.outputs]
        return max(0.0, -float(self._scaled([np.array([low]) for low in lowest]).min()))

    def _scaled(self, values: list[Array]) -> Array:
        slack: Array = (np.array(values) - np.array(self.levels)[:, None]) / self._scales[:, None]
        return slack

    @cached_property
    def _scales(self) -> Array:
        return np.array([output.posterior.scale for output in self.outputs])


@dataclass(frozen=True, eq=False)
class Confined(Score):
    """inner where the slack is not negative, a steep slope down to floor + slack elsewhere."""

    inner: Score
    slack: Slack
    floor: float
    smooth: bool = field(init=False, repr=False)
    bounded: bool = field(init=False, repr=False)
    believes: bool = field(init=False, repr=False)
    domain: Domain | None = field(init=False, repr=False)
    beta: float | None = field(init=False, repr=False)
    eta_asked: float | None = field(init=False, repr=False)
    kind: str | None = field(init=False, repr=False)

    def __post_init__(self) -> None:
        for name in PASSED_ON:
            object.__setattr__(self, name, getattr(self.inner, name))
        object.__setattr__(self, "bounded", self.inner.bounded and self.slack.bounded)

    def __call__(self, X: Array) -> Array:
        return self._value(self.inner(X), self.slack(X))

    def value_and_grad(self, X: Array) -> tuple[Array, Array]:
        v, dv = self.inner.value_and_grad(X)
        s, ds = self.slack.value_and_grad(X)
        value, steep = self._value(v, s), v + STEEP * s
        gradient = np.where((value > steep)[:, None], ds, dv + STEEP * ds)
        return value, np.where((value == v)[:, None], dv, gradient)

    def width(self, X: Array) -> Array | None:
        return self.inner.width(X)

    def shift(self, n: int) -> float | None:
        """max(C, depth − floor): α is at least the smaller one of inner and the floor less the largest violation."""
        shift = self.inner.shift(n)
        return None if shift is None else max(shift, self.slack.depth() - self.floor)

    def bound(self, lower: Array, upper: Array) -> Array:
        """α of the largest inner and the largest slack in each box, (m,), proven: it rises with both of them."""
        return self._value(self.inner.bound(lower, upper), self.slack.bound(lower, upper))

    def _value(self, inner: Array, slack: Array) -> Array:
        outside = np.maximum(inner + STEEP * slack, self.floor + slack)
        return np.where(slack >= 0.0, inner, np.minimum(inner, outside))

    @property
    def seeds(self) -> Array | None:
        return self.inner.seeds

    @property
    def scales(self) -> Array | None:
        return self.inner.scales
