"""Expected, log-expected and probable improvement over the incumbent.

b      float  what has to be beaten: the incumbent plus xi, model units
u      (m,)   (μ − b)/σ                      φ, Φ   density and distribution function of N(0, 1)
h(u)   (m,)   φ(u) + u Φ(u)

The incumbent is the largest posterior mean over the observed points, of the feasible ones where there are
constraints: with noisy outputs the largest output itself is mostly luck. Before the first observation it is the prior
mean.
"""

import math
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Protocol

import numpy as np
from numpy.random import Generator
from scipy.special import ndtr

from suffice.acquisition.marginal import (
    BentGain,
    BoundedScore,
    density,
    expected_excess,
    log_cdf,
    log_excess_and_bend,
    log_expected_excess,
)
from suffice.acquisition.wrappers import Average, over_members
from suffice.belief import Beliefs
from suffice.checks import as_real
from suffice.gp.box_bounds import ARRAYS, ROUNDING, Expansion, expands
from suffice.gp.posterior import Bent, BentStack, Stacked, bent, column_blocks
from suffice.types import Array, Domain, Indices, Score, Step, derived

SMALL = 1.0  # length-scales across a box, up to which second derivatives bound it


@dataclass(frozen=True)
class _Improvement:
    """The score of a member of the posterior, averaged over all of them."""

    xi: float = 0.0

    def __post_init__(self) -> None:
        if not 0 <= as_real(self.xi, "xi") < math.inf:
            raise ValueError(f"xi, the least improvement that counts, must be finite and not negative, got {self.xi!r}")

    def __call__(self, beliefs: Beliefs, domain: Domain, *, step: Step, rng: Generator) -> Score:  # noqa: ARG002
        return over_members(beliefs.members, self._score, AverageImprovement)

    def _score(self, member: Beliefs) -> "ImprovementScore":
        raise NotImplementedError


class EI(_Improvement):
    """Expected improvement: try the point that is expected to improve most on the best one so far.

    The classical choice, kept for comparisons. sf.LogEI() ranks points in the same way and can be maximized where EI
    underflows to zero, so prefer it for a run.

    Parameters
    ----------
    xi : float, default: 0.0
        The smallest improvement that counts, in units of the standardised outputs.

    Notes
    -----
    α(x) = E max(f − b, 0) = σ h(u)    (Močkus 1975; Jones et al. 1998)
    """

    def _score(self, member: Beliefs) -> "ImprovementScore":
        base = incumbent(member) + self.xi
        return ImprovementScore(member.objective, ExpectedGain(base), least=0.0, base=base)


class LogEI(_Improvement):
    """The logarithm of the expected improvement: the ranking of EI, in a form that can be maximized everywhere.

    Choose it to improve on the best point without a `beta` to set. It has no regret bound; sf.UCB() has one.

    Parameters
    ----------
    xi : float, default: 0.0
        The smallest improvement that counts, in units of the standardised outputs.

    Notes
    -----
    α(x) = log E max(f − b, 0), with values and gradients also where EI underflows to zero (Ament et al. 2023)
    """

    def _score(self, member: Beliefs) -> "ImprovementScore":
        base = incumbent(member) + self.xi
        return ImprovementScore(member.objective, LogExpectedGain(base), logarithmic=True, base=base)


@dataclass(frozen=True)
class PI(_Improvement):
    """Probability of improvement: try the point that most probably improves on the best one by at least `xi`.

    It ignores the size of the improvement, so it stays close to the data: choose it to refine a good point, not to
    explore. Its values are logarithms, which can be maximized where the probability itself underflows to zero.

    Parameters
    ----------
    xi : float, default: 0.01
        The smallest improvement that counts, in units of the standardised outputs.

    Notes
    -----
    α(x) = log P(f > b) = log Φ(u)    (Kushner 1964)
    """

    xi: float = 0.01  # without a margin the best seen point itself is worth 1/2, and its neighbours nearly as much

    def _score(self, member: Beliefs) -> "ImprovementScore":
        gain = LogGainProbability(incumbent(member) + self.xi)
        return ImprovementScore(member.objective, gain, logarithmic=True, ceiling=0.0)


