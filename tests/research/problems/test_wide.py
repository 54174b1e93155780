"""Problems of many inputs: the stated minimum is one, the seed decides what is left open, and a Lasso is one."""

import pickle

import numpy as np
import pytest

from research.problems import find
from research.problems.registry import WIDE
from research.problems.wide import FOLDS, SAMPLES, drawn, ellipsoid, hartmann6_in, hidden, lasso
from suffice.problems.functions import branin, hartmann6

NAMES = [f"{family}{seed}" for family in WIDE for seed in (0, 1)]
each = pytest.mark.parametrize("name", NAMES)


def random_rows(problem, n, seed=7):
    low, high = np.transpose(problem.bounds)
    return np.random.default_rng(seed).uniform(low, high, (n, problem.dim))


@each
def test_it_is_found_by_name_and_travels_unchanged(name):
    problem = find(name)
    X = random_rows(problem, 3)
    copy = pickle.loads(pickle.dumps(problem))
    assert problem.name == name
    assert copy == problem
    assert np.array_equal(copy.values(X), problem.values(X))


@pytest.mark.parametrize("family", WIDE)
def test_the_seed_decides_everything(family):
    X = random_rows(WIDE[family](0), 3)
    assert np.array_equal(WIDE[family](3).values(X), WIDE[family](3).values(X))
    assert len({tuple(WIDE[family](seed).values(X)) for seed in range(4)}) == 4


@each
def test_the_stated_minimum_is_attained_where_it_is_stated_and_never_undercut(name):
    problem = find(name)
    for x in problem.minimizers:
        assert problem(x) == pytest.approx(problem.optimum, abs=1e-12)
    assert problem.values(random_rows(problem, 200 if problem.minimizers else 5)).min() > problem.optimum


def test_a_hidden_function_is_itself_on_its_inputs_and_blind_to_the_others():
    problem = hartmann6_in(4, 30)
    inputs = list(problem.function.inputs)
    X = random_rows(problem, 20)
    assert len(set(inputs)) == 6
    assert np.array_equal(problem.values(X), hartmann6.values(X[:, inputs]))
    others = np.setdiff1d(np.arange(30), inputs)
    X[:, others] = 0.123
    assert np.array_equal(problem.values(X), hartmann6.values(X[:, inputs]))


def test_inputs_keep_their_ranges_when_they_are_hidden():
    problem = hidden(branin, 1, 9)
    assert [problem.bounds[i] for i in problem.function.inputs] == list(branin.bounds)
    assert problem(problem.minimizers[0]) == pytest.approx(branin.optimum)


def test_an_ellipsoid_has_the_stated_condition_and_a_sphere_has_none():
    problem = ellipsoid(2, 10, condition=100.0)
    unit = problem.values(np.array(problem.minimizers[0]) + np.eye(10))
    assert sorted(unit) == pytest.approx(100.0 ** (np.arange(10) / 9))
    sphere = ellipsoid(2, 10, condition=1.0)
    assert sphere.values(np.array(sphere.minimizers[0]) + np.eye(10)) == pytest.approx(np.ones(10))


def test_the_coefficients_of_a_lasso_satisfy_its_optimality_conditions():
    """The slope of the squared error is −λ_j sign(b_j) where b_j is not 0, and within ±λ_j where it is."""
    problem = lasso(1, 40)
    f = problem.function
    x = np.random.default_rng(0).uniform(-2.0, 0.0, 40)
    A, y = drawn(1, 40)
    penalty = np.abs(A.T @ y).max() / SAMPLES * 10.0**x
    for k, b in enumerate(f.coefficients(x)):
        kept = np.arange(SAMPLES) % FOLDS != k
        slope = A[kept].T @ (A[kept] @ b - y[kept]) / kept.sum()
        assert 0 < np.count_nonzero(b) < 40
        assert slope[b != 0] == pytest.approx(-penalty[b != 0] * np.sign(b[b != 0]), abs=1e-4)
        assert np.all(np.abs(slope[b == 0]) <= penalty[b == 0] + 1e-4)


def test_the_error_of_a_lasso_is_that_of_its_predictions_for_samples_left_out():
    problem = lasso(2, 25)
    x = np.full(25, -1.0)
    A, y = drawn(2, 25)
    fold = np.arange(SAMPLES) % FOLDS
    errors = [y[fold == k] - A[fold == k] @ b for k, b in enumerate(problem.function.coefficients(x))]
    assert problem(x) == pytest.approx(np.mean(np.concatenate(errors) ** 2))


def test_penalties_that_spare_the_true_features_beat_the_best_single_penalty_and_a_random_point():
    problem = find("lasso180d0")
    best_single = min(problem(np.full(180, v)) for v in (-1.2, -1.0, -0.8, -0.6))
    truth = np.abs(problem.function.coefficients(np.full(180, -0.6))).min(axis=0) > 0.05
    informed = problem(np.where(truth, -2.0, 0.0))
    assert informed < best_single < problem.values(random_rows(problem, 5)).min()


def test_wrong_arguments_are_refused():
    with pytest.raises(ValueError, match="cannot be hidden among dim=5"):
        hartmann6_in(0, 5)
    with pytest.raises(ValueError, match=r"condition ≥ 1, got dim=3 and condition=0\.5"):
        ellipsoid(0, 3, condition=0.5)
    with pytest.raises(ValueError, match="at least one feature, got dim=0"):
        lasso(0, 0)
