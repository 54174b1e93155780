"""The regret of a random point: known in closed form where the function is simple, and free of the scale of a box."""

import math

import numpy as np
import pytest

from research.problems import Problem, find
from research.problems.drawn import mixed
from research.problems.typical import typical_regret
from suffice.space import Choice, Float, Space

ERROR = 0.025  # of the rank of a median of 10 000 draws: five standard deviations


def first_input(X):
    return X[:, 0]


def test_it_is_the_median_above_the_optimum():
    problem = Problem("first", first_input, ((3.0, 5.0), (0.0, 1.0)), 3.0, ((3.0, 0.0),), "a test")
    assert typical_regret(problem) == pytest.approx(1.0, abs=2.0 * ERROR)


def test_on_its_own_space_a_log_scale_is_drawn_as_one_and_options_count_alike():
    rate = mixed("rate", Space(rate=Float(1e-4, 1, log=True)), lambda p: p["rate"], {"rate": 1e-4}, "a test")
    assert math.log10(typical_regret(rate)) == pytest.approx(-2.0, abs=4.0 * ERROR)  # in the box it would be log10 0.5
    options = mixed("three", Space(o=Choice(0, 1, 2)), lambda p: float(p["o"] > 0), {"o": 0}, "a test")
    assert typical_regret(options) == 1.0  # of the places 0 … 2 half round to the middle one, a quarter to the first


@pytest.mark.parametrize("name", ["branin", "reaction3", "basins2d1"])
def test_it_is_the_same_every_time_and_splits_other_draws_in_halves(name):
    problem = find(name)
    unit = typical_regret(problem)
    assert typical_regret(find(name)) == unit
    rng = np.random.default_rng(5)
    if problem.native:
        space = problem.native.space
        values = np.array([problem.native.function(space.from_unit(x)) for x in space.sample(10_000, rng)])
    else:
        low, high = np.transpose(problem.bounds)
        values = problem.values(rng.uniform(low, high, (10_000, problem.dim)))
    assert np.mean(values - problem.optimum <= unit) == pytest.approx(0.5, abs=1.5 * ERROR)
