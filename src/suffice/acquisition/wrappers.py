"""Scores whose values count only as far as a weight says.

w      (m,)   weight, in [0, 1]          floor  float  what a point of weight 0 is worth
p      float  how much a weight counts   I(x)   (m,)   the expected information of the pending points about f(x), nats

    Weighted      α = floor + w (inner − floor)          ∇α = w ∇inner + (inner − floor) ∇w
    LogProduct    α = inner + Σ log w_i                  of an acquisition whose logarithm is taken
    LogWeighted   α = inner + p log w
    Capped        inner, and far below it where I(x) is above a cap

α lies between the floor and inner, so a shift and a bound of inner carry over.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from suffice.belief import Beliefs, Believed
from suffice.gp.box_bounds import ROUNDING
from suffice.types import Array, Indices, Score, Wrapper, derived

STEEP = 1e3  # for each nat beyond the cap: more than most scores differ by, and still a slope


@dataclass(frozen=True, eq=False)
class Weighted(Wrapper):
    """α = floor + w (inner − floor)."""

    weight: Score  # 0 ≤ w ≤ 1
    floor: float = 0.0
    smooth = derived(lambda self: self.inner.smooth and self.weight.smooth)
    curved = derived(lambda self: self.inner.curved and self.weight.curved)
    base = None  # what is below the floor does not make α an expected excess

    def __post_init__(self) -> None:
        if self.inner.logarithmic:
            raise ValueError(f"{type(self.inner).__name__} is the logarithm of an acquisition: use LogWeighted")

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

    def shift(self, n: int) -> float | None:
        """max(C, −floor): α is at least the smaller one of inner and the floor."""
        shift = self.inner.shift(n)
        return None if shift is None else max(shift, -self.floor)

    def bound(self, lower: Array, upper: Array) -> Array:
        """floor + w (b − floor) for a bound b of inner and the largest w; the floor where b is below it."""
        b = self.inner.bound(lower, upper)
        w = np.clip(self.weight.bound(lower, upper), 0.0, 1.0) if self.weight.bounded else 1.0
        return np.maximum(self.floor, self.floor + w * (b - self.floor) + ROUNDING * (abs(self.floor) + np.abs(b)))


@dataclass(frozen=True, eq=False)
class Average(Score):
    """Σ w_k α_k over the members of an ensemble, or log Σ w_k exp α_k of logarithms.

    So the average is over what the logarithms are of: an expected improvement of the mixture is the average of the
    members'. With p_k ∝ w_k exp α_k:    ∇α = Σ p_k g_k    ∇²α = Σ p_k (H_k + g_k g_k') − ∇α ∇α'
    """

    parts: tuple[tuple[float, Score], ...]
    smooth = derived(lambda self: all(part.smooth for _, part in self.parts))
    curved = derived(lambda self: all(part.curved for _, part in self.parts))
    bounded = derived(lambda self: all(part.bounded for _, part in self.parts))
    sieves = derived(lambda self: all(part.sieves for _, part in self.parts))
    believes = derived(lambda self: any(part.believes for _, part in self.parts))
    logarithmic = derived(lambda self: self.parts[0][1].logarithmic)
    domain = derived(lambda self: self.parts[0][1].domain)
    ceiling = derived(lambda self: self.parts[0][1].ceiling)
    kind = derived(lambda self: self.parts[0][1].kind)

    @property
    def base(self) -> float | None:  # type: ignore[override]
        """The average of what has to be beaten."""
        bases = [part.base for _, part in self.parts]
        return None if None in bases else math.fsum(w * b for (w, _), b in zip(self.parts, bases, strict=True) if b)

    @property
    def scales(self) -> Array | None:
        """The geometric mean of the members'."""
        scales = [part.scales for _, part in self.parts]
        return None if any(s is None for s in scales) else np.asarray(np.exp(np.mean(np.log(np.array(scales)), axis=0)))

    def __call__(self, X: Array) -> Array:
        return self._mean(np.array([part(X) for _, part in self.parts]))[0]

    def value_and_grad(self, X: Array) -> tuple[Array, Array]:
        values, gradients = zip(*(part.value_and_grad(X) for _, part in self.parts), strict=True)
        value, p = self._mean(np.array(values))
        return value, (p[..., None] * np.array(gradients)).sum(axis=0)

    def with_hessian(self, X: Array, columns: Indices) -> tuple[Array, Array, Array]:
        values, gradients, hessians = zip(*(part.with_hessian(X, columns) for _, part in self.parts), strict=True)
        return self.combined(np.array(values), np.array(gradients), np.array(hessians))

    def combined(self, values: Array, gradients: Array, hessians: Array) -> tuple[Array, Array, Array]:
        """Value, gradient and Hessian of the average, from (K, m), (K, m, p) and (K, m, p, p)."""
        value, p = self._mean(values)
        G = (p[..., None] * gradients).sum(axis=0)
        H = (p[..., None, None] * hessians).sum(axis=0)
        if self.logarithmic:
            left = (p[..., None] * gradients).transpose(1, 2, 0)
            H += left @ gradients.transpose(1, 0, 2) - G[:, :, None] * G[:, None]
        return value, G, H

    def reach(self, X: Array, floor: float) -> Indices:
        """An average reaches the floor only where a part does."""
        found = np.zeros(len(X), dtype=np.bool_)
        for _, part in self.parts:
            left = np.flatnonzero(~found)
            found[left[part.reach(X[left], floor)]] = True
        return np.flatnonzero(found)

    def shift(self, n: int) -> float | None:
        shifts = [part.shift(n) for _, part in self.parts]
        found = [shift for shift in shifts if shift is not None]
        return max(found) if len(found) == len(shifts) else None

    def bound(self, lower: Array, upper: Array) -> Array:
        """The average of the parts' bounds, since the average rises with each of them."""
        bound = self._mean(np.array([part.bound(lower, upper) for _, part in self.parts]))[0]
        return bound + ROUNDING * (1.0 + np.abs(bound))

    def _mean(self, values: Array) -> tuple[Array, Array]:
        """The average of (K, m) values, (m,), and its derivatives in each of them, (K, m)."""
        w = np.array([weight for weight, _ in self.parts])[:, None]
        if not self.logarithmic:
            return (w * values).sum(axis=0), np.broadcast_to(w, values.shape)
        highest = values.max(axis=0)
        safe = np.where(np.isfinite(highest), highest, 0.0)
        terms = w * np.exp(values - safe)
        total = terms.sum(axis=0)
        with np.errstate(divide="ignore", invalid="ignore"):
            value, p = safe + np.log(total), terms / np.where(total > 0.0, total, 1.0)
        return value if self.ceiling is None else np.minimum(value, self.ceiling), p  # weights add up to 1 but for ε


