"""`initial_point_generator`: where a run begins, by scikit-optimize's names for it.

n  int      points wanted        D  int   coordinates of the space        U  (n, D)   numbers that fill the cube
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.random import Generator

from suffice.candidates import halton, latin, sobol
from suffice.space import SearchSpace, UnitCube
from suffice.streams import Streams
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


RULES: dict[str, Callable[..., Array]] = {
    "sobol": sobol,
    "halton": halton,
    "hammersly": hammersly,
    "lhs": latin,
    "grid": grid,
}


def check_generator(generator: Any) -> str:
    """The name of the rule, "random" for None."""
    if generator is None:
        return "random"
    if not isinstance(generator, str):
        raise NotImplementedError(
            f"initial_point_generator={type(generator).__name__}: generators are chosen by name here, "
            f"{', '.join(map(repr, ('random', *RULES)))}"
        )
    if generator.lower() not in ("random", *RULES):
        raise ValueError(
            f"initial_point_generator must be one of {', '.join(map(repr, ('random', *RULES)))}: got {generator!r}"
        )
    return generator.lower()


def initial_points(generator: str, n: int, space: SearchSpace, seed: int) -> list[Any] | None:
    """n points of the study's space by the rule of this name; None: they are drawn one by one, at random."""
    if generator == "random" or not len(space.coordinates):
        return None
    if n == 0:
        return []
    X = RULES[generator](n, space, design=np.empty((0, space.dim)), rng=Streams(seed)("design"))
    return [space.from_unit(x) for x in X]