@dataclass(frozen=True, eq=False)
class ImprovementScore(BoundedScore):
    """Expected improvement, its logarithm, or that of its probability.

    σ h(u) = E max(μ + σZ − b, 0) grows with μ and is convex in (μ, σ); Φ(u) grows with u, and u rises or falls all
    along a line. So neither has a peak inside a line.
    """

    gain: "ThresholdGain"
    base: float | None = field(default=None)  # b, of an expected improvement
    ceiling: float | None = field(default=None)  # 0 for the logarithm of a probability
    kind = "improve"
    curved = derived(lambda self: self.posterior.kernel.twice)

    def with_hessian(self, X: Array, columns: Indices) -> tuple[Array, Array, Array]:
        at = bent(self.posterior, X, columns)
        return bent_gain(at, self.gain, self._floor)

    def bound(self, lower: Array, upper: Array) -> Array:
        """Of an expected improvement, second derivatives make the bound of small boxes much tighter."""
        found, p = super().bound(lower, upper), self.posterior
        if self.base is not None and expands(p.kernel):
            widths = (upper - lower) / p.lengthscales
            small = np.flatnonzero(np.einsum("ij,ij->i", widths, widths) < SMALL**2)
            for i, j in column_blocks(len(small), ARRAYS * p.n * lower.shape[1]):
                rows = small[i:j]
                found[rows] = np.minimum(found[rows], self._expanded(lower[rows], upper[rows]))
        return found

    def _expanded(self, lower: Array, upper: Array) -> Array:
        """The logarithm at the largest μ and v = σ², or that of a tangent of log (σ EI) and a chord of −log σ.

        σ EI is ∫ max(y − b, 0) exp(−(y − μ)²/2v) dy / √(2π). Both factors are log-concave in y, μ and v together, so
        that log (σ EI) is jointly concave in μ and v (Prékopa 1973).
        """
        near, floor = Expansion.of(self.posterior, lower, upper), self._floor**2
        mean, v, zero, one = near.at.mean, near.at.std**2, np.zeros(len(lower)), np.ones(len(lower))
        least, most = np.maximum(near.least, floor), np.maximum(v + near.highest(zero, one), floor)
        gain = LogExpectedGain(self.gain.threshold)
        found, _, _ = gain(mean + near.highest(one, zero), np.sqrt(most))
        value, by_mean, by_std = gain(mean, np.sqrt(v))
        chord = np.divide(0.5 * np.log(most / least), most - least, out=0.5 / least, where=most > least)
        by_variance = 0.5 * by_std / np.sqrt(v) + 0.5 / v - chord
        value += 0.5 * np.log(v / least) - chord * (v - least) + np.minimum(by_variance, 0.0) * (least - v)
        value += near.highest(by_mean, np.maximum(by_variance, 0.0))
        found = np.where(near.least > floor, np.minimum(found, value), found)
        found += ROUNDING * (1.0 + np.abs(found))
        return found if self.logarithmic else np.exp(found) + np.finfo(float).tiny


def bent_gain(at: Bent | BentStack, gain: BentGain, floor: float | Array) -> tuple[Array, Array, Array]:
    """∇²α = a_μ ∇²μ + a_σ ∇²σ + a_μμ ∇μ∇μ' + a_μσ (∇μ∇σ' + ∇σ∇μ') + a_σσ ∇σ∇σ', with α and ∇α."""
    std = np.maximum(at.std, floor)
    value, by_mean, by_std, mm, ms, ss = gain.bent(at.mean, std)
    by_std = np.where(at.std > floor, by_std, 0.0)
    mm, ms, ss = mm[..., None], ms[..., None], ss[..., None]
    across = (mm * at.d_mean + ms * at.d_std, ms * at.d_mean + ss * at.d_std)
    H = at.hessian(by_mean, by_std)
    for d, other in zip((at.d_mean, at.d_std), across, strict=True):
        H += d[..., :, None] * other[..., None, :]
    return value, by_mean[..., None] * at.d_mean + by_std[..., None] * at.d_std, H


