"""Points that fill the domain: i.i.d. uniform, scrambled Sobol and Halton, Latin hypercubes; and points near the best.

n  int       points wanted
D  int       coordinates of the domain: a choice is one of them, however many columns it takes
U  (n, D)    numbers that fill the cube [0, 1]^D

Each rule that fills the domain fills the cube of the coordinates, and the domain places the numbers on its members:
strata of the numbers are strata of the options too.
"""

import inspect
import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
from numpy.random import Generator

from suffice.types import Array, Domain

Engine = TypeVar("Engine")
Rule = TypeVar("Rule", bound=Callable[..., Array])


def _documented(rule: Rule) -> Rule:
    """The rule with the description of the arguments that all of them take."""
    rule.__doc__ = f"""{inspect.cleandoc(rule.__doc__ or "")}

Parameters
----------
n : int
    The number of points.
domain : Domain
    The set that the points belong to, such as an sf.Space.
design : ndarray
    Rows that were observed, best first, (k, d); this rule ignores them.
rng : numpy.random.Generator
    The source of randomness.

Returns
-------
ndarray
    Rows of the unit cube, (n, d).
"""
    return rule


@_documented
def uniform(n: int, domain: Domain, *, design: Array, rng: Generator) -> Array:  # noqa: ARG001
    """Independent uniform points of a domain; only these allow an estimate of the accuracy."""
    return domain.sample(n, rng)


@_documented
def sobol(n: int, domain: Domain, *, design: Array, rng: Generator) -> Array:  # noqa: ARG001
    """The first n points of a scrambled Sobol sequence (Owen 1998), balanced where n is a power of two.

    The sequence exists for up to 21 201 coordinates (Joe and Kuo 2008); beyond, the points are uniform.
    """
    from scipy.stats import qmc

    D = len(domain.coordinates)
    if n == 0 or not 0 < D <= qmc.Sobol.MAXDIM:
        return domain.sample(n, rng)
    # Drawn as a whole power of two and cut: the same points as drawing n, without a warning about the balance.
    U = _scrambled(qmc.Sobol, D, rng).random_base2((n - 1).bit_length())
    return domain.place(U[:n])


@_documented
def halton(n: int, domain: Domain, *, design: Array, rng: Generator) -> Array:  # noqa: ARG001
    """The first n points of a scrambled Halton sequence (Owen 2017)."""
    from scipy.stats import qmc

    D = len(domain.coordinates)
    if n == 0 or D == 0:
        return domain.sample(n, rng)
    return domain.place(_scrambled(qmc.Halton, D, rng).random(n))


@_documented
def latin(n: int, domain: Domain, *, design: Array, rng: Generator) -> Array:  # noqa: ARG001
    """A Latin hypercube: one point in each interval [i/n, (i + 1)/n) of every coordinate.

    U_ij = (π_j(i) + u_ij) / n, π_j independent permutations of 0 … n − 1, u_ij uniform (McKay, Beckman and Conover
    1979).
    """
    D = len(domain.coordinates)
    strata = np.broadcast_to(np.arange(float(n))[:, None], (n, D))
    return domain.place((rng.permuted(strata, axis=0) + rng.random((n, D))) / max(n, 1))


def _scrambled(engine: Callable[..., Engine], D: int, rng: Generator) -> Engine:
    """A scipy sequence scrambled with `rng`; SciPy renamed the keyword in 1.15 and will drop the old one."""
    keyword = "rng" if "rng" in inspect.signature(engine).parameters else "seed"
    return engine(D, **{keyword: rng})


@dataclass(frozen=True)
class Local:
    """Members near the incumbent; the domain says what is near. Uniform before anything was observed.

    Parameters
    ----------
    scales : tuple of float, default: (0.1, 0.01, 0.001, 0.0001)
        The approximate distances, in units of the cube.
    """

    scales: tuple[float, ...] = (1e-1, 1e-2, 1e-3, 1e-4)

    def __post_init__(self) -> None:
        if not self.scales or not all(0 < scale < math.inf for scale in self.scales):
            raise ValueError(
                f"scales must be one or more positive, finite step sizes in units of the cube, got {self.scales}"
            )

    def __call__(self, n: int, domain: Domain, *, design: Array, rng: Generator) -> Array:
        return domain.near(design[0], n, rng, self.scales) if len(design) else domain.sample(n, rng)


local = Local()
