"""Newton's method for a batch of runs: exact on quadratics, on the hills of SciPy, and a race where that is wanted."""

import math

import numpy as np
import pytest

from suffice.paper.solvers import scipy_lbfgs
from suffice.solvers.record import Work
from suffice.solvers.search.gradient import lbfgs
from suffice.solvers.search.newton import newton
from suffice.solvers.search.surface import Surface
from suffice.space import Choice, Float, Space
from suffice.types import Score, smooth_columns


def surface(alpha, X, known=None):
    return Surface(alpha, X, np.ones(X.shape[1], dtype=bool), known=known)


@pytest.mark.parametrize("dim", [1, 2, 5, 12])
def test_a_quadratic_with_its_top_within_the_radius_takes_one_step(scores, dim):
    rng = np.random.default_rng(dim)
    alpha = scores.Quadratic(scores.hessian(dim, rng) if dim > 1 else np.eye(1), np.full(dim, 0.5))
    X = 0.5 + 0.2 * (rng.random((6, dim)) - 0.5)
    ascent = newton(surface(alpha, X), 1, 1e-6)
    assert ascent.values == pytest.approx(0.0, abs=1e-12)
    assert ascent.work == Work(hessians=12)  # where it starts, and one step


@pytest.mark.parametrize("dim", [2, 5])
@pytest.mark.parametrize("seed", range(3))
def test_at_a_bound_the_gradient_points_outwards_and_elsewhere_it_vanishes(scores, dim, seed):
    rng = np.random.default_rng(seed)
    alpha = scores.Quadratic(scores.hessian(dim, rng), rng.uniform(-0.4, 1.4, dim))
    ascent = newton(surface(alpha, rng.random((10, dim))), None, 1e-9)
    _, g = alpha.value_and_grad(ascent.points)
    low, high = ascent.points == 0.0, ascent.points == 1.0
    assert np.all(g[low] < 0)
    assert np.all(g[high] > 0)
    assert np.abs(g[~(low | high)]) == pytest.approx(0.0, abs=1e-4)


@pytest.mark.parametrize("dim", [1, 2, 6])
def test_the_ends_on_random_bumps_are_maxima_and_the_best_of_them_is_that_of_scipy(scores, dim):
    rng = np.random.default_rng(dim)
    for _ in range(5):
        alpha, X = scores.Bumps.random(dim, rng), rng.random((10, dim))
        ours, reference = newton(surface(alpha, X), None, 1e-6), scipy_lbfgs(surface(alpha, X), None, 1e-6)
        again = scipy_lbfgs(surface(alpha, ours.points), None, 1e-6)
        assert ours.points == pytest.approx(again.points, abs=1e-3)
        assert ours.values.max() == pytest.approx(reference.values.max(), rel=1e-9)
        assert np.all(ours.values >= ours.initial)
        assert not ours.cut.any()


def test_it_takes_fewer_rows_than_the_search_that_has_to_learn_the_curvature(scores):
    rng = np.random.default_rng(0)
    alpha, X = scores.Bumps.random(4, rng), rng.random((20, 4))
    assert newton(surface(alpha, X), None, 1e-5).work.hessians < 0.8 * lbfgs(surface(alpha, X), None, 1e-5).work.grads


@pytest.mark.parametrize("limit", [0, 1, 3])
def test_runs_that_the_limit_cuts_are_not_lower_than_their_starts_and_say_so(scores, limit):
    rng = np.random.default_rng(4)
    alpha, X = scores.Bumps.random(3, rng), rng.random((10, 3))
    ascent = newton(surface(alpha, X), limit, 1e-8)
    assert np.all(ascent.values >= ascent.initial)
    assert ascent.values == pytest.approx(alpha(ascent.points), rel=1e-12)
    assert ascent.cut.any()


def test_units_of_alpha_change_nothing(scores):
    rng = np.random.default_rng(5)
    alpha, X = scores.Bumps.random(3, rng), rng.random((8, 3))

    class Times(Score):
        smooth, curved = True, True

        def __call__(self, X):
            return 2.0**40 * alpha(X)

        def with_hessian(self, X, columns):
            return tuple(2.0**40 * part for part in alpha.with_hessian(X, columns))

    assert np.array_equal(newton(surface(Times(), X), None, 1e-6).points, newton(surface(alpha, X), None, 1e-6).points)


def test_in_a_race_the_winner_is_the_same_and_the_others_cost_less(scores):
    rng = np.random.default_rng(6)
    alpha, X = scores.Bumps.random(2, rng, n=30), rng.random((40, 2))
    all_of_them, race = newton(surface(alpha, X), None, 1e-6), newton(surface(alpha, X, -math.inf), None, 1e-6)
    assert race.values.max() == pytest.approx(all_of_them.values.max(), rel=1e-9)
    assert race.work.hessians <= all_of_them.work.hessians
    beaten = newton(surface(alpha, X, 1e6), None, 1e-6)  # nothing can win any more
    assert beaten.work.hessians == len(X)
    assert np.array_equal(beaten.points, X)


def test_only_smooth_columns_move(scores):
    space = Space(x=Float(0, 1), c=Choice("a", "b"), y=Float(0, 1))
    X = space.sample(12, np.random.default_rng(0))
    alpha = scores.Quadratic(np.eye(space.dim), np.full(space.dim, 0.4))
    ascent = newton(Surface(alpha, X, smooth_columns(space)), None, 1e-8)
    lattice = ~smooth_columns(space)
    assert np.array_equal(ascent.points[:, lattice], X[:, lattice])
    assert ascent.points[:, ~lattice] == pytest.approx(0.4, abs=1e-6)


def test_a_start_without_a_value_stays_where_it_is(scores):
    class Holed(Score):
        smooth, curved = True, True
        inner = scores.Quadratic(np.eye(2), np.array([0.3, 0.7]))

        def __call__(self, X):
            return np.where(X[:, 0] > 0.8, np.nan, self.inner(X))

        def with_hessian(self, X, columns):
            v, g, H = self.inner.with_hessian(X, columns)
            return np.where(X[:, 0] > 0.8, np.nan, v), g, H

    X = np.array([[0.9, 0.1], [0.5, 0.5]])
    ascent = newton(surface(Holed(), X), None, 1e-8)
    assert np.array_equal(ascent.points[0], X[0])
    assert ascent.values[0] == -np.inf
    assert ascent.points[1] == pytest.approx([0.3, 0.7])
