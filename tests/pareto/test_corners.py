"""Corners that are kept up to date, compared with all that can be made of the points' coordinates."""

from itertools import product

import numpy as np
import pytest

from suffice.pareto import Corners, Ranks, nondominated

SIZES = pytest.mark.parametrize("m", [1, 2, 3, 4])


def all_of(rows):
    corners = Corners.of_nothing(*rows.shape)
    for y in rows:
        corners = corners.after(y, corners.below(y))
    return corners


def by_search(rows):
    """The smallest of all vectors of coordinates, the reference point's among them, above which no point is."""
    grid = np.array(list(product(*[[0, *column] for column in rows.T.tolist()])))
    free = grid[~(rows[None] > grid[:, None]).all(axis=2).any(axis=1)]
    return free[nondominated(-free.astype(float), distinct=True)]


@SIZES
@pytest.mark.parametrize("n", [0, 1, 2, 5])
def test_the_corners_are_the_smallest_vectors_above_which_no_point_is(m, n):
    rng = np.random.default_rng([m, n])
    rows = np.column_stack([rng.permutation(n) + 1 for _ in range(m)]).reshape(n, m)
    corners = all_of(rows)
    assert sorted(corners.corner.tolist()) == sorted(by_search(rows).tolist())


@SIZES
def test_the_order_in_which_points_arrive_changes_nothing(m):
    rng = np.random.default_rng(m)
    rows = np.column_stack([rng.permutation(12) + 1 for _ in range(m)])
    one, other = all_of(rows), all_of(rng.permutation(rows))
    assert sorted(zip(one.corner.tolist(), one.point.tolist(), strict=True)) == sorted(
        zip(other.corner.tolist(), other.point.tolist(), strict=True)
    )


@SIZES
def test_a_point_defines_one_coordinate_and_is_above_the_corner_in_all_others(m):
    rng = np.random.default_rng(m)
    corners = all_of(np.column_stack([rng.permutation(15) + 1 for _ in range(m)]))
    own = np.eye(m, dtype=bool)
    gap = corners.point - corners.corner[:, None]
    assert (gap[:, own] == 0).all()
    assert (gap[:, ~own] > 0).all()


@SIZES
def test_a_dominated_row_is_below_in_every_rank_and_ranks_give_the_values_back(front, m):
    Y, _ = front("rounded", m, 40)
    r = Y.min(axis=0) - 1.0
    ranks = Ranks.of(Y, r)
    assert (np.sort(ranks.rows, axis=0) == np.arange(1, 41)[:, None]).all()
    assert (ranks.at(ranks.rows) == Y).all()
    below = (Y[:, None] <= Y).all(axis=2)  # [i, k]: row i is nowhere above row k
    equal = (Y[:, None] == Y).all(axis=2)
    below &= ~equal | (np.arange(40)[:, None] > np.arange(40))  # of equal rows the first counts as larger
    assert (below == (ranks.rows[:, None] < ranks.rows).all(axis=2)).all()
    assert (ranks.at(np.zeros((1, m), dtype=int)) == r).all()
    assert np.isposinf(ranks.at(np.full((1, m), 41))).all()
