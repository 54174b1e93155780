"""A finite set of points as a domain."""

import pickle

import numpy as np
import pytest
from scipy import stats

from suffice.space import PointSet
from suffice.types import smooth_columns


@pytest.mark.parametrize("d", [1, 2, 7, 40])
def test_snapping_finds_the_nearest_row(d):
    rng = np.random.default_rng(d)
    points, X = rng.random((50, d)), rng.uniform(-0.5, 1.5, (200, d))
    by_hand = points[np.argmin(((X[:, None] - points) ** 2).sum(axis=2), axis=1)]
    assert np.array_equal(PointSet(points).snap(X), by_hand)


def test_members_are_left_alone():
    points = np.random.default_rng(0).random((30, 3))
    assert np.array_equal(PointSet(points).snap(points), points)


def test_rows_are_drawn_uniformly():
    m, n = 20, 20_000
    points = np.linspace(0, 1, m)[:, None]
    drawn = PointSet(points).sample(n, np.random.default_rng(4))
    counts = np.bincount(np.searchsorted(points[:, 0], drawn[:, 0]), minlength=m)
    # Pearson's statistic; a correct sampler exceeds this limit in one of a million streams.
    assert counts.sum() == n
    assert ((counts - n / m) ** 2 / (n / m)).sum() < stats.chi2.isf(1e-6, m - 1)


def test_near_a_row_are_the_next_rows_in_turn():
    domain = PointSet(np.array([[0.1], [0.5], [0.6], [0.1], [0.9]]))
    rng = np.random.default_rng(0)
    assert domain.near(np.array([0.5]), 3, rng, (0.1,))[:, 0].tolist() == [0.6, 0.1, 0.1]
    assert domain.near(np.array([0.1]), 7, rng, (0.1,))[:, 0].tolist() == [0.5, 0.6, 0.9, 0.5, 0.6, 0.9, 0.5]
    assert domain.near(np.array([0.55]), 1, rng, (0.1,))[:, 0].tolist() == [0.6]  # no row itself


def test_members_are_told_by_their_numbers():
    domain = PointSet(np.array([[0.0, 1.0], [0.5, 0.5]]))
    X = np.array([[-0.0, 1.0], [0.5, 0.5], [0.5, 1.0], [np.nan, 0.5]])
    assert domain.contains(X).tolist() == [True, True, False, False]


def test_it_describes_itself_as_a_finite_domain_that_is_no_product():
    points = np.random.default_rng(0).random((30, 3))
    domain = PointSet(points)
    assert (domain.dim, domain.size) == (3, 30)
    assert np.array_equal(domain.enumerate(), points)
    assert not smooth_columns(domain).any()
    assert not domain.product
    assert [c.columns for c in domain.coordinates] == [slice(0, 1), slice(1, 2), slice(2, 3)]


def test_it_keeps_its_own_points_and_they_cannot_be_changed():
    points = np.full((2, 2), 0.5)
    domain = PointSet(points)
    points[:] = 0.0
    assert np.all(domain.points == 0.5)
    for kept in (domain, pickle.loads(pickle.dumps(domain))):
        with pytest.raises(ValueError, match="read-only"):
            kept.enumerate()[0, 0] = 1.0


def test_no_columns_are_fine():
    domain = PointSet(np.zeros((3, 0)))
    assert domain.snap(np.zeros((5, 0))).shape == (5, 0)
    assert domain.sample(4, np.random.default_rng(0)).shape == (4, 0)


@pytest.mark.parametrize("points", [np.zeros(3), np.zeros((0, 2)), np.zeros((1, 1, 1))])
def test_the_wrong_shape_is_refused(points):
    with pytest.raises(ValueError, match=r"\(m, d\) with m ≥ 1: got shape"):
        PointSet(points)


@pytest.mark.parametrize("fault", [np.nan, np.inf, -0.1, 1.1])
def test_points_outside_the_unit_cube_are_refused(fault):
    with pytest.raises(ValueError, match="unit cube"):
        PointSet([[0.5, fault]])
