"""The unit cube as a domain: what every box of floats is to the model."""

import math
from dataclasses import dataclass

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from suffice.space.near import steps
from suffice.types import Array, Coordinate


@dataclass(frozen=True)
class UnitCube:
    """[0, 1]^dim, every coordinate smooth."""

    dim: int

    @property
    def coordinates(self) -> tuple[Coordinate, ...]:
        return tuple(Coordinate(f"x{j}", "float", j, j + 1, True) for j in range(self.dim))

    @property
    def product(self) -> bool:
        return True

    @property
    def size(self) -> float:
        return math.inf if self.dim else 1

    def sample(self, n: int, rng: Generator) -> Array:
        return rng.random((n, self.dim))

    def place(self, U: Array) -> Array:
        return U

    def snap(self, X: Array) -> Array:
        return np.clip(X, 0.0, 1.0)

    def contains(self, X: Array) -> NDArray[np.bool_]:
        inside: NDArray[np.bool_] = np.all((X >= 0.0) & (X <= 1.0), axis=1)
        return inside

    def near(self, x: Array, n: int, rng: Generator, scales: tuple[float, ...]) -> Array:
        return steps(x, n, rng, scales, self)

    def enumerate(self, start: int = 0, stop: int | None = None) -> Array:
        if self.dim:
            raise ValueError("a cube with smooth coordinates cannot be enumerated; sample it instead")
        return np.zeros((1, 0))[start:stop]
