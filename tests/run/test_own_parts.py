"""Parts of a user's own: plain functions serve, and what one of them gets wrong is said in its words."""

from concurrent.futures import Future

import numpy as np
import pytest

import suffice as sf
from suffice.types import Solution

BOX = [(0.0, 1.0), (0.0, 1.0)]


def search(**words):
    """A run whose fourth point is the first that a model chooses."""
    return sf.minimize(lambda x: float(x.sum()), BOX, 5, n_initial=3, seed=0, **words)


def scored(function):
    """An acquisition whose score is a function of X."""
    return lambda beliefs, domain, *, step, rng: function


@pytest.mark.parametrize(
    ("function", "fault"),
    [
        (lambda X: np.zeros((len(X), 1)), r"one value for each of the \d+ rows of X: got shape \(\d+, 1\)"),
        (lambda X: np.zeros(1), r"one value for each of the \d+ rows of X: got shape \(1,\)"),
        (lambda X: None, "got shape"),
        (lambda X: np.square(X, out=X)[:, 0], "read-only"),
    ],
)
def test_a_score_has_one_value_for_each_row_and_changes_none(function, fault):
    with pytest.raises(ValueError, match=fault):
        search(acquisition=scored(function))


def test_a_score_may_return_a_list():
    assert search(acquisition=scored(lambda X: [float(row[0]) for row in X])).nfev == 5


@pytest.mark.parametrize("answer", [None, np.array([0.2, 0.3])])
def test_a_solver_returns_a_solution(answer):
    with pytest.raises(TypeError, match=r"a solver returns a suffice\.types\.Solution: got"):
        search(solver=lambda alpha, domain, *, step, rng: answer)


@pytest.mark.parametrize("x", [[2.0, 3.0], [np.nan, 0.5], [0.2], [[0.2, 0.3]]])
def test_a_solver_answers_with_a_point_of_the_cube(x):
    with pytest.raises(ValueError, match=r"a solver's x is an array of 2 numbers in \[0, 1\]: got array"):
        search(solver=lambda alpha, domain, *, step, rng: Solution(np.array(x), 1.0, 1))


@pytest.mark.parametrize("beta", [-1.0, np.nan, np.inf, "a", None, np.array([2.0])])
def test_a_function_for_beta_returns_a_number_that_is_not_negative(beta):
    with pytest.raises((TypeError, ValueError), match="what the function given as beta returns must be"):
        search(acquisition=sf.UCB(lambda step, posterior: beta))


def nothing(n, domain, *, design, rng):
    return np.empty((0, domain.dim))


@pytest.mark.parametrize(
    ("grid", "fault"),
    [
        (sf.solvers.Grid(size=lambda t, dim: 0), "the number of points must be a whole number ≥ 1: got 0"),
        (sf.solvers.Grid(size=lambda t, dim: 20.5), r"the number of points must be a whole number ≥ 1: got 20\.5"),
        (sf.solvers.Grid(nothing), "candidates must be points"),
        (sf.solvers.Grid(lambda n, domain, *, design, rng: None), "candidates must be points"),
    ],
)
def test_a_grid_of_ones_own_has_points(grid, fault):
    with pytest.raises(ValueError, match=fault):
        search(solver=grid)


class Forgetful:
    """An executor that returns nothing of what it calls."""

    def submit(self, f, *args):
        future = Future()
        future.set_result(None)
        return future


def test_an_executor_that_loses_results_fails_its_evaluations():
    with pytest.raises(TypeError, match="the executor must return what the call returned: got NoneType") as caught:
        search(executor=Forgetful(), n_parallel=1)
    assert [trial.state for trial in caught.value.trials] == ["failed"] * 3
