"""Improve the best point; where nothing more is expected of that, explore now and then.

c      (d,)   a known place: the best point, another peak of the mean that was evaluated twice, or a pending point
k      float  the model's correlation of two points, 1 where they meet and 0 far apart
b      (d,)   a point where an earlier exploration brought nothing; r(x, b) = exp(−|x − b|²/(2 NEAR²))
low    float  the smallest mean at an observed point        s  float  prior standard deviation of f
L(v)   (m,)   log v, and below LOWEST the straight line that continues it

    α(x) = L((μ(x) + β σ(x) − low)/s) + Σ_c log(1 − k(x, c)) + Σ_b log(1 − r(x, b))

Expected improvement asks where the best point can be beaten at once, by the model. A basin that the model does not know
of is found by a hedge against the model only: a high upper confidence bound, away from all that is known.
"""

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from suffice.acquisition.improvement import LogEI
from suffice.acquisition.marginal import Acquisition
from suffice.acquisition.ucb import Constant, Scheduled, UCBScore
from suffice.belief import Beliefs
from suffice.checks import RESOLUTION
from suffice.gp.box_bounds import ROUNDING
from suffice.gp.kernels import RBF, Stationary
from suffice.gp.posterior import Posterior
from suffice.types import Array, Domain, Indices, Purpose, Score, Step, Wrapper, derived

EVERY = 2  # of the steps of an exhausted search, at first: narrow basins have to be found early (measurements/gate.md)
PATIENCE = 6  # unsuccessful explorations after which the next one waits one step longer
NOTHING = 1e-6  # of a model unit: of smaller improvements rounding leaves little, whatever the resolution
LOWEST = 1e-3  # of the prior deviation: below it a bound is low, and no matter how low
# Of each range: so near, an exploration would find the same again. The model's own correlation would reach too far: a
# narrow basin may be next to a bad point, and the model has missed it.
NEAR = 0.05


@dataclass(frozen=True)
class Elsewhere:
    """Explore: try the point with the largest upper confidence bound outside the well-known basins.

    A basin is well known if it contains the best point, if it is a local maximum of the predictions that has been
    evaluated twice with the same result, up to the resolution of the study, or if an earlier exploration there was no
    better than the median of the initial points. LookAround takes such steps when no improvement is expected; by itself
    this acquisition never refines the best point.

    Parameters
    ----------
    beta : SqrtLog, Widening, Constant, Theory, float or callable, default: Constant(1.0)
        The weight of the standard deviation; a larger value explores more.
    """

    beta: Scheduled = Scheduled(
        Constant(1.0)
    )  # with 0.5 and 2 fewer runs found the right basin (measurements/defaults.md)

    def __call__(self, beliefs: Beliefs, domain: Domain, *, step: Step, rng: Generator) -> "ElsewhereScore":  # noqa: ARG002
        posterior = beliefs.objective
        mean = posterior.fitted
        places = np.vstack([posterior.X[known_places(posterior, mean, step.resolution)], beliefs.pending])
        apart: tuple[LogApart, ...] = (LogApart(posterior.kernel, places),)
        if step.duds is not None:
            near = RBF(NEAR) if posterior.kernel.euclidean else posterior.kernel
            apart += (LogApart(near, step.duds),)
        inner = UCBScore(posterior, self.beta(step, posterior))
        return ElsewhereScore(inner, apart, float(mean.min(initial=posterior.constant)), posterior.scale)


