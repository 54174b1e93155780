"""Finite stand-ins for the domain, fixed when an acquisition is bound.

μ   the posterior mean                       pool   points where an acquisition may be large: draws, data, surroundings
"""

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray
from scipy.optimize import minimize

from suffice.gp.posterior import Posterior
from suffice.space import Shaped, free_columns
from suffice.types import Array, Domain, largest, smooth_columns

DRAWS, OBSERVED, NEAR = 256, 128, 256  # of the pool: uniform draws, the best observed points, points around the best
CLIMBS = 4  # of the best of these, from which μ is climbed
HEIGHT = 1e-13  # of s, to which a climb goes: what is left to learn late in a run may be 1e-5
REACHES = (0.01, 0.03, 0.1, 0.3, 1.0)  # length-scales from the best: late in a run KG is largest 0.02 to 0.4 from it
SEEDS = 10  # few, because each costs a solver a local run
SAME = 0.95  # correlation above which two points are in one place: a quarter of a length-scale


def cover(domain: Domain, n: int, rng: Generator) -> Array:
    """At most n distinct points, (≤ n, d): the whole domain if it is that small, else uniform draws."""
    return distinct(domain.enumerate() if domain.size <= n else domain.sample(n, rng))


def distinct(X: Array) -> Array:
    """The rows of X without repetitions, in order of first appearance."""
    if X.shape[1] == 0:  # a domain without columns has one point
        return X[:1]
    first = np.unique(X, axis=0, return_index=True)[1]
    return X[np.sort(first)]


def pool(posterior: Posterior, domain: Domain, rng: Generator) -> Array:
    """Distinct members of the domain: peaks of μ, the best observed points, their surroundings and uniform draws."""
    observed = domain.snap(posterior.X[largest(posterior.mean(posterior.X), OBSERVED)])
    known = np.vstack([observed, cover(domain, DRAWS, rng)])
    tops = peaks(posterior, domain, known[largest(posterior.mean(known), CLIMBS)])
    tops = separate(tops, posterior.mean(tops), posterior)
    centres = np.vstack([tops[:1], observed[:1]])
    width = float(np.median(np.minimum(posterior.lengthscales, 1.0))) if domain.dim else 1.0
    scales = tuple(width * reach for reach in REACHES)
    around = [domain.near(centre, NEAR // len(centres), rng, scales) for centre in centres]
    return distinct(np.vstack([tops, known, *around]))


def peaks(posterior: Posterior, domain: Domain, starts: Array) -> Array:
    """Where μ is highest near each start, (k, d), by climbing in the smooth columns."""
    if not smooth_columns(domain).any():
        return starts
    ends = starts.copy()
    for end, free in zip(ends, free_columns(domain, starts), strict=True):
        if not free.any():
            continue

        def descent(u: Array, x: Array = end, free: NDArray[np.bool_] = free) -> tuple[float, Array]:
            x[free] = u
            height, gradient = _height(posterior, x[None])
            return -height[0], -gradient[0, free]

        bounds = [(0.0, 1.0)] * int(free.sum())
        found = minimize(descent, end[free], jac=True, method="L-BFGS-B", bounds=bounds, options={"ftol": HEIGHT})
        end[free] = found.x
    ends = domain.towards(ends, starts) if isinstance(domain, Shaped) else domain.snap(ends)
    return np.where((posterior.mean(ends) > posterior.mean(starts))[:, None], ends, starts)


def _height(posterior: Posterior, X: Array) -> tuple[Array, Array]:
    """(μ − m)/s, (m,), which has no units, and its gradient in X, (m, d)."""
    K, H = posterior.kernel.profile_and_slope(posterior.kernel.squared_distance(posterior.X, X))
    weights = posterior.a / posterior.scale
    return weights @ K, posterior.weighted_gradient(X, weights[:, None] * H)


def separate(X: Array, values: Array, posterior: Posterior) -> Array:
    """The points of the largest values, at most SEEDS, no two of them in one place, largest first."""
    chosen: list[int] = []
    left = np.argsort(-values, kind="stable")
    while len(chosen) < SEEDS and len(left):
        chosen.append(int(left[0]))
        left = left[posterior.kernel(X[left], X[left[:1]])[:, 0] <= SAME]
    return X[chosen]
