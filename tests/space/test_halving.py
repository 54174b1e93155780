"""Rows spread over a table as evenly as numbers over the cube."""

import numpy as np
from scipy import stats

from suffice.space.pointset import halved


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
