"""Finite stand-ins for a domain."""

import numpy as np
import pytest

from suffice.acquisition.information import (
    SAME,
    SEEDS,
    cover,
    distinct,
    peaks,
    pool,
    separate,
)
from suffice.space import PointSet, UnitCube
from suffice.testing.acquisitions import posterior_in
from suffice.testing.fakes import FINITE, MIXED


def test_a_small_domain_stands_for_itself():
    corners = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 0.0]])
    assert np.array_equal(cover(PointSet(corners), 4, np.random.default_rng(0)), corners[:3])


def test_a_large_domain_is_drawn_from():
    rng = np.random.default_rng(0)
    assert np.array_equal(cover(UnitCube(3), 50, rng), np.random.default_rng(0).random((50, 3)))


def test_repetitions_go_and_the_order_stays():
    X = np.array([[0.9, 0.1], [0.2, 0.2], [0.9, 0.1], [0.1, 0.9], [0.2, 0.2]])
    assert np.array_equal(distinct(X), X[[0, 1, 3]])


def test_a_domain_without_columns_has_one_point():
    assert cover(UnitCube(0), 10, np.random.default_rng(0)).shape == (1, 0)
    assert distinct(np.zeros((3, 0))).shape == (1, 0)


def test_a_climb_ends_where_the_mean_is_flat_or_at_a_face(gp):
    posterior, starts = gp(n=15), np.random.default_rng(0).random((6, 2))
    ends = peaks(posterior, UnitCube(2), starts)
    assert np.all(posterior.mean(ends) > posterior.mean(starts))
    slope = posterior.predict_grad(ends)[2]
    uphill = np.where(ends == 0.0, np.maximum(slope, 0.0), np.where(ends == 1.0, np.minimum(slope, 0.0), slope))
    assert uphill == pytest.approx(np.zeros_like(ends), abs=1e-3)


def test_a_climb_moves_smooth_columns_only():
    posterior, starts = posterior_in("a mixed space"), MIXED.sample(5, np.random.default_rng(0))
    ends = peaks(posterior, MIXED, starts)
    assert np.array_equal(ends[:, 1:5], starts[:, 1:5])
    assert np.all(posterior.mean(ends) >= posterior.mean(starts))
    assert np.all(MIXED.contains(ends))
    assert np.array_equal(peaks(posterior, FINITE, starts), starts)


@pytest.mark.parametrize("situation", ["no data", "one point", "almost no noise", "a mixed space"])
def test_the_pool_has_members_only_and_each_once(situation):
    posterior = posterior_in(situation)
    domain = MIXED if situation == "a mixed space" else UnitCube(posterior.X.shape[1])
    X = pool(posterior, domain, np.random.default_rng(0))
    assert np.all(domain.contains(X))
    assert len(np.unique(X, axis=0)) == len(X)
    assert posterior.mean(X).max() >= posterior.mean(domain.sample(5000, np.random.default_rng(1))).max()


def test_separate_points_are_the_best_of_their_places(gp):
    posterior, X = gp(), np.random.default_rng(0).random((400, 2))
    values = -np.abs(X - 0.3).sum(axis=1)
    seeds = separate(X, values, posterior)
    assert len(seeds) == SEEDS
    assert np.array_equal(seeds[0], X[np.argmax(values)])
    correlation = posterior.kernel(seeds, seeds)
    assert np.all(correlation[~np.eye(SEEDS, dtype=bool)] <= SAME)
    # Whatever is better than the last seed is in the place of another one.
    better = X[values > values[(X == seeds[-1]).all(axis=1)][0]]
    assert np.all(posterior.kernel(better, seeds[:-1]).max(axis=1) > SAME)
