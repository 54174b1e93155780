"""Which points no other point dominates, compared with the definition and with moocore."""

import math

import moocore
import numpy as np
import pytest

from suffice.pareto import CELLS, counted, nondominated


def by_definition(Y):
    at_least = (Y[None] >= Y[:, None]).all(axis=2)  # [i, k]: row k is nowhere below row i
    above = (Y[None] > Y[:, None]).any(axis=2)
    return ~(at_least & above).any(axis=1)


def test_the_front_is_that_of_the_definition(any_front):
    Y, _ = any_front
    assert (nondominated(Y) == by_definition(Y)).all()


def test_the_front_is_that_of_moocore(any_front):
    Y, _ = any_front
    assert (nondominated(Y) == moocore.is_nondominated(-Y, keep_weakly=True)).all()
    assert (nondominated(Y, distinct=True) == moocore.is_nondominated(-Y)).all()


def test_of_equal_rows_all_are_kept_or_the_first():
    Y = np.array([[0.0, 1.0], [1.0, 0.0], [0.0, 1.0], [1.0, 0.0], [0.0, 0.0]])
    assert nondominated(Y).tolist() == [True, True, True, True, False]
    assert nondominated(Y, distinct=True).tolist() == [True, True, False, False, False]
    threefold = np.column_stack([Y, Y[:, 0]])
    assert nondominated(threefold, distinct=True).tolist() == [True, True, False, False, False]


@pytest.mark.parametrize("m", [2, 3])
def test_many_rows_are_compared_in_blocks_with_the_same_result(front, m):
    rng = np.random.default_rng(m)
    Y, _ = front("curved", m, 2 * math.isqrt(CELLS) + 9)
    Y = np.concatenate([Y * rng.uniform(0.9, 1.0, (len(Y), 1)), np.round(Y, 2)])
    assert (nondominated(Y) == by_definition(Y)).all()


@pytest.mark.parametrize("m", [1, 2, 3, 4])
def test_the_order_of_rows_and_of_objectives_changes_nothing(front, m):
    Y, _ = front("rounded", m, 50)
    rng = np.random.default_rng(0)
    rows, columns = rng.permutation(50), rng.permutation(m)
    assert (nondominated(Y[rows][:, columns]) == nondominated(Y)[rows]).all()


@pytest.mark.parametrize("m", [1, 2, 3])
def test_a_row_with_a_nan_is_not_in_the_front_and_dominates_nothing(m):
    Y = np.zeros((3, m))
    Y[1] = 9.0
    Y[1, -1] = np.nan
    assert nondominated(Y).tolist() == [True, False, True]
    assert not nondominated(np.full((2, m), np.nan)).any()


def test_infinite_values_are_ordered_like_others():
    Y = np.array([[-np.inf, 5.0], [0.0, 5.0], [np.inf, -np.inf], [1.0, -np.inf]])
    assert nondominated(Y).tolist() == [False, True, True, False]


@pytest.mark.parametrize("m", [1, 2, 3])
def test_no_rows_have_no_front(m):
    assert nondominated(np.empty((0, m))).shape == (0,)


def test_a_row_counts_if_it_is_above_the_reference_point_everywhere():
    Y = np.array([[1.0, 1.0], [1.0, 0.0], [np.nan, 1.0], [-np.inf, 1.0]])
    assert counted(Y, np.zeros(2)).tolist() == [True, False, False, False]


@pytest.mark.parametrize(
    ("Y", "r", "message"),
    [
        (np.zeros(3), np.zeros(3), "shapes"),
        (np.zeros((2, 3)), np.zeros(2), "shapes"),
        (np.zeros((2, 0)), np.zeros(0), "shapes"),
        (np.zeros((2, 1)), np.array([-np.inf]), "reference point must be finite"),
        (np.full((2, 1), np.inf), np.zeros(1), "leave such rows out"),
    ],
)
def test_what_has_no_volume_is_refused(Y, r, message):
    with pytest.raises(ValueError, match=message):
        counted(Y, r)
