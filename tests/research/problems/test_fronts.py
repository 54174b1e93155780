"""Problems with several objectives: the stated hypervolumes are those of known fronts, and no points exceed them."""

import math
import pickle
from itertools import product

import moocore
import numpy as np
import pytest
from scipy.integrate import quad

from research.problems import PROBLEMS as SINGLE
from research.problems.design_fronts import FOUR_BAR_TRUSS, GEAR_TRAIN, NETWORK
from research.problems.fronts import BRANIN_CURRIN, DTLZ2_2, DTLZ2_3, DTLZ7, FONSECA, ZDT1, ZDT2, ZDT3
from research.problems.suites import TRADE_OFFS, TRADE_OFFS_CHOOSING

PROBLEMS = TRADE_OFFS | TRADE_OFFS_CHOOSING
each = pytest.mark.parametrize("problem", PROBLEMS.values(), ids=PROBLEMS)


def outputs_of(problem, X):
    points = problem.space.points(X)
    return problem.function({name: np.array([point[name] for point in points]) for name in problem.space.names})


def volume(problem, losses):
    return moocore.hypervolume(losses, ref=problem.worst)


def staircase(problem, f1, f2):
    """The volume of a curve in two objectives: the integral over f1 of what is above the least f2 so far."""
    (r1, r2), order = problem.reference, np.argsort(f1, kind="stable")
    x, least = f1[order], np.minimum.accumulate(f2[order])
    return np.trapezoid(r2 - least, x) + (r1 - x[-1]) * (r2 - least[-1])


def along(problem, x):
    """Outputs with the first input at x and the others 0."""
    return problem.function({name: x if name == "x1" else 0.0 for name in problem.space.names})


@each
def test_random_points_have_some_volume_and_less_than_the_stated(problem):
    losses = problem.losses(outputs_of(problem, problem.space.sample(2000, np.random.default_rng(0))))
    assert losses.shape == (2000, len(problem.objectives))
    assert 0.0 < volume(problem, losses) < problem.hypervolume


@each
def test_arrays_give_what_points_give(problem):
    X = problem.space.sample(5, np.random.default_rng(3))
    outputs = outputs_of(problem, X)
    for i, point in enumerate(problem.space.points(X)):
        one = problem(point)
        assert list(one) == list(problem.objectives)
        assert one == pytest.approx({name: float(column[i]) for name, column in outputs.items()}, rel=1e-12)


@each
def test_a_problem_travels_to_another_process(problem):
    copy = pickle.loads(pickle.dumps(problem))
    point = problem.space.points(problem.space.sample(1, np.random.default_rng(4)))[0]
    assert copy(point) == problem(point)


def test_the_suites_have_nothing_in_common_and_hold_problems_by_their_names():
    assert not set(TRADE_OFFS) & set(TRADE_OFFS_CHOOSING)
    assert all(problem.name == name for name, problem in PROBLEMS.items())
    assert len(TRADE_OFFS) >= 12
    assert len(TRADE_OFFS_CHOOSING) >= 6


def test_what_is_maximized_is_a_loss_with_its_sign_changed():
    point = {"kind": 0, "format": 1, "layers": 8, "width": 256, "pruned": 0.5}
    outputs = NETWORK(point)
    assert NETWORK.losses(outputs) == pytest.approx([outputs["error"], -outputs["throughput"]])
    assert NETWORK.worst == pytest.approx([NETWORK.reference[0], -NETWORK.reference[1]])


@pytest.mark.parametrize("problem", [ZDT1, ZDT2, ZDT3, DTLZ7], ids=lambda problem: problem.name)
def test_the_volume_of_a_known_curve_is_the_stated_one(problem):
    outputs = along(problem, np.linspace(0.0, 1.0, 200_001))
    assert staircase(problem, outputs["f1"], outputs["f2"]) == pytest.approx(problem.hypervolume, rel=1e-8)


@pytest.mark.parametrize("problem", [ZDT1, ZDT2, ZDT3, DTLZ7], ids=lambda problem: problem.name)
def test_many_points_of_a_known_curve_come_close_to_the_stated_volume(problem):
    losses = problem.losses(along(problem, np.linspace(0.0, 1.0, 3001)))
    assert problem.hypervolume * (1.0 - 1e-4) < volume(problem, losses) < problem.hypervolume


