"""Thompson sampling: maximize one sample of the posterior, its standard deviation scaled by β_t (paper, Alg. 2).

f   a sample of the posterior          α_t = μ + β_t (f − μ), a sample of mean μ and sd β_t σ
v   (n,)  the weights of the data in a path: f(x) = m + f0(x) + k(x)'v, f0 a sample of the prior
a   (n,)  their weights in the mean: μ(x) = m + k(x)'a
ṽ   float the widening of inexact GP-TS, (1/η̃ − 1) B, η̃ the accuracy required of the solver before the sample
"""

import math
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
from numpy.random import Generator

from suffice.accuracy.estimate import thompson_shift
from suffice.acquisition.information import cover
from suffice.acquisition.ucb import Constant, Scheduled
from suffice.belief import Beliefs
from suffice.checks import NOTHING, as_bool, as_count, as_real
from suffice.gp.posterior import Path, joint_draw, sample_path
from suffice.space import PointSet, row_keys
from suffice.types import Array, Domain, Score, Solved, Step


@dataclass(frozen=True)
class Thompson:
    """Thompson sampling: sample one function that agrees with the data, and try the point where it is best.

    Every ask samples another function, so points that are asked for at the same time differ by themselves. With sixteen
    workers this was no better than the other rules, which take pending points at the mean
    (measurements/batches.md).

    Parameters
    ----------
    beta : SqrtLog, Widening, Constant, Theory, float or callable, default: Constant(0.5)
        Multiplies the distance of the function from the prediction: 1.0 is classical Thompson sampling, a larger value
        explores more, and the paper's sf.acquisition.SqrtLog() grows with t and keeps exploring.
    features : int, default: 1024
        The number of random frequencies of the sampled function.
    exact : bool, default: False
        Whether to sample jointly on a set of points instead, without frequencies.
    points : int, default: 2000
        The size of that set; a sample costs points³.
    B : float or None, default: None
        A bound on the norm of f in standardised outputs, which widens the standard deviation for an inexact solver
        (inexact GP-TS, Theorem 2): β_t σ + ṽ_t. None takes the solver to be exact.
    eta : float, default: 0.99
        The accuracy η̃ for which the first step is widened; afterwards it is what the last step's solver aimed at.
    """

    beta: Scheduled = Scheduled(
        Constant(0.5)
    )  # about the regret of UCB; wider samples had more of it (measurements/defaults.md)
    features: int = 1024
    exact: bool = False
    points: int = 2000
    B: float | None = None
    eta: float = 0.99

    def __post_init__(self) -> None:
        as_count(self.features, "features, the number of frequencies of a path,", 1)
        as_count(self.points, "points, the size of the set of an exact sample,", 1)
        as_bool(self.exact, "exact")
        if self.B is not None and not (0 <= as_real(self.B, "B") < math.inf and not self.exact):
            raise ValueError(
                f"B, a bound on the norm of f, must be finite and ≥ 0, and needs exact=False; got {self.B!r}"
            )
        if not 0 < as_real(self.eta, "eta") <= 1:
            raise ValueError(f"eta, the accuracy required of the solver, must be in (0, 1], got {self.eta!r}")

    def __call__(
        self, beliefs: Beliefs, domain: Domain, *, step: Step, rng: Generator
    ) -> "PathScore | WidenedScore | DrawScore":
        posterior = beliefs.observed
        beta = self.beta(step, posterior)
        if self.exact:
            points = cover(domain, self.points, rng)
            mean = posterior.mean(points)
            return DrawScore(PointSet(points), mean + beta * (joint_draw(posterior, points, rng) - mean), beta)
        path = sample_path(posterior, rng, self.features)
        if self.B is not None:
            eta = self._eta(step.last)
            return WidenedScore(path, beta, (1 / eta - 1) * self.B, eta)
        return PathScore(stretched(path, beta), beta)

    def _eta(self, last: Solved | None) -> float:
        """η̃_t = (α* − allowance + C) / (α* + C): the last step's allowance of its solver and estimate of α*."""
        allowed = None if last is None else last.eta_allowed
        # a solver that aimed at nothing would widen without limit
        return self.eta if allowed is None else max(allowed, 1e-3)


@dataclass(frozen=True, eq=False)
class PathScore(Score):
    """A path whose standard deviation is already scaled by β."""

    path: Path = field(repr=False)
    beta: float = field()
    smooth = True

    def __call__(self, X: Array) -> Array:
        return self.path(X)

    def value_and_grad(self, X: Array) -> tuple[Array, Array]:
        return self.path.value_and_grad(X)

    def width(self, X: Array) -> Array:
        """2 β σ(x), (m,)."""
        return 2 * self.beta * self.path.posterior.predict(X)[1]

    def shift(self, n: int) -> float:
        """C_t with α + C_t ≥ 0 on n points, with probability 0.9."""
        return thompson_shift(self.path.posterior, self.beta, n)


@dataclass(frozen=True, eq=False)
class WidenedScore(Score):
    """μ + (β σ + ṽ) r with r = (f − μ)/max(σ, 1e-6 s): a sample with standard deviation β σ + ṽ everywhere."""

    path: Path = field(repr=False)
    beta: float = field()
    widening: float = field()
    eta_asked: float = field()  # η̃, for the record
    smooth = True

    def __call__(self, X: Array) -> Array:
        mean, std = self.path.posterior.predict(X)
        std = np.maximum(std, NOTHING * self.path.posterior.scale)
        return mean + (self.beta * std + self.widening) * (self.path(X) - mean) / std

    def value_and_grad(self, X: Array) -> tuple[Array, Array]:
        floor = NOTHING * self.path.posterior.scale
        mean, std, d_mean, d_std = self.path.posterior.predict_grad(X)
        d_std = np.where((std > floor)[:, None], d_std, 0.0)
        std = np.maximum(std, floor)
        f, d_f = self.path.value_and_grad(X)
        r = (f - mean) / std
        d_r = (d_f - d_mean - r[:, None] * d_std) / std[:, None]
        width = self.beta * std + self.widening
        return mean + width * r, d_mean + self.beta * d_std * r[:, None] + width[:, None] * d_r

    def width(self, X: Array) -> Array:
        """2 (β σ(x) + ṽ), (m,)."""
        return 2 * (self.beta * self.path.posterior.predict(X)[1] + self.widening)

    def shift(self, n: int) -> float:
        """C_t with α + C_t ≥ 0 on n points, with probability 0.9."""
        return thompson_shift(self.path.posterior, self.beta, n, widening=self.widening)


@dataclass(frozen=True, eq=False)
class DrawScore(Score):
    """A joint sample on a finite set, its standard deviation scaled by β: −∞ outside the set."""

    domain: PointSet = field(repr=False)
    values: Array = field(repr=False)
    beta: float = field()

    def __call__(self, X: Array) -> Array:
        rows = (self._row_of.get(key, -1) for key in row_keys(X))
        return np.append(self.values, -np.inf)[np.fromiter(rows, dtype=np.intp, count=len(X))]

    @cached_property
    def _row_of(self) -> dict[bytes, int]:
        return {key: row for row, key in enumerate(row_keys(self.domain.points))}


def stretched(path: Path, beta: float) -> Path:
    """μ + β (f − μ), which is a path itself: prior part β f0, data weights a + β (v − a)."""
    a = path.posterior.a
    return replace(path, weights=beta * path.weights, correction=a + beta * (path.correction - a))
