"""Posteriors with answers known by hand, a small real one, and the normal distribution to fifty digits."""

from dataclasses import dataclass
from decimal import MAX_EMAX, MIN_EMIN, Decimal, localcontext

import numpy as np
import pytest

from suffice.gp.kernels import Matern
from suffice.gp.posterior import Posterior


@dataclass(frozen=True)
class Dial:
    """A point is its own moments: column 0 is the mean, column 1 the deviation. Observed once, at mean `best`."""

    best: float = 0.0
    std_there: float = 0.0
    n: int = 1
    scale: float = 1.0
    tau: float = 0.01
    gain: float = 0.0

    kernel = Matern(2.5)  # of an ordinary model

    @property
    def X(self):  # noqa: N802
        return np.array([[self.best, self.std_there]])[: self.n]

    @property
    def fitted(self):
        return self.mean(self.X)

    def mean(self, X):
        return X[:, 0]

    def predict(self, X):
        return X[:, 0], X[:, 1]

    def predict_grad(self, X):
        ones, zeros = np.ones(len(X)), np.zeros(len(X))
        return X[:, 0], X[:, 1], np.column_stack([ones, zeros]), np.column_stack([zeros, ones])


@pytest.fixture
def dial():
    return Dial


@pytest.fixture
def gp():
    """A posterior in d columns given n points, with its prior's scale and mean moved by `scale` and `shift`."""

    def make(n=12, d=2, *, tau=1e-2, scale=1.0, shift=0.0, seed=0):
        X = np.random.default_rng(seed).random((n, d))
        z = scale * np.sin(5 * X).sum(axis=1) + shift
        return Posterior.condition(Matern(2.5, 0.4), X, z, tau, scale=scale, constant=shift)

    return make


class ExactNormal:
    """The normal distribution in decimal arithmetic: slow, and right to about fifty digits."""

    PI = Decimal("3.14159265358979323846264338327950288419716939937510582097494459230781640628620899862803482534")

    def density(self, u):
        return (-u * u / 2).exp() / (2 * self.PI).sqrt()

    def cdf(self, u):
        """Φ(u): for |u| < 12 by its power series, beyond by Laplace's continued fraction."""
        v = abs(u)
        if v < 12:
            term = total = v
            for k in range(1, 600):
                term = term * v * v / (2 * k + 1)
                total += term
            left = Decimal("0.5") - self.density(v) * total
        else:
            fraction = Decimal(0)
            for j in range(600, 0, -1):
                fraction = j / (v + fraction)
            left = self.density(v) / (v + fraction)
        return left if u < 0 else 1 - left

    def evaluate(self, formula, u):
        """formula(u, φ(u), Φ(u)) as a float; nothing underflows on the way, and 1 − 1e-280 is not 1."""
        with localcontext() as context:
            context.prec, context.Emin, context.Emax = 400, MIN_EMIN, MAX_EMAX
            u = Decimal(u)
            return float(formula(u, self.density(u), self.cdf(u)))


@pytest.fixture(scope="session")
def exact_normal():
    return ExactNormal()


@pytest.fixture(scope="session")
def central_difference():
    """d f/dX column by column, (m, d), for f (m, d) -> (m,)."""

    def gradient(f, X, step=1e-6):
        steps = step * np.eye(X.shape[1])
        return np.column_stack([(f(X + e) - f(X - e)) / (2 * step) for e in steps])

    return gradient
