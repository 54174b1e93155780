"""Problems with conditional parameters: their optimum is known, and what is inactive does not matter."""

import numpy as np
import pytest

from research.problems import find

NAMES = [f"{family}{seed}" for family in ("svm", "boosting") for seed in range(3)]


@pytest.mark.parametrize("name", NAMES)
def test_the_optimum_is_attained_and_no_other_point_is_below_it(name):
    problem = find(name)
    space, function = problem.native.space, problem.native.function
    best = problem.native.point(np.array(problem.minimizers[0]))
    assert function(best) == problem.optimum
    x = space.to_unit(best)
    X = np.vstack(
        [space.sample(2000, np.random.default_rng(0)), space.near(x, 500, np.random.default_rng(1), (0.1, 1e-3))]
    )
    values = np.array([function(point) for point in space.points(X)])
    assert values.min() > problem.optimum
    assert values[2000:].min() < np.quantile(values[:2000], 0.01)


@pytest.mark.parametrize("name", NAMES)
def test_inactive_values_change_nothing(name):
    problem, rng = find(name), np.random.default_rng(2)
    low, high = np.transpose(problem.bounds)
    for row in rng.uniform(low, high, (50, problem.dim)):
        point = problem.native.point(row)
        everything = {n: p.from_unit(p.place(rng.random(1))[0]) for n, p in problem.native.space.params.items()} | point
        assert problem.native.function(everything) == problem.native.function(point) == problem(row)


def test_a_seed_draws_the_same_problem_again_and_another_seed_another():
    assert find("svm3") == find("svm3")
    assert find("svm3").optimum != find("svm4").optimum
    assert find("boosting3") == find("boosting3")
