"""Never the same point twice: what to propose where the best point was proposed before."""

from collections.abc import Callable

import numpy as np
from numpy.random import Generator

from suffice.candidates import local
from suffice.errors import SpaceExhausted
from suffice.types import Array, Domain, Score

ENUMERABLE = 100_000  # points of a finite space that are worth listing to find a new one
ATTEMPTS = 1000  # draws near the point, and as many anywhere, where listing is not possible


def best_new_point(
    x: Array, alpha: Score | None, places: tuple[Domain, ...], is_new: Callable[[Array], bool], rng: Generator
) -> Array:
    """The best point near x or anywhere in the first of the places that has a new one; any, without a score."""
    for place in places:
        if place.size <= ENUMERABLE:
            others = place.enumerate()
        else:
            near = local(ATTEMPTS, place, design=x[None], rng=rng)
            others = np.concatenate([near, place.sample(ATTEMPTS, rng)])
        values = alpha(others) if alpha is not None else rng.random(len(others))
        for row in np.argsort(-values, kind="stable"):
            if is_new(others[row]):
                return np.asarray(others[row])
    raise SpaceExhausted(
        f"no new point was found in {2 * ATTEMPTS} draws: float64 tells too few points of this space apart; "
        "widen the bounds, or allow repeats with repeat=True"
    )
