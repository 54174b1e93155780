"""A score whose values count only as far as a weight says: what is infeasible is worth the floor.

w      (m,)   weight, in [0, 1]          floor  float  what a point of weight 0 is worth

    α(x) = floor + w(x) (inner(x) − floor)      ∇α = w ∇inner + (inner − floor) ∇w

α lies between the floor and inner, so that a shift and a bound of inner carry over.
"""

from dataclasses import dataclass, field

import numpy as np

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
