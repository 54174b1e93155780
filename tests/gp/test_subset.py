"""Which observations a model uses where there are too many: a pure function of the data, with what matters most."""

import numpy as np
import pytest

from suffice.gp import selection as subset
from suffice.gp.selection import (
    by_history,
    centres,
    chosen,
    neighbours,
)

SIZES = pytest.mark.parametrize(("n", "m"), [(11, 10), (12, 10), (20, 10), (21, 20), (1000, 333), (2001, 2000)])


def data(n, d=3, seed=0):
    rng = np.random.default_rng([seed, n])
    X = rng.random((n, d))
    return X, -((X - 0.4) ** 2).sum(axis=1) + 0.1 * rng.standard_normal(n)


@SIZES
def test_a_subset_has_distinct_rows_in_order_and_the_best(n, m):
    for d in (0, 1, 3):
        X, y = data(n, d)
        for rows, best in ((chosen(X, y, m), int(subset.BEST * m)), (by_history(y, m), m // 2)):
            assert len(rows) == m
            assert np.all(np.diff(rows) > 0)
            assert set(np.argsort(-y)[:best]) <= set(rows.tolist())


def test_few_enough_are_all_used():
    X, y = data(30)
    assert chosen(X, y, 30).tolist() == chosen(X, y, 31).tolist() == list(range(30))


def test_the_best_place_has_all_its_neighbours_the_bad_ones_too():
    X, y = data(2000)
    rows = set(chosen(X, y, 400).tolist())
    best = X[np.argmax(y)]
    assert set(neighbours(X, best, 400 // 2 // subset.PLACES).tolist()) <= rows


def test_places_are_the_best_of_which_none_is_near_another():
    X, y = data(500)
    found = centres(X, y, 6)
    r = subset.APART * np.sqrt(3)
    assert found[0] == np.argmax(y)
    assert np.all(np.diff(y[found]) <= 0)
    D = np.linalg.norm(X[found][:, None] - X[found], axis=2)
    assert np.all(D[~np.eye(len(found), dtype=bool)] > r)
    better = [i for i in range(500) if y[i] > y[found[-1]] and i not in found]
    assert all(np.linalg.norm(X[found] - X[i], axis=1).min() <= r for i in better)


def test_one_place_for_all_is_one_place():
    X, y = np.full((50, 2), 0.5), np.arange(50.0)
    assert centres(X, y, 5).tolist() == [49]
    assert len(chosen(X, y, 20)) == 20


def test_the_choice_depends_on_the_values_only_by_their_order():
    X, y = data(300)
    assert chosen(X, y, 60).tolist() == chosen(X, np.exp(5.0 * y) - 7.0, 60).tolist()


def test_the_rest_is_spread_over_the_history():
    X, y = data(4000)
    rows = chosen(X, y, 400)
    quarters = np.bincount(rows // 1000, minlength=4)
    assert quarters.min() > 60
