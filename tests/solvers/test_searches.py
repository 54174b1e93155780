"""What the batched local searches have in common, and how they compare with exact answers and with SciPy."""

import numpy as np
import pytest

from suffice.paper.solvers import scipy_lbfgs
from suffice.solvers.search.gradient import conjugate, lbfgs
from suffice.solvers.search.simplex import nelder_mead
from suffice.solvers.search.surface import Surface

GRADIENT = [lbfgs, conjugate, scipy_lbfgs]
BATCHED = [lbfgs, conjugate, nelder_mead]
ALL = [lbfgs, conjugate, nelder_mead, scipy_lbfgs]

by_name = {"ids": lambda search: search.__name__}


def surface(alpha, X):
    return Surface(alpha, X, np.ones(X.shape[1], dtype=bool))


def top_of(place, dim, rng):
    """The unconstrained maximum: inside, beyond one face, or beyond a corner."""
    inside = 0.2 + 0.6 * rng.random(dim)
    beyond = {"inside": 0, "face": 1, "corner": dim}[place]
    return np.where(np.arange(dim) < beyond, rng.choice([-0.3, 1.3], dim), inside)


@pytest.mark.parametrize("search", GRADIENT, **by_name)
@pytest.mark.parametrize("place", ["inside", "face", "corner"])
@pytest.mark.parametrize("dim", [1, 2, 5, 12])
def test_a_separable_quadratic_ends_at_its_clipped_maximum(scores, search, place, dim):
    rng = np.random.default_rng(dim)
    alpha = scores.Quadratic(np.diag(np.geomspace(1.0, 50.0, dim)), top_of(place, dim, rng))
    ascent = search(surface(alpha, rng.random((8, dim))), None, 1e-7)
    assert ascent.points == pytest.approx(np.tile(np.clip(alpha.c, 0, 1), (8, 1)), abs=1e-5)
    assert not ascent.cut.any()


@pytest.mark.parametrize("place", ["inside", "face", "corner"])
@pytest.mark.parametrize("dim", [1, 2, 4])
def test_nelder_mead_ends_at_the_maximum_of_a_quadratic(scores, place, dim):
    rng = np.random.default_rng(dim)
    alpha = scores.Quadratic(np.diag(np.geomspace(1.0, 10.0, dim)), top_of(place, dim, rng))
    ascent = nelder_mead(surface(alpha, rng.random((8, dim))), None, 1e-6)
    assert ascent.points == pytest.approx(np.tile(np.clip(alpha.c, 0, 1), (8, 1)), abs=1e-4)
    assert ascent.work.grads == 0


def test_nelder_mead_leaves_a_face_that_clipping_flattened_it_onto(scores):
    alpha = scores.Quadratic(np.eye(2), np.array([0.02, 0.02]))  # reflections leave the cube long before the top
    starts = np.random.default_rng(0).random((20, 2))
    ascent = nelder_mead(surface(alpha, starts), None, 1e-5)
    # SciPy's, which clips as well, stops on a face in most of these runs, at −2e-4 or −4e-4.
    assert np.count_nonzero(ascent.values > -1e-8) >= 17


@pytest.mark.parametrize("search", [lbfgs, conjugate], **by_name)
@pytest.mark.parametrize("dim", [2, 6])
@pytest.mark.parametrize("place", ["inside", "face", "corner"])
def test_a_coupled_quadratic_ends_where_the_gradient_condition_holds(scores, search, place, dim):
    """Karush–Kuhn–Tucker: the gradient vanishes inside and points outwards at a bound; with −A < 0 that is the top."""
    rng = np.random.default_rng(7)
    alpha = scores.Quadratic(scores.hessian(dim, rng), top_of(place, dim, rng))
    ascent = search(surface(alpha, rng.random((10, dim))), None, 1e-8)
    _, g = alpha.value_and_grad(ascent.points)
    low, high = ascent.points == 0.0, ascent.points == 1.0
    assert np.all(g[low] < 0)
    assert np.all(g[high] > 0)
    assert np.abs(g[~(low | high)]) == pytest.approx(0.0, abs=1e-5)
    assert np.ptp(ascent.values) <= 1e-10


