"""Max-value entropy search (Wang and Jegelka 2017): what f(x) tells about the maximum f*.

f*_k   float  one of K samples of the maximum, model units
γ      (m,)   (f*_k − μ)/σ                   φ, Φ   density and distribution function of N(0, 1)
λ      (m,)   φ(γ)/Φ(γ)                      K, J   remainders of its continued fraction, see normal.py

    α(x) = log of the mean over k of  g(γ) = γ λ/2 − log Φ(γ),      g'(γ) = −(λ/2)(1 + γ (γ + λ))
"""

import math
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.random import Generator
from scipy.special import log_ndtr, ndtr, ndtri

from suffice.acquisition.marginal import FLOOR, BoundedScore
from suffice.acquisition.normal import LOG_SQRT_2PI, density, remainders
from suffice.acquisition.samples import (
    cover,
    distinct,
    pool,
    separate,
)
from suffice.belief import Beliefs
from suffice.checks import as_count
from suffice.gp.posterior import Posterior
from suffice.types import Array, Domain, Step

TINY = 1e-300  # for a probability that underflows
CLEARANCE = 5.0  # deviations; the authors keep every sampled maximum 5 noise deviations above the best output


@dataclass(frozen=True)
class MES:
    """Max-value entropy search: try the point whose value tells most about how good the optimum is.

    It balances exploring and improving without a parameter to set; choose it as a second opinion beside sf.UCB() and
    sf.LogEI(). It takes about twice as long as they do, and has no regret bound. Its values are logarithms, which can
    be searched where the information itself is zero in floating point.

    Parameters
    ----------
    samples : int, default: 10
        How many values of the optimum are drawn, over which the information is averaged.
    points : int, default: 1000
        About how many points of the space the distribution of the optimum is fitted to (a Gumbel law).
    """

    samples: int = 10
    points: int = 1000

    def __post_init__(self) -> None:
        as_count(self.samples, "samples, the number of sampled maxima,", 1)
        as_count(self.points, "points, how many marginals are fitted,", 1)

    def __call__(self, beliefs: Beliefs, domain: Domain, *, step: Step, rng: Generator) -> "EntropyScore":  # noqa: ARG002
        posterior = beliefs.objective
        points = distinct(np.vstack([posterior.X, cover(domain, self.points, rng)]))
        mean, std = posterior.predict(points)
        loc, scale = gumbel_fit(mean, np.maximum(std, FLOOR * posterior.scale))
        maxima = np.maximum(rng.gumbel(loc, scale, self.samples), least_maximum(posterior))
        score = EntropyScore(posterior, LogEntropyGain(tuple(maxima.tolist())), logarithmic=True)
        X = pool(posterior, domain, rng)
        return replace(score, starts=separate(X, score(X), posterior))


@dataclass(frozen=True)
class LogEntropyGain:
    """The logarithm of the mean over k of g((f*_k − μ)/σ), with its derivatives in μ and in σ."""

    maxima: tuple[float, ...]

    def __call__(self, mean: Array, std: Array, /) -> tuple[Array, Array, Array]:
        total, by_mean, by_std = np.zeros((3, *mean.shape))
        for k, maximum in enumerate(self.maxima):  # one at a time: memory stays that of one column
            gamma = (maximum - mean) / std
            log_g, slope = log_entropy_drop(gamma)
            total = np.logaddexp(total, log_g) if k else log_g
            share = np.exp(log_g - total)  # of g_k in the sum so far; the derivatives are means with these weights
            by_mean += share * (-slope / std - by_mean)
            by_std += share * (-slope * gamma / std - by_std)
        return total - math.log(len(self.maxima)), by_mean, by_std

    def highest(self, mean: Array, std: Array) -> Array:
        """The logarithm of the mean over k of the largest g of any row, (corners, m) -> (m,)."""
        total = np.full(mean.shape[1], -np.inf)
        for maximum in self.maxima:
            total = np.logaddexp(total, log_entropy_drop((maximum - mean) / std)[0].max(axis=0))
        return total - math.log(len(self.maxima))


@dataclass(frozen=True, eq=False)
class EntropyScore(BoundedScore):
    """MES with a limit over boxes: each g falls with γ, which rises or falls all along a line of (μ, σ).

    A mean of functions that have no peak inside a line may have one, the mean of their largest values has not.
    """

    gain: LogEntropyGain
    starts: Array | None = field(default=None, repr=False)
    sieves = False  # a gain of many terms costs as much as the deviation that it would save

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "believes", False)  # another point has other samples of the maximum

    @property
    def seeds(self) -> Array | None:
        return self.starts

    def _highest(self, mean: Array, std: Array) -> Array:
        return self.gain.highest(mean, std)


def log_entropy_drop(gamma: Array) -> tuple[Array, Array]:
    """log g(γ) and its derivative g'/g; g is the entropy a normal loses when cut off at γ deviations above its mean."""
    left = gamma < 0
    v = np.abs(gamma)
    K, J = remainders(v)
    hazard = v + K  # φ(v)/Φ(−v)
    # Left of the mean the two terms of g grow like γ² and cancel; with λ = v + K, γ = −v they are:
    g_left = LOG_SQRT_2PI + np.log(hazard) - 0.5 * v * K
    slope_left = -0.5 * hazard * K * J / g_left
    # To the right both are multiples of φ, which underflows: g = φ (γ/(2Φ) + ρ/hazard), ρ = −log(1 − q)/q, q = Φ(−γ)
    mass, q = ndtr(v), np.maximum(ndtr(-v), TINY)
    g_right = 0.5 * v / mass - np.log1p(-q) / q / hazard
    slope_right = -0.5 * (1 + v * (v + density(v) / mass)) / mass / g_right
    log_g = np.where(left, np.log(g_left), np.log(g_right) - 0.5 * v**2 - LOG_SQRT_2PI)
    return log_g, np.where(left, slope_left, slope_right)


def gumbel_fit(mean: Array, std: Array) -> tuple[float, float]:
    """Location and scale of the Gumbel law whose quartiles are those of the maximum of independent N(mean, std²)."""
    lower, upper = (maximum_quantile(mean, std, q) for q in (0.25, 0.75))
    # F(y) = exp(−exp(−(y − loc)/scale)), so the q-quantile is loc − scale·log(−log q).
    scale = max(0.0, upper - lower) / (math.log(math.log(4)) - math.log(math.log(4 / 3)))
    return lower + scale * math.log(math.log(4)), scale


def maximum_quantile(mean: Array, std: Array, q: float) -> float:
    """y with Π_i Φ((y − mean_i)/std_i) = q, by bisection."""
    # Below: one factor alone is q. Above: every factor is at least q^(1/N).
    low = float(np.max(mean + std * ndtri(q)))
    high = float(np.max(mean + std * ndtri(q ** (1 / len(mean)))))
    for _ in range(50):
        middle = 0.5 * (low + high)
        if log_ndtr((middle - mean) / std).sum() < math.log(q):
            low = middle
        else:
            high = middle
    return 0.5 * (low + high)


def least_maximum(posterior: Posterior) -> float:
    """A sampled maximum below a well-known point would make that point look informative, however small its σ is."""
    if posterior.n == 0:
        return -math.inf
    mean, std = posterior.predict(posterior.X)
    return float(np.max(mean + CLEARANCE * std))
