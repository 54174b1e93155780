"""Scores with answers known by hand or from another method, as functions of the unit cube."""

import math
from dataclasses import dataclass
from types import SimpleNamespace

import numpy as np
import pytest

from suffice.solvers import Adaptive, polish
from suffice.space import UnitCube
from suffice.types import Ledger, Score, Step


@dataclass(frozen=True)
class Quadratic(Score):
    """alpha(x) = −½ (x − c)ᵀA(x − c)."""

    A: np.ndarray
    c: np.ndarray
    smooth, curved = True, True

    def __call__(self, X):
        return self.value_and_grad(X)[0]

    def value_and_grad(self, X):
        D = X - self.c
        AD = (D[:, None, :] * self.A).sum(axis=2)  # row by row, so that a batch rounds like single rows
        return -0.5 * (D * AD).sum(axis=1), -AD

    def with_hessian(self, X, columns):
        v, g = self.value_and_grad(X)
        return v, g[:, columns], np.tile(-self.A[np.ix_(columns, columns)], (len(X), 1, 1))


@dataclass(frozen=True)
class Rosenbrock(Score):
    """The curved valley −Σ 100 (u_{j+1} − u_j²)² + (1 − u_j)², u = 4x − 2; its maximum 0 is at x = ¾."""

    smooth = True

    def __call__(self, X):
        return self.value_and_grad(X)[0]

    def value_and_grad(self, X):
        u = 4.0 * X - 2.0
        a, b = u[:, 1:] - u[:, :-1] ** 2, 1.0 - u[:, :-1]
        g = np.zeros_like(u)
        g[:, 1:] += 200.0 * a
        g[:, :-1] -= 400.0 * a * u[:, :-1] + 2.0 * b
        return -(100.0 * a**2 + b**2).sum(axis=1), -4.0 * g


@dataclass(frozen=True)
class Bumps(Score):
    """Σ w_k exp(−|x − c_k|² / 2ℓ_k²): several maxima, like the mean of a Gaussian process."""

    centres: np.ndarray
    weights: np.ndarray
    lengths: np.ndarray
    smooth, curved = True, True

    @classmethod
    def random(cls, dim, rng, n=12):
        return cls(rng.random((n, dim)), 0.5 + rng.random(n), (0.2 + 0.2 * rng.random(n)) * np.sqrt(dim))

    def __call__(self, X):
        return self.value_and_grad(X)[0]

    def value_and_grad(self, X):
        D = X[:, None] - self.centres
        e = self.weights * np.exp(-0.5 * (D**2).sum(axis=2) / self.lengths**2)
        return e.sum(axis=1), -((e / self.lengths**2)[:, :, None] * D).sum(axis=1)

    def with_hessian(self, X, columns):
        D = (X[:, None] - self.centres)[:, :, columns]
        v, g = self.value_and_grad(X)
        e = self.weights * np.exp(-0.5 * ((X[:, None] - self.centres) ** 2).sum(axis=2) / self.lengths**2)
        outer = ((e / self.lengths**4)[:, :, None, None] * D[:, :, :, None] * D[:, :, None]).sum(axis=1)
        return v, g[:, columns], outer - (e / self.lengths**2).sum(axis=1)[:, None, None] * np.eye(len(columns))


@dataclass(frozen=True)
class Scaled(Score):
    """Another score in other units."""

    score: object
    scale: float
    smooth = True

    def __call__(self, X):
        return self.scale * self.score(X)

    def value_and_grad(self, X):
        values, gradients = self.score.value_and_grad(X)
        return self.scale * values, self.scale * gradients


@dataclass(frozen=True)
class Wide(Score):
    """Another score with a constant width, perhaps in other units."""

    score: object
    constant: float = 0.3
    unit: float = 1.0
    smooth = True

    def __call__(self, X):
        return self.unit * self.score(X)

    def value_and_grad(self, X):
        values, gradients = self.score.value_and_grad(X)
        return self.unit * values, self.unit * gradients

    def width(self, X):
        return np.full(len(X), self.unit * self.constant)


@dataclass(frozen=True)
class Pair(Score):
    """A function as a score, with another one for its values and gradients."""

    values: object
    values_and_gradients: object
    smooth = True

    def __call__(self, X):
        return self.values(X)

    def value_and_grad(self, X):
        return self.values_and_gradients(X)


class Ranked(Score):
    """Another score with `top`, and a log of what it was asked for."""

    ranks = True

    def __init__(self, score):
        self.score, self.valued, self.topped = score, [], []

    def __call__(self, X):
        self.valued.append(X)
        return self.score(X)

    def top(self, X, k):
        self.topped.append(X)
        values = self.score(X)
        rows = np.argsort(-values)[:k]
        return rows, values[rows]


def hessian(dim, rng, condition=30.0):
    """A random positive definite matrix with this condition number."""
    Q, _ = np.linalg.qr(rng.standard_normal((dim, dim)))
    return (Q * np.geomspace(1.0, condition, dim)) @ Q.T


@pytest.fixture(scope="session")
def scores():
    return SimpleNamespace(
        Quadratic=Quadratic,
        Rosenbrock=Rosenbrock,
        Bumps=Bumps,
        Scaled=Scaled,
        Wide=Wide,
        Pair=Pair,
        Ranked=Ranked,
        hessian=hessian,
    )


@pytest.fixture(scope="session")
def bumps():
    """Ten bumps of a given length-scale in the unit cube: several maxima, more of them the shorter it is."""

    def make(dim, seed, length=0.15):
        rng = np.random.default_rng([dim, seed])
        lengths = length * (0.6 + 0.8 * rng.random(10)) * math.sqrt(dim)
        return Wide(Bumps(rng.random((10, dim)), 0.5 + rng.random(10), lengths))

    return make


@pytest.fixture(scope="session")
def rugged():
    """A hundred narrow bumps and dips: the runs end on many hills, and some estimate always remains."""

    def make(dim, seed, constant=0.3):
        rng = np.random.default_rng([dim, seed])
        lengths = 0.05 * (0.6 + 0.8 * rng.random(100)) * math.sqrt(dim)
        return Wide(Bumps(rng.random((100, dim)), rng.standard_normal(100), lengths), constant)

    return make


@pytest.fixture(scope="session")
def highest():
    """The maximum of bumps, uphill from the centres of all of them."""

    def found(alpha):
        centres = alpha.score.centres
        return float(polish(alpha, UnitCube(centres.shape[1]), centres).values.max())

    return found


@pytest.fixture(scope="session")
def solved():
    """One solve in a cube, after ten observations."""

    def solve(alpha, dim, *, solver=Adaptive(), ledger=Ledger(), t=5, seed=0, **clock):
        step = Step(t, np.random.default_rng(99).random((10, dim)), ledger, **clock)
        return solver(alpha, UnitCube(dim), step=step, rng=np.random.default_rng(seed))

    return solve
