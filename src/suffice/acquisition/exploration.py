"""Improve the best point; where that gets nowhere, look elsewhere now and then.

c      (d,)   a place that is known: the best point, or another peak of the mean that was evaluated twice
k      float  the model's correlation of two points, 1 where they meet and 0 far apart
w(x)   (m,)   Π_c (1 − k(x, c)): 0 at a known place, 1 far from all of them
low    float  the smallest mean at an observed point: what a point in a known place is worth

    α(x) = low + w(x) (μ(x) + β σ(x) − low)

Expected improvement asks where the best point can be beaten at once, and a second basin is entered on its slope, which
beats nothing yet. Without the places that are known, the upper confidence bound climbs the best of the others.
"""

from dataclasses import dataclass, field

import numpy as np
from numpy.random import Generator

from suffice.acquisition.improvement import LogEI
from suffice.acquisition.marginal import Acquisition
from suffice.acquisition.ucb import Constant, Scheduled, UCBScore
from suffice.acquisition.wrappers import Weighted
from suffice.belief import Beliefs
from suffice.checks import RESOLUTION, as_count
from suffice.gp.kernels import Stationary
from suffice.gp.posterior import Posterior
from suffice.types import Array, Domain, Indices, Score, Step, derived

SCANNED = 100  # of the best observed points: known places further down are worth little anyway
SAME_PLACE = 0.5  # correlation above which two points belong to one place
TOUCHING = 0.99  # correlation above which two evaluations say the same, if their means do, too


@dataclass(frozen=True)
class Elsewhere:
    """Explore: try the point with the largest upper confidence bound away from the basins that are known well.

    A basin is known well if it has the best point, or if it is a local maximum of the predictions that has been
    evaluated twice with the same result, up to the resolution of the study. LookAround takes such steps when
    others do not improve; by itself this acquisition never refines the best point.

    Parameters
    ----------
    beta : SqrtLog, Widening, Constant, Theory, float or callable, default: Constant(1.0)
        How far above the prediction to look, in standard deviations.
    """

    beta: Scheduled = Scheduled(
        Constant(1.0)
    )  # 0.5 and 2 left fewer runs in the right place (measurements/defaults.md)

    def __call__(self, beliefs: Beliefs, domain: Domain, *, step: Step, rng: Generator) -> "ElsewhereScore":  # noqa: ARG002
        posterior = beliefs.objective
        mean = posterior.fitted
        places = posterior.X[known_places(posterior, mean, step.resolution)]
        low = float(mean.min(initial=posterior.constant))
        return ElsewhereScore(UCBScore(posterior, self.beta(step, posterior)), Apart(posterior.kernel, places), low)


@dataclass(frozen=True, eq=False)
class ElsewhereScore(Weighted):
    """A bound that counts only as far as a point is apart from what is known."""

    inner: UCBScore
    kind = "look elsewhere"

    def reach(self, X: Array, floor: float) -> Indices:
        """The weight is cheap to know, and tells what the bound of every single point has to reach."""
        if floor <= self.floor:
            return np.arange(len(X))
        weight = np.maximum(self.weight(X) + RESOLUTION, RESOLUTION)  # 1 − k, where k is nearly 1
        return self.inner.reach(X, self.floor + (floor - self.floor) / weight - RESOLUTION * (1.0 + abs(floor)))

    def width(self, X: Array) -> None:  # noqa: ARG002
        """None: no regret bound is about a step that leaves the best place on purpose."""
        return


