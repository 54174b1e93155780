"""Points that ignore the design and fill the domain: i.i.d. uniform, scrambled Sobol and Halton, Latin hypercubes.

n  int     points wanted
d  int     columns of the unit cube

Each rule fills the cube [0, 1]^d and lets the domain snap. The largest of m uniform columns is equally likely to be any
of them, so a one-hot block of m options snaps to each option with probability 1/m.
"""

import inspect
from collections.abc import Callable
from typing import TypeVar

import numpy as np
from numpy.random import Generator

from suffice.types import Array, Domain

Engine = TypeVar("Engine")

SOBOL_COLUMNS = 21_201  # as far as the tabulated direction numbers go (Joe and Kuo 2008)


def uniform(n: int, domain: Domain, *, design: Array, rng: Generator) -> Array:  # noqa: ARG001
    """n i.i.d. uniform points of the domain: the only rule whose draws the tail estimates accept."""
    return domain.sample(n, rng)


def sobol(n: int, domain: Domain, *, design: Array, rng: Generator) -> Array:  # noqa: ARG001
    """The first n points of a scrambled Sobol sequence (Owen 1998), balanced where n is a power of two."""
    if domain.dim > SOBOL_COLUMNS:
        raise ValueError(
            f"Sobol points exist for up to {SOBOL_COLUMNS} columns, got {domain.dim}; use halton, latin or uniform"
        )
    if n == 0 or domain.dim == 0:
        return domain.sample(n, rng)
    from scipy.stats import qmc

    # Drawn as a whole power of two and cut: the same points as drawing n, without a warning about the balance.
    points = _scrambled(qmc.Sobol, domain.dim, rng).random_base2((n - 1).bit_length())
    return domain.snap(points[:n])


def halton(n: int, domain: Domain, *, design: Array, rng: Generator) -> Array:  # noqa: ARG001
    """The first n points of a scrambled Halton sequence (Owen 2017)."""
    if n == 0 or domain.dim == 0:
        return domain.sample(n, rng)
    from scipy.stats import qmc

    return domain.snap(_scrambled(qmc.Halton, domain.dim, rng).random(n))


def latin(n: int, domain: Domain, *, design: Array, rng: Generator) -> Array:  # noqa: ARG001
    """A Latin hypercube (McKay, Beckman and Conover 1979): one point in each interval [i/n, (i + 1)/n) of every column.

    x_ij = (π_j(i) + u_ij) / n, π_j independent permutations of 0 … n − 1, u_ij uniform.
    """
    strata = np.broadcast_to(np.arange(float(n))[:, None], (n, domain.dim))
    points = (rng.permuted(strata, axis=0) + rng.random((n, domain.dim))) / max(n, 1)
    return domain.snap(points)


def _scrambled(engine: Callable[..., Engine], d: int, rng: Generator) -> Engine:
    """A scipy sequence scrambled with `rng`; SciPy renamed the keyword in 1.15 and will drop the old one."""
    keyword = "rng" if "rng" in inspect.signature(engine).parameters else "seed"
    return engine(d, **{keyword: rng})
