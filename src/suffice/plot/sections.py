"""Points of the space in which one or two parameters change while the others stay.

base    (d,)     a row of the cube, in which every parameter has a value, also one that is inactive at the point itself
rows    (m, d)   members of the space without its constraints          allowed   (m,)   which satisfy these
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from suffice.plot.dimensions import Dimension
from suffice.plot.merit import best_first
from suffice.space import SearchSpace, Space, active_coordinates
from suffice.study.front import Front
from suffice.study.history import rows as rows_of
from suffice.study.result import Result
from suffice.study.trial import Trial
from suffice.types import Array

Mask = NDArray[np.bool_]

LEAST = "the least violated point"


@dataclass(frozen=True)
class Centre:
    """The point that a section goes through: its row, and the row with a value for what is inactive there."""

    x: Array
    base: Array
    text: str  # what it is


def centre(result: Result, at: Any, varied: Sequence[Dimension], what: str) -> Centre:
    """The point given, or the one recommended; where that one lacks a parameter, the best that has it.

    What is inactive at the point has the value of the best point in which it is active: an option of a parent that
    the point does not have then brings its children up at values that were good.
    """
    space = made_of_parameters(result.settings.space)
    if at is not None:
        x, text = space.to_unit(at), "the point given"
        missing = [d for d in varied if not active_coordinates(space, x[None])[0, d.index]]
        if missing:
            needed = space.params[missing[0].name].when
            raise ValueError(
                f"plot.{what}: {missing[0].name!r} is inactive at the point given, because it needs {needed!r}; give "
                "a point that has it, or leave at= out"
            )
    else:
        trial, text = _where_active(result, varied, what)
        x = trial.unit
    return Centre(x, _with_values(result, x), text)


def _where_active(result: Result, varied: Sequence[Dimension], what: str) -> tuple[Trial, str]:
    """The trial recommended, or the best one that has the parameters; values decide, unless there is a model."""
    space = made_of_parameters(result.settings.space)
    first, text, order = _by_merit(result)
    active = active_coordinates(space, rows_of(order, space.dim))[:, [d.index for d in varied]].all(axis=1)
    found = np.flatnonzero(active)
    if not len(found):
        names = " and ".join(repr(d.name) for d in varied)
        raise ValueError(
            f"plot.{what}: no evaluation that succeeded has {names}; say where with at=, a point that does"
        )
    chosen = order[int(found[0])]
    if chosen.number == first.number:
        return chosen, text
    return chosen, f"the best point with {' and '.join(d.name for d in varied)}"


def _by_merit(result: Result) -> tuple[Trial, str, list[Trial]]:
    """The trial that a figure goes through, what it is, and all that have values, it first and the others by merit."""
    history, best = result.history, best_first(result.history)
    if result.settings.several:
        front = Front(history)
        first, text = (front.knee(), "the knee of the front") if front.trials else (best[0], LEAST)
    elif (recommended := result._recommendation) is not None:
        first, text = recommended.trial, "the recommended point"
    else:
        first, text = best[0], "the best point" if history.feasible else LEAST
    return first, text, [first, *(trial for trial in best if trial.number != first.number)]


def _with_values(result: Result, x: Array) -> Array:
    space, base = made_of_parameters(result.settings.space), x.copy()
    if space.product:
        return base
    best = best_first(result.history)
    X = rows_of(best, space.dim)
    here, active = active_coordinates(space, x[None])[0], active_coordinates(space, X)
    for i, coordinate in enumerate(space.coordinates):
        known = np.flatnonzero(active[:, i])
        if not here[i] and len(known):
            base[coordinate.columns] = X[known[0], coordinate.columns]
    return base


def through(space: Space, base: Array, varied: Sequence[Dimension], blocks: Sequence[Array]) -> tuple[Array, Mask]:
    """The rows with these columns, (m, w) each, in place of the base's, and which are points of the space, (m,)."""
    X = np.tile(base, (len(blocks[0]), 1))
    return placed(space, X, varied, blocks)


def placed(space: Space, X: Array, varied: Sequence[Dimension], blocks: Sequence[Array]) -> tuple[Array, Mask]:
    """The same for rows, (m, d), that may differ elsewhere; a row lacks a parameter varied: it is no point of these."""
    X = X.copy()
    for dimension, block in zip(varied, blocks, strict=True):
        X[:, dimension.columns] = block
    loose = space.with_where(None)
    found = loose.snap(X)
    allowed: Mask = np.logical_and.reduce(active_coordinates(loose, found)[:, [d.index for d in varied]], axis=1)
    if space.where:
        allowed = allowed & space.contains(found)
    return found, allowed


def drawn(space: Space, n: int, rng: Generator) -> Array:
    """n draws of the space, (n, d), in which also the inactive parameters have a value, drawn as well."""
    X = space.sample(n, rng)
    active = active_coordinates(space, X)
    for i, coordinate in enumerate(space.coordinates):
        absent = ~active[:, i]
        if absent.any():
            X[absent, coordinate.columns] = space.params[coordinate.name].place(rng.random(int(absent.sum())))
    return X


def made_of_parameters(space: SearchSpace) -> Space:
    """The space itself: other spaces have been refused."""
    assert isinstance(space, Space)
    return space
