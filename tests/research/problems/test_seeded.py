"""Problems drawn with a seed: the stated optimum is one, and the seed decides everything."""

import pickle
from itertools import product

import numpy as np
import pytest

from research.problems import find
from research.problems.drawn import basins, two_way
from research.problems.registry import FIXED, SEEDED
from suffice.space import Choice, Float, as_space

NAMES = [*FIXED, *(f"{family}{seed}" for family in SEEDED for seed in (0, 1, 2))]
MIXED = [name for name in NAMES if find(name).native]
each = pytest.mark.parametrize("name", NAMES)
each_mixed = pytest.mark.parametrize("name", MIXED)


def random_rows(problem, n):
    low, high = np.transpose(problem.bounds)
    return np.random.default_rng(7).uniform(low, high, (n, problem.dim))


def grid_of(parameter, best, n):
    """All options or integers; for a float n places, log-spaced on a log scale, and the stated one."""
    if isinstance(parameter, Choice):
        return range(len(parameter.options))
    if isinstance(parameter, Float):
        space = np.geomspace if parameter.log else np.linspace
        return [best, *space(parameter.low, parameter.high, n)]
    return range(parameter.low, parameter.high + 1)


@each
def test_the_stated_point_is_in_the_space_and_attains_the_stated_value(name):
    problem = find(name)
    (best,) = problem.minimizers
    assert problem(best) == problem.optimum
    assert all(low <= v <= high for v, (low, high) in zip(best, problem.bounds, strict=True))


@each
def test_no_random_point_is_better(name):
    problem = find(name)
    assert problem.values(random_rows(problem, 2000)).min() >= problem.optimum


@each_mixed
def test_no_option_is_better_with_a_grid_of_the_rest(name):
    problem = find(name)
    (best,) = problem.minimizers
    parameters = problem.native.space.parameters
    n = 41 if sum(isinstance(parameter, Float) for parameter in parameters) == 1 else 15
    grid = np.array(list(product(*(grid_of(p, v, n) for p, v in zip(parameters, best, strict=True)))))
    values = problem.values(grid)
    assert values.min() == problem.optimum
    assert np.all(grid[values == problem.optimum] == best)  # nowhere else


@each
def test_small_steps_from_the_stated_point_go_up(name):
    problem = find(name)
    (best,) = problem.minimizers
    for j, (low, high) in enumerate(problem.bounds):
        for step in (-1e-3, 1e-3):
            near = np.array(best)
            near[j] = np.clip(near[j] + step * (high - low), low, high)
            assert problem(near) >= problem.optimum


@each_mixed
def test_the_box_and_the_space_say_the_same(name):
    problem = find(name)
    native = problem.native
    for x in [*problem.minimizers, *random_rows(problem, 20)]:
        point = native.point(x)
        assert native.space.contains(native.space.to_unit(point)[None]).all()
        assert native.point(native.row(point)) == point
        assert problem(x) == native.function(point)


@pytest.mark.parametrize("family", SEEDED)
def test_the_seed_decides_everything(family):
    make = SEEDED[family]
    assert make(3) == make(3)
    X = random_rows(make(3), 20)
    assert len({tuple(make(seed).values(X)) for seed in range(5)}) == 5
    assert len({make(seed).minimizers for seed in range(5)}) == 5


@each
def test_it_travels_to_another_process_unchanged(name):
    problem = find(name)
    copy = pickle.loads(pickle.dumps(problem))
    assert copy == problem
    assert copy(problem.minimizers[0]) == problem.optimum


@each
def test_within_one_per_cent_is_rare(name):
    """One per cent of the median regret of a random point, the benchmark's threshold, is not reached by luck."""
    problem = find(name)
    space = problem.native.space if problem.native else as_space(problem.bounds)
    f = problem.native.function if problem.native else problem
    X = space.sample(2000, np.random.default_rng(0))
    regret = np.array([f(space.from_unit(x)) for x in X]) - problem.optimum
    assert np.mean(regret <= 0.01 * np.median(regret)) < 0.02


def test_a_reaction_is_the_yield_by_hand():
    problem = find("reaction3")
    f = problem.native.function
    point = {"catalyst": 2, "solvent": 1, "base": 3, "temperature": f.T0 + 24.0}
    assert problem.native.function(point) == pytest.approx(-(50 + f.a[2] + f.b[1] + f.c[3] + f.ab[2][1] - 4))
    assert np.shape(f.ab) == (8, 4)
    assert 50 <= f.T0 <= 100


def test_effects_of_a_reaction_have_the_stated_deviations():
    functions = [find(f"reaction{seed}").native.function for seed in range(400)]
    for table, sd in (("a", 15), ("b", 8), ("c", 8), ("ab", 4)):
        assert np.std([getattr(f, table) for f in functions]) == pytest.approx(sd, rel=0.1)  # over 5 standard errors


def test_the_cost_of_an_order_is_that_of_its_pairs():
    f = find("permutation1").native.function
    c = f.cost
    by_hand = c[2][0] + c[2][1] + c[2][4] + c[2][3] + c[0][1] + c[0][4] + c[0][3] + c[1][4] + c[1][3] + c[4][3]
    assert f({"order": (2, 0, 1, 4, 3), "x": f.x0}) == pytest.approx(by_hand)


@pytest.mark.parametrize("gap", [1.0, 0.05])
def test_two_options_differ_by_the_gap(gap):
    f = two_way(gap).native.function
    assert f({"lr": 0.1, "n": 9, "kind": "better"}) == pytest.approx(1.4)
    assert f({"lr": 0.1, "n": 9, "kind": "plain"}) == pytest.approx(1.4 + gap)


def test_the_best_model_has_the_narrowest_valley():
    for seed in range(5):
        valleys = sorted(find(f"which_model{seed}").native.function.valleys, key=lambda valley: valley.floor)
        widths = [valley.width for valley in valleys]
        assert widths == sorted(set(widths))


@pytest.mark.parametrize("dim", range(2, 7))
def test_every_basin_is_one_and_the_lowest_is_the_narrowest(dim):
    problem = basins(0, dim, count=2)
    narrow, wide = map(np.array, problem.function.centres)
    assert problem(wide) == 0.1
    rng = np.random.default_rng(1)
    directions = rng.standard_normal((200, dim))
    directions *= 0.02 / np.linalg.norm(directions, axis=1, keepdims=True)
    up = problem.values(narrow + directions)
    assert np.all(problem.values(wide + directions) > 0.1)
    assert up.min() > problem.values(wide + directions).max() - 0.1  # steeper at the narrow one


def test_wrong_arguments_are_refused():
    with pytest.raises(ValueError, match="at least 2 inputs and 2 basins, got dim=1"):
        basins(0, 1)
    with pytest.raises(ValueError, match="gap between the two options must be positive, got 0"):
        two_way(0.0)
