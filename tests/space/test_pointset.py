"""A finite set of points: the domain, an even choice of its rows, and rows of a large table by their contents."""

import pickle

import numpy as np
import pytest
from scipy import stats

from suffice.space import PointSet, pointset
from suffice.space.pointset import RowIndex, halved
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


# Rows that are spread as evenly over a table as numbers over the cube.


def test_uniform_numbers_give_every_row_the_same_chance():
    m, n = 37, 37_000
    rng = np.random.default_rng(0)
    counts = np.bincount(halved(rng.random((m, 3)) ** 4, rng.random((n, 3))), minlength=m)
    # Pearson's statistic; a correct rule exceeds this limit in one of a million streams.
    assert ((counts - n / m) ** 2 / (n / m)).sum() < stats.chi2.isf(1e-6, m - 1)


def test_numbers_on_both_sides_of_the_middle_are_rows_on_both_sides_of_the_median():
    V = np.random.default_rng(1).random((1000, 1)) ** 3
    rows = halved(V, np.array([[0.1], [0.4], [0.6], [0.9]]))
    shares = (V[:, 0] <= V[rows]).mean(axis=1)
    assert np.allclose(shares, [0.1, 0.4, 0.6, 0.9], atol=0.002)


def test_a_row_far_from_all_others_is_chosen_no_more_often_than_they():
    V = np.concatenate([np.full((99, 2), 0.5) + 0.01 * np.random.default_rng(2).random((99, 2)), [[1.0, 1.0]]])
    rows = halved(V, np.random.default_rng(3).random((2000, 2)))
    assert (rows == 99).mean() < 0.05


def test_one_row_is_every_row():
    assert halved(np.zeros((1, 2)), np.random.default_rng(0).random((5, 2))).tolist() == [0] * 5


# Rows of a table by their contents.


@pytest.mark.parametrize("d", [1, 3, 30])
def test_every_row_is_found_and_nothing_else(d):
    rng = np.random.default_rng(d)
    table = rng.integers(0, 3, (500, d)) / 4
    X = np.concatenate([table, rng.random((50, d)), table[:5] + 1e-15])
    first = {}
    for i, row in enumerate(map(tuple, table.tolist())):
        first.setdefault(row, i)
    assert RowIndex(table).find(X).tolist() == [first.get(tuple(row), -1) for row in X.tolist()]


def test_repeats_are_counted_in_order():
    table = np.random.default_rng(0).integers(0, 3, (300, 3)).astype(float)
    seen, expected = {}, []
    for i, row in enumerate(map(tuple, table.tolist())):
        if row in seen:
            expected.append((i, seen[row]))
        seen[row] = seen.get(row, 0) + 1
    rows, earlier = RowIndex(table).repeats()
    assert list(zip(rows.tolist(), earlier.tolist(), strict=True)) == expected


def test_the_answer_does_not_rest_on_the_hash(monkeypatch):
    monkeypatch.setattr(pointset, "hashed", lambda X: np.full(len(X), 7, dtype=np.uint64))
    table = np.array([[0.1], [0.2], [0.3]])
    assert RowIndex(table).find(np.array([[0.3], [0.25], [0.1]])).tolist() == [2, -1, 0]
    assert not len(RowIndex(table).repeats()[0])


def test_zero_has_one_sign_and_nan_is_no_row():
    index = RowIndex(np.array([[0.0, 1.0], [0.5, np.nan]]))
    assert index.find(np.array([[-0.0, 1.0], [0.5, np.nan]])).tolist() == [0, -1]


def test_rows_of_noughts_and_ones_have_hashes_of_their_own():
    table = (np.random.default_rng(1).random((20_000, 40)) < 0.5).astype(float)
    assert len(np.unique(RowIndex(table).sorted)) == len(np.unique(table, axis=0))
