"""Local candidates: random steps from the incumbent at several scales.

x      (d,)    the incumbent, design[0]
D      int     coordinates (a choice of m options is one coordinate and m columns)
σ      (n, 1)  the scale of each step, in units of the cube
moved  (n, d)  columns that take a step
must   (n, d)  columns that may not stay where they are
"""

import math
from dataclasses import dataclass

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from suffice.types import Array, Coordinate, Domain

Mask = NDArray[np.bool_]

SHAKEN = 20  # expected coordinates that move at once in high dimension (TuRBO, Eriksson et al. 2019)


@dataclass(frozen=True)
class Local:
    """Gaussian steps x + σ z from the incumbent, σ cycling through `scales`.

    One coordinate, drawn at random, moves in every candidate. Every other round through the scales nothing else does;
    in the rounds between, each further coordinate moves with probability min(1, 20/D).

    - A smooth coordinate is reflected at the faces, so that no mass piles up there. But one that sits on a face stays
      there when its step points outwards: an incumbent on a face is a hint that the optimum is too, and the search must
      be able to slide along it. The one coordinate that has to move is always reflected.
    - A lattice coordinate steps and snaps; the one that has to move goes at least to a neighbouring lattice value.
    - A choice switches, to one of its other options with equal probability, if it is the one that has to move, and
      with probability 1/D besides in the rounds that move several coordinates.

    Uniform before anything was observed.
    """

    scales: tuple[float, ...] = (1e-1, 1e-2, 1e-3, 1e-4)

    def __post_init__(self) -> None:
        if not self.scales or not all(0 < scale < math.inf for scale in self.scales):
            raise ValueError(
                f"scales must be one or more positive, finite step sizes in units of the cube, got {self.scales}"
            )

    def __call__(self, n: int, domain: Domain, *, design: Array, rng: Generator) -> Array:
        if n == 0 or len(design) == 0 or domain.dim == 0:
            return domain.sample(n, rng)
        x = design[0]
        row = np.arange(n)
        scale = np.take(self.scales, row % len(self.scales))[:, None]
        several = (row // len(self.scales) % 2 == 0)[:, None]
        moved, must = _masks(domain.coordinates, several, rng)
        step = scale * rng.standard_normal((n, domain.dim))

        stays = ~moved | _outwards(x, step) & ~must
        X = np.where(stays, x, _reflected(x + step))
        X = _switch_choices(X, x, must, domain.coordinates, rng)
        return _leave_lattice_values(domain.snap(X), x, step, must, domain)


local = Local()


def _masks(coordinates: tuple[Coordinate, ...], several: Mask, rng: Generator) -> tuple[Mask, Mask]:
    """`moved` and `must`, (n, d), from one mask for each coordinate."""
    n, D = len(several), len(coordinates)
    width = [coordinate.stop - coordinate.start for coordinate in coordinates]
    chosen = np.arange(D) == rng.integers(D, size=(n, 1))
    shaken = several & (rng.random((n, D)) < min(1.0, SHAKEN / D))
    switched = several & (rng.random((n, D)) < 1.0 / D)
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
    """X with each choice that has to move at a uniform other option, up to snapping."""
    X = X.copy()
    for coordinate in coordinates:
        if coordinate.kind == "choice":
            block = coordinate.columns
            # The largest of uniform draws is a uniform option; the present one draws 0 and cannot win.
            other = rng.random(X[:, block].shape) * (1.0 - x[block])
            X[:, block] = np.where(must[:, block], other, x[block])
    return X


def _leave_lattice_values(X: Array, x: Array, step: Array, must: Mask, domain: Domain) -> Array:
    """X with the lattice coordinates that had to move, but snapped back, at the next value in the step's direction."""
    lattice = [c.start for c in domain.coordinates if not c.smooth and c.kind != "choice"]
    if not lattice:
        return X
    down, up = _neighbours(x, lattice, domain)
    X = X.copy()
    back = must[:, lattice] & (X[:, lattice] == x[lattice])
    X[:, lattice] = np.where(back, np.where(step[:, lattice] < 0.0, down, up), X[:, lattice])
    return domain.snap(X)


def _neighbours(x: Array, lattice: list[int], domain: Domain) -> tuple[Array, Array]:
    """The lattice values below and above x in the given columns; at an end of the lattice, twice the inner one.

    A domain only offers `snap`, so the smallest power of two that snaps to another value is looked for: it is more than
    the distance to the edge of the present value's cell and at most twice that, inside the next cell of a lattice.
    """
    powers = 2.0 ** np.arange(-52.0, 1.0)
    found = []
    for sign in (-1.0, 1.0):
        probes = np.tile(x, (len(powers), 1))
        probes[:, lattice] = np.clip(probes[:, lattice] + sign * powers[:, None], 0.0, 1.0)
        snapped = domain.snap(probes)[:, lattice]
        first = np.argmax(snapped != x[lattice], axis=0)
        found.append(snapped[first, np.arange(len(lattice))])
    down, up = found
    return np.where(down == x[lattice], up, down), np.where(up == x[lattice], down, up)
