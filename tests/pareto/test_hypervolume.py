"""The volume that a front dominates, compared with moocore and with inclusion and exclusion."""

from itertools import combinations

import moocore
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from suffice.pareto import hypervolume, hypervolumes

SIZES = pytest.mark.parametrize("m", [1, 2, 3, 4, 5])


def test_the_volume_is_that_of_moocore(any_front):
    Y, r = any_front
    assert hypervolume(Y, r) == pytest.approx(moocore.hypervolume(-Y, ref=-r), rel=1e-12)


@given(
    kind=st.sampled_from(["curved", "cloud", "rounded"]),
    m=st.integers(1, 5),
    n=st.integers(1, 40),
    seed=st.integers(0, 999),
)
def test_the_volume_of_any_front_is_that_of_moocore(front, kind, m, n, seed):
    Y, r = front(kind, m, n, seed=seed)
    assert hypervolume(Y, r) == pytest.approx(moocore.hypervolume(-Y, ref=-r), rel=1e-12)
    assert hypervolumes(Y, r)[-1] == pytest.approx(hypervolume(Y, r), rel=1e-12)


@pytest.mark.parametrize("m", [2, 3, 4, 5, 6])
def test_the_volume_of_a_front_of_sixty_points_is_that_of_moocore(front, m):
    Y, r = front("curved", m, 60)
    assert hypervolume(Y, r) == pytest.approx(moocore.hypervolume(-Y, ref=-r), rel=1e-12)


@SIZES
def test_the_volume_is_that_of_inclusion_and_exclusion(front, m):
    Y, r = front("cloud", m, 7)
    P = np.maximum(Y - r, 0.0)
    subsets = (list(rows) for k in range(1, 8) for rows in combinations(range(7), k))
    total = sum((-1) ** (len(rows) + 1) * P[rows].min(axis=0).prod() for rows in subsets)
    assert hypervolume(Y, r) == pytest.approx(total, rel=1e-12)


def test_the_running_series_has_the_volume_of_every_beginning(any_front):
    Y, r = any_front
    expected = [hypervolume(Y[:k], r) for k in range(1, len(Y) + 1)]
    assert hypervolumes(Y, r) == pytest.approx(np.array(expected), rel=1e-12)


@SIZES
def test_order_and_dominated_rows_change_nothing(front, m):
    Y, r = front("curved", m, 20)
    rng = np.random.default_rng(m)
    more = np.concatenate([Y, 0.7 * Y, Y[:5], np.full((1, m), np.nan), np.full((1, m), -np.inf)])
    more = more[rng.permutation(len(more))]
    assert hypervolume(more, r) == pytest.approx(hypervolume(Y, r), rel=1e-13)
    columns = rng.permutation(m)
    assert hypervolume(Y[:, columns], r[columns]) == pytest.approx(hypervolume(Y, r), rel=1e-13)


@SIZES
def test_units_and_origin_of_an_objective_are_those_of_the_volume(front, m):
    Y, r = front("cloud", m, 20)
    rng = np.random.default_rng(m)
    scale, shift = 10 ** rng.uniform(-2, 2, m), rng.standard_normal(m)
    moved = hypervolume(scale * Y + shift, scale * r + shift)
    assert moved == pytest.approx(scale.prod() * hypervolume(Y, r), rel=1e-11)


@SIZES
def test_one_point_dominates_a_box_and_the_same_point_again_adds_nothing(m):
    y = np.arange(2.0, m + 2)
    assert hypervolume(y[None], np.ones(m)) == (y - 1).prod()
    assert hypervolumes(np.array([y, y, y - 1.5, y]), np.ones(m)).tolist() == [(y - 1).prod()] * 4


@SIZES
def test_below_the_reference_point_there_is_no_volume(m):
    Y = np.concatenate([np.zeros((1, m)), np.full((1, m), -3.0), np.full((1, m), np.nan)])
    assert hypervolume(Y, np.zeros(m)) == 0.0
    assert hypervolumes(Y, np.zeros(m)).tolist() == [0.0, 0.0, 0.0]
    nothing = np.empty((0, m))
    assert hypervolume(nothing, np.zeros(m)) == 0.0
    assert hypervolumes(nothing, np.zeros(m)).shape == (0,)


@pytest.mark.parametrize("m", [2, 3, 4])
def test_a_long_series_ends_at_the_volume_of_moocore(front, m):
    Y, r = front("cloud", m, 600)
    series = hypervolumes(Y, r)
    assert (np.diff(series) >= 0).all()
    assert series[-1] == pytest.approx(moocore.hypervolume(-Y, ref=-r), rel=1e-11)
