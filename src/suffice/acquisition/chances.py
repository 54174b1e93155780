"""How probable it is that a point satisfies every constraint, and scores that count as far as it does.

c        a constrained output, larger-is-better          l_c   float  the level that it must reach, model units
μ_c, σ_c (m,)  posterior mean and deviation of it        u_c   (m,)   (μ_c − l_c)/σ_c

    log P(x) = Σ_c log Φ(u_c(x))            α(x) = inner(x) + log P(x)     of an acquisition whose logarithm is taken

The outputs are modelled one by one, so that their chances multiply (Gardner et al. 2014; Gelbart et al. 2014). Noise of
a measurement is left out: it is the output itself that must be within its limit.
"""

from dataclasses import dataclass, field

import numpy as np

from suffice.accuracy.report import FINDING
from suffice.acquisition.improvement import ImprovementScore, LogGainProbability
from suffice.belief import Beliefs
from suffice.gp.posterior import Posterior
from suffice.types import Array, Domain, Indices, Score

ROUNDING = 8 * np.finfo(np.float64).eps  # of a sum, relative to its parts: a proof must cover it
PASSED_ON = ("sieves", "believes", "domain", "beta", "kind", "eta_asked", "reference", "unit")


@dataclass(frozen=True, eq=False)
class LogProduct(Score):
    """inner + Σ parts: the logarithm of an acquisition times probabilities, none of whose logarithms is above 0."""

    inner: Score
    parts: tuple[Score, ...]
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
    reference: Array | None = field(init=False, repr=False)
    unit: float | None = field(init=False, repr=False)
    logarithmic = True

    def __post_init__(self) -> None:
        if not self.inner.logarithmic:
            raise ValueError(f"{type(self.inner).__name__} is no logarithm of an acquisition: take Weighted for it")
        for name in (*PASSED_ON, "ceiling", "base"):
            object.__setattr__(self, name, getattr(self.inner, name))
        object.__setattr__(self, "smooth", self.inner.smooth and all(part.smooth for part in self.parts))
        object.__setattr__(self, "bounded", self.inner.bounded)

    def __call__(self, X: Array) -> Array:
        return np.asarray(self.inner(X) + sum(part(X) for part in self.parts))

    def value_and_grad(self, X: Array) -> tuple[Array, Array]:
        value, gradient = self.inner.value_and_grad(X)
        for part in self.parts:
            v, g = part.value_and_grad(X)
            value, gradient = value + v, gradient + g
        return value, gradient

    def reach(self, X: Array, floor: float) -> Indices:
        return self.inner.reach(X, floor)

    def shift(self, n: int) -> float | None:
        return self.inner.shift(n)

    def bound(self, lower: Array, upper: Array) -> Array:
        """The bound of inner, lowered by what the largest probabilities take away."""
        bounds = [part.bound(lower, upper) for part in (self.inner, *self.parts) if part.bounded]
        size = np.sum(np.abs(bounds), axis=0)
        return np.asarray(np.sum(bounds, axis=0) + ROUNDING * size)

    @property
    def seeds(self) -> Array | None:
        return self.inner.seeds

    @property
    def scales(self) -> Array | None:
        return self.inner.scales


@dataclass(frozen=True, eq=False)
class Chance(Score):
    """P(x) = Π_c Φ(u_c(x)), a weight in [0, 1] for an acquisition that is no logarithm."""

    parts: tuple[Score, ...]
    smooth, bounded = True, True

    def __call__(self, X: Array) -> Array:
        return np.exp(sum(part(X) for part in self.parts))

    def value_and_grad(self, X: Array) -> tuple[Array, Array]:
        log, gradient = np.zeros(len(X)), np.zeros_like(X)
        for part in self.parts:
            v, g = part.value_and_grad(X)
            log, gradient = log + v, gradient + g
        return np.exp(log), np.exp(log)[:, None] * gradient

    def bound(self, lower: Array, upper: Array) -> Array:
        """P is at most the product of what each of them is at most, (m,), proven."""
        bounds = [part.bound(lower, upper) for part in self.parts if part.bounded]
        return np.minimum(1.0, np.exp(np.sum(bounds, axis=0)) * (1.0 + ROUNDING)) if bounds else np.ones(len(lower))


def log_chances(beliefs: Beliefs) -> tuple[Score, ...]:
    """log Φ(u_c) of each constrained output, pending points at the mean."""
    return tuple(_log_chance(beliefs.believed[name], level) for name, level in beliefs.levels.items())


def p_feasible(beliefs: Beliefs, x: Array) -> float | None:
    """P(x) at one point, (d,), by what was measured alone, pending points left out; None without constraints."""
    parts = tuple(_log_chance(beliefs.posteriors[name], level) for name, level in beliefs.levels.items())
    return float(Chance(parts)(x[None])[0]) if parts else None


def _log_chance(posterior: Posterior, level: float) -> Score:
    return ImprovementScore(posterior, LogGainProbability(level), logarithmic=True, ceiling=0.0)


@dataclass(frozen=True, eq=False)
class Found(LogProduct):
    """log P(x) by itself: where the first point within all limits is most probable."""

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "kind", FINDING)


def to_find_feasible(beliefs: Beliefs) -> Score:
    """What a point is worth while none within all limits is known."""
    first, *others = log_chances(beliefs)
    return Found(first, tuple(others))
