"""Look elsewhere: the upper confidence bound, where it does not lie in a place that is known well enough.

c      (d,)   a place that is known: the best point, or another peak of the mean that was evaluated twice
k      float  the model's correlation of two points, 1 where they meet and 0 far apart
w(x)   (m,)   1 − max_c k(x, c): 0 at a known place, 1 far from all of them
low    float  the smallest mean at an observed point: what a point in a known place is worth

    α(x) = low + w(x) (μ(x) + β σ(x) − low)

Expected improvement asks where the best point can be beaten at once, and a second basin is entered on its slope, which
beats nothing yet. Without the places that are known, the upper confidence bound climbs the best of the others.
"""

from dataclasses import dataclass, field

import numpy as np
from numpy.random import Generator

from suffice.acquisition.beta import Beta, Constant, as_beta
from suffice.acquisition.ucb import UCBScore
from suffice.acquisition.weighted import Weighted
from suffice.belief import Beliefs
from suffice.gp.kernels import Stationary
from suffice.gp.posterior import Posterior
from suffice.types import Array, Domain, Indices, Score, Step

SCANNED = 100  # of the best observed points: known places further down are worth little anyway
SAME_PLACE = 0.5  # correlation above which two points belong to one place
ROUNDING = 1e-9  # of a weight, and relative of a value: more than it is
TOUCHING = 0.99  # correlation above which two evaluations say the same, if their means do, too


@dataclass(frozen=True)
class Elsewhere:
    """Look elsewhere: try the point with the largest upper confidence bound away from the places that are known well.

    A place is known well if it has the best point, or if it is a peak of the predictions that has been evaluated
    twice with the same result up to the resolution of the study. sf.LookAround() takes such steps when others do not
    improve; by itself it never refines the best point.

    Parameters
    ----------
    beta : SqrtLog, Widening, Constant, Theory, float or callable, default: Constant(1.0)
        How far above the prediction to look, in deviations.
    """

    beta: Beta = Constant(1.0)  # 0.5 and 2 left fewer runs in the right place (docs/measurements/defaults.md)

    def __post_init__(self) -> None:
        object.__setattr__(self, "beta", as_beta(self.beta))

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

    def reach(self, X: Array, floor: float) -> Indices:
        """The weight is cheap to know, and tells what the bound of every single point has to reach."""
        if floor <= self.floor:
            return np.arange(len(X))
        weight = np.maximum(self.weight(X) + ROUNDING, ROUNDING)  # 1 − k, where k is nearly 1
        return self.inner.reach(X, self.floor + (floor - self.floor) / weight - ROUNDING * (1.0 + abs(floor)))

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "kind", "look elsewhere")

    def width(self, X: Array) -> None:  # noqa: ARG002
        """None: no regret bound is about a step that leaves the best place on purpose."""
        return


@dataclass(frozen=True, eq=False)
class Apart(Score):
    """w(x) = 1 − max_c k(x, c); 1 without places."""

    kernel: Stationary
    places: Array = field(repr=False)  # (p, d)
    smooth, bounded = True, True

    def __call__(self, X: Array) -> Array:
        nearest: Array = self.kernel(X, self.places).max(axis=1, initial=0.0)
        return 1.0 - nearest

    def value_and_grad(self, X: Array) -> tuple[Array, Array]:
        if not len(self.places):
            return np.ones(len(X)), np.zeros_like(X)
        nearest = self.places[self.kernel.squared_distance(X, self.places).argmin(axis=1)]
        away = (X - nearest) / self.kernel.lengthscale
        k, slope = self.kernel.profile_and_slope(np.einsum("ij,ij->i", away, away))
        return 1.0 - k, -2.0 * slope[:, None] * away / self.kernel.lengthscale

    def bound(self, lower: Array, upper: Array) -> Array:
        """w at the corner of each box that is the farthest from a place, for the nearest one of them, (m,)."""
        least = np.ones(len(lower))
        for place in self.places:
            away = np.maximum(np.abs(lower - place), np.abs(upper - place)) / self.kernel.lengthscale
            np.minimum(least, 1.0 - self.kernel.profile(np.einsum("ij,ij->i", away, away)), out=least)
        return least


def known_places(posterior: Posterior, mean: Array, resolution: float) -> list[int]:
    """Rows of X, the best one first: those whose surroundings need no further look."""
    order = np.argsort(-mean, kind="stable")[:SCANNED]
    correlation = posterior.kernel(posterior.X[order], posterior.X)
    known: list[int] = []
    for row, near in zip(order.tolist(), correlation, strict=True):
        if np.any(near[known] > SAME_PLACE):
            continue
        touching = near > TOUCHING
        touching[row] = False
        if not known or np.any(np.abs(mean[row] - mean[touching]) < resolution):
            known.append(row)
    return known
