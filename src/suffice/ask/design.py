"""Where a point comes from before a model chooses: the user, the initial design; and another point in the place of one
that was proposed already.

A study begins with the points that the user gave, then with a design that is spread over the space. No point is
proposed twice, except in a finite space: a point that failed there may have failed at random, and is proposed again at
most twice, after something else was tried. Elsewhere a point next to it will do.
"""

import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.random import Generator

from suffice.candidates import local, sobol
from suffice.checks import short
from suffice.errors import SpaceExhausted
from suffice.record.arguments import as_point
from suffice.record.history import History
from suffice.record.settings import Settings
from suffice.solvers.record import enumerated, seen_whole
from suffice.space import Listed, SearchSpace, Slice, UnitCube, active_coordinates, blocks, held, listable
from suffice.space.lattice import FINEST
from suffice.streams import Streams
from suffice.types import Array, Domain, Score, Step

ENUMERABLE = 100_000  # points of a finite space that are worth listing to find a new one
FEW = 100  # samples near the point, and as many anywhere: where a space is no lattice, all of them are new


@dataclass(frozen=True)
class Candidate:
    """A row that may be proposed, (d,), with the user's point there and the row that encodes the point, (d,)."""

    x: Array
    point: Any
    unit: Array

    @classmethod
    def of(cls, x: Array, space: SearchSpace) -> "Candidate":
        """The only way from the cube to the user's units and back in an ask."""
        return cls(x, *space.canonical(x))


# ---------------------------------------------------------------------- how a study begins


def given_point(settings: Settings, history: History, space: SearchSpace) -> Any | None:
    """The first of the points to begin with that was not proposed yet; with repeats, each as often as it was given.

    Where some values are fixed, one that has these values.
    """
    if not settings.x0:
        return None
    table = history.table
    if settings.repeat:
        left = settings.x0[np.count_nonzero(table.origins("given")) :]
    else:
        known = set(table.keys_of(np.ones(len(history.trials), bool)))
        left = tuple(point for point in settings.x0 if space.to_unit(point).tobytes() not in known)
    if isinstance(space, Slice):
        left = tuple(point for point in left if space.contains(space.to_unit(point)[None])[0])
    if not left:
        return None
    return as_point(left[0], settings.space)


def wants_design(settings: Settings, history: History) -> bool:
    """Whether the model has too little to go by: no value yet, fewer points than the initial design, or few results.

    Many workers propose the whole design before most of it is evaluated. A model of one or two values has learned
    nothing but where no point is, and would send the next ones into the corners. So the design continues until as many
    results are in as a plane has coefficients; where each point is evaluated before the next, they always are.
    """
    table = history.table
    kept = ~table.states("cancelled")
    proposed = int(np.count_nonzero(kept & ~table.origins("model")))
    answered = int(np.count_nonzero(kept & ~table.states("pending")))
    enough = min(settings.n_initial, len(settings.space.coordinates) + 1)
    return not history.done or proposed < settings.n_initial or answered < enough


def design_point(settings: Settings, history: History, space: SearchSpace) -> Candidate:
    """The next point of one scrambled Sobol sequence that was not proposed before, with options equally often."""
    index = int(np.count_nonzero(history.table.origins("design")))
    cube = UnitCube(len(space.coordinates))
    (u,) = sobol(index + 1, cube, design=np.empty((0, cube.dim)), rng=Streams(settings.seed)("design"))[index:]
    x = space.place(in_equal_shares(u, history.table.unit, space)[None])[0]
    return new_point(settings, history, x, None, space, space=space)


def in_equal_shares(u: Array, proposed: Array, space: SearchSpace) -> Array:
    """u, a number for each coordinate, where an option that came up more often than another gives way to the nearest
    of the rarest ones.

    A sequence that fills the interval evenly meets its m equal parts evenly only where m is a power of two: of ten
    options, twelve points of it mostly miss one. Options of a conditional parameter count where it is active. A second
    round is for parameters that stand before those they depend on.
    """
    u, had = u.copy(), active_coordinates(space, proposed)
    listed = [(j, c.columns, space.params.get(c.name)) for j, c in enumerate(space.coordinates)]
    for j, columns, parameter in 2 * listed:
        if isinstance(parameter, Listed) and active_coordinates(space, space.place(u[None]))[0, j]:
            m = len(parameter.options)
            count = np.bincount(parameter.nearest(proposed[had[:, j], columns]), minlength=m)
            k = min(int(u[j] * m), m - 1)
            rarest = np.flatnonzero(count == count.min())
            nearest = int(rarest[np.argmin(np.abs(rarest - k))])  # k itself if it is one of them
            u[j] = u[j] if nearest == k else (nearest + 0.5) / m
    return u


