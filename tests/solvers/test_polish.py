import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from suffice.solvers import distinct_maxima, polish
from suffice.solvers.record import Work
from suffice.solvers.search.polish import SAME_POINT, facts, status_of
from suffice.solvers.search.surface import Ascent
from suffice.space import Choice, Float, Int, Space, UnitCube
from suffice.types import Plain, Status

MIXED = Space(rate=Float(0.0, 1.0), depth=Int(1, 5), loss=Choice("a", "b", "c"), size=Float(0.0, 1.0))


def test_all_points_are_polished_in_one_batch(scores):
    calls = []

    class Watched(scores.Quadratic):
        def value_and_grad(self, X):
            calls.append(len(X))
            return super().value_and_grad(X)

    X = np.random.default_rng(0).random((8, 3))
    ascent = polish(Watched(np.eye(3), np.full(3, 0.4)), UnitCube(3), X)
    assert ascent.points == pytest.approx(np.full((8, 3), 0.4), abs=1e-5)
    assert calls[0] == 8
    assert sum(calls) == ascent.work.grads
    assert len(calls) <= 6  # and not eight times as many


def test_a_score_without_a_gradient_is_polished_by_its_values(scores):
    quadratic = scores.Quadratic(np.eye(3), np.full(3, 0.4))
    ascent = polish(Plain(quadratic), UnitCube(3), np.random.default_rng(0).random((4, 3)))
    assert ascent.work.grads == 0
    assert ascent.points == pytest.approx(np.full((4, 3), 0.4), abs=1e-4)


def test_points_stay_in_their_lattice_cells(scores):
    X = MIXED.sample(20, np.random.default_rng(0))
    alpha = scores.Quadratic(np.eye(MIXED.dim), np.full(MIXED.dim, 0.35))
    ascent = polish(alpha, MIXED, X)
    assert np.array_equal(ascent.points[:, 1:5], X[:, 1:5])
    assert ascent.points[:, [0, 5]] == pytest.approx(np.full((20, 2), 0.35), abs=1e-4)
    assert np.array_equal(MIXED.snap(ascent.points), ascent.points)


def test_a_domain_without_smooth_columns_has_nothing_to_polish():
    finite = Space(depth=Int(1, 4), loss=Choice("a", "b"))
    X = finite.enumerate()
    ascent = polish(Plain(lambda X: X[:, 0]), finite, X)
    assert np.array_equal(ascent.points, X)
    assert np.array_equal(ascent.values, X[:, 0])
    assert ascent.work == Work(values=len(X))


class Disc:
    """A domain that is not a box: the quarter of a disc around the origin; the corner of the cube is not in it."""

    dim, size = 2, np.inf
    coordinates = UnitCube(2).coordinates

    def snap(self, X):
        X = np.clip(X, 0.0, 1.0)
        return X / np.maximum(1.0, np.linalg.norm(X, axis=1, keepdims=True) * (1 + 1e-15))


def test_a_run_that_leaves_the_domain_is_brought_back_and_never_worse(scores):
    disc, counted = Disc(), []
    X = disc.snap(np.random.default_rng(0).random((20, 2)))

    def values(X):
        counted.append(len(X))
        return quadratic(X)

    quadratic = scores.Quadratic(np.eye(2), np.array([0.9, 0.9]))
    ascent = polish(scores.Pair(values, quadratic.value_and_grad), disc, X)
    assert np.all(np.linalg.norm(ascent.points, axis=1) <= 1.0)
    assert np.all(ascent.values >= ascent.initial)
    assert ascent.values == pytest.approx(quadratic(ascent.points), rel=1e-12)
    assert ascent.work.values == sum(counted) == 20


class Half:
    """A domain that takes whatever lies beyond one half far back."""

    dim, size = 1, np.inf
    coordinates = UnitCube(1).coordinates

    def snap(self, X):
        return np.where(X > 0.5, 0.0, X)


def test_a_run_that_is_brought_back_to_a_worse_point_is_given_up(scores):
    X = np.array([[0.4], [0.1]])
    ascent = polish(scores.Quadratic(np.eye(1), np.array([0.9])), Half(), X)
    assert np.array_equal(ascent.points, X)
    assert np.array_equal(ascent.values, ascent.initial)
    assert not ascent.improved.any()


def test_one_run_that_was_cut_is_enough_to_say_so():
    X, low, high = np.zeros((2, 1)), np.zeros(2), np.ones(2)
    none, one = np.array([False, False]), np.array([False, True])
    assert status_of(Ascent(X, high, low, one, Work())) is Status.BUDGET
    assert status_of(Ascent(X, high, low, none, Work())) is Status.DONE
    assert status_of(Ascent(X, low, low, none, Work())) is Status.NO_DESCENT


def test_end_points_of_one_maximum_count_once():
    points = np.array([[0.1, 0.1], [0.105, 0.1], [0.1, 0.105], [0.5, 0.5], [0.1, 0.1]])
    values = np.array([1.0, 1.0, 1.0, 0.9, 0.2])
    assert distinct_maxima(points, values, tolerance=0.01, closeness=0.05) == 3  # the last is far too low
    assert distinct_maxima(points, values, tolerance=0.01, closeness=1.0) == 2
    assert distinct_maxima(points, values, tolerance=1.0, closeness=1.0) == 1
    assert distinct_maxima(points, values, tolerance=0.0, closeness=0.0) == 5
    assert distinct_maxima(points[:0], values[:0], tolerance=0.01, closeness=0.05) == 0


@given(st.permutations(range(6)), st.floats(-1e3, 1e3), st.sampled_from([2.0**-30, 1.0, 2.0**30]))
def test_the_number_of_maxima_knows_no_order_no_level_and_no_units(order, level, scale):
    points = np.array([[0.2], [0.2001], [0.6], [0.6002], [0.9], [0.2]])[list(order)]
    values = np.array([1.0, 0.9999, 0.5, 0.5001, 0.7, 1.0])[list(order)]
    ascent = Ascent(points, scale * (values + level), scale * (values - 1.0 + level), np.zeros(6, dtype=bool), Work())
    assert facts(ascent).distinct == 3
    assert (facts(ascent).m, facts(ascent).tolerance) == (6, SAME_POINT)


def test_runs_that_ended_nowhere_are_no_maxima():
    points, values = np.array([[0.1], [0.9]]), np.array([1.0, -np.inf])
    none = np.zeros(2, dtype=bool)
    assert facts(Ascent(points, values, np.array([0.0, -np.inf]), none, Work())).distinct == 1
    assert facts(Ascent(points, values - np.inf, values - np.inf, none, Work())).distinct == 0


def test_the_maxima_of_two_hills_are_counted(scores):
    two = scores.Bumps(np.array([[0.2, 0.2], [0.8, 0.8]]), np.array([1.0, 0.8]), np.array([0.1, 0.1]))
    ascent = polish(two, UnitCube(2), np.random.default_rng(0).random((30, 2)))
    assert facts(ascent).distinct == 2
