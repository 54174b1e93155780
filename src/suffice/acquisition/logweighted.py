"""The logarithm of an acquisition whose values count only as far as a weight says: the twin of Weighted.

w  (m,)  weight, in (0, 1]          p  float  how much it counts

    α(x) = inner(x) + p log w(x)        ∇α = ∇inner + p ∇w/w

An acquisition whose logarithm is taken spans many orders of magnitude: once the surroundings of the best point are
known, a point that can hardly be evaluated, but would be worth a lot, beats all the others. With p = 1 the product is
the expected improvement, and a run goes on failing at the edge of what works, with every second suggestion. Between a
success and a failure at a distance b, where w falls and the improvement rises evenly, α is largest at b/(1 + p), and
one in 1 + p of such suggestions fails.
"""

from dataclasses import dataclass, field

import numpy as np

from suffice.types import Array, Domain, Indices, Score

ROUNDING = 8 * np.finfo(np.float64).eps  # of a sum, relative to its parts: a proof must cover it
PASSED_ON = ("bounded", "sieves", "believes", "domain", "ceiling", "beta", "kind", "eta_asked")


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
        for name in PASSED_ON:
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
        return np.asarray(b + less + ROUNDING * (np.abs(b) + np.abs(less)))

    @property
    def seeds(self) -> Array | None:
        return self.inner.seeds

    @property
    def scales(self) -> Array | None:
        return self.inner.scales
