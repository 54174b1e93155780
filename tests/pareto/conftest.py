"""Fronts of every kind, and derivatives by differences."""

import numpy as np
import pytest

KINDS = ("curved", "cloud", "rounded")


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


@pytest.fixture(params=[(kind, m, n) for kind in KINDS for m in range(1, 6) for n in (1, 7, 40)], ids=str)
def any_front(request):
    """Every kind in one to five objectives, with few and many points."""
    return make(*request.param)


@pytest.fixture(scope="session")
def central_difference():
    """df/dX column by column, (N, m), for f (N, m) -> (N,)."""

    def gradient(f, X, step=1e-6):
        return np.column_stack([(f(X + e) - f(X - e)) / (2 * step) for e in step * np.eye(X.shape[1])])

    return gradient