@pytest.mark.parametrize("search", [lbfgs, conjugate], **by_name)
@pytest.mark.parametrize("dim", [1, 2, 6])
def test_the_end_points_on_random_bumps_are_those_of_scipy(scores, search, dim):
    rng = np.random.default_rng(dim)
    for _ in range(5):
        alpha, X = scores.Bumps.random(dim, rng), rng.random((10, dim))
        ours, reference = search(surface(alpha, X), None, 1e-6), scipy_lbfgs(surface(alpha, X), None, 1e-6)
        assert ours.initial == pytest.approx(reference.initial, rel=1e-14)
        # A run may climb another hill than SciPy's, but then its point must be one of SciPy's, or of a restart there.
        again = scipy_lbfgs(surface(alpha, ours.points), None, 1e-6)
        assert ours.points == pytest.approx(again.points, abs=1e-3)
        assert ours.values.max() == pytest.approx(reference.values.max(), rel=1e-9)
        same = np.max(np.abs(ours.points - reference.points), axis=1) < 1e-3
        assert np.mean(same) >= 0.7


@pytest.mark.parametrize("dim", [2, 4])
def test_the_end_of_the_valley_is_found(scores, dim):
    rng = np.random.default_rng(0)
    starts = 0.25 + 0.75 * rng.random((20, dim))
    ends = lbfgs(surface(scores.Rosenbrock(), starts), None, 1e-9)
    reference = scipy_lbfgs(surface(scores.Rosenbrock(), starts), None, 1e-9)
    # For dim = 4 the function has a second local maximum, where SciPy's runs end as well.
    assert np.max(ends.values) == pytest.approx(0.0, abs=1e-9)
    assert np.mean(ends.values > -1e-8) >= np.mean(reference.values > -1e-8) - 0.1


@pytest.mark.parametrize("dim", [2, 6, 12])
def test_a_curved_valley_takes_no_more_than_twice_the_evaluations_of_scipy(scores, dim):
    X = np.random.default_rng(1).random((20, dim))
    ours, reference = (search(surface(scores.Rosenbrock(), X), 2000, 1e-6) for search in (lbfgs, scipy_lbfgs))
    assert ours.work.grads <= 2 * reference.work.grads


@pytest.mark.parametrize("search", BATCHED, **by_name)
@pytest.mark.parametrize("dim", [1, 3])
def test_a_run_does_not_depend_on_the_other_runs(scores, search, dim):
    rng = np.random.default_rng(3)
    alpha, X = scores.Bumps.random(dim, rng), rng.random((7, dim))
    batch = search(surface(alpha, X), None, 1e-6)
    alone = [search(surface(alpha, X[i : i + 1]), None, 1e-6) for i in range(7)]
    assert batch.points == pytest.approx(np.concatenate([run.points for run in alone]), abs=1e-7)
    assert batch.values == pytest.approx(np.concatenate([run.values for run in alone]), rel=1e-12)
    work = [run.work for run in alone]
    assert batch.work.values == sum(w.values for w in work)
    assert batch.work.grads == sum(w.grads for w in work)


@pytest.mark.parametrize("search", ALL, **by_name)
@pytest.mark.parametrize("limit", [1, 2, 5, None])
def test_a_run_never_ends_below_its_start_however_early_it_is_stopped(scores, search, limit):
    rng = np.random.default_rng(4)
    for alpha in (scores.Bumps.random(3, rng), scores.Rosenbrock(), scores.Quadratic(1e4 * np.eye(3), np.zeros(3))):
        X = rng.random((10, 3))
        ascent = search(surface(alpha, X), limit, 1e-5)
        assert ascent.initial == pytest.approx(alpha(X), rel=1e-14)
        assert np.all(ascent.values >= ascent.initial)
        assert ascent.values == pytest.approx(alpha(ascent.points), rel=1e-14)
        assert np.all((ascent.points >= 0) & (ascent.points <= 1))


@pytest.mark.parametrize("search", ALL, **by_name)
def test_a_run_that_is_stopped_early_returns_the_best_point_it_has_seen(scores, search):
    seen = {}

    class Logged(scores.Bumps):
        def log(self, X, values):
            for x, value in zip(X, values, strict=True):
                seen[x.tobytes()] = value
            return values

        def __call__(self, X):
            return self.log(X, super().__call__(X))

        def value_and_grad(self, X):
            values, gradients = super().value_and_grad(X)
            return self.log(X, values), gradients

    bumps = scores.Bumps.random(2, np.random.default_rng(5))
    for seed in range(20):
        seen.clear()
        alpha = Logged(bumps.centres, bumps.weights, bumps.lengths)
        ascent = search(surface(alpha, np.random.default_rng(seed).random((1, 2))), 3, 1e-5)
        assert ascent.values[0] == max(seen.values())


