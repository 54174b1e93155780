"""Never the same point twice: what to propose where the best point was proposed before.

Of a finite space a point that failed may be proposed again, since it may have failed by chance: at most twice, and when
something else was tried in between. In a continuous one a point next to it does as well.
"""

import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

import numpy as np
from numpy.random import Generator

from suffice.candidates import local
from suffice.checks import short
from suffice.errors import SpaceExhausted
from suffice.record.history import History
from suffice.record.settings import Settings
from suffice.solvers.enough import seen_whole
from suffice.solvers.record import enumerated
from suffice.space import SearchSpace, Slice, blocks, held, listable
from suffice.space.choices import FINEST
from suffice.streams import Streams
from suffice.types import Array, Domain, Score, Step

ENUMERABLE = 100_000  # points of a finite space that are worth listing to find a new one
FEW = 100  # draws near the point, and as many anywhere: where a space is no lattice, all of them are new
ATTEMPTS = 1000  # of each, where none of these was, and listing is not possible


def new_point(
    settings: Settings,
    history: History,
    x: Array,
    alpha: Score | None,
    domain: Domain,
    rng: Generator | None = None,
    space: SearchSpace | None = None,
) -> Array:
    """x itself if it was not proposed before, or may be again; else the best new point near it or anywhere.

    Of a scattered domain it is the best new one of all: among the best of it are at most as many as were proposed.

    domain    of the score: the space, or a finite set in it
    space     where a point is looked for, if not in the whole space: the slice that was asked for
    """
    whole, seen = settings.space if space is None else space, history.seen
    if math.isfinite(whole.size) and (alpha is not None or len(seen) >= whole.size):  # a design tries all others first
        seen = seen - history.again

    def is_new(row: Array) -> bool:
        return whole.to_unit(whole.from_unit(row)).tobytes() not in seen

    if settings.repeat or is_new(x):
        return x
    if alpha is not None and seen_whole(alpha, domain, Step(1, history.table.unit[history.table.done])):
        found = enumerated(alpha, domain, len(seen) + 1).draws
        for row in () if found is None else found.points:
            if is_new(row):
                return np.array(row)
    # An acquisition's own finite set may be used up before the space is.
    stream = Streams(settings.seed)("distinct", len(history.trials)) if rng is None else rng
    return best_new_point(x, alpha, (domain, whole), is_new, stream)


def as_proposed(x: Array, space: SearchSpace, domain: Domain) -> Array:
    """x where its point will be: a range of few floats moves it, and the report has to be of the point.

    Where an acquisition's own finite set is used up, x is none of it, and its nearest one was proposed before.
    """
    inside = domain if domain.contains(x[None])[0] else space
    there: Array = inside.snap(space.to_unit(space.from_unit(x))[None])[0]
    return there if np.max(np.abs(there - x), initial=0.0) > 1 / FINEST else x


def check_not_exhausted(settings: Settings, history: History, space: SearchSpace) -> None:
    """SpaceExhausted if every point of a finite space, or of a slice of it, was proposed, and none may be again."""
    size = space.size
    if settings.repeat or size > len(history.trials):
        return
    if not isinstance(space, Slice):
        if size <= len(history.seen - history.again):
            raise SpaceExhausted(
                f"all {int(size)} points of the space have been proposed; "
                "enlarge the space, or allow repeats with repeat=True"
            )
        return
    closed = history.seen - history.again
    seen = {row: trial.unit for trial in history.trials if (row := trial.unit.tobytes()) in closed}
    if seen and size <= np.count_nonzero(space.contains(np.array(list(seen.values())))):
        which = "the only point" if size == 1 else f"all {int(size)} points"
        raise SpaceExhausted(
            f"{which} with {named_values(space.fixed)} {'has' if size == 1 else 'have'} been proposed; "
            "fix less, or allow repeats with repeat=True"
        )


def named_values(fixed: Mapping[str, Any]) -> str:
    """ "lr = 0.01, depth = 3"."""
    return ", ".join(f"{name} = {short(value)}" for name, value in fixed.items())


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
        f"no new point was found in {2 * (FEW + ATTEMPTS)} draws: all of them were proposed, or float64 tells too few "
        "points of this space apart; widen it, or allow repeats with repeat=True"
    )


def _stages(x: Array, place: Domain, rng: Generator) -> Iterator[Iterable[Array]]:
    """Where to look, the next place only if the last one had nothing new: a list, or draws and then a list."""
    if not listable(place, ENUMERABLE):
        for n in (min(FEW, held(place)), min(ATTEMPTS, held(place))):
            yield [np.concatenate([local(n, place, design=x[None], rng=rng), place.sample(n, rng)])]
    if place.size <= ENUMERABLE:
        yield blocks(place)
