"""From the user's outputs to the model's, and back.

y  (n,)  outputs in the user's units and sense       s = (sign y − centre) / spread, robust: median and quartiles
u = warp(s, lam), Yeo and Johnson (2000)             z = (u − shift) / scale, model units: mean 0, deviation 1

lam in [0, 2], where the warp is a bijection of the real line; lam = 1 is the identity. lam < 1 pulls in a long
upper tail, lam > 1 a long lower one. The parameters are hyper-parameters: they change at a refit only, so that
adding an observation in between is exact.
"""

import math
from dataclasses import dataclass, replace

import numpy as np
from scipy.special import boxcox1p, inv_boxcox1p

from suffice.types import Array

ISOLATED = 1e3
FARTHEST = 1e70  # |s| ends here: the squares of its warp stay finite, whatever penalty an objective returns


@dataclass(frozen=True)
class Outcome:
    """The monotone map y → z with its inverse."""

    sign: float = 1.0
    unit: float = 1.0  # a power of two; division by it is exact and keeps 1e±300 away from overflow
    centre: float = 0.0
    spread: float = 1.0
    floor: float = -FARTHEST  # of s: what is worse counts as this bad
    lam: float = 1.0
    shift: float = 0.0
    scale: float = 1.0

    def __call__(self, y: Array) -> Array:
        """z, (n,): larger is better."""
        z: Array = (warp(self.standard(y), self.lam) - self.shift) / self.scale
        return z

    def inverse(self, z: Array) -> Array:
        """y, (n,), in the user's units and sense."""
        s = unwarp(np.asarray(z) * self.scale + self.shift, self.lam)
        y: Array = self.sign * (s * self.spread + self.centre) * self.unit
        return y

    def derivative(self, y: Array) -> Array:
        """|dz/dy|, (n,)."""
        s = self.standard(y)
        slope = np.exp((self.lam - 1.0) * np.sign(s) * np.log1p(np.abs(s)))
        with np.errstate(over="ignore"):  # subnormal outputs
            derivative: Array = slope / (self.scale * self.spread * self.unit)
        return derivative

    def standard(self, y: Array) -> Array:
        """s, (n,)."""
        with np.errstate(over="ignore"):
            s: Array = (self.sign * (np.asarray(y, dtype=float) / self.unit) - self.centre) / self.spread
        return np.clip(s, self.floor, FARTHEST)

    def with_warp(self, y: Array, lam: float) -> "Outcome":
        """The map with another warp, standardised on y."""
        u = warp(self.standard(y), lam)
        deviation = float(u.std()) if len(u) else 0.0
        return replace(
            self,
            lam=lam,
            shift=float(u.mean()) if len(u) else 0.0,
            scale=deviation if deviation > 1e-12 else 1.0,
        )


def standardised(y: Array, sign: float, lam: float = 1.0) -> Outcome:
    """The map fitted to y: median and quartiles first, so that one outlier does not set the scale."""
    if not len(y):
        return Outcome(sign=sign)
    largest = float(np.max(np.abs(y)))
    unit = math.ldexp(1.0, min(math.frexp(largest)[1], 1023)) if largest > 0 else 1.0
    v = sign * (y / unit)
    low, centre, high = (float(q) for q in np.quantile(v, [0.25, 0.5, 0.75]))
    # From quartiles to standard deviations; where half of the values are equal, the deviation itself.
    spread = (high - low) / 1.349
    if spread <= 1e-12 * abs(centre):
        spread = float(np.std(v))
    if spread <= 1e-14 * abs(centre):
        spread = 1.0  # constant outputs
    robust = Outcome(sign=sign, unit=unit, centre=centre, spread=spread)
    return replace(robust, floor=_floor(robust.standard(y))).with_warp(y, lam)


def _floor(s: Array) -> float:
    """Below which values are only known to be bad: as far below the rest as the rest is wide.

    A few values (up to a quarter) that are separated from all better ones by more than ISOLATED times the range of
    these are penalties or accidents. As they are, they would leave the model blind to the differences of the rest.
    Good values are never cut off: they are what is looked for.
    """
    ordered = np.sort(s)
    rest = ordered[1 : 1 + len(s) // 4]  # the lowest of the rest, if the cut is just below it
    width = ordered[-1] - rest
    cuts = np.flatnonzero((rest - ordered[: len(rest)] > ISOLATED * width) & (width > 0))
    return float(rest[cuts[-1]] - width[cuts[-1]]) if len(cuts) else -FARTHEST


def warp(s: Array, lam: float) -> Array:
    """Yeo–Johnson: ((1 + s)^lam − 1)/lam for s ≥ 0, −((1 − s)^(2 − lam) − 1)/(2 − lam) for s < 0."""
    size = np.abs(s)
    u: Array = np.where(s >= 0, boxcox1p(size, lam), -boxcox1p(size, 2.0 - lam))
    return u


def unwarp(u: Array, lam: float) -> Array:
    """The inverse of `warp`."""
    size = np.abs(u)
    s: Array = np.where(u >= 0, inv_boxcox1p(size, lam), -inv_boxcox1p(size, 2.0 - lam))
    return s


def warp_slope(s: Array, lam: float) -> Array:
    """d warp / d lam, (n,)."""
    slope: Array = np.where(s >= 0, _power_slope(np.abs(s), lam), _power_slope(np.abs(s), 2.0 - lam))
    return slope


def _power_slope(x: Array, p: float) -> Array:
    """d/dp of ((1 + x)^p − 1)/p for x ≥ 0."""
    log = np.log1p(x)
    e = p * log
    # ((e − 1) exp(e) + 1) / p² cancels for small e, where its series is log² (1/2 + e/3 + e²/8 + …)
    small = np.abs(e) < 1e-2
    series = log**2 * (0.5 + e / 3.0 + e**2 / 8.0 + e**3 / 30.0 + e**4 / 144.0)
    exact = ((e - 1.0) * np.exp(e) + 1.0) / (p * p if p else 1.0)
    slope: Array = np.where(small, series, exact)
    return slope