def over_members(
    members: tuple[tuple[float, Beliefs], ...],
    score: Callable[[Beliefs], Score],
    average: Callable[[tuple[tuple[float, Score], ...]], Score],
) -> Score:
    """The score of the only member, or the average over all of them, made in their order."""
    parts = tuple((w, score(member)) for w, member in members)
    return parts[0][1] if len(parts) == 1 else average(parts)


class LogSum(Wrapper):
    """inner + Σ parts, none of which is above 0: the logarithm of a product."""

    parts: tuple[Score, ...]
    smooth = derived(lambda self: self.inner.smooth and all(part.smooth for part in self.parts))

    def __post_init__(self) -> None:
        if not self.inner.logarithmic:
            raise ValueError(f"{type(self.inner).__name__} is not the logarithm of an acquisition: use Weighted")

    def __call__(self, X: Array) -> Array:
        return np.asarray(self.inner(X) + sum(part(X) for part in self.parts))

    def value_and_grad(self, X: Array) -> tuple[Array, Array]:
        value, gradient = self.inner.value_and_grad(X)
        for part in self.parts:
            v, g = part.value_and_grad(X)
            value, gradient = value + v, gradient + g
        return value, gradient

    def bound(self, lower: Array, upper: Array) -> Array:
        """The bound of inner, lowered by the largest values of those parts that have a bound."""
        bounds = [part.bound(lower, upper) for part in (self.inner, *self.parts) if part.bounded]
        return np.asarray(np.sum(bounds, axis=0) + ROUNDING * np.sum(np.abs(bounds), axis=0))


@dataclass(frozen=True, eq=False)
class LogProduct(LogSum):
    """inner + Σ parts: the logarithm of an acquisition times probabilities, whose logarithms are the parts."""

    parts: tuple[Score, ...]


