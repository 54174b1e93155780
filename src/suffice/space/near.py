"""Random steps from a member of a product of coordinates, at several scales.

x      (d,)    where they start
D      int     coordinates (a choice is one coordinate and several columns)
σ      (n, 1)  the scale of each step, in units of the cube
moved  (n, d)  columns that take a step
must   (n, d)  columns that may not stay where they are
"""

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from suffice.types import Array, Coordinate, Domain, Levels

Mask = NDArray[np.bool_]

SHAKEN = 20  # expected coordinates that move at once in high dimension (TuRBO, Eriksson et al. 2019)


def steps(
    x: Array, n: int, rng: Generator, scales: tuple[float, ...], domain: Domain, live: Mask | None = None
) -> Array:
    """Gaussian steps x + σ z, σ cycling through `scales`, (n, d).

    One coordinate, drawn at random, moves in every row. Every other round through the scales nothing else does; in the
    rounds between, each further coordinate moves with probability min(1, 20/D). Where only some coordinates may move,
    `live` says which, (D,), and the others stay.

    - A smooth coordinate is reflected at the faces, so that no mass piles up there. But one that sits on a face stays
      there when its step points outwards: an incumbent on a face is a hint that the optimum is too, and the search must
      be able to slide along it. The one coordinate that has to move is always reflected.
    - A coordinate with levels steps and snaps; the one that has to move goes at least to a neighbouring level.
    - A choice switches if it is the one that has to move, and with probability 1/D besides in the rounds that move
      several coordinates: to any other option with equal probability, or where options have something in common, to
      the r-th nearest with a probability of about 1/r.
    """
    if not domain.coordinates:
        return domain.sample(n, rng)
    row = np.arange(n)
    scale = np.take(scales, row % len(scales))[:, None]
    several = (row // len(scales) % 2 == 0)[:, None]
    moved, must = _masks(
        domain.coordinates, several, rng, np.ones(len(domain.coordinates), bool) if live is None else live
    )
    step = scale * rng.standard_normal((n, domain.dim))

    stays = ~moved | _outwards(x, step) & ~must
    X = np.where(stays, x, _reflected(x + step))
    X = domain.snap(_switch_choices(X, x, must, domain.coordinates, rng))
    for coordinate in domain.coordinates:
        if coordinate.levels is not None:
            j = coordinate.start
            back = must[:, j] & (X[:, j] == x[j])
            down, up = _neighbours(x[j], coordinate.levels)
            X[:, j] = np.where(back, np.where(step[:, j] < 0.0, down, up), X[:, j])
    return X


def _masks(coordinates: tuple[Coordinate, ...], several: Mask, rng: Generator, live: Mask) -> tuple[Mask, Mask]:
    """`moved` and `must`, (n, d), from one mask for each coordinate, of which those that are not live stay."""
    n, D, count = len(several), len(coordinates), int(np.count_nonzero(live))
    width = [coordinate.stop - coordinate.start for coordinate in coordinates]
    chosen = np.arange(D) == np.flatnonzero(live)[rng.integers(count, size=(n, 1))]
    shaken = several & (rng.random((n, D)) < min(1.0, SHAKEN / count)) & live
    switched = several & (rng.random((n, D)) < 1.0 / count) & live
    is_choice = np.array([coordinate.kind == "choice" for coordinate in coordinates])
    must = chosen | switched & is_choice
    return np.repeat(must | shaken & ~is_choice, width, axis=1), np.repeat(must, width, axis=1)


def _reflected(X: Array) -> Array:
    """X folded into the cube as by mirrors on its faces: the distance to the nearest even integer."""
    return np.abs(X - 2.0 * np.round(X / 2.0))


def _outwards(x: Array, step: Array) -> Mask:
    """Where x sits on a face and the step would leave the cube there, (n, d)."""
    below: Mask = (x == 0.0) & (step < 0.0)
    above: Mask = (x == 1.0) & (step > 0.0)
    return below | above


def _switch_choices(X: Array, x: Array, must: Mask, coordinates: tuple[Coordinate, ...], rng: Generator) -> Array:
    """X with each choice that has to move at another option, up to snapping."""
    X = X.copy()
    for coordinate in coordinates:
        if coordinate.kind == "choice":
            block = coordinate.columns
            if coordinate.places is not None:
                other = coordinate.places.others(x[block], len(X), rng)
            else:  # The largest of uniform draws is a uniform option; the present one draws 0 and cannot win.
                other = rng.random(X[:, block].shape) * (1.0 - x[block])
            X[:, block] = np.where(must[:, block], other, x[block])
    return X


def _neighbours(u: float, levels: Levels) -> tuple[float, float]:
    """The values of the levels below and above that of u; at an end, twice the inner one."""
    k, last = int(levels.index(np.array([u]))[0]), levels.count - 1
    down, up = levels.at(np.array([k - 1 if k > 0 else 1, k + 1 if k < last else k - 1])).tolist()
    return down, up
