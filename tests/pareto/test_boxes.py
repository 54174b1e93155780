"""The boxes are a partition of what can be improved; gain, shortfall and their derivatives."""

import numpy as np
import pytest

from suffice.pareto import CELLS, Improving, hypervolume, nondominated

SIZES = pytest.mark.parametrize("m", [1, 2, 3, 4])


def corners_of(boxes):
    """The smallest points of the region: every other point of it is above one of them."""
    return boxes.lower[nondominated(-boxes.lower, distinct=True)]


def around(Y, r, n, seed=0):
    """Points everywhere near a front, a third of them with coordinates of its points and of r."""
    rng = np.random.default_rng(seed)
    m = Y.shape[1]
    U = rng.uniform(-1.5, 1.5, (n, m)) + np.concatenate([Y, r[None]])[rng.integers(len(Y) + 1, size=n)]
    edges = np.concatenate([Y, r[None], U[:5]])
    shared = np.column_stack([edges[rng.integers(len(edges), size=n), j] for j in range(m)])
    return np.where(rng.random((n, 1)) < 1 / 3, shared, U)


def can_improve(Y, r, U):
    """Whether u is at least r and no point that counts is above u in every objective: the region with its border."""
    above = (Y[None] > U[:, None]).all(axis=2) & (Y > r).all(axis=1)
    return (U >= r).all(axis=1) & ~above.any(axis=1)


def test_a_point_is_in_exactly_one_box_if_it_is_in_the_region_and_else_in_none(any_front):
    Y, r = any_front
    boxes, U = Improving.of(Y, r), around(Y, r, 400)
    inside = ((boxes.lower <= U[:, None]) & (U[:, None] < boxes.upper)).all(axis=2).sum(axis=1)
    assert (inside == can_improve(Y, r, U)).all()
    assert (boxes.lower < boxes.upper).all()


def test_the_gain_is_the_difference_of_two_volumes(any_front):
    Y, r = any_front
    U, before = around(Y, r, 12), hypervolume(Y, r)
    added = [hypervolume(np.concatenate([Y, u[None]]), r) - before for u in U]
    assert Improving.of(Y, r).gain(U) == pytest.approx(np.array(added), rel=1e-9, abs=1e-12)


def test_the_gradient_is_that_of_the_gain(any_front, central_difference):
    Y, r = any_front
    boxes, U = Improving.of(Y, r), around(Y, r, 200, seed=1)
    edges = np.concatenate([boxes.lower, np.where(np.isinf(boxes.upper), np.nan, boxes.upper)])
    smooth = np.nanmin(np.abs(U[:, None] - edges), axis=(1, 2)) > 1e-5
    value, grad = boxes.gain_and_grad(U)
    assert value == pytest.approx(boxes.gain(U), rel=1e-14)
    assert grad[smooth] == pytest.approx(central_difference(boxes.gain, U)[smooth], rel=1e-6, abs=1e-8)
    assert smooth.sum() > 80


@SIZES
def test_at_a_kink_the_gradient_is_the_one_to_the_right(front, m):
    Y, r = front("rounded", m, 30)
    boxes, U, step = Improving.of(Y, r), around(Y, r, 100), 2.0**-20
    right = np.column_stack([(boxes.gain(U + e) - boxes.gain(U)) / step for e in step * np.eye(m)])
    assert boxes.gain_and_grad(U)[1] == pytest.approx(right, abs=1e-6)


@SIZES
def test_each_corner_has_one_box_which_is_as_few_as_there_can_be(front, m):
    Y, r = front("curved", m, 40)
    boxes, n = Improving.of(Y, r), int(nondominated(Y[(Y > r).all(axis=1)]).sum())
    K, L = len(boxes.lower), len(corners_of(boxes))
    assert K == L
    if m <= 3:
        assert (1, n + 1, 2 * n + 1)[m - 1] == K


@pytest.mark.parametrize("m", [2, 3, 4, 5])
def test_with_ties_there_are_hardly_more_boxes_than_corners(front, m):
    boxes = Improving.of(*front("rounded", m, 60))
    assert len(corners_of(boxes)) <= len(boxes.lower) <= 2 * len(corners_of(boxes))


def test_the_corners_are_the_smallest_points_of_the_region(any_front):
    Y, r = any_front
    corners, U = corners_of(Improving.of(Y, r)), around(Y, r, 200)
    assert can_improve(Y, r, corners).all()
    assert nondominated(-corners, distinct=True).all()
    assert ((corners <= U[:, None]).all(axis=2).any(axis=1) == can_improve(Y, r, U)).all()


