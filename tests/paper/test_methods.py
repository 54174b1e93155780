"""The authors' surrogate: point by point that of a plain implementation, its weakness included."""

import warnings
from dataclasses import replace

import numpy as np
import pytest

from suffice.lab.plan import DEFAULTS, Job, Task
from suffice.lab.results import initial_design, run_job
from suffice.paper.presets import (
    AUTHORS,
    ENOUGH,
    PRESETS,
    SUFFICE,
    UNIFORM,
)
from suffice.problems import find
from suffice.streams import Streams
from suffice.study.optimizer import Optimizer

UNIFORM_FIXED = PRESETS["grid-size"].methods[1]
RANDOM, _, UNSHIFTED, *_ = PRESETS["surrogate"].methods


def grid(problem, t, seed, n):
    """The 100 t points that step t of a run with n observations looks at."""
    low, high = np.transpose(problem.bounds)
    return low + (high - low) * Streams(seed)("solver", n).random((100 * t, problem.dim))


def plainly(problem, initial, iterations, seed):
    """What scikit-learn's Gaussian process suggests, (T, d), and its length-scales, (T,)."""
    process = pytest.importorskip("sklearn.gaussian_process")
    X = initial_design(problem, initial, seed)
    y = problem.optimum - problem.values(X)
    gp = process.GaussianProcessRegressor(process.kernels.Matern(nu=1.5), alpha=1e-4)
    lengths = []
    for t in range(1, iterations + 1):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of a length-scale at its bound, and of a search that stalls
            gp.fit(X, y)
        lengths.append(gp.kernel_.length_scale)
        points = grid(problem, t, seed, len(y))
        mean, std = gp.predict(points, return_std=True)
        x = points[np.argmax(mean + np.sqrt(np.log(t + 1)) * std)]
        X, y = np.vstack([X, x]), np.append(y, problem.optimum - problem(x))
    return X[initial:], np.array(lengths)


def lengthscales(optimizer):
    """One for each suggestion, (T,), in the problem's units."""
    return np.array([trial.solve.binding.hyper.lengthscale for trial in optimizer.trials if trial.solve]).ravel()


@pytest.mark.parametrize(("problem", "initial", "seed"), [("branin", 20, 0), ("branin", 20, 1), ("hartmann3", 30, 0)])
def test_the_grid_on_our_engine_suggests_what_a_plain_implementation_does(problem, initial, seed, optimizers):
    points, lengths = plainly(find(problem), initial, 5, seed)
    run = run_job(Job("toy", Task(problem, initial, 5), UNIFORM, seed))
    np.testing.assert_allclose(run.points, points, rtol=0, atol=1e-8)
    np.testing.assert_allclose(lengthscales(optimizers[0]), lengths, rtol=1e-4)


def test_on_a_wide_domain_the_surrogate_knows_nothing_in_a_plain_implementation_either(optimizers):
    """All points are hundreds of length-scales apart: any length-scale near 1 explains them equally well."""
    problem, seed = find("griewank5"), 0
    points, lengths = plainly(problem, 25, 3, seed)
    run = run_job(Job("toy", Task("griewank5", 25, 3), UNIFORM, seed))
    np.testing.assert_array_equal(lengths, 1.0)
    np.testing.assert_array_equal(lengthscales(optimizers[0]), 1.0)
    first = [grid(problem, t, seed, 25 + t - 1)[0] for t in (1, 2, 3)]
    np.testing.assert_allclose(points, first, rtol=0, atol=1e-8)
    np.testing.assert_allclose(run.points, first, rtol=0, atol=1e-8)


def test_it_sees_again_once_the_domain_is_narrow():
    """The same function over a hundredth of the box: the weakness is one of units, not of the function."""
    wide = find("griewank5")
    problem = replace(wide, bounds=tuple((low / 100, high / 100) for low, high in wide.bounds))
    points, lengths = plainly(problem, 25, 1, 0)
    optimizer = Optimizer(list(problem.bounds), seed=0, n_initial=25, **UNIFORM.make(problem))
    for x in initial_design(problem, 25, 0):
        optimizer.tell(x, problem(x))
    np.testing.assert_allclose(optimizer.ask().point, points[0], rtol=0, atol=1e-8)
    np.testing.assert_allclose(lengthscales(optimizer), lengths, rtol=1e-4)
    assert abs(lengths[0] - 1.0) > 0.1


def test_our_own_surrogate_does_not_mind_the_units_of_the_domain():
    run = run_job(Job("toy", Task("griewank5", 25, 3), SUFFICE, 0))
    first = [grid(find("griewank5"), t, 0, 25 + t - 1)[0] for t in (1, 2, 3)]
    assert np.abs(np.array(run.points) - first).max(axis=1).min() > 1.0


def test_random_search_looks_at_one_point_only():
    run = run_job(Job("toy", Task("branin", 4, 3), RANDOM, 0))
    assert [row.n_evals for row in run.rows] == [1, 1, 1]
    points = [grid(find("branin"), t, 0, 4 + t - 1)[0] for t in (1, 2, 3)]
    np.testing.assert_allclose(run.points, points, rtol=0, atol=1e-12)


def test_a_method_that_does_not_know_the_optimum_is_told_the_values_themselves(optimizers):
    known, unknown = (run_job(Job("toy", Task("branin", 6, 3), method, 0)) for method in (UNIFORM, UNSHIFTED))
    problem = find("branin")
    shifted, plain = ([trial.value for trial in optimizer.trials[:6]] for optimizer in optimizers)
    np.testing.assert_allclose(plain, problem.values(initial_design(problem, 6, 0)), rtol=1e-14)
    np.testing.assert_allclose(np.subtract(plain, shifted), problem.optimum, rtol=1e-12)
    assert unknown.initial == pytest.approx(known.initial, rel=1e-12)
    np.testing.assert_allclose(
        [row.regret for row in unknown.rows], problem.values(unknown.points) - problem.optimum, rtol=1e-12
    )


def test_the_methods_differ_in_the_solver_and_in_nothing_else():
    problem = find("hartmann3")
    ours = [method.make(problem) for method in (*AUTHORS, UNIFORM_FIXED, ENOUGH)]
    for words in ours:
        assert words | {"solver": None} == ours[0] | {"solver": None}
    assert len({repr(words["solver"]) for words in ours}) == len(ours)
    assert AUTHORS[1].make(problem)["solver"].box == problem.bounds


def test_the_defaults_of_a_definition_are_those_of_an_optimizer():
    settings = Optimizer([(0, 1)]).settings
    assert {name: getattr(settings, name) for name in DEFAULTS} == DEFAULTS