@pytest.mark.parametrize("search", ALL, **by_name)
def test_the_limit_is_reported_for_the_runs_that_it_cut(scores, search):
    alpha = scores.Rosenbrock()
    X = np.array([[0.1, 0.9], [0.75, 0.75]])  # far from the maximum, and at it
    cut = search(surface(alpha, X), 3, 1e-5).cut
    assert cut[0]
    assert not search(surface(alpha, X), None, 1e-5).cut.any()
    assert search is nelder_mead or not cut[1]  # which cannot know where it is without looking around


@pytest.mark.parametrize("search", ALL, **by_name)
@pytest.mark.parametrize("power", [-40, 40])
def test_every_search_is_the_same_in_other_units(scores, search, power):
    rng = np.random.default_rng(6)
    X = rng.random((4, 4))
    for alpha in (scores.Bumps.random(4, rng), scores.Rosenbrock(), scores.Quadratic(np.eye(4), np.full(4, 1.2))):
        plain = search(surface(alpha, X), None, 1e-5)
        scaled = search(surface(scores.Scaled(alpha, 2.0**power), X), None, 1e-5)
        assert np.array_equal(plain.points, scaled.points)  # 1e-12 and 1e12 as powers of two: nothing is rounded
        assert plain.work == scaled.work


@pytest.mark.parametrize("search", ALL, **by_name)
def test_a_start_at_the_maximum_stays_there(scores, search):
    top = np.array([0.3, 1.0])
    alpha = scores.Quadratic(np.diag([1.0, 2.0]), np.array([0.3, 1.4]))
    ascent = search(surface(alpha, top[None]), None, 1e-5)
    assert ascent.points[0] == pytest.approx(top, abs=1e-12)
    assert not ascent.improved.any()
    assert not ascent.cut.any()


@pytest.mark.parametrize("search", ALL, **by_name)
def test_only_smooth_columns_move(scores, search):
    alpha = scores.Quadratic(np.diag([1.0, 2.0, 3.0]), np.array([0.3, 0.6, 0.9]))
    starts = np.random.default_rng(8).random((6, 3))
    ascent = search(Surface(alpha, starts, np.array([True, False, True])), None, 1e-6)
    assert np.array_equal(ascent.points[:, 1], starts[:, 1])
    assert ascent.points[:, [0, 2]] == pytest.approx(np.tile([0.3, 0.9], (6, 1)), abs=1e-4)


class Cliff:
    """x₁ + x₂, up to a cliff at x₁ = ½ beyond which there is no value, or none of the gradient."""

    def __init__(self, value, gradient):
        self.value, self.gradient = value, gradient

    def __call__(self, X):
        return np.where(X[:, 0] > 0.5, X.sum(axis=1) + self.value, X.sum(axis=1))

    def value_and_grad(self, X):
        return self(X), np.where(X[:, :1] > 0.5, self.gradient, np.ones_like(X))


@pytest.mark.parametrize("search", ALL, **by_name)
@pytest.mark.parametrize("gradient", [1.0, np.nan, np.inf])
@pytest.mark.parametrize("value", [np.nan, -np.inf])
def test_no_run_ends_where_there_is_no_value(search, value, gradient):
    starts = np.random.default_rng(9).random((10, 2))
    ascent = search(surface(Cliff(value, gradient), starts), None, 1e-5)
    known = starts[:, 0] <= 0.5
    assert np.all(ascent.points[known, 0] <= 0.5)
    assert ascent.values[known] == pytest.approx(ascent.points[known].sum(axis=1))
    assert search is scipy_lbfgs or ascent.improved[known].all()  # SciPy's line search takes an infinite value badly


@pytest.mark.parametrize("search", GRADIENT, **by_name)
def test_a_run_stops_where_the_gradient_is_not_a_number(search):
    ascent = search(surface(Cliff(0.0, np.nan), np.array([[0.45, 0.2], [0.8, 0.2]])), None, 1e-5)
    assert ascent.values == pytest.approx(ascent.points.sum(axis=1))
    assert np.array_equal(ascent.points[1], [0.8, 0.2])
    assert ascent.improved[0]


@pytest.mark.parametrize("search", ALL, **by_name)
def test_a_score_without_any_value_ends_at_the_starts(scores, search):
    def nowhere(X):
        return np.full(len(X), np.nan)

    alpha = scores.Pair(nowhere, lambda X: (nowhere(X), np.full(X.shape, np.nan)))
    X = np.random.default_rng(0).random((3, 2))
    ascent = search(surface(alpha, X), None, 1e-5)
    assert np.array_equal(ascent.points, X)
    assert np.all(np.isneginf(ascent.values))
    assert not ascent.improved.any()
