import numpy as np
import pytest

from suffice.solvers import polish
from suffice.solvers.record import Work
from suffice.solvers.search.mixed import status_of
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

    dim, size, product = 2, np.inf, False
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

    dim, size, product = 1, np.inf, False
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
