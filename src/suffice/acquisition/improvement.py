"""Expected, log-expected and probable improvement over the incumbent.

b      float  what has to be beaten: the incumbent plus xi, model units
u      (m,)   (μ − b)/σ                      φ, Φ   density and distribution function of N(0, 1)
h(u)   (m,)   φ(u) + u Φ(u)
U_β    (m,)   a proven limit of μ + β σ over a box (gp/boxes.py)

The incumbent is the largest posterior mean over the observed points: with noisy outputs the largest output itself is
mostly luck. Before the first observation it is the prior mean.
"""

import math
from dataclasses import dataclass, field
from functools import cached_property
from itertools import combinations

import numpy as np
from numpy.random import Generator
from scipy.special import ndtr

from suffice.acquisition.marginal import MarginalScore
from suffice.acquisition.normal import density, expected_excess, log_expected_excess
from suffice.belief import Beliefs
from suffice.checks import as_real
from suffice.gp.boxes import BoxBound
from suffice.gp.posterior import Posterior
from suffice.types import Array, Domain, Step

BETAS = (0.0, 1.0, 4.0)  # limits of the mean, of what is likely and of what is not: more of them gain little
ROUNDING = 1e-12  # of a gain, relative: a proof must cover it


@dataclass(frozen=True)
class EI:
    """Expected improvement: try the point that is expected to improve most on the best one so far.

    It is the classical choice, here for comparisons. sf.LogEI() ranks points in the same way and can be searched where
    EI is zero in floating point, so choose that one for a run. `xi` is the least improvement that counts, in units of
    the standardised outputs.

    α(x) = E max(f − b, 0) = σ h(u)    (Močkus 1975; Jones et al. 1998)
    """

    xi: float = 0.0

    def __post_init__(self) -> None:
        _check_xi(self.xi)

    def __call__(self, beliefs: Beliefs, domain: Domain, *, step: Step, rng: Generator) -> "ImprovementScore":  # noqa: ARG002
        base = incumbent(beliefs.objective) + self.xi
        return ImprovementScore(beliefs.objective, ExpectedGain(base), least=0.0, base=base)


@dataclass(frozen=True)
class LogEI:
    """The logarithm of the expected improvement: the ranking of sf.EI(), in a form that can be searched everywhere.

    Choose it to go for an improvement on the best point, without a `beta` to set. It has no regret bound; sf.UCB() has
    one. `xi` is the least improvement that counts, in units of the standardised outputs.

    α(x) = log E max(f − b, 0), with values and gradients also where EI underflows to zero (Ament et al. 2023)
    """

    xi: float = 0.0

    def __post_init__(self) -> None:
        _check_xi(self.xi)

    def __call__(self, beliefs: Beliefs, domain: Domain, *, step: Step, rng: Generator) -> "ImprovementScore":  # noqa: ARG002
        base = incumbent(beliefs.objective) + self.xi
        return ImprovementScore(beliefs.objective, LogExpectedGain(base), logarithmic=True, base=base)


@dataclass(frozen=True)
class PI:
    """Probability of improvement: try the point that most probably improves on the best one by at least `xi`.

    It does not ask by how much, so that it stays close to what is known: choose it to refine a good point, not to
    explore. `xi` is in units of the standardised outputs.

    α(x) = P(f > b) = Φ(u)    (Kushner 1964)
    """

    xi: float = 0.01  # without a margin the best seen point itself is worth 1/2, and its neighbours nearly as much

    def __post_init__(self) -> None:
        _check_xi(self.xi)

    def __call__(self, beliefs: Beliefs, domain: Domain, *, step: Step, rng: Generator) -> MarginalScore:  # noqa: ARG002
        return MarginalScore(beliefs.objective, GainProbability(incumbent(beliefs.objective) + self.xi), least=0.0)


@dataclass(frozen=True, eq=False)
class ImprovementScore(MarginalScore):
    """Expected improvement or its logarithm, with a proven limit over boxes.

    σ h(u) = E max(μ + σZ − b, 0) grows with μ and σ and is convex in both. In a box μ ≤ U_β − β σ for every β, and
    σ ≤ s: (μ, σ) is below a chain of lines, on each of which a convex function is largest at an end. So the limit is
    the largest value at the corners of the chain.
    """

    base: float | None = field(default=None)  # b
    bounded, kind = True, "improve"

    def bound(self, lower: Array, upper: Array) -> Array:
        """At least α(x) for every x with lower ≤ x ≤ upper, (m,), proven."""
        limits = np.array([box(lower, upper) for box in self._boxes])
        s, betas = self.posterior.scale, np.array(BETAS)[:, None]
        meets = [(limits[j] - limits[i]) / (BETAS[j] - BETAS[i]) for i, j in combinations(range(len(BETAS)), 2)]
        ends = (np.zeros(len(lower)), np.full(len(lower), s), *(np.clip(sigma, 0.0, s) for sigma in meets))
        corners = (self._value(np.min(limits - betas * sigma, axis=0), sigma) for sigma in ends)
        highest: Array = np.maximum.reduce(list(corners))
        return highest + ROUNDING * (1.0 + np.abs(highest)) if self.logarithmic else highest * (1.0 + ROUNDING)

    def _value(self, mean: Array, std: Array) -> Array:
        return self.gain(mean, np.maximum(std, self._floor))[0]

    @property
    def scales(self) -> Array:
        """The length-scales, (d,): α changes about equally much over each."""
        return self.posterior.lengthscales

    @cached_property
    def _boxes(self) -> tuple[BoxBound, ...]:
        return tuple(BoxBound(self.posterior, beta) for beta in BETAS)


@dataclass(frozen=True)
class ExpectedGain:
    """σ h(u), with derivatives Φ(u) in μ and φ(u) in σ."""

    threshold: float

    def __call__(self, mean: Array, std: Array, /) -> tuple[Array, Array, Array]:
        u = (mean - self.threshold) / std
        return std * expected_excess(u), ndtr(u), density(u)


@dataclass(frozen=True)
class LogExpectedGain:
    """log σ + log h(u), with derivatives Φ(u)/(σ h) in μ and φ(u)/(σ h) in σ."""

    threshold: float

    def __call__(self, mean: Array, std: Array, /) -> tuple[Array, Array, Array]:
        log_h, by_mean, by_std = log_expected_excess((mean - self.threshold) / std)
        return np.log(std) + log_h, by_mean / std, by_std / std


@dataclass(frozen=True)
class GainProbability:
    """Φ(u), with derivatives φ(u)/σ in μ and −u φ(u)/σ in σ."""

    threshold: float

    def __call__(self, mean: Array, std: Array, /) -> tuple[Array, Array, Array]:
        u = (mean - self.threshold) / std
        by_mean = density(u) / std
        return ndtr(u), by_mean, -u * by_mean


def incumbent(posterior: Posterior) -> float:
    """max μ over the observed points; with none, the prior mean, which is the same everywhere."""
    X = posterior.X if posterior.n else np.full((1, posterior.X.shape[1]), 0.5)
    return float(posterior.mean(X).max())


def _check_xi(xi: float) -> None:
    if not 0 <= as_real(xi, "xi") < math.inf:
        raise ValueError(f"xi, the least improvement that counts, must be finite and not negative, got {xi!r}")
