"""Acquisitions that depend on x only through the posterior mean μ(x) and deviation σ(x)."""

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from suffice.gp.posterior import Posterior
from suffice.types import Array, Score

FLOOR = 1e-9  # of the prior deviation: below it σ counts as constant, so that quotients by σ stay finite


class Gain(Protocol):
    """What a point of mean μ and deviation σ > 0 is worth."""

    def __call__(self, mean: Array, std: Array, /) -> tuple[Array, Array, Array]:
        """The value a(μ, σ) and its derivatives in μ and in σ, (m,) each."""


@dataclass(frozen=True, eq=False)
class MarginalScore(Score):
    """α(x) = a(μ(x), σ(x)); its gradient is a_μ ∇μ + a_σ ∇σ."""

    posterior: Posterior
    gain: Gain
    logarithmic: bool = False  # the gain is a logarithm, so that ratios are differences
    least: float | None = None  # no value of the gain is below it; None: not known
    smooth = True

    def __call__(self, X: Array) -> Array:
        mean, std = self.posterior.predict(X)
        return self.gain(mean, np.maximum(std, self._floor))[0]

    def value_and_grad(self, X: Array) -> tuple[Array, Array]:
        mean, std, d_mean, d_std = self.posterior.predict_grad(X)
        value, by_mean, by_std = self.gain(mean, np.maximum(std, self._floor))
        d_std = np.where((std > self._floor)[:, None], d_std, 0.0)
        return value, by_mean[:, None] * d_mean + by_std[:, None] * d_std

    def shift(self, _n: int) -> float | None:
        """C with α + C ≥ 0 everywhere."""
        return None if self.least is None else max(0.0, -self.least)

    @property
    def _floor(self) -> float:
        return FLOOR * self.posterior.scale
