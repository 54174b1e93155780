"""A score that leaves out points of which the points under way are believed to tell nearly all.

I(x)   (m,)   information about f(x), in nats, from the points under way at the mean (belief/believed.py)
c      float  the cap: at most so much of what is known about a point that is proposed may be belief

    α(x) − STEEP max(0, I(x) − c)                            of a logarithm
    floor + exp(−STEEP max(0, I(x) − c)) (α(x) − floor)      of any other, floor the worst value seen

Belief in the mean runs dry: once the points under way are where the mean is best, nothing is expected to improve on
them, and the best that is left is the same place again, of which all is believed to be known.
"""

from dataclasses import dataclass

import numpy as np

from suffice.belief import Beliefs, Believed
from suffice.types import Array, Indices, Score

# Of the deviation of a point that is proposed at least 1/e is no belief. In batches of 64 on eight functions, with four
# seeds, half a nat kept points further apart (7 % near another one instead of 14 %), with a mean log10 regret of −2.34
# instead of −2.42, which may be chance (docs/measurements/batches.md).
CAP = 1.0  # nats
STEEP = 1e3  # for each nat beyond the cap: more than most scores differ by, and still a slope
PASSED_ON = (
    *("smooth", "bounded", "sieves", "believes", "logarithmic", "domain", "ceiling"),
    *("beta", "base", "kind", "eta_asked", "reference", "unit"),
)


def where_it_tells(alpha: Score, beliefs: Beliefs) -> Score:
    """alpha_t where enough of what is known is no belief."""
    believed = beliefs.believed[beliefs.objectives[0]]
    if not alpha.believes or not isinstance(believed, Believed):
        return alpha
    floor = 0.0 if alpha.shift(1) == 0.0 else float(believed.observed.z.min(initial=0.0))
    return Capped(alpha, believed, floor, CAP)


@dataclass(frozen=True, eq=False)
class Capped(Score):
    """alpha, and far below it where I(x) is above the cap."""

    inner: Score
    believed: Believed
    floor: float
    cap: float = CAP

    def __post_init__(self) -> None:
        for name in PASSED_ON:
            object.__setattr__(self, name, getattr(self.inner, name))

    def __call__(self, X: Array) -> Array:
        return self._lowered(self.inner(X), self._beyond(X))

    def value_and_grad(self, X: Array) -> tuple[Array, Array]:
        value, gradient = self.inner.value_and_grad(X)
        beyond = self._beyond(X)
        rows = np.flatnonzero(beyond > 0.0)
        if not len(rows):
            return value, gradient
        slope = -STEEP * self.believed.told_grad(X, rows)
        lowered = self._lowered(value, beyond)
        gradient = gradient.copy()
        if self.inner.logarithmic:
            gradient[rows] += slope
        else:
            w = np.exp(-STEEP * beyond[rows])[:, None]
            gradient[rows] = w * gradient[rows] + (lowered[rows] - self.floor)[:, None] * slope
        return lowered, gradient

    def reach(self, X: Array, floor: float) -> Indices:
        return self.inner.reach(X, floor) if floor > self.floor or self.inner.logarithmic else np.arange(len(X))

    def width(self, X: Array) -> Array | None:
        return self.inner.width(X)

    def shift(self, n: int) -> float | None:
        shift = self.inner.shift(n)
        return None if shift is None else max(shift, -self.floor)

    def bound(self, lower: Array, upper: Array) -> Array:
        b = self.inner.bound(lower, upper)
        return b if self.inner.logarithmic else np.maximum(self.floor, b)

    @property
    def seeds(self) -> Array | None:
        return self.inner.seeds

    @property
    def scales(self) -> Array | None:
        return self.inner.scales

    def _beyond(self, X: Array) -> Array:
        return np.maximum(0.0, self.believed.told(X) - self.cap)

    def _lowered(self, value: Array, beyond: Array) -> Array:
        if self.inner.logarithmic:
            return value - STEEP * beyond
        lowered = self.floor + np.exp(-STEEP * beyond) * (value - self.floor)
        return np.where(beyond > 0.0, lowered, value)
