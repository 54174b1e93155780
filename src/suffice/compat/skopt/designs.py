"""Two ways to spread points that scikit-optimize has besides Sobol, Halton and Latin hypercubes.

n  int      points wanted        D  int   coordinates of the space        U  (n, D)   numbers that fill the cube
"""

import numpy as np
from numpy.random import Generator

from suffice.candidates import halton
from suffice.space import UnitCube
from suffice.types import Array, Domain

LISTED = 100_000  # nodes of a grid that are worth numbering


def hammersly(n: int, domain: Domain, *, design: Array, rng: Generator) -> Array:
    """A Hammersley set: the first coordinate in n equal steps, the others a scrambled Halton sequence."""
    others = UnitCube(len(domain.coordinates) - 1)
    first = (np.arange(n) + 0.5) / n
    return domain.place(np.column_stack([first, halton(n, others, design=design, rng=rng)]))


def grid(n: int, domain: Domain, *, design: Array, rng: Generator) -> Array:  # noqa: ARG001
    """n nodes, in random order, of the smallest regular grid that has them: the centres of k^D equal cells."""
    D = len(domain.coordinates)
    k = next(k for k in range(1, n + 1) if k**D >= n)
    if k**D <= LISTED:
        U = np.stack(np.unravel_index(rng.choice(k**D, size=n, replace=False), (k,) * D), axis=1)
    else:  # so many that the same one twice is not to be expected
        U = rng.integers(0, k, size=(n, D))
    return domain.place((U + 0.5) / k)
