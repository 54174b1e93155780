"""What holds of every function with a known minimum."""

import numpy as np
import pytest

from suffice.problems import Problem, find


def uniform(problem: Problem, n: int) -> np.ndarray:
    low, high = np.array(problem.bounds).T
    return low + (high - low) * np.random.default_rng(0).random((n, problem.dim))


def gradient(problem: Problem, x: np.ndarray) -> np.ndarray:
    """Central differences of the fourth order, per unit of the box's width."""
    low, high = np.array(problem.bounds).T
    E = np.diag(5e-5 * (high - low))
    near, far = (problem.values(x + k * E) - problem.values(x - k * E) for k in (1, 2))
    return (8 * near - far) / 6e-4


class FunctionContract:
    """To be parametrized with `problem`."""

    kinked: tuple[str, ...] = ()  # no derivative exists at the minimizer

    def test_the_minimizers_are_inside_the_box_and_attain_the_optimum(self, problem):
        low, high = np.array(problem.bounds).T
        for x in problem.minimizers:
            assert np.all((low <= x) & (x <= high))
            assert problem(x) == pytest.approx(problem.optimum, rel=1e-14, abs=1e-14)

    def test_random_points_are_never_better_than_the_optimum(self, problem):
        assert np.all(problem.values(uniform(problem, 10_000)) >= problem.optimum)

    def test_no_small_step_from_a_minimizer_goes_down(self, problem):
        low, high = np.array(problem.bounds).T
        steps = np.random.default_rng(1).standard_normal((2_000, problem.dim)) * (high - low)
        for x in problem.minimizers:
            for size in (1e-2, 1e-4):
                values = problem.values(np.clip(x + size * steps, low, high))
                assert np.all(values >= problem.optimum - 1e-13 * max(1.0, abs(problem.optimum)))

    def test_the_slope_at_a_minimizer_is_zero_inside_and_points_out_at_a_bound(self, problem):
        if problem.name.startswith(self.kinked):
            return
        low, high = np.array(problem.bounds).T
        scale = np.std(problem.values(uniform(problem, 1_000)))
        for x in np.array(problem.minimizers):
            slope = gradient(problem, x) / scale
            at_high, at_low = x == high, x == low
            assert np.all(np.abs(slope[~at_high & ~at_low]) < 1e-6)
            assert np.all(slope[at_high] < 0)
            assert np.all(slope[at_low] > 0)

    def test_a_batch_is_its_rows_one_by_one(self, problem):
        X = uniform(problem, 17)
        assert problem.values(X) == pytest.approx([problem(x) for x in X], rel=1e-13)

    def test_the_input_is_left_alone(self, problem):
        X = uniform(problem, 5)
        X.setflags(write=False)
        problem.values(X)

    def test_it_is_found_under_its_own_name_and_has_a_source(self, problem):
        assert find(problem.name) == problem
        assert problem.source
        assert all(len(x) == problem.dim for x in problem.minimizers)