@dataclass(frozen=True, eq=False)
class ElsewhereScore(Wrapper):
    """How high a bound is above the worst mean, and how far from what is known, as logarithms."""

    inner: UCBScore
    apart: tuple["LogApart", ...]
    low: float
    scale: float  # s
    smooth = True
    logarithmic = True
    kind = "explore"
    base = beta = None  # it is no bound, and no excess over anything
    curved = derived(lambda self: self.inner.curved)
    bounded = derived(lambda self: self.inner.bounded)

    def __call__(self, X: Array) -> Array:
        return self._height(self.inner(X))[0] + self._away(X)

    def value_and_grad(self, X: Array) -> tuple[Array, Array]:
        value, gradient = self.inner.value_and_grad(X)
        height, slope, _ = self._height(value)
        gradient = slope[:, None] * gradient
        for part in self.apart:
            away, d_away = part.value_and_grad(X)
            height, gradient = height + away, gradient + d_away
        return height, gradient

    def with_hessian(self, X: Array, columns: Indices) -> tuple[Array, Array, Array]:
        value, gradient, H = self.inner.with_hessian(X, columns)
        height, slope, bend = self._height(value)
        H = slope[:, None, None] * H + bend[:, None, None] * gradient[:, :, None] * gradient[:, None]
        gradient = slope[:, None] * gradient
        for part in self.apart:
            away, d_away, H_away = part.with_hessian(X, columns)
            height, gradient, H = height + away, gradient + d_away, H + H_away
        return height, gradient, H

    def reach(self, X: Array, floor: float) -> Indices:
        """The part of the floor that the bound of every single point has to reach."""
        left = floor - self._away(X)
        first = np.log(LOWEST)
        v = np.where(left > first, np.exp(np.minimum(left, 100.0)), LOWEST * (1.0 + left - first))
        least = self.low + self.scale * v
        return self.inner.reach(X, least - RESOLUTION * (1.0 + np.abs(least)))

    def width(self, X: Array) -> None:  # noqa: ARG002
        """None: no regret bound is about a step that leaves the best place on purpose."""
        return

    def shift(self, n: int) -> None:  # noqa: ARG002
        """None: the ratio of a logarithm needs no shift."""
        return

    def bound(self, lower: Array, upper: Array) -> Array:
        bound = self._height(self.inner.bound(lower, upper))[0]
        bound = bound + sum(part.bound(lower, upper) for part in self.apart)
        return bound + ROUNDING * (1.0 + np.abs(bound))

    def _away(self, X: Array) -> Array:
        """Σ log(1 − k) and Σ log(1 − r), (m,)."""
        return np.asarray(sum(part(X) for part in self.apart))

    def _height(self, bound: Array) -> tuple[Array, Array, Array]:
        """L, and its first two derivatives in the bound, (m,) each."""
        v = (bound - self.low) / self.scale
        safe = np.maximum(v, LOWEST)
        return (
            np.log(safe) + np.minimum(v - LOWEST, 0.0) / LOWEST,
            1.0 / (safe * self.scale),
            np.where(v > LOWEST, -1.0 / (safe * self.scale) ** 2, 0.0),
        )


@dataclass(frozen=True, eq=False)
class LogApart(Score):
    """Σ_c log(1 − k(x, c)); 0 without places."""

    kernel: Stationary
    places: Array = field(repr=False)  # (p, d)
    smooth, bounded = True, True
    curved = derived(lambda self: self.kernel.twice)

    def __call__(self, X: Array) -> Array:
        apart: Array = np.log(self._left(self.kernel(X, self.places))).sum(axis=1)
        return apart

    def value_and_grad(self, X: Array) -> tuple[Array, Array]:
        away = (X[:, None] - self.places) / self.kernel.lengthscale  # (m, p, d)
        k, slope = self.kernel.profile_and_slope(np.einsum("ijk,ijk->ij", away, away))
        left = self._left(k)
        return np.log(left).sum(axis=1), np.einsum("ij,ijk->ik", -2.0 * slope / left, away) / self.kernel.lengthscale

    def with_hessian(self, X: Array, columns: Indices) -> tuple[Array, Array, Array]:
        """∇ = Σ_c G_c, G_c = −∇k_c/(1 − k_c), and ∇² = −Σ_c G_c G_c' − Σ_c ∇²k_c/(1 − k_c)."""
        away = (X[:, None] - self.places) / self.kernel.lengthscale
        k, slope, bend = self.kernel.profile_and_slopes(np.einsum("ijk,ijk->ij", away, away))
        ell = np.broadcast_to(np.asarray(self.kernel.lengthscale), X.shape[1])[columns]
        away, left = away[:, :, columns], self._left(k)
        each = away * (-2.0 * slope / left)[:, :, None]  # G_c
        H = each.transpose(0, 2, 1) @ each + (away * (4.0 * bend / left)[:, :, None]).transpose(0, 2, 1) @ away
        H[:, np.arange(len(ell)), np.arange(len(ell))] += (2.0 * slope / left).sum(axis=1)[:, None]
        return np.log(left).sum(axis=1), each.sum(axis=1) / ell, -H / (ell[:, None] * ell)

    def bound(self, lower: Array, upper: Array) -> Array:
        """Each term at the corner of the box that is the farthest from its place, added, (m,)."""
        most = np.zeros(len(lower))
        for place in self.places:
            away = np.maximum(np.abs(lower - place), np.abs(upper - place)) / self.kernel.lengthscale
            most += np.log(self._left(self.kernel.profile(np.einsum("ij,ij->i", away, away))))
        return most

    @staticmethod
    def _left(k: NDArray[np.floating[Any]]) -> Array:
        left: Array = np.maximum(1.0 - k, RESOLUTION)
        return left


