"""Hills: ends of local runs are one if the way between them does not dip."""

import time

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from suffice.solvers.search.hills import hills


def ridges(X):
    """Two ridges along the second column, at 0.25 and 0.75 of the first."""
    return -np.minimum(np.abs(X[:, 0] - 0.25), np.abs(X[:, 0] - 0.75))


def counted(alpha, X, dip=1e-3, smooth=None, **words):
    X = np.asarray(X, dtype=float)
    smooth = np.ones(X.shape[1], dtype=bool) if smooth is None else np.array(smooth)
    return hills(alpha, X, alpha(X), smooth, dip=dip, **words)


def test_ends_along_a_ridge_are_one_hill_and_ends_across_a_valley_are_two():
    along = [[0.25, 0.0], [0.25, 0.5], [0.25, 1.0]]
    assert counted(ridges, along)[0] == 1
    assert counted(ridges, [*along, [0.75, 0.3], [0.75, 0.9]])[0] == 2


def test_a_dip_that_is_too_small_to_matter_is_none():
    ends = [[0.25, 0.5], [0.75, 0.5]]
    assert [counted(ridges, ends, dip=dip)[0] for dip in (0.2, 0.3)] == [2, 1]  # the valley is 0.25 deep


def test_there_is_no_way_between_cells():
    ends = [[0.25, 0.0], [0.25, 1.0], [0.25, 1.0]]
    assert counted(ridges, ends, smooth=[True, False])[0] == 2


def test_a_way_without_values_is_no_way():
    def gap(X):
        return np.where(np.abs(X[:, 0] - 0.5) < 0.2, np.nan, 1.0)

    assert counted(gap, [[0.1], [0.2], [0.9]])[0] == 2


def test_every_row_is_counted_and_none_is_looked_at_after_the_deadline():
    seen = []

    def watched(X):
        seen.append(len(X))
        return ridges(X)

    X = np.random.default_rng(0).random((9, 2))
    values = ridges(X)
    _, rows = hills(watched, X, values, np.ones(2, dtype=bool), dip=1e-3)
    assert rows == sum(seen) > 0
    late = hills(watched, X, values, np.ones(2, dtype=bool), dip=1e-3, deadline=time.monotonic() - 1.0)
    assert (late, sum(seen)) == ((9, 0), rows)


def test_no_ends_are_no_hills():
    assert counted(ridges, np.empty((0, 2))) == (0, 0)


@given(arrays(float, (6, 3), elements=st.floats(0, 1)), st.integers(0, 10**6))
def test_a_concave_score_has_one_hill_whatever_the_order(X, seed):
    rng = np.random.default_rng(seed)
    A, centre = rng.standard_normal((3, 3)), rng.random(3)

    def bowl(X):
        return -(((X - centre) @ A) ** 2).sum(axis=1)

    assert counted(bowl, X)[0] == 1
    assert counted(bowl, rng.permutation(X))[0] == 1


@pytest.mark.parametrize("unit", [2.0**-20, 2.0**20])
def test_units_do_not_matter(unit):
    X = np.random.default_rng(1).random((12, 2))
    assert counted(lambda X: unit * ridges(X), X, dip=unit * 1e-3) == counted(ridges, X)
