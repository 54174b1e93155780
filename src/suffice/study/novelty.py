"""Never the same point twice: what to propose where the best point was proposed before."""

from collections.abc import Callable, Iterable, Iterator

import numpy as np
from numpy.random import Generator

from suffice.candidates import local
from suffice.errors import SpaceExhausted
from suffice.space import SearchSpace, blocks, held, listable
from suffice.space.lattice import FINEST
from suffice.streams import Streams
from suffice.study.history import History
from suffice.study.settings import Settings
from suffice.types import Array, Domain, Score

ENUMERABLE = 100_000  # points of a finite space that are worth listing to find a new one
ATTEMPTS = 1000  # draws near the point, and as many anywhere, where listing is not possible


def new_point(
    settings: Settings, history: History, x: Array, alpha: Score | None, domain: Domain, rng: Generator | None = None
) -> Array:
    """x itself if it was not proposed before, or may be again; else the best new point near it or anywhere."""
    space, seen = settings.space, history.seen

    def is_new(row: Array) -> bool:
        return space.to_unit(space.from_unit(row)).tobytes() not in seen

    if settings.repeat or is_new(x):
        return x
    # An acquisition's own finite set may be used up before the space is.
    stream = Streams(settings.seed)("distinct", len(history.trials)) if rng is None else rng
    return best_new_point(x, alpha, (domain, space), is_new, stream)


def as_proposed(x: Array, space: SearchSpace, domain: Domain) -> Array:
    """x where its point will be: a range of few floats moves it, and the report has to be of the point."""
    there: Array = domain.snap(space.to_unit(space.from_unit(x))[None])[0]
    return there if np.max(np.abs(there - x), initial=0.0) > 1 / FINEST else x


def check_not_exhausted(settings: Settings, history: History) -> None:
    """SpaceExhausted if every point of a finite space was proposed, and none may be again."""
    size = settings.space.size
    if not settings.repeat and size <= len(history.trials) and size <= len(history.seen):
        raise SpaceExhausted(
            f"all {int(size)} points of the space have been proposed; "
            "enlarge the space, or allow repeats with repeat=True"
        )


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
