"""A score whose values count only as far as a weight says: what is infeasible is worth the floor.

w      (m,)   weight, in [0, 1]          floor  float  what a point of weight 0 is worth

    α(x) = floor + w(x) (inner(x) − floor)      ∇α = w ∇inner + (inner − floor) ∇w

α lies between the floor and inner, so that a shift and a bound of inner carry over.
"""

from dataclasses import dataclass, field

import numpy as np

from suffice.belief import Beliefs, Believed
from suffice.types import Array, Domain, Indices, Score

ROUNDING = 4 * np.finfo(np.float64).eps  # of floor + w (b − floor), relative to |floor| + |b|: a proof must cover it
PASSED_ON = ("bounded", "sieves", "believes", "domain", "beta", "eta_asked", "kind")


@dataclass(frozen=True, eq=False)
class Weighted(Score):
    """α = floor + w (inner − floor); everything that inner offers and a weight leaves meaningful is passed on."""

    inner: Score
    weight: Score  # 0 ≤ w ≤ 1
    floor: float = 0.0
    smooth: bool = field(init=False, repr=False)
    curved: bool = field(init=False, repr=False)
    bounded: bool = field(init=False, repr=False)
    sieves: bool = field(init=False, repr=False)
    believes: bool = field(init=False, repr=False)
    domain: Domain | None = field(init=False, repr=False)
    beta: float | None = field(init=False, repr=False)
    eta_asked: float | None = field(init=False, repr=False)
    kind: str | None = field(init=False, repr=False)

    def __post_init__(self) -> None:
        if self.inner.logarithmic:
            raise ValueError(
                f"a weight multiplies an acquisition, and {type(self.inner).__name__} is the logarithm of one: "
                "take LogWeighted for it"
            )
        for name in PASSED_ON:
            object.__setattr__(self, name, getattr(self.inner, name))
        for name in ("smooth", "curved"):
            object.__setattr__(self, name, getattr(self.inner, name) and getattr(self.weight, name))

    def __call__(self, X: Array) -> Array:
        return self.floor + self.weight(X) * (self.inner(X) - self.floor)

    def value_and_grad(self, X: Array) -> tuple[Array, Array]:
        v, dv = self.inner.value_and_grad(X)
        w, dw = self.weight.value_and_grad(X)
        return self.floor + w * (v - self.floor), w[:, None] * dv + (v - self.floor)[:, None] * dw

    def with_hessian(self, X: Array, columns: Indices) -> tuple[Array, Array, Array]:
        v, dv, Hv = self.inner.with_hessian(X, columns)
        w, dw, Hw = self.weight.with_hessian(X, columns)
        v = v - self.floor
        across = dv[:, :, None] * dw[:, None]
        H = w[:, None, None] * Hv + v[:, None, None] * Hw + across + across.transpose(0, 2, 1)
        return self.floor + w * v, w[:, None] * dv + v[:, None] * dw, H

    def reach(self, X: Array, floor: float) -> Indices:
        """Above its own floor α is at most inner."""
        if floor <= self.floor:
            return np.arange(len(X))
        return self.inner.reach(X, floor - ROUNDING * (abs(self.floor) + abs(floor)))

    def width(self, X: Array) -> Array | None:
        return self.inner.width(X)

    def shift(self, n: int) -> float | None:
        """max(C, −floor): α is at least the smaller one of inner and the floor."""
        shift = self.inner.shift(n)
        return None if shift is None else max(shift, -self.floor)

    def bound(self, lower: Array, upper: Array) -> Array:
        """floor + w (b − floor) for a bound b of inner and the largest w; the floor where b is below it."""
        b = self.inner.bound(lower, upper)
        w = np.clip(self.weight.bound(lower, upper), 0.0, 1.0) if self.weight.bounded else 1.0
        return np.maximum(self.floor, self.floor + w * (b - self.floor) + ROUNDING * (abs(self.floor) + np.abs(b)))

    @property
    def seeds(self) -> Array | None:
        return self.inner.seeds

    @property
    def scales(self) -> Array | None:
        return self.inner.scales


