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


def labels(alpha, X, dip=1e-3, smooth=None):
    """The hill of each end."""
    X = np.asarray(X, dtype=float)
    smooth = np.ones(X.shape[1], dtype=bool) if smooth is None else np.array(smooth)
    return hills(alpha, X, alpha(X), smooth, dip=dip)[0].tolist()


def test_ends_along_a_ridge_are_one_hill_and_ends_across_a_valley_are_two():
    along = [[0.25, 0.0], [0.25, 0.5], [0.25, 1.0]]
    assert labels(ridges, along) == [0, 0, 0]
    assert labels(ridges, [*along, [0.75, 0.3], [0.75, 0.9]]) == [0, 0, 0, 1, 1]


def test_a_dip_that_is_too_small_to_matter_is_none():
    ends = [[0.25, 0.5], [0.75, 0.5]]
    assert [labels(ridges, ends, dip=dip) for dip in (0.2, 0.3)] == [[0, 1], [0, 0]]  # the valley is 0.25 deep


def test_there_is_no_way_between_cells():
    ends = [[0.25, 0.0], [0.25, 1.0], [0.25, 1.0]]
    assert labels(ridges, ends, smooth=[True, False]) == [0, 1, 1]


def test_a_way_without_values_is_no_way():
    def gap(X):
        return np.where(np.abs(X[:, 0] - 0.5) < 0.2, np.nan, 1.0)

    assert labels(gap, [[0.1], [0.2], [0.9]]) == [0, 0, 1]


def test_the_highest_hill_is_the_first_and_every_end_joins_the_highest_it_can(scores):
    three = scores.Bumps(np.array([[0.1], [0.5], [0.9]]), np.array([1.0, 3.0, 2.0]), np.full(3, 0.05))
    X = np.array([[0.12], [0.48], [0.93], [0.1], [0.5], [0.9]])
    assert labels(three, X) == [2, 0, 1, 2, 0, 1]


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
    assert (sorted(late[0]), late[1], sum(seen)) == (list(range(9)), 0, rows)  # each has a hill of its own


def test_no_ends_are_no_hills():
    assert labels(ridges, np.empty((0, 2))) == []


@given(arrays(float, (6, 3), elements=st.floats(0, 1)), st.integers(0, 10**6))
def test_a_concave_score_has_one_hill_whatever_the_order(X, seed):
    rng = np.random.default_rng(seed)
    A, centre = rng.standard_normal((3, 3)), rng.random(3)

    def bowl(X):
        return -(((X - centre) @ A) ** 2).sum(axis=1)

    assert set(labels(bowl, X)) == {0}
    assert set(labels(bowl, rng.permutation(X))) == {0}


@given(st.integers(0, 10**6))
def test_labels_go_with_the_ends_whatever_their_order(seed):
    rng = np.random.default_rng(seed)
    X, order = rng.random((10, 2)), rng.permutation(10)
    plain = np.array(labels(ridges, X))
    assert labels(ridges, X[order]) == plain[order].tolist()
    assert set(plain) == set(range(plain.max() + 1))  # no number is left out


@pytest.mark.parametrize("unit", [2.0**-20, 2.0**20])
@pytest.mark.parametrize("level", [0.0, 8.0])
def test_units_and_level_do_not_matter(unit, level):
    X = np.random.default_rng(1).random((12, 2))
    assert labels(lambda X: unit * (level + ridges(X)), X, dip=unit * 1e-3) == labels(ridges, X)
    assert len(set(labels(ridges, X))) > 1
