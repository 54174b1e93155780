"""Generators of initial points: the sequences that `initial_point_generator` names, as objects.

n  int   points wanted        D  int   coordinates of the space        U  (n, D)   numbers that fill the cube
"""

from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np
from numpy.random import Generator

from suffice.candidates import halton, latin, sobol
from suffice.compat.skopt.arguments import Border, as_random_state, drawn_seed, explained, one_of
from suffice.compat.skopt.space import Space
from suffice.space import UnitCube
from suffice.streams import Streams
from suffice.types import Array, Domain


def hammersly(n: int, domain: Domain, *, design: Array, rng: Generator) -> Array:
    """A Hammersley set: the first coordinate in n equal steps, the others a scrambled Halton sequence."""
    others = UnitCube(len(domain.coordinates) - 1)
    first = (np.arange(n) + 0.5) / n
    return domain.place(np.column_stack([first, halton(n, others, design=design, rng=rng)]))


def grid(n: int, domain: Domain, *, design: Array, rng: Generator) -> Array:  # noqa: ARG001
    """n nodes, in random order, of the smallest regular grid that has them: the centres of k^D equal cells."""
    D = len(domain.coordinates)
    k = next(k for k in range(1, n + 1) if k**D >= n)
    if k**D <= np.iinfo(np.int64).max:
        numbers = rng.choice(k**D, size=n, replace=False)
        U = numbers[:, None] // k ** np.arange(D)[::-1] % k  # the digits of a number are the places of its node
    else:  # so many that the same one twice is not to be expected
        U = rng.integers(0, k, size=(n, D))
    return domain.place((U + 0.5) / k)


class InitialPointGenerator:
    """Base class of the generators of initial points; a subclass has the method `generate`."""

    @explained(returns=("list of list", "The points."))
    def generate(self, dimensions: Any, n_samples: int, random_state: Any = None) -> list[list[Any]]:
        """Make points of a space."""
        raise NotImplementedError(f"{type(self).__name__} needs a method generate(dimensions, n_samples, random_state)")

    def set_params(self, **params: Any) -> None:
        """Change settings."""
        for name, value in params.items():
            setattr(self, name, value)


class _Filling(InitialPointGenerator):
    """A rule of this library that fills a space. The settings of scikit-optimize's are kept and have no effect."""

    rule: ClassVar[Callable[..., Array]]

    def __init__(self, **settings: Any) -> None:
        self.set_params(**settings)

    def generate(self, dimensions: Any, n_samples: int, random_state: Any = None) -> list[list[Any]]:
        """n_samples points that fill the space, none of them outside of its constraint if it has one."""
        border = Border.of(Space(dimensions))
        inside, rng = border.inside, Streams(drawn_seed(as_random_state(random_state)))("design")
        if not n_samples:
            return []
        if not inside.coordinates:  # every dimension has one value
            return [border.outward(inside.from_unit(np.empty(0))) for _ in range(n_samples)]
        X = type(self).rule(n_samples, inside, design=np.empty((0, inside.dim)), rng=rng)
        return [border.outward(inside.from_unit(x)) for x in X]


@explained()
class Sobol(_Filling):
    """A scrambled Sobol sequence."""

    rule = staticmethod(sobol)


@explained()
class Halton(_Filling):
    """A scrambled Halton sequence."""

    rule = staticmethod(halton)


@explained()
class Hammersly(_Filling):
    """A Hammersley set: one dimension in equal steps, the others a scrambled Halton sequence."""

    rule = staticmethod(hammersly)


@explained()
class Lhs(_Filling):
    """A Latin hypercube."""

    rule = staticmethod(latin)


@explained()
class Grid(_Filling):
    """Nodes of a regular grid, in random order."""

    rule = staticmethod(grid)


def cook_initial_point_generator(generator: Any, **kwargs: Any) -> InitialPointGenerator | None:
    """The generator that is meant by a name, or itself; None for random points, which need none."""
    if generator is None or (isinstance(generator, str) and generator.lower() == "random"):
        return None
    if isinstance(generator, str):
        known = {kind.__name__.lower(): kind for kind in (Sobol, Halton, Hammersly, Lhs, Grid)}
        one_of(generator.lower(), ("random", *known), "initial_point_generator")
        return known[generator.lower()](**kwargs)
    if not isinstance(generator, InitialPointGenerator):
        raise ValueError(
            f"initial_point_generator must be a name such as 'sobol', or an InitialPointGenerator: got {generator!r}"
        )
    generator.set_params(**kwargs)
    return generator