def known_places(posterior: Posterior, mean: Array, resolution: float) -> list[int]:
    """Rows of X, the best one first: those whose surroundings need no further look."""
    order = np.argsort(-mean, kind="stable")[:100]  # known places further down are worth little
    correlation = posterior.kernel(posterior.X[order], posterior.X)
    touching = correlation > 0.99  # two evaluations that say the same, if their means do
    touching[np.arange(len(order)), order] = False
    twice = np.asarray((touching & (np.abs(mean[order, None] - mean) < resolution)).any(axis=1))
    twice[:1] = True  # the best one is known, however often it was evaluated
    known: list[int] = []
    covered = np.zeros(len(order), dtype=np.bool_)
    for i in np.flatnonzero(twice).tolist():
        if not covered[i]:
            known.append(int(order[i]))
            covered |= correlation[:, order[i]] > 0.5  # two points that belong to one place
    return known


@dataclass(frozen=True)
class LookAround:
    """Improve the best point as long as the model expects that to work, and explore now and then when it does not.

    This is the default, made for finding the best point. While the expected improvement is at least the resolution of
    the study, the most promising point is tried. Below it, the search counts as exhausted. The model may be wrong, for
    example if the run has settled in the second-best basin. So every second step then explores, less often if
    explorations find nothing, and rarely near an earlier exploration that failed; the others refine the best point. For
    runs in which every evaluation costs what it returns, use sf.UCB() (or aim="regret"), which has a regret bound.

    Parameters
    ----------
    improve : Acquisition, default: LogEI()
        The rule that improves on the best point. If its values are not expected improvements (EI, LogEI and KG), the
        search counts as exhausted after a suggestion that did not raise the best value by the resolution.
    elsewhere : Acquisition, default: Elsewhere()
        The rule of the steps that explore.
    """

    improve: Acquisition = field(default_factory=LogEI)
    elsewhere: Acquisition = field(default_factory=Elsewhere)

    def __post_init__(self) -> None:
        for word in ("improve", "elsewhere"):
            given = getattr(self, word)
            if isinstance(given, type) or not callable(given):
                raise TypeError(f"LookAround: {word} must be an acquisition, such as sf.LogEI(): got {given!r}")

    def __call__(self, beliefs: Beliefs, domain: Domain, *, step: Step, rng: Generator) -> Score:
        rule = self.elsewhere if step.purpose == "explore" else self.improve
        return rule(beliefs, domain, step=step, rng=rng)

    def purpose(self, expected: float | None, step: Step) -> Purpose:
        """What a step is for, once it is known how much improvement is expected, in model units; None: not known."""
        exhausted = step.idle > 0 if expected is None else expected < max(step.resolution, NOTHING)
        if not exhausted:
            return "improve"
        return "explore" if self.due(step.since_explored, step.in_vain) else "refine"

    @staticmethod
    def due(since_explored: int | None, in_vain: int) -> bool:
        """Whether a step of an exhausted search explores: see `Step` for both numbers."""
        return since_explored is None or since_explored >= EVERY + in_vain // PATIENCE