@dataclass(frozen=True, eq=False)
class Apart(Score):
    """w(x) = Π_c (1 − k(x, c)); 1 without places."""

    kernel: Stationary
    places: Array = field(repr=False)  # (p, d)
    smooth, bounded = True, True
    curved = derived(lambda self: self.kernel.twice)

    def __call__(self, X: Array) -> Array:
        apart: Array = np.prod(1.0 - self.kernel(X, self.places), axis=1)
        return apart

    def value_and_grad(self, X: Array) -> tuple[Array, Array]:
        away = (X[:, None] - self.places) / self.kernel.lengthscale  # (m, p, d)
        k, slope = self.kernel.profile_and_slope(np.einsum("ijk,ijk->ij", away, away))
        w, rest = _product(k)
        return w, np.einsum("ij,ijk->ik", -2.0 * slope * rest, away) / self.kernel.lengthscale

    def with_hessian(self, X: Array, columns: Indices) -> tuple[Array, Array, Array]:
        """Of the product as of a logarithm: ∇²w = w [G G' − Σ_c G_c G_c' − Σ_c ∇²k_c/(1 − k_c)], G = Σ_c G_c = ∇w/w."""
        away = (X[:, None] - self.places) / self.kernel.lengthscale
        k, slope, bend = self.kernel.profile_and_slopes(np.einsum("ijk,ijk->ij", away, away))
        ell = np.broadcast_to(np.asarray(self.kernel.lengthscale), X.shape[1])[columns]
        away, left = away[:, :, columns], np.maximum(1.0 - k, RESOLUTION)
        w = np.prod(left, axis=1)
        each = away * (-2.0 * slope / left)[:, :, None]  # G_c
        G = each.sum(axis=1)
        inner = each.transpose(0, 2, 1) @ each + (away * (4.0 * bend / left)[:, :, None]).transpose(0, 2, 1) @ away
        inner[:, np.arange(len(ell)), np.arange(len(ell))] += (2.0 * slope / left).sum(axis=1)[:, None]
        H = w[:, None, None] * (G[:, :, None] * G[:, None] - inner)
        return w, w[:, None] * G / ell, H / (ell[:, None] * ell)

    def bound(self, lower: Array, upper: Array) -> Array:
        """Each factor at the corner of the box that is the farthest from its place, multiplied, (m,)."""
        most = np.ones(len(lower))
        for place in self.places:
            away = np.maximum(np.abs(lower - place), np.abs(upper - place)) / self.kernel.lengthscale
            most *= 1.0 - self.kernel.profile(np.einsum("ij,ij->i", away, away))
        return most


def _product(k: Array) -> tuple[Array, Array]:
    """Π_c (1 − k_c), (m,), and the product of all but one, (m, p)."""
    ends, factors = np.ones((len(k), 1)), 1.0 - k
    before: Array = np.multiply.accumulate(np.hstack([ends, factors]), axis=1)
    behind: Array = np.multiply.accumulate(np.hstack([ends, factors[:, ::-1]]), axis=1)[:, ::-1]
    return before[:, -1], before[:, :-1] * behind[:, 1:]


def known_places(posterior: Posterior, mean: Array, resolution: float) -> list[int]:
    """Rows of X, the best one first: those whose surroundings need no further look."""
    order = np.argsort(-mean, kind="stable")[:SCANNED]
    correlation = posterior.kernel(posterior.X[order], posterior.X)
    touching = correlation > TOUCHING
    touching[np.arange(len(order)), order] = False
    twice = np.asarray((touching & (np.abs(mean[order, None] - mean) < resolution)).any(axis=1))
    twice[:1] = True  # the best one is known, however often it was evaluated
    known: list[int] = []
    covered = np.zeros(len(order), dtype=np.bool_)
    for i in np.flatnonzero(twice).tolist():
        if not covered[i]:
            known.append(int(order[i]))
            covered |= correlation[:, order[i]] > SAME_PLACE
    return known


@dataclass(frozen=True)
class LookAround:
    """Improve the best point as long as that works, and explore in every second step when it does not.

    This is the default, made for finding the best point: the run may have settled in the second-best basin, and further
    digits are worth less than a better basin. For runs in which every evaluation costs what it returns, use sf.UCB()
    (or aim="regret"), which has a regret bound.

    Parameters
    ----------
    improve : Acquisition, default: LogEI()
        The rule that improves on the best point.
    elsewhere : Acquisition, default: Elsewhere()
        The rule of every second step, once the other one stops improving.
    patience : int, default: 1
        Explore after this many suggestions in a row that did not raise the best value by the resolution of the study.
    """

    improve: Acquisition = field(default_factory=LogEI)
    elsewhere: Acquisition = field(default_factory=Elsewhere)
    patience: int = 1  # 2 gave fewer runs in the right place (measurements/defaults.md)

    def __post_init__(self) -> None:
        for word in ("improve", "elsewhere"):
            given = getattr(self, word)
            if isinstance(given, type) or not callable(given):
                raise TypeError(f"LookAround: {word} must be an acquisition, such as sf.LogEI(): got {given!r}")
        as_count(self.patience, "LookAround: patience", 1)

    def __call__(self, beliefs: Beliefs, domain: Domain, *, step: Step, rng: Generator) -> Score:
        looks = step.idle >= self.patience and step.t % 2 == 0
        return (self.elsewhere if looks else self.improve)(beliefs, domain, step=step, rng=rng)
