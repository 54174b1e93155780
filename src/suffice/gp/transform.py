"""From outputs in the user's units to the model's, and back; larger is better on both sides.

y    (n,)   outputs in the user's units                s = (y − centre) / spread, robust: median and quartiles
top  float  the best s                                 r = top − s, the shortfall
u = warp(s, lam, top)                                  z = (u − shift) / scale, model units: mean 0, deviation 1

    lam ≤ 1  the upper tail pulled in: Yeo and Johnson (2000)
    lam = 1  the identity
    lam > 1  the lower tail pulled in: u = −log(1 + κ r)/κ for r ≥ 0, −r above the top; κ = exp(9 (lam − 1)) − 1

Yeo and Johnson have a lower tail as well, −log(1 − s) at the end of their range. But they bend it at s = 0, the median:
an objective whose values span orders of magnitude has all its good ones within one unit above, where little changes.
The logarithm of the shortfall resolves the neighbourhood of the best value down to 1/κ (measurements/defaults.md).
Of an output whose best value is not what is looked for, one of several objectives or a constrained one, that would be
the wrong place: where it is not `sharp`, top is infinite, and both tails are those of Yeo and Johnson for every lam.

lam in [0, 2], where the warp is a bijection of the real line. The parameters are hyper-parameters: they change at a
refit only, so that adding an observation in between is exact.
"""

import math
from dataclasses import dataclass, replace

import numpy as np
from scipy.special import boxcox1p, inv_boxcox1p

from suffice.types import Array

ISOLATED = 1e3  # times the range of all better values: beyond, an output is a penalty, not a measurement
TIED = 0.1  # of the values: where more coincide at different points, they may be rounded
RATE = 9.0  # κ reaches 8 000 at lam = 2
FARTHEST = 1e70  # |s| ends here: the squares of its warp stay finite, whatever penalty an objective returns


@dataclass(frozen=True)
class Outcome:
    """The monotone map y → z with its inverse."""

    unit: float = 1.0  # a power of two; division by it is exact and keeps 1e±300 away from overflow
    centre: float = 0.0
    spread: float = 1.0
    floor: float = -FARTHEST  # of s: what is worse counts as this bad
    lam: float = 1.0
    top: float = 0.0  # of s: where the logarithm of the shortfall starts; infinite: there is none
    shift: float = 0.0
    scale: float = 1.0
    sharp: bool = True  # whether a warp may resolve the neighbourhood of the best value
    step: float = 0.0  # of s: the values are rounded to multiples of it; 0: they are not rounded
    aside: tuple[int, ...] = ()  # rows of gross errors, by the order of observation: no model is made of these values

    def __call__(self, y: Array) -> Array:
        """z, (n,)."""
        z: Array = (warp(self.standard(y), self.lam, self.top) - self.shift) / self.scale
        return z

    def inverse(self, z: Array) -> Array:
        """y, (n,), in the user's units."""
        s = unwarp(np.asarray(z) * self.scale + self.shift, self.lam, self.top)
        y: Array = (s * self.spread + self.centre) * self.unit
        return y

    def halfwidth(self, z: Array, std: Array) -> Array:
        """Half of what lies between the inverses of z − std and z + std, (n,): user's units, the centre left out."""
        low, high = (unwarp((z + end) * self.scale + self.shift, self.lam, self.top) for end in (-std, std))
        half: Array = (high / 2 - low / 2) * self.spread * self.unit
        return half

    def derivative(self, y: Array) -> Array:
        """dz/dy, (n,)."""
        slope = np.exp(log_slope(self.standard(y), self.lam, self.top))
        with np.errstate(over="ignore", divide="ignore"):  # subnormal outputs
            derivative: Array = slope / (self.scale * self.spread * self.unit)
        return derivative

    def rounding(self, y: Array) -> Array:
        """The variance of z that rounding leaves open, (n,): a uniform error within a step has step²/12."""
        if not self.step:
            return np.zeros(len(y))
        slope = np.exp(log_slope(self.standard(y), self.lam, self.top))
        variance: Array = (self.step * slope / self.scale) ** 2 / 12.0
        return variance

    def standard(self, y: Array) -> Array:
        """s, (n,)."""
        with np.errstate(over="ignore"):
            s: Array = (np.asarray(y, dtype=float) / self.unit - self.centre) / self.spread
        return np.clip(s, self.floor, FARTHEST)

    def with_warp(self, y: Array, lam: float) -> "Outcome":
        """The map with another warp, standardised on y."""
        s = self.standard(y)
        top = (float(s.max()) if len(s) else 0.0) if self.sharp else math.inf
        u = warp(s, lam, top)
        deviation = float(u.std()) if len(u) else 0.0
        return replace(
            self,
            lam=lam,
            top=top,
            shift=float(u.mean()) if len(u) else 0.0,
            scale=deviation if deviation > 1e-12 else 1.0,
        )