@dataclass(frozen=True, eq=False)
class LogWeighted(LogSum):
    """α = inner + p log w, the twin of `Weighted` for an acquisition whose logarithm is taken.

    Such an acquisition spans many orders of magnitude: once the surroundings of the best point are known, a point that
    can hardly be evaluated, but would be worth a lot, beats all others. With p = 1, which is the expected improvement,
    every second suggestion at the edge of what works fails. Between a success and a failure at a distance b, where w
    falls and the improvement rises evenly, α is largest at b/(1 + p), and one in 1 + p of such suggestions fails.
    """

    weight: Score  # 0 < w ≤ largest
    power: float = 1.0
    largest: float = 1.0
    # An expected excess times a probability is one, but not times a power of it.
    base = derived(lambda self: self.inner.base if self.power == 1.0 else None)
    unit = derived(lambda self: self.inner.unit if self.power == 1.0 else None)
    parts = derived(lambda self: (LogPower(self.weight, self.power),))

    def discounted(self, x: Array, power: float) -> float:
        """What α at x, (d,), changes by, if w counts with another power of how far it is below the largest weight.

        Random failures lower w everywhere, and favour no point over others.
        """
        w, most = math.log(float(self.weight(x[None])[0])), math.log(self.largest)
        return most + power * (w - most) - self.power * w


@dataclass(frozen=True, eq=False)
class LogPower(Score):
    """p log w."""

    weight: Score
    power: float
    smooth = derived(lambda self: self.weight.smooth)
    bounded = derived(lambda self: self.weight.bounded)

    def __call__(self, X: Array) -> Array:
        return self.power * np.log(self.weight(X))

    def value_and_grad(self, X: Array) -> tuple[Array, Array]:
        w, dw = self.weight.value_and_grad(X)
        return self.power * np.log(w), self.power * dw / w[:, None]

    def bound(self, lower: Array, upper: Array) -> Array:
        return self.power * np.log(np.clip(self.weight.bound(lower, upper), np.finfo(float).tiny, 1.0))


def where_it_tells(alpha: Score, beliefs: Beliefs) -> Score:
    """alpha_t without the points whose values the pending ones nearly determine."""
    believed = beliefs.believed[beliefs.objectives[0]]
    if not alpha.believes or not isinstance(believed, Believed):
        return alpha
    floor = 0.0 if alpha.shift(1) == 0.0 else float(believed.observed.z.min(initial=0.0))
    return Capped(alpha, believed, floor)


@dataclass(frozen=True, eq=False)
class Capped(Wrapper):
    """inner, and far below it where I(x) is above the cap: by STEEP for each nat, or with the weight exp(−STEEP …).

    Belief in the mean runs dry: once the pending points are where the mean is best, nothing is expected to improve on
    them, and the best that is left is in the same region again, where the value is already predictable.
    """

    believed: Believed
    floor: float
    # In nats: of the standard deviation of a proposed point at least 1/e is no belief. In batches of 64 on eight
    # functions, with four seeds, half a nat kept points further apart (7 % near another one instead of 14 %), with a
    # mean log10 regret of −2.34 instead of −2.42, which may be chance (measurements/batches.md).
    cap: float = 1.0

    def __call__(self, X: Array) -> Array:
        return self._lowered(self.inner(X), self._beyond(X))

    def value_and_grad(self, X: Array) -> tuple[Array, Array]:
        value, gradient = self.inner.value_and_grad(X)
        beyond = self._beyond(X)
        rows = np.flatnonzero(beyond > 0.0)
        if not len(rows):
            return value, gradient
        slope = -STEEP * self.believed.information_grad(X, rows)
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

    def shift(self, n: int) -> float | None:
        shift = self.inner.shift(n)
        return None if shift is None else max(shift, -self.floor)

    def bound(self, lower: Array, upper: Array) -> Array:
        b = self.inner.bound(lower, upper)
        return b if self.inner.logarithmic else np.maximum(self.floor, b)

    def _beyond(self, X: Array) -> Array:
        return np.maximum(0.0, self.believed.information(X) - self.cap)

    def _lowered(self, value: Array, beyond: Array) -> Array:
        if self.inner.logarithmic:
            return value - STEEP * beyond
        lowered = self.floor + np.exp(-STEEP * beyond) * (value - self.floor)
        return np.where(beyond > 0.0, lowered, value)