# ---------------------------------------------------------------------- never the same point twice


def new_point(
    settings: Settings,
    history: History,
    x: Array,
    alpha: Score | None,
    domain: Domain,
    rng: Generator | None = None,
    space: SearchSpace | None = None,
) -> Candidate:
    """x itself if it was not proposed before, or may be again; else the best new point near it or anywhere.

    Of a scattered domain it is the best new one of all: among the best of it are at most as many as were proposed.

    domain    of the score: the space, or a finite set in it
    space     where a point is looked for, if not in the whole space: the slice that was asked for
    """
    whole, seen = settings.space if space is None else space, history.seen
    if math.isfinite(whole.size) and (alpha is not None or len(seen) >= whole.size):  # a design tries all others first
        seen = seen - history.again

    found = Candidate.of(x, whole)
    if settings.repeat or found.unit.tobytes() not in seen:
        return found
    if alpha is not None and seen_whole(alpha, domain, Step(1, history.table.unit[history.table.done])):
        draws = enumerated(alpha, domain, len(seen) + 1).draws
        for row in () if draws is None else draws.points:
            found = Candidate.of(np.array(row), whole)
            if found.unit.tobytes() not in seen:
                return found
    # An acquisition's own finite set may be used up before the space is.
    stream = Streams(settings.seed)("distinct", len(history.trials)) if rng is None else rng

    def is_new(row: Array) -> bool:
        return whole.canonical(row)[1].tobytes() not in seen

    return Candidate.of(best_new_point(x, alpha, (domain, whole), is_new, stream), whole)


def as_proposed(found: Candidate, space: SearchSpace, domain: Domain) -> Candidate:
    """The candidate where its point will be: a range of few floats moves it, and the report has to be of the point.

    Where an acquisition's own finite set is used up, x is none of it, and its nearest one was proposed before.
    """
    inside = domain if domain.contains(found.x[None])[0] else space
    there: Array = inside.snap(found.unit[None])[0]
    if np.max(np.abs(there - found.x), initial=0.0) > 1 / FINEST:
        return Candidate.of(there, space)
    return found


def check_not_exhausted(settings: Settings, history: History, space: SearchSpace) -> None:
    """SpaceExhausted if every point of a finite space, or of a slice of it, was proposed, and none may be again."""
    size = space.size
    if settings.repeat or size > len(history.trials):
        return
    if not isinstance(space, Slice):
        if size <= len(history.seen - history.again):
            which = "the only point of the space has" if size == 1 else f"all {int(size)} points of the space have"
            raise SpaceExhausted(f"{which} been proposed; enlarge the space, or allow repeats with repeat=True")
        return
    closed = history.seen - history.again
    seen = {row: trial.unit for trial in history.trials if (row := trial.unit.tobytes()) in closed}
    if seen and size <= np.count_nonzero(space.contains(np.array(list(seen.values())))):
        which = "the only point" if size == 1 else f"all {int(size)} points"
        raise SpaceExhausted(
            f"{which} with {named_values(space.fixed)} {'has' if size == 1 else 'have'} been proposed; fix fewer "
            "parameters, or allow repeats with repeat=True"
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
        f"no new point was found in {2 * (FEW + 10 * FEW)} samples: all were proposed before, or float64 cannot "
        "distinguish points of this space; widen it, or allow repeats with repeat=True"
    )


def _stages(x: Array, place: Domain, rng: Generator) -> Iterator[Iterable[Array]]:
    """Where to look, the next source only if the last one had nothing new: a list, or draws and then a list."""
    if not listable(place, ENUMERABLE):
        for n in (min(FEW, held(place)), min(10 * FEW, held(place))):
            yield [np.concatenate([local(n, place, design=x[None], rng=rng), place.sample(n, rng)])]
    if place.size <= ENUMERABLE:
        yield blocks(place)
