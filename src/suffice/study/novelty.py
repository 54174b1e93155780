"""Never the same point twice: what to propose where the best point was proposed before."""

from collections.abc import Callable, Iterable, Iterator

import numpy as np
from numpy.random import Generator

from suffice.candidates import local
from suffice.errors import SpaceExhausted
from suffice.space import blocks, held, listable
from suffice.types import Array, Domain, Score

ENUMERABLE = 100_000  # points of a finite space that are worth listing to find a new one
ATTEMPTS = 1000  # draws near the point, and as many anywhere, where listing is not possible


def best_new_point(
    x: Array, alpha: Score | None, places: tuple[Domain, ...], is_new: Callable[[Array], bool], rng: Generator
) -> Array:
    """The best point near x or anywhere in the first of the places that has a new one; any, without a score."""
    for place in places:
        for stage in _stages(x, place, rng):
            found: list[tuple[float, Array]] = []
            for others in stage:
                values = alpha(others) if alpha is not None else rng.random(len(others))
                row = next((row for row in np.argsort(-values, kind="stable") if is_new(others[row])), None)
                if row is not None:
                    found.append((float(values[row]), others[row].copy()))
            if found:
                return max(found, key=lambda pair: pair[0])[1]
    raise SpaceExhausted(
        f"no new point was found in {2 * ATTEMPTS} draws: float64 tells too few points of this space apart; "
        "widen the bounds, or allow repeats with repeat=True"
    )


def _stages(x: Array, place: Domain, rng: Generator) -> Iterator[Iterable[Array]]:
    """Where to look, the next place only if the last one had nothing new: a list, or draws and then a list."""
    if not listable(place, ENUMERABLE):
        n = min(ATTEMPTS, held(place))
        yield [np.concatenate([local(n, place, design=x[None], rng=rng), place.sample(n, rng)])]
    if place.size <= ENUMERABLE:
        yield blocks(place)