def standardised(y: Array, lam: float = 1.0, *, sharp: bool = True) -> Outcome:
    """The map fitted to y: median and quartiles first, so that one outlier does not set the scale."""
    if not len(y):
        return Outcome(sharp=sharp)
    largest = float(np.max(np.abs(y)))
    unit = math.ldexp(1.0, min(math.frexp(largest)[1], 1023)) if largest > 0 else 1.0
    v = y / unit
    low, centre, high = (float(q) for q in np.quantile(v, [0.25, 0.5, 0.75]))
    # From quartiles to standard deviations; where half of the values are equal, the deviation itself.
    spread = (high - low) / 1.349
    if spread <= 1e-12 * abs(centre):
        spread = float(np.std(v))
    if spread <= 1e-14 * abs(centre):
        spread = 1.0  # constant outputs
    robust = Outcome(unit=unit, centre=centre, spread=spread, sharp=sharp)
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


def rounded_to(s: Array) -> float:
    """The step of a grid on which all values lie, if more than TIED of them coincide with another one; else 0.

    s    values at different points

    A single value that repeats is a plateau or a penalty, and says nothing about the others. So at least two have to
    repeat, and all have to be multiples of the smallest gap apart, which values that merely tie are not.
    """
    ordered = np.sort(s)
    gaps = np.diff(ordered)
    new = gaps > 1e-9 * (ordered[-1] - ordered[0]) if len(s) else gaps > 0  # less is rounding of floating point
    sizes = np.bincount(np.concatenate([[0], np.cumsum(new)])) if len(s) else np.zeros(0, dtype=np.intp)
    repeated = sizes[sizes > 1]
    if len(repeated) < 2 or repeated.sum() <= TIED * len(s):
        return 0.0
    places = gaps[new] / gaps[new].min()
    return float(gaps[new].min()) if np.all(np.abs(places - np.round(places)) < 1e-3) else 0.0


def warp(s: Array, lam: float, top: float) -> Array:
    """u, (n,). For lam ≤ 1: ((1 + s)^lam − 1)/lam for s ≥ 0, −((1 − s)^(2 − lam) − 1)/(2 − lam) for s < 0."""
    if lam <= 1.0 or math.isinf(top):
        size = np.abs(s)
        u: Array = np.where(s >= 0, boxcox1p(size, lam), -boxcox1p(size, 2.0 - lam))
        return u
    k, r = _kappa(lam), top - s
    return -np.where(r > 0, np.log1p(k * np.maximum(r, 0.0)) / k, r)


def unwarp(u: Array, lam: float, top: float) -> Array:
    """The inverse of `warp`."""
    if lam <= 1.0 or math.isinf(top):
        size = np.abs(u)
        s: Array = np.where(u >= 0, inv_boxcox1p(size, lam), -inv_boxcox1p(size, 2.0 - lam))
        return s
    k = _kappa(lam)
    largest = math.log(FARTHEST) + RATE  # of log(1 + κ r), with r as far as it goes and κ < exp(RATE)
    return top - np.where(u < 0, np.expm1(np.minimum(-k * np.minimum(u, 0.0), largest)) / k, -u)


def log_slope(s: Array, lam: float, top: float) -> Array:
    """log du/ds, (n,)."""
    if lam <= 1.0 or math.isinf(top):
        slope: Array = (lam - 1.0) * np.sign(s) * np.log1p(np.abs(s))
        return slope
    return -np.log1p(_kappa(lam) * np.maximum(top - s, 0.0))


def lam_slopes(s: Array, lam: float, top: float) -> tuple[Array, Array]:
    """du/dlam and d(log du/ds)/dlam, (n,) each; at lam = 1, where they jump, those from the left."""
    if lam <= 1.0 or math.isinf(top):
        size = np.abs(s)
        by_lam = np.where(s >= 0, _power_slope(size, lam), _power_slope(size, 2.0 - lam))
        return by_lam, np.sign(s) * np.log1p(size)
    k, r = _kappa(lam), np.maximum(top - s, 0.0)
    dk = RATE * (k + 1.0)
    x = k * r
    # (log(1 + x) − x/(1 + x)) / k² cancels for small x, where its series is r² (1/2 − 2x/3 + 3x²/4 − 4x³/5 …)
    small = np.minimum(x, 1e-3)
    series = r * r * (0.5 - small * (2.0 / 3.0 - small * (0.75 - 0.8 * small)))
    exact = (np.log1p(x) - x / (1.0 + x)) / (k * k)
    return dk * np.where(x < 1e-3, series, exact), -dk * r / (1.0 + x)


def _kappa(lam: float) -> float:
    return math.expm1(RATE * (lam - 1.0))


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