def test_the_shortfall_is_the_least_that_brings_a_point_to_the_region(any_front):
    Y, r = any_front
    boxes, U = Improving.of(Y, r), around(Y, r, 200)
    short = boxes.shortfall(U)
    assert ((short == 0) == can_improve(Y, r, U)).all()
    assert can_improve(Y, r, U + 1.000001 * short[:, None] + 1e-12 * (short[:, None] > 0)).all()
    far = short > 1e-6
    assert not can_improve(Y, r, U[far] + 0.999999 * short[far, None]).any()
    assert (boxes.gain(U)[short > 0] == 0).all()
    assert (boxes.shortfall(U + np.random.default_rng(0).random(U.shape)) <= short).all()


def test_the_gradient_of_the_shortfall_is_that_of_the_shortfall(any_front, central_difference):
    Y, r = any_front
    boxes, U = Improving.of(Y, r), np.random.default_rng(2).uniform(-2.0, 1.0, (100, Y.shape[1]))
    short, grad = boxes.shortfall_and_grad(U)
    assert (short == boxes.shortfall(U)).all()
    assert grad == pytest.approx(central_difference(boxes.shortfall, U, step=2.0**-24), abs=1e-6)
    assert (grad.sum(axis=1) == np.where(short > 0, -1.0, 0.0)).all()


@SIZES
def test_order_of_rows_units_and_dominated_points_change_nothing(front, m):
    Y, r = front("curved", m, 25)
    rng = np.random.default_rng(m)
    U, scale, shift = around(Y, r, 50), 2.0 ** rng.integers(-5, 5, m), rng.integers(-3, 3, m)
    gain = Improving.of(Y, r).gain(U)
    more = np.concatenate([Y, 0.8 * Y, Y[:3], np.full((1, m), np.nan), np.full((1, m), -np.inf)])
    assert Improving.of(rng.permutation(more), r).gain(U) == pytest.approx(gain, rel=1e-12)
    moved = Improving.of(scale * Y + shift, scale * r + shift).gain(scale * U + shift)
    assert moved == pytest.approx(scale.prod() * gain, rel=1e-11, abs=1e-13 * scale.prod())
    columns = rng.permutation(m)
    assert Improving.of(Y[:, columns], r[columns]).gain(U[:, columns]) == pytest.approx(gain, rel=1e-11, abs=1e-14)


@SIZES
def test_without_points_above_the_reference_point_the_region_is_all_that_is_above_it(m):
    r = np.arange(m, dtype=float)
    for Y in (np.empty((0, m)), np.array([r, r - 1.0, r * np.nan])):
        boxes = Improving.of(Y, r)
        assert boxes.lower.tolist() == corners_of(boxes).tolist() == [r.tolist()]
        assert np.isposinf(boxes.upper).all()
        assert boxes.gain(np.array([r + 2.0, r, r - 1.0])).tolist() == [2.0**m, 0.0, 0.0]
        assert boxes.shortfall(np.array([r + 2.0, r, r - 1.0])).tolist() == [0.0, 0.0, 1.0]


def test_with_one_objective_the_gain_is_the_improvement_over_the_best():
    Y, U = np.array([[0.5], [2.0], [2.0], [-1.0]]), np.linspace(-1, 4, 21)[:, None]
    boxes = Improving.of(Y, np.zeros(1))
    assert (boxes.gain(U) == np.maximum(U[:, 0] - 2.0, 0.0)).all()
    assert (boxes.shortfall(U) == np.maximum(2.0 - U[:, 0], 0.0)).all()


def test_many_candidates_are_taken_in_blocks_with_the_same_result(front):
    Y, r = front("curved", 3, 30)
    boxes = Improving.of(Y, r)
    U = around(Y, r, 2 * (CELLS // len(boxes.lower)) + 5)
    few = U[:: len(U) // 10]
    for method in (boxes.gain, boxes.shortfall):
        assert method(U)[:: len(U) // 10] == pytest.approx(method(few), rel=1e-14)
    for method in (boxes.gain_and_grad, boxes.shortfall_and_grad):
        assert method(U)[1][:: len(U) // 10] == pytest.approx(method(few)[1], rel=1e-14)
    assert boxes.gain(U[:0]).shape == (0,)


def test_what_was_given_is_left_alone(front):
    Y, r = front("cloud", 3, 20)
    before = Y.copy(), r.copy()
    boxes = Improving.of(Y, r)
    U = around(Y, r, 20)
    kept = U.copy()
    boxes.gain_and_grad(U), boxes.shortfall_and_grad(U)
    assert (Y == before[0]).all()
    assert (r == before[1]).all()
    assert (U == kept).all()
    assert boxes.reference is not r
