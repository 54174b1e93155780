"""Finite stand-ins for a domain."""

import numpy as np

from suffice.acquisition.points import cover, distinct
from suffice.space import PointSet, UnitCube


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
