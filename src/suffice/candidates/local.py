"""Local candidates: members of the domain near the incumbent, at several scales."""

import math
from dataclasses import dataclass

from numpy.random import Generator

from suffice.types import Array, Domain


@dataclass(frozen=True)
class Local:
    """Members near the incumbent; the domain says what is near. Uniform before anything was observed.

    Parameters
    ----------
    scales : tuple of float, default: (0.1, 0.01, 0.001, 0.0001)
        Distances at which they lie, about, in units of the cube.
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
