"""Problems with limits: the stated points are within them, attain the stated values, and are not easily beaten."""

import math
import pickle
from itertools import product

import numpy as np
import pytest

from research.problems.budgeted import ALLOY, FOREST, SERVICE, forest, service
from research.problems.collected import CANTILEVER, CONCRETE_BEAM, G6, STEEL, WELDED_BEAM
from research.problems.constrained import GARDNER2, HARTMANN6_BALL, Limit
from research.problems.suites import CONSTRAINED, CONSTRAINED_CHOOSING
from suffice.space import Float

PROBLEMS = CONSTRAINED | CONSTRAINED_CHOOSING
each = pytest.mark.parametrize("problem", PROBLEMS.values(), ids=PROBLEMS)
DRAWS = 2000
CLOSE = 1e-6  # of an optimum, or of 1 where that is 0: the printed digits of the best points


def outputs_of(problem, X):
    """The outputs at the points that the rows of X stand for, as arrays."""
    points = problem.space.points(X)
    return problem.function({name: np.array([point[name] for point in points]) for name in problem.space.names})


@pytest.fixture(scope="module")
def drawn():
    """The outputs at random points, of each problem."""
    return {name: outputs_of(p, p.space.sample(DRAWS, np.random.default_rng(0))) for name, p in PROBLEMS.items()}


@each
def test_the_stated_point_is_in_the_space_and_within_the_limits_and_attains_the_stated_value(problem):
    outputs = problem(problem.best)
    assert problem.space.contains(problem.space.to_unit(problem.best)[None]).all()
    assert problem.feasible(outputs)
    assert outputs["value"] == pytest.approx(problem.optimum, rel=CLOSE, abs=CLOSE)
    assert set(outputs) == {"value", *(limit.name for limit in problem.limits)}


@each
def test_no_random_point_within_the_limits_is_better(problem, drawn):
    outputs = drawn[problem.name]
    assert np.all(outputs["value"][problem.feasible(outputs)] > problem.optimum)


@each
def test_no_point_near_the_stated_one_and_within_the_limits_is_better(problem):
    x = problem.space.to_unit(problem.best)
    near = problem.space.near(x, 1000, np.random.default_rng(1), (0.1, 1e-2, 1e-4))
    outputs = outputs_of(problem, near)
    below = outputs["value"] < problem.optimum - 1e-9 * max(1.0, abs(problem.optimum))
    assert not np.any(below & problem.feasible(outputs))


@each
def test_so_many_random_points_are_within_the_limits_as_is_stated(problem, drawn):
    """Within five deviations and the rounding to two digits: one failure in a million problems."""
    found = np.mean(problem.feasible(drawn[problem.name]))
    assert abs(found - problem.share) <= 0.05 * problem.share + 5.0 * math.sqrt(problem.share / DRAWS)


@each
def test_arrays_give_what_points_give(problem):
    X = problem.space.sample(5, np.random.default_rng(3))
    outputs = outputs_of(problem, X)
    for i, point in enumerate(problem.space.points(X)):
        one = problem(point)
        assert one == pytest.approx({name: float(column[i]) for name, column in outputs.items()}, rel=1e-12)
        assert bool(problem.feasible(one)) == bool(problem.feasible(outputs)[i])


@each
def test_a_problem_travels_to_another_process(problem):
    copy = pickle.loads(pickle.dumps(problem))
    assert copy(problem.best) == problem(problem.best)


def test_the_suites_have_nothing_in_common_and_hold_problems_by_their_names():
    assert not set(CONSTRAINED) & set(CONSTRAINED_CHOOSING)
    assert all(problem.name == name for name, problem in PROBLEMS.items())
    assert len(CONSTRAINED) >= 12
    assert len(CONSTRAINED_CHOOSING) >= 6


def test_a_limit_is_kept_at_the_limit_and_not_by_nan():
    assert Limit("c", True, 1.0).holds(1.0)
    assert not Limit("c", True, 1.0).holds(1.1)
    assert Limit("c", False, 1.0).holds(1.0)
    assert not Limit("c", False, 1.0).holds(math.nan)


def test_the_share_of_a_ball_is_its_volume():
    assert HARTMANN6_BALL.share == pytest.approx(math.pi**3 / 6.0 / 2**6, rel=0.02)


def test_limits_that_decide_are_met_with_equality():
    assert GARDNER2(GARDNER2.best)["c"] == pytest.approx(-0.95)
    assert CANTILEVER(CANTILEVER.best)["deflection"] == pytest.approx(1.0)
    beam = WELDED_BEAM(WELDED_BEAM.best)
    assert beam["shear"] == pytest.approx(13_600.0, rel=1e-5)
    assert beam["bending"] == pytest.approx(30_000.0, rel=1e-5)
    assert beam["buckling"] == pytest.approx(6000.0, rel=1e-5)


def test_the_tip_of_the_crescent_is_where_both_circles_meet():
    x = (100.0 - 82.81 + 11.0) / 2.0  # outer − inner = 2 x − 11
    y = 5.0 - math.sqrt(82.81 - (x - 6.0) ** 2)
    assert G6({"x1": x, "x2": y})["value"] == pytest.approx(G6.optimum, rel=1e-12)


def test_no_beam_of_all_that_are_for_sale_is_cheaper():
    """For steel and width the least height is that of the steeper of both limits."""
    costs = []
    for steel, width in product(STEEL, range(28, 41)):
        reserve = steel * width - 180.0
        height = max(width / 4.0, 7.375 * steel**2 / reserve, 5.0) if reserve > 0.0 else math.inf
        costs.append(29.4 * steel + 0.6 * width * height if height <= 10.0 else math.inf)
    assert min(costs) == pytest.approx(CONCRETE_BEAM.optimum, rel=1e-12)


@pytest.mark.parametrize("problem", [SERVICE, FOREST, ALLOY], ids=lambda problem: problem.name)
def test_of_the_mixed_ones_no_float_is_better_with_the_best_choices_and_integers(problem):
    """The floats of the stated point, each exchanged for every number of a grid."""
    for name, parameter in problem.space.params.items():
        if isinstance(parameter, Float):
            outputs = problem.function({**problem.best, name: np.linspace(parameter.low, parameter.high, 2001)})
            value, within = np.broadcast_arrays(outputs["value"], problem.feasible(outputs))
            assert np.all(value[within] >= problem.optimum * (1.0 - 1e-12))


def test_the_seed_decides_and_other_limits_have_other_optima():
    assert service(1, 30.0, 1500.0, 0.073) == SERVICE
    assert service(2, 30.0, 1500.0, 0.1).optimum != SERVICE.optimum
    assert service(1, 30.0, 2000.0, 0.1).optimum > SERVICE.optimum
    assert forest(3, 10.0, 10.0, 0.1).optimum < FOREST.optimum
