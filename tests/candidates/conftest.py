"""A small mixed domain, written out by hand so that the candidates are tested without the library's own spaces."""

import math

import numpy as np
import pytest

from suffice.space.product import steps
from suffice.types import Coordinate


class Values:
    """Levels at the given values."""

    def __init__(self, values):
        self.values, self.count = np.array(values), len(values)

    def at(self, k):
        return self.values[k]

    def index(self, u):
        return np.abs(u[..., None] - self.values).argmin(axis=-1)


class Mixed:
    """Column 0: a float. Column 1: an integer on the given lattice. Columns 2 to 4: a choice of three options."""

    dim = 5
    size = math.inf
    product = True

    def __init__(self, lattice=(0.0, 0.25, 0.5, 0.75, 1.0)):
        self.lattice = np.array(lattice)
        self.coordinates = (
            Coordinate("rate", "float", 0, 1, True),
            Coordinate("depth", "int", 1, 2, False, Values(lattice)),
            Coordinate("loss", "choice", 2, 5, False),
        )

    def sample(self, n, rng):
        return np.column_stack((rng.random(n), rng.choice(self.lattice, n), np.eye(3)[rng.integers(3, size=n)]))

    def snap(self, X):
        nearest = np.abs(X[:, [1]] - self.lattice).argmin(axis=1)
        options = np.eye(3)[X[:, 2:5].argmax(axis=1)]
        return np.column_stack((np.clip(X[:, 0], 0.0, 1.0), self.lattice[nearest], options))

    def place(self, U):
        level = (U[:, 1] * len(self.lattice)).astype(int)
        return np.column_stack((U[:, 0], self.lattice[level], np.eye(3)[(U[:, 2] * 3).astype(int)]))

    def near(self, x, n, rng, scales):
        return steps(x, n, rng, scales, self)


@pytest.fixture
def mixed():
    return Mixed()


@pytest.fixture
def uneven():
    return Mixed(lattice=(0.0, 0.01, 0.5, 1.0))