def test_the_front_of_fonseca_is_the_printed_one():
    x = np.linspace(-1.0, 1.0, 101) / math.sqrt(3.0)
    outputs = FONSECA.function(dict.fromkeys(FONSECA.space.names, x))
    f1 = outputs["f1"]
    assert outputs["f2"] == pytest.approx(1.0 - np.exp(-((2.0 - np.sqrt(-np.log1p(-f1))) ** 2)), abs=1e-12)
    end = -math.expm1(-4.0)  # of f1, where f2 is 0
    area, _ = quad(lambda v: math.exp(-((2.0 - math.sqrt(-math.log1p(-v))) ** 2)), 0.0, end, epsabs=1e-12)
    assert area + 1.0 - end == pytest.approx(FONSECA.hypervolume, rel=1e-8)


def test_the_fronts_of_dtlz2_are_parts_of_spheres():
    rng = np.random.default_rng(5)
    for problem, free in ((DTLZ2_2, 1), (DTLZ2_3, 2)):
        X = np.full((500, 6), 0.5)
        X[:, :free] = rng.random((500, free))
        losses = problem.losses(outputs_of(problem, X))
        assert np.sum(losses**2, axis=1) == pytest.approx(1.0)
        assert 0.9 * problem.hypervolume < volume(problem, losses) < problem.hypervolume


def test_the_first_objective_of_branin_currin_is_branin():
    branin = SINGLE["branin"]
    for x, y in product((0.0, 0.3, 1.0), repeat=2):
        outputs = BRANIN_CURRIN({"x1": x, "x2": y})
        assert outputs["branin"] == pytest.approx(branin([15.0 * x - 5.0, 15.0 * y]))
        assert math.isfinite(outputs["currin"])
    assert BRANIN_CURRIN({"x1": 0.0, "x2": 0.0})["currin"] == pytest.approx(3.0)


def test_weighted_sums_trace_the_front_of_the_four_bar_truss():
    """Of volume + w displacement each area is the root of w times a constant, between its bounds."""
    root = math.sqrt(2.0)
    w = np.geomspace(1e4, 1e6, 100_001)
    areas = {"x1": np.sqrt(5e-5 * w), "x2": np.sqrt(1e-4 * w), "x3": np.full_like(w, root), "x4": np.sqrt(1e-4 * w)}
    lows = {"x1": 1.0, "x2": root, "x3": root, "x4": 1.0}
    outputs = FOUR_BAR_TRUSS.function({name: np.clip(a, lows[name], 3.0) for name, a in areas.items()})
    found = staircase(FOUR_BAR_TRUSS, outputs["volume"], outputs["displacement"])
    assert found == pytest.approx(FOUR_BAR_TRUSS.hypervolume, rel=1e-7)


def test_the_front_of_the_gear_train_is_that_of_all_trains():
    """The largest number bounds the others: for each size the least error among trains with that largest number."""
    n = np.arange(12, 61)
    least = np.full(len(n), math.inf)
    products = np.multiply.outer(n, n)
    larger = np.maximum.outer(n, n)
    for size in n:
        of_size = np.unique(products[larger <= size])
        ratios = of_size[:, None] / of_size
        least[size - 12] = np.abs(6.931 - ratios).min()
    losses = np.column_stack([least, n])
    assert volume(GEAR_TRAIN, losses) == pytest.approx(GEAR_TRAIN.hypervolume, rel=1e-12)


def test_no_network_of_a_coarse_table_is_beyond_the_stated_front():
    pruned = np.linspace(0.0, 0.8, 9)
    grid = np.meshgrid(range(4), range(3), range(4, 25), range(128, 1025, 32), pruned, indexing="ij")
    outputs = NETWORK.function(dict(zip(NETWORK.space.names, map(np.ravel, grid), strict=True)))
    order = np.argsort(outputs["error"])  # a staircase by hand: 65 772 points
    error, most = outputs["error"][order], np.maximum.accumulate(outputs["throughput"][order])
    inside = error < NETWORK.reference[0]
    widths = np.diff(np.append(error[inside], NETWORK.reference[0]))
    found = float(np.sum(widths * (most[inside] - NETWORK.reference[1])))
    assert 0.99 * NETWORK.hypervolume < found < NETWORK.hypervolume
