"""Acquisitions that depend on x only through the posterior mean μ(x) and deviation σ(x).

U_β    (m,)   a proven limit of μ + β σ over a box (gp/boxes.py)
s, S   (m,)   proven limits of σ over a box from below and above; S is U_1 where all outputs equal the prior mean
"""

from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations
from typing import Protocol

import numpy as np
from numpy.random import Generator

from suffice.belief import Beliefs, Believed
from suffice.gp.box_bounds import BoxBound, least_deviation
from suffice.gp.posterior import Posterior
from suffice.gp.screening import reaching
from suffice.types import Array, Domain, Indices, Score, Step

FLOOR = 1e-9  # of the prior deviation: below it σ counts as constant, so that quotients by σ stay finite
BETAS = (0.0, 1.0)  # with S a corner each for what is known well, and not: one more costs more boxes than it saves
ROUNDING = 1e-12  # of a gain, relative: a proof must cover it


class Gain(Protocol):
    """What a point of mean μ and deviation σ > 0 is worth."""

    def __call__(self, mean: Array, std: Array, /) -> tuple[Array, Array, Array]:
        """The value a(μ, σ) and its derivatives in μ and in σ, (m,) each."""


class BentGain(Gain, Protocol):
    """A gain with second derivatives."""

    def bent(self, mean: Array, std: Array, /) -> tuple[Array, Array, Array, Array, Array, Array]:
        """a, a_μ, a_σ, a_μμ, a_μσ and a_σσ, (m,) each."""


@dataclass(frozen=True, eq=False)
class MarginalScore(Score):
    """α(x) = a(μ(x), σ(x)); its gradient is a_μ ∇μ + a_σ ∇σ."""

    posterior: Posterior
    gain: Gain
    logarithmic: bool = False  # the gain is a logarithm, so that ratios are differences
    least: float | None = None  # no value of the gain is below it; None: not known
    smooth = True

    def __post_init__(self) -> None:
        object.__setattr__(self, "believes", isinstance(self.posterior, Believed))

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


@dataclass(frozen=True, eq=False)
class BoundedScore(MarginalScore):
    """A score with a proven limit over boxes, for a gain that grows with μ and has no peak inside any line of (μ, σ).

    In a box μ ≤ U_β − β σ for every β, and s ≤ σ ≤ S: (μ, σ) is below a chain of lines, on each of which the gain is
    largest at an end. So the limit is the largest value at the corners of the chain.
    """

    bounded, sieves = True, True

    def __post_init__(self) -> None:
        super().__post_init__()
        for word in ("bounded", "sieves"):  # both look at columns one by one
            object.__setattr__(self, word, getattr(type(self), word) and self.posterior.kernel.euclidean)

    def reach(self, X: Array, floor: float) -> Indices:
        """As in a box, the gain of any σ below a limit is at most that of the limit or of none at all."""

        def value(mean: Array, std: Array) -> Array:
            least = np.full(len(mean), self._floor)
            return self._highest(np.array([mean, mean]), np.array([np.maximum(std, least), least]))

        return reaching(self.posterior, X, value, floor)

    def bound(self, lower: Array, upper: Array) -> Array:
        """At least α(x) for every x with lower ≤ x ≤ upper, (m,), proven."""
        limits = np.array([box(lower, upper) for box in self._boxes])
        least, most = least_deviation(self.posterior, lower, upper), self._widest(lower, upper)
        meets = [(limits[j] - limits[i]) / (BETAS[j] - BETAS[i]) for i, j in combinations(range(len(BETAS)), 2)]
        std = np.clip([least, most, *meets], least, np.maximum(least, most))
        mean = np.min(limits[:, None] - np.multiply.outer(BETAS, std), axis=0)
        highest = self._highest(mean, np.maximum(std, self._floor))
        return highest + ROUNDING * (1.0 + np.abs(highest)) if self.logarithmic else highest * (1.0 + ROUNDING)

    def _highest(self, mean: Array, std: Array) -> Array:
        """The largest gain of any corner, (corners, m) -> (m,)."""
        highest: Array = self.gain(mean, std)[0].max(axis=0)
        return highest

    @property
    def scales(self) -> Array:
        """The length-scales, (d,): α changes about equally much over each."""
        return self.posterior.lengthscales

    @cached_property
    def _boxes(self) -> tuple[BoxBound, ...]:
        return tuple(BoxBound(self.posterior, beta) for beta in BETAS)

    @cached_property
    def _widest(self) -> BoxBound:
        posterior = self.posterior
        return BoxBound(replace(posterior, z=np.zeros(posterior.n), constant=0.0), 1.0)


#| -- acquisition.seam: The seam: what an acquisition is.


class Acquisition(Protocol):
    """A rule that turns what is known into what is worth knowing next."""

    def __call__(self, beliefs: Beliefs, domain: Domain, *, step: Step, rng: Generator) -> Score:
        """alpha_t: all randomness is drawn here, so the score is a pure function of X."""
