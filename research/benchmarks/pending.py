"""What to make of points that are under way: rules that turn an acquisition for one worker into one for many.

P      (p, d)  pending points                   μ, σ   posterior mean and deviation, without the pending points
M      float   the largest μ at an observed point
L      float   the largest |∇μ| over draws: how fast the mean rises at most

Each rule is an acquisition that holds an acquisition; `Drawn` and `Apart` are solvers, because they exchange the
maximum.
"""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.random import Generator
from scipy.special import log_ndtr

from suffice.belief import Beliefs
from suffice.candidates import local
from suffice.gp.posterior import Posterior, joint_draw
from suffice.solvers.record import Work, ranked, record
from suffice.types import Array, Domain, Score, Solution, Step, as_score

Value = Callable[[Posterior, Array, Generator], Array]  # what is believed at the pending points


def lower(posterior: Posterior, P: Array, _rng: Generator) -> Array:
    """μ − σ: a result that disappoints."""
    mean, std = posterior.predict(P)
    return mean - std


def worst(posterior: Posterior, P: Array, _rng: Generator) -> Array:
    """The worst value seen (the constant liar of Ginsbourger et al. 2010)."""
    return np.full(len(P), posterior.z.min())


def drawn(posterior: Posterior, P: Array, rng: Generator) -> Array:
    """A joint draw of the posterior: another possible outcome at every ask."""
    return joint_draw(posterior, P, rng)


@dataclass(frozen=True)
class Believe:
    """The acquisition after values that are made up have been observed at the pending points."""

    acquisition: Any
    value: Value

    def __call__(self, beliefs: Beliefs, domain: Domain, *, step: Step, rng: Generator) -> Score:
        posterior, P = beliefs.observed, beliefs.pending
        if len(P):
            posterior = posterior.append(P, self.value(posterior, P, rng))
        return as_score(self.acquisition(Beliefs.of(posterior), domain, step=step, rng=rng))


@dataclass(frozen=True)
class Ignore:
    """The acquisition as if nothing were under way."""

    acquisition: Any

    def __call__(self, beliefs: Beliefs, domain: Domain, *, step: Step, rng: Generator) -> Score:
        return as_score(self.acquisition(Beliefs.of(beliefs.observed), domain, step=step, rng=rng))


@dataclass(frozen=True)
class Penalise:
    """The acquisition times, for each pending point, the probability that x is outside its ball (González et al. 2016).

    If f rises by at most L, there is no maximum nearer than (M − f(p))/L to p.
    """

    acquisition: Any

    def __call__(self, beliefs: Beliefs, domain: Domain, *, step: Step, rng: Generator) -> Score:
        posterior, P = beliefs.observed, beliefs.pending
        alpha = as_score(self.acquisition(Beliefs.of(posterior), domain, step=step, rng=rng))
        if not len(P):
            return alpha
        mean, std = posterior.predict(P)
        slopes = posterior.predict_grad(domain.sample(500, rng))[2]
        slope = max(float(np.sqrt((slopes**2).sum(axis=1).max())), 1e-7)
        return Penalised(alpha, P, slope / std, (mean - posterior.mean(posterior.X).max()) / std)


@dataclass(frozen=True, eq=False)
class Penalised(Score):
    """log α + Σ_j log Φ(a_j |x − p_j| + b_j); an α that is not a logarithm is made positive by log(1 + exp α)."""

    inner: Score
    P: Array = field(repr=False)
    a: Array = field(repr=False)
    b: Array = field(repr=False)
    smooth, logarithmic = True, True

    def __call__(self, X: Array) -> Array:
        return self.value_and_grad(X)[0]

    def value_and_grad(self, X: Array) -> tuple[Array, Array]:
        value, gradient = self.inner.value_and_grad(X)
        if not self.inner.logarithmic:
            positive = np.logaddexp(0.0, value)
            gradient = gradient * (np.exp(value - positive) / positive)[:, None]
            value = np.log(positive)
        apart = X[:, None, :] - self.P  # (m, p, d)
        distance = np.sqrt((apart**2).sum(axis=2)) + 1e-12
        v = self.a * distance + self.b
        hazard = np.exp(-0.5 * v**2 - 0.5 * np.log(2 * np.pi) - log_ndtr(v))
        return value + log_ndtr(v).sum(axis=1), gradient + np.einsum("mp,mpd->md", hazard * self.a / distance, apart)


@dataclass(frozen=True)
class Marked:
    """The acquisition, whose score says which points are pending: for `Apart`."""

    acquisition: Any

    def __call__(self, beliefs: Beliefs, domain: Domain, *, step: Step, rng: Generator) -> Score:
        alpha = as_score(self.acquisition(beliefs, domain, step=step, rng=rng))
        return MarkedScore(alpha, beliefs.pending, alpha.smooth, alpha.logarithmic, alpha.beta)


@dataclass(frozen=True, eq=False)
class MarkedScore(Score):
    """The score as it is."""

    inner: Score
    P: Array = field(repr=False)
    smooth: bool = field()
    logarithmic: bool = field()
    beta: float | None = field()

    def __call__(self, X: Array) -> Array:
        return self.inner(X)

    def value_and_grad(self, X: Array) -> tuple[Array, Array]:
        return self.inner.value_and_grad(X)

    def width(self, X: Array) -> Array | None:
        return self.inner.width(X)

    def shift(self, n: int) -> float | None:
        return self.inner.shift(n)


@dataclass(frozen=True)
class Apart:
    """The solver's point, unless it is beside a pending one: then the best of draws around it that are not."""

    solver: Any
    distance: float = 0.01  # in some column of the unit cube
    draws: int = 400

    def __call__(self, alpha: MarkedScore, domain: Domain, *, step: Step, rng: Generator) -> Solution:
        found: Solution = self.solver(alpha, domain, step=step, rng=rng)
        if not self.beside(found.x[None], alpha.P)[0]:
            return found
        around = domain.near(found.x, self.draws, rng, (10 * self.distance, 3 * self.distance))
        X = np.concatenate([around, domain.sample(self.draws // 2, rng)])
        X = X[~self.beside(X, alpha.P)]
        if not len(X):
            return found
        x = X[np.argmax(alpha(X))]
        return replace(found, x=x, value=float(alpha(x[None])[0]))

    def beside(self, X: Array, P: Array) -> Array:
        return (np.abs(X[:, None, :] - P).max(axis=2) < self.distance).any(axis=1)


@dataclass(frozen=True)
class Drawn:
    """Instead of the maximum a draw from exp(λ α), over a grid of which a part is near the best points (B3O's idea).

    The logarithm of an acquisition is exponentiated as it is, so that points are drawn in proportion to it.
    """

    rate: float = 10.0  # λ, for an α in model units: the outputs have deviation 1
    size: int = 2000
    near: int = 500

    def __call__(self, alpha: Score, domain: Domain, *, step: Step, rng: Generator) -> Solution:
        X = domain.sample(self.size - self.near, rng)
        if len(step.design):
            X = np.concatenate([X, local(self.near, domain, design=step.design, rng=rng)])
        values = alpha(X)
        weight = np.exp((1.0 if alpha.logarithmic else self.rate) * (values - values.max()))
        chosen = X[rng.choice(len(X), p=weight / weight.sum())]
        return record(alpha, domain, chosen, Work(values=len(X)), draws=ranked(X, values, iid=False))
