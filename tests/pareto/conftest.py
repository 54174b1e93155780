"""Fronts of every kind, and derivatives by differences."""

import numpy as np
import pytest


def make(kind, m, n, seed=0):
    """n points of m objectives and a reference point, some of them below it: mutually nondominated if n > 1 and curved.

    curved: on a sphere. cloud: mostly dominated. rounded: to a coarse grid, so that many are equal, wholly or in part.
    """
    rng = np.random.default_rng([seed, m, n])
    Y = rng.standard_normal((n, m))
    if kind == "curved":
        Y = np.abs(Y) / np.sqrt((Y**2).sum(axis=1, keepdims=True))
        return Y, np.full(m, 0.05)
    if kind == "rounded":
        Y = np.round(2 * Y) / 2
    return Y, np.full(m, -1.0)


@pytest.fixture(scope="session")
def front():
    return make


FRONTS = [
    *(("curved", 1, 7), ("rounded", 1, 40), ("cloud", 2, 7), ("rounded", 2, 40), ("cloud", 3, 1)),
    *(("curved", 3, 40), ("rounded", 3, 40), ("cloud", 4, 40), ("curved", 5, 7)),
]


@pytest.fixture(params=FRONTS, ids=str)
def any_front(request):
    """Every kind, one to five objectives, with one point, few and many; hypothesis combines them further."""
    return make(*request.param)


@pytest.fixture(scope="session")
def central_difference():
    """df/dX column by column, (N, m), for f (N, m) -> (N,)."""

    def gradient(f, X, step=1e-6):
        return np.column_stack([(f(X + e) - f(X - e)) / (2 * step) for e in step * np.eye(X.shape[1])])

    return gradient
