"""Where a study begins: the points that the user gave, then a design that is spread over the space."""

from typing import Any

import numpy as np

from suffice.candidates import sobol
from suffice.space import Listed, SearchSpace, Slice, UnitCube, active_coordinates
from suffice.streams import Streams
from suffice.study.border import as_point
from suffice.study.history import History
from suffice.study.novelty import new_point
from suffice.study.settings import Settings
from suffice.types import Array


def given_point(settings: Settings, history: History, space: SearchSpace) -> Any | None:
    """The first of the points to begin with that was not proposed yet; with repeats, each as often as it was given.

    Where some values are fixed, one that has these values.
    """
    if not settings.x0:
        return None
    tally = history.tally
    if settings.repeat:
        left = settings.x0[np.count_nonzero(tally.origins("given")) :]
    else:
        known = set(tally.keys_of(np.ones(len(history.trials), bool)))
        left = tuple(point for point in settings.x0 if space.to_unit(point).tobytes() not in known)
    if isinstance(space, Slice):
        left = tuple(point for point in left if space.contains(space.to_unit(point)[None])[0])
    if not left:
        return None
    return as_point(left[0], settings.space)


def wants_design(settings: Settings, history: History) -> bool:
    """Whether the model has too little to go by: no value yet, fewer points than the initial design, or few results.

    Many workers propose the whole design before most of it is evaluated. A model of one or two values has learned
    nothing but where no point is, and would send the next ones into the corners. So the design goes on until as many
    results are in as a plane has coefficients; where each point is evaluated before the next, they always are.
    """
    tally = history.tally
    kept = ~tally.states("cancelled")
    proposed = int(np.count_nonzero(kept & ~tally.origins("model")))
    answered = int(np.count_nonzero(kept & ~tally.states("pending")))
    enough = min(settings.n_initial, len(settings.space.coordinates) + 1)
    return not history.done or proposed < settings.n_initial or answered < enough


def design_point(settings: Settings, history: History, space: SearchSpace) -> Array:
    """The next point of one scrambled Sobol sequence that was not proposed before, with options in equal shares."""
    index = int(np.count_nonzero(history.tally.origins("design")))
    cube = UnitCube(len(space.coordinates))
    (u,) = sobol(index + 1, cube, design=np.empty((0, cube.dim)), rng=Streams(settings.seed)("design"))[index:]
    x = space.place(in_equal_shares(u, history.tally.unit, space)[None])[0]
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
