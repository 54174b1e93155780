"""Acquisitions that depend on x only through the posterior mean μ(x) and standard deviation σ(x).

U_β    (m,)   a proven bound of μ + β σ over a box (gp/box_bounds.py)
s, S   (m,)   proven bounds of σ over a box from below and above; S is U_1 where all outputs equal the prior mean
φ, Φ          density and distribution function of N(0, 1)
v             distance from the mean of N(0, 1), v ≥ 0, any shape
λ             hazard φ(v)/Φ(−v), by Laplace's continued fraction v + 1/(v + 2/(v + 3/(v + …)))
K, J          its first two remainders: λ = v + K and K = 1/(v + J)
h(u)          E max(u + Z, 0) = φ(u) + u Φ(u), the expected improvement in units of σ

Written with K and J, differences of nearly equal numbers in the tails become products:

    φ(v) − v Φ(−v) = φ(v) K/λ          λ − v = K          1 − vK = KJ
"""

import math
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Protocol

import numpy as np
from numpy.random import Generator
from scipy.special import erfcx, log_ndtr, ndtr

from suffice.belief import Beliefs, Believed
from suffice.checks import RESOLUTION
from suffice.gp.box_bounds import ROUNDING, BoxBound, least_deviation
from suffice.gp.posterior import Posterior
from suffice.gp.screening import reaching
from suffice.types import Array, Domain, Indices, Score, Step, derived

LOG_SQRT_2PI = 0.5 * math.log(2 * math.pi)  # of the normal density
FAR = 6.0  # from here on TERMS of the fraction are exact; before, subtracting loses at most three digits
TERMS = 20  # of the continued fraction


class Acquisition(Protocol):
    """A rule that turns what is known into what is worth knowing next."""

    def __call__(self, beliefs: Beliefs, domain: Domain, *, step: Step, rng: Generator) -> Score:
        """alpha_t: all randomness is drawn here, so the score is a pure function of X."""


class Gain(Protocol):
    """The gain of a point with mean μ and standard deviation σ > 0."""

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
    believes = derived(lambda self: isinstance(self.posterior, Believed))

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
        """Below it σ counts as constant, so that quotients by σ stay finite."""
        return RESOLUTION * self.posterior.scale


@dataclass(frozen=True, eq=False)
class BoundedScore(MarginalScore):
    """A score with a proven bound over boxes, for a gain that grows with μ and has no peak inside any line of (μ, σ).

    In a box μ ≤ U_0, μ ≤ U_1 − σ and s ≤ σ ≤ S: (μ, σ) is below a chain of lines, on each of which the gain is largest
    at an end. So the bound is the largest value at the corners of the chain. A further β costs more than it saves.
    """

    bounded = derived(lambda self: self.posterior.kernel.euclidean)  # it looks at columns one by one, as does reach
    sieves = derived(lambda self: self.posterior.kernel.euclidean)

    def reach(self, X: Array, floor: float) -> Indices:
        """As in a box, the gain of any σ below a bound is at most that of the bound or of none at all."""

        def value(mean: Array, std: Array) -> Array:
            least = np.full(len(mean), self._floor)
            return self._highest(np.array([mean, mean]), np.array([np.maximum(std, least), least]))

        return reaching(self.posterior, X, value, floor)

    def bound(self, lower: Array, upper: Array) -> Array:
        """At least α(x) for every x with lower ≤ x ≤ upper, (m,), proven."""
        highest_mean, optimistic = (box(lower, upper) for box in self._boxes)
        least, most = least_deviation(self.posterior, lower, upper), self._widest(lower, upper)
        std = np.clip([least, most, optimistic - highest_mean], least, np.maximum(least, most))
        mean = np.minimum(highest_mean, optimistic - std)
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
    def _boxes(self) -> tuple[BoxBound, BoxBound]:
        """U_0 and U_1."""
        return BoxBound(self.posterior, 0.0), BoxBound(self.posterior, 1.0)

    @cached_property
    def _widest(self) -> BoxBound:
        posterior = self.posterior
        return BoxBound(replace(posterior, z=np.zeros(posterior.n), constant=0.0), 1.0)


def density(u: Array) -> Array:
    """φ(u); zero from |u| = 39 on, where it underflows, so that u² need not overflow."""
    return np.exp(-0.5 * np.minimum(np.abs(u), 39.0) ** 2 - LOG_SQRT_2PI)


def remainders(v: Array) -> tuple[Array, Array]:
    """K and J at v ≥ 0, to about 13 digits at any v."""
    near = np.minimum(v, FAR)
    K = math.sqrt(2 / math.pi) / erfcx(near / math.sqrt(2)) - near
    J = 1 / K - near
    far = v > FAR
    if far.any():
        w = v[far]
        tail = np.zeros_like(w)
        for j in range(TERMS, 1, -1):  # in place: most of the time is that of the calls
            tail += w
            np.divide(j, tail, out=tail)
        J[far] = tail
        K[far] = 1 / (w + tail)
    return K, J


def log_cdf(u: Array) -> tuple[Array, Array]:
    """log Φ(u) and its derivative φ(u)/Φ(u), finite wherever u² is."""
    v = np.maximum(-u, 0.0)
    K, _ = remainders(v)
    right = np.maximum(u, 0.0)
    return log_ndtr(u), np.where(u < 0, v + K, density(right) / ndtr(right))


def expected_excess(u: Array) -> Array:
    """h(u) ≥ 0; far to the left by h(−v) = φ(v) K/λ, to the right by h(u) = u + h(−u)."""
    v = np.abs(u)
    K, _ = remainders(v)
    return np.maximum(u, 0.0) + density(v) * K / (v + K)


def log_expected_excess(u: Array) -> tuple[Array, Array, Array]:
    """log h(u), Φ(u)/h(u) and φ(u)/h(u), finite wherever u² is (the aim of Ament et al. 2023)."""
    return log_excess_and_bend(u)[:3]


def log_excess_and_bend(u: Array) -> tuple[Array, Array, Array, Array]:
    """log h(u), Φ/h, φ/h, and the second derivative of log h, φ/h − (Φ/h)², which is 1 − J/K to the left."""
    v = np.abs(u)
    K, J = remainders(v)
    ratio = K / (v + K)
    log_h = -0.5 * v**2 - LOG_SQRT_2PI + np.log(ratio)
    slope, phi, bend = 1 / K, 1 / ratio, 1 - J / K
    right = u > 0
    if right.any():
        up, at = u[right], density(v[right])
        h = up + at * ratio[right]
        log_h[right], slope[right], phi[right] = np.log(h), ndtr(up) / h, at / h
        bend[right] = phi[right] - slope[right] ** 2
    return log_h, slope, phi, bend