#| -- acquisition.logweighted: The logarithm of an acquisition whose values count only as far as a weight says: the
#| twin of Weighted.
#|
#| w  (m,)  weight, in (0, 1]          p  float  how much it counts
#|
#|     α(x) = inner(x) + p log w(x)        ∇α = ∇inner + p ∇w/w
#|
#| An acquisition whose logarithm is taken spans many orders of magnitude: once the surroundings of the best point are
#| known, a point that can hardly be evaluated, but would be worth a lot, beats all the others. With p = 1 the product
#| is
#| the expected improvement, and a run goes on failing at the edge of what works, with every second suggestion.
#| Between a
#| success and a failure at a distance b, where w falls and the improvement rises evenly, α is largest at b/(1 + p),
#| and
#| one in 1 + p of such suggestions fails.

ROUNDING_LOGWEIGHTED = 8 * np.finfo(np.float64).eps  # of a sum, relative to its parts: a proof must cover it
PASSED_ON_LOGWEIGHTED = ("bounded", "sieves", "believes", "domain", "ceiling", "beta", "kind", "eta_asked")


@dataclass(frozen=True, eq=False)
class LogWeighted(Score):
    """α = inner + p log w; everything that inner offers is passed on, since α is nowhere above inner."""

    inner: Score
    weight: Score  # 0 < w ≤ 1
    power: float = 1.0
    smooth: bool = field(init=False, repr=False)
    bounded: bool = field(init=False, repr=False)
    sieves: bool = field(init=False, repr=False)
    believes: bool = field(init=False, repr=False)
    domain: Domain | None = field(init=False, repr=False)
    ceiling: float | None = field(init=False, repr=False)
    beta: float | None = field(init=False, repr=False)
    base: float | None = field(init=False, repr=False)
    kind: str | None = field(init=False, repr=False)
    eta_asked: float | None = field(init=False, repr=False)
    logarithmic = True

    def __post_init__(self) -> None:
        if not self.inner.logarithmic:
            raise ValueError(f"{type(self.inner).__name__} is no logarithm of an acquisition: take Weighted for it")
        for name in PASSED_ON_LOGWEIGHTED:
            object.__setattr__(self, name, getattr(self.inner, name))
        object.__setattr__(self, "smooth", self.inner.smooth and self.weight.smooth)
        # An expected excess times a probability is one, but not times a power of it.
        object.__setattr__(self, "base", self.inner.base if self.power == 1.0 else None)

    def __call__(self, X: Array) -> Array:
        return self.inner(X) + self.power * np.log(self.weight(X))

    def value_and_grad(self, X: Array) -> tuple[Array, Array]:
        v, dv = self.inner.value_and_grad(X)
        w, dw = self.weight.value_and_grad(X)
        return v + self.power * np.log(w), dv + self.power * dw / w[:, None]

    def reach(self, X: Array, floor: float) -> Indices:
        return self.inner.reach(X, floor)

    def width(self, X: Array) -> Array | None:
        return self.inner.width(X)

    def shift(self, n: int) -> float | None:
        return self.inner.shift(n)

    def bound(self, lower: Array, upper: Array) -> Array:
        """The bound of inner, lowered by what the largest w takes away."""
        b = self.inner.bound(lower, upper)
        if not self.weight.bounded:
            return b
        less = self.power * np.log(np.clip(self.weight.bound(lower, upper), np.finfo(float).tiny, 1.0))
        return np.asarray(b + less + ROUNDING_LOGWEIGHTED * (np.abs(b) + np.abs(less)))

    @property
    def seeds(self) -> Array | None:
        return self.inner.seeds

    @property
    def scales(self) -> Array | None:
        return self.inner.scales


#| -- acquisition.capped: A score that leaves out points of which the points under way are believed to tell nearly
#| all.
#|
#| I(x)   (m,)   information about f(x), in nats, from the points under way at the mean (belief/believed.py)
#| c      float  the cap: at most so much of what is known about a point that is proposed may be belief
#|
#|     α(x) − STEEP max(0, I(x) − c)                            of a logarithm
#|     floor + exp(−STEEP max(0, I(x) − c)) (α(x) − floor)      of any other, floor the worst value seen
#|
#| Belief in the mean runs dry: once the points under way are where the mean is best, nothing is expected to improve
#| on
#| them, and the best that is left is the same place again, of which all is believed to be known.

# Of the deviation of a point that is proposed at least 1/e is no belief. In batches of 64 on eight functions, with four
# seeds, half a nat kept points further apart (7 % near another one instead of 14 %), with a mean log10 regret of −2.34
# instead of −2.42, which may be chance (measurements/batches.md).
CAP = 1.0  # nats
STEEP = 1e3  # for each nat beyond the cap: more than most scores differ by, and still a slope
PASSED_ON_CAPPED = (
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
        for name in PASSED_ON_CAPPED:
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