@dataclass(frozen=True, eq=False)
class AverageImprovement(Average):
    """The average of members' improvements, whose second derivatives are computed side by side."""

    def with_hessian(self, X: Array, columns: Indices) -> tuple[Array, Array, Array]:
        stack, gain, floor = self._stacked
        return self.combined(*bent_gain(stack.bent(X, columns), gain, floor))

    @cached_property
    def _stacked(self) -> tuple[Stacked, BentGain, Array]:
        """The posteriors, the gain with the thresholds of all members, and the floors of σ, (K, 1) each."""
        scores = [part for _, part in self.parts if isinstance(part, ImprovementScore)]
        thresholds = np.array([[score.gain.threshold] for score in scores])
        gain = replace(scores[0].gain, threshold=thresholds)  # type: ignore[type-var]  # every gain is a dataclass
        return Stacked(tuple(score.posterior for score in scores)), gain, np.array([[s._floor] for s in scores])


class ThresholdGain(BentGain, Protocol):
    """A gain over a threshold: a frozen dataclass with that field; (K, 1) of several members at once."""

    @property
    def threshold(self) -> float | Array:
        """What has to be beaten, model units."""


@dataclass(frozen=True)
class ExpectedGain:
    """σ h(u), with derivatives Φ(u) in μ and φ(u) in σ."""

    threshold: float | Array

    def __call__(self, mean: Array, std: Array, /) -> tuple[Array, Array, Array]:
        u = (mean - self.threshold) / std
        return std * expected_excess(u), ndtr(u), density(u)

    def bent(self, mean: Array, std: Array, /) -> tuple[Array, Array, Array, Array, Array, Array]:
        """The second derivatives are φ/σ times 1, −u and u²."""
        u = (mean - self.threshold) / std
        bend = density(u) / std
        return *self(mean, std), bend, -u * bend, u * u * bend


@dataclass(frozen=True)
class LogExpectedGain:
    """log σ + log h(u), with derivatives Φ(u)/(σ h) in μ and φ(u)/(σ h) in σ."""

    threshold: float | Array

    def __call__(self, mean: Array, std: Array, /) -> tuple[Array, Array, Array]:
        log_h, by_mean, by_std = log_expected_excess((mean - self.threshold) / std)
        return np.log(std) + log_h, by_mean / std, by_std / std

    def bent(self, mean: Array, std: Array, /) -> tuple[Array, Array, Array, Array, Array, Array]:
        """The second derivatives are those of a function of u alone, and −1/σ² of log σ."""
        u = (mean - self.threshold) / std
        log_h, slope, by_std, bend = log_excess_and_bend(u)
        mm, ms, ss = of_ratio(u, std, slope, bend)
        return np.log(std) + log_h, slope / std, by_std / std, mm, ms, ss - std**-2.0


@dataclass(frozen=True)
class LogGainProbability:
    """log Φ(u), with derivatives λ/σ in μ and −u λ/σ in σ, λ = φ(u)/Φ(u)."""

    threshold: float | Array

    def __call__(self, mean: Array, std: Array, /) -> tuple[Array, Array, Array]:
        u = (mean - self.threshold) / std
        log_probability, slope = log_cdf(u)
        return log_probability, slope / std, -u * slope / std

    def bent(self, mean: Array, std: Array, /) -> tuple[Array, Array, Array, Array, Array, Array]:
        """With L = log Φ, L' = λ and L'' = −λ (u + λ)."""
        u = (mean - self.threshold) / std
        value, slope = log_cdf(u)
        return value, slope / std, -u * slope / std, *of_ratio(u, std, slope, -slope * (u + slope))


def of_ratio(u: Array, std: Array, slope: Array, bend: Array) -> tuple[Array, Array, Array]:
    """Second derivatives of L(u), u = (μ − b)/σ, in μ and σ: L''/σ², −(L' + uL'')/σ² and (2uL' + u²L'')/σ²."""
    mm, lean = bend / std**2, slope / std**2
    return mm, -lean - u * mm, u * (2.0 * lean + u * mm)


def incumbent(beliefs: Beliefs) -> float:
    """max μ over the points that count as found; with none, the prior mean, which is the same everywhere."""
    X, posterior = beliefs.standing, beliefs.objective
    if len(X) and np.array_equal(X, posterior.X):
        return float(posterior.fitted.max())
    X = X if len(X) else np.full((1, posterior.X.shape[1]), 0.5)
    return float(posterior.mean(X).max())
