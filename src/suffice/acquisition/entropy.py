"""Max-value entropy search (Wang and Jegelka 2017): what f(x) tells about the maximum f*.

f*_k   float  one of K samples of the maximum, model units
γ      (m,)   (f*_k − μ)/σ                   φ, Φ   density and distribution function of N(0, 1)
λ      (m,)   φ(γ)/Φ(γ)                      K, J   remainders of its continued fraction, see normal.py

    α(x) = mean over k of  g(γ) = γ λ/2 − log Φ(γ),      g'(γ) = −(λ/2)(1 + γ (γ + λ))
"""

import math
from dataclasses import dataclass

import numpy as np
from numpy.random import Generator
from scipy.special import log_ndtr, ndtr, ndtri

from suffice.acquisition.marginal import FLOOR, MarginalScore
from suffice.acquisition.normal import LOG_SQRT_2PI, density, remainders
from suffice.acquisition.points import cover, distinct
from suffice.belief import Beliefs
from suffice.checks import as_count
from suffice.gp.posterior import Posterior
from suffice.types import Array, Domain, Step

CLEARANCE = 5.0  # deviations; the authors keep every sampled maximum 5 noise deviations above the best output


@dataclass(frozen=True)
class MES:
    """Max-value entropy search: try the point whose value tells most about how good the optimum is.

    It balances exploring and improving without a parameter to set; choose it as a second opinion beside sf.UCB() and
    sf.LogEI(). It has no regret bound.

    samples    how many values of the optimum are drawn, over which the information is averaged
    points     about how many points of the space the distribution of the optimum is fitted to (a Gumbel law)
    """

    samples: int = 10
    points: int = 1000

    def __post_init__(self) -> None:
        as_count(self.samples, "samples, the number of sampled maxima,", 1)
        as_count(self.points, "points, how many marginals are fitted,", 1)

    def __call__(self, beliefs: Beliefs, domain: Domain, *, step: Step, rng: Generator) -> MarginalScore:  # noqa: ARG002
        posterior = beliefs.objective
        points = distinct(np.vstack([posterior.X, cover(domain, self.points, rng)]))
        mean, std = posterior.predict(points)
        loc, scale = gumbel_fit(mean, np.maximum(std, FLOOR * posterior.scale))
        maxima = np.maximum(rng.gumbel(loc, scale, self.samples), least_maximum(posterior))
        return MarginalScore(posterior, EntropyGain(tuple(maxima.tolist())), least=0.0)


@dataclass(frozen=True)
class EntropyGain:
    """Mean over k of g((f*_k − μ)/σ), with derivatives −g'/σ in μ and −γ g'/σ in σ."""

    maxima: tuple[float, ...]

    def __call__(self, mean: Array, std: Array, /) -> tuple[Array, Array, Array]:
        value, by_mean, by_std = np.zeros((3, *mean.shape))
        for maximum in self.maxima:  # one at a time: memory stays that of one column
            gamma = (maximum - mean) / std
            g, dg = entropy_drop(gamma)
            value += g
            by_mean -= dg / std
            by_std -= dg * gamma / std
        count = len(self.maxima)
        return value / count, by_mean / count, by_std / count


def entropy_drop(gamma: Array) -> tuple[Array, Array]:
    """g(γ) and g'(γ): the entropy a normal loses when cut off at γ deviations above its mean."""
    v = np.maximum(-gamma, 0.0)
    K, J = remainders(v)
    # Left of the mean the two terms of g grow like γ² and cancel; with λ = v + K, γ = −v they are:
    g_left = LOG_SQRT_2PI + np.log(v + K) - 0.5 * v * K
    dg_left = -0.5 * (v + K) * K * J
    u = np.maximum(gamma, 0.0)
    hazard = density(u) / ndtr(u)
    g_right = 0.5 * u * hazard - log_ndtr(u)
    dg_right = -0.5 * hazard * (1 + u * (u + hazard))
    left = gamma < 0
    return np.where(left, g_left, g_right), np.where(left, dg_left, dg_right)


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
