"""What the model predicts anywhere: in the user's units and sense, from points as the user has them."""

import gc
import math
from dataclasses import dataclass

import numpy as np
import pandas as pd
import pytest

import suffice as sf
from suffice.result import predict as module
from suffice.result.predict import surface
from suffice.space import as_space

MIXED = sf.Space(x=sf.Float(-5, 10), k=sf.Float(1e-5, 1, log=True), n=sf.Int(1, 9), c=sf.Choice("a", "b"))
TREE = sf.Space(kind=sf.Choice("flat", "bent"), bend=sf.Float(0, 1, when={"kind": "bent"}), x=sf.Float(0, 1))
# Outputs as they are, prior mean 0, signal variance 1, noise variance 1: the answers by hand.
UNIT = sf.GP(noise=1.0, standardize=False, warp=False, prior=sf.gp.Prior(scale_bounds=(1.0, 1.0)))


def told(space, values, direction="minimize", **words):
    """The result of an optimizer that was told these points and values."""
    optimizer = sf.Optimizer(space, direction=direction, seed=0, **words)
    for point, value in values:
        optimizer.tell(point, value)
    return optimizer.result()


def spread(space, f, n=20, **words):
    """Told at n points of the space."""
    X = as_space(space)
    rows = X.sample(n, np.random.default_rng(1))
    points = [X.from_unit(x) for x in rows]
    return told(X, [(point, f(point)) for point in points], **words)


def bowl(p):
    return (p["x"] / 15) ** 2 + abs(math.log10(p["k"]) + 2) + (p["n"] - 4) ** 2 / 9 + (p["c"] == "a")


@pytest.fixture(scope="module")
def mixed():
    return spread(MIXED, bowl, 30)


def test_one_observation_is_shrunk_by_its_noise():
    result = told([(0.0, 1.0)], [([0.5], 3.0)], direction="maximize", model=UNIT)
    mean, sd = result.predict([0.5])
    assert (mean, sd) == pytest.approx((1.5, math.sqrt(0.5)))


@pytest.mark.parametrize("direction", ["minimize", "maximize"])
def test_the_sense_changes_nothing_but_the_sign(direction):
    sign = 1.0 if direction == "minimize" else -1.0
    values = [([x], sign * math.exp(3 * x)) for x in (0.0, 0.2, 0.5, 0.7, 1.0)]
    mean, sd = told([(0.0, 1.0)], values, direction=direction).predict([[0.1], [0.9]])
    other, width = told([(0.0, 1.0)], [(x, sign * y) for x, y in values], direction="minimize").predict([[0.1], [0.9]])
    assert mean == pytest.approx(sign * other)
    assert sd == pytest.approx(width)


def test_it_goes_through_the_values_of_a_smooth_objective():
    values = [([x], math.sin(6 * x)) for x in np.linspace(0, 1, 9)]
    result = told([(0.0, 1.0)], values, model=sf.GP(noise=0.0))
    mean, sd = result.predict([x for x, _ in values])
    assert mean == pytest.approx([y for _, y in values], abs=0.01)
    between, wide = result.predict([[0.06]])
    assert between[0] == pytest.approx(math.sin(0.36), abs=0.05)
    assert wide[0] > sd.max()


def test_it_agrees_with_what_is_recommended(mixed):
    median, sd = mixed.predict(mixed.x_recommended)
    assert mixed.fun_recommended == pytest.approx(median)
    assert sd <= mixed.fun_recommended_sd <= 3 * sd  # the point was chosen for it


def test_every_way_to_write_points_means_the_same(mixed):
    points = [{"x": 1.0, "k": 0.01, "n": 4, "c": "b"}, {"x": -2.0, "k": 1.0, "n": 9, "c": "a"}]
    mean, sd = mixed.predict(points)
    columns = {name: [point[name] for point in points] for name in points[0]}
    frame = pd.DataFrame(points).assign(value=1.0)
    for other in (tuple(points), iter(points), columns, frame, frame[["c", "n", "k", "x"]]):
        assert np.array_equal(mixed.predict(other), (mean, sd))
    one = mixed.predict(points[0])
    assert all(type(number) is float for number in one)
    assert one == (pytest.approx(mean[0]), pytest.approx(sd[0]))
    assert mixed.predict([])[0].shape == (0,)


def test_points_without_names():
    result = spread([(0.0, 1.0), (0.0, 2.0)], lambda x: float(x.sum()), 12)
    points = [[0.5, 1.0], [0.25, 0.5]]
    mean, _ = result.predict(points)
    for other in (np.array(points), tuple(map(tuple, points)), [np.array(x) for x in points], pd.DataFrame(points)):
        assert np.array_equal(result.predict(other)[0], mean)
    assert result.predict(points[0])[0] == pytest.approx(mean[0])
    assert result.predict(np.array(points[1]))[0] == pytest.approx(mean[1])


def test_a_list_whose_options_are_tuples_is_one_point():
    result = spread(sf.Space.positional(sf.Choice((1, 2), (3, 4)), sf.Choice((5, 6), (7, 8))), lambda x: x[0][0], 4)
    one = result.predict([(3, 4), (5, 6)])
    assert type(one[0]) is float
    assert result.predict([[(3, 4), (5, 6)], [(1, 2), (7, 8)]])[0].shape == (2,)


def test_conditional_points_lack_what_is_inactive_also_in_a_table():
    result = spread(TREE, lambda p: p.get("bend", 2.0) + p["x"], 15)
    points = [{"kind": "flat", "x": 0.5}, {"kind": "bent", "bend": 0.3, "x": 0.5}]
    mean, _ = result.predict(points)
    assert np.array_equal(result.predict(pd.DataFrame(points))[0], mean)
    assert mean[0] > mean[1]


def test_rows_of_a_pool():
    pool = sf.Pool([{"solvent": s, "ph": ph} for s in ("water", "ethanol") for ph in (5.0, 6.0, 7.0)])
    result = told(pool, [(pool[i], float(i)) for i in range(5)])
    mean, _ = result.predict([pool[5], pool[0]])
    assert mean[0] > mean[1]
    assert result.predict(pool[5])[0] == pytest.approx(mean[0])
    assert np.array_equal(result.predict(pd.DataFrame([pool[5], pool[0]]))[0], mean)
    numbers = sf.Pool(np.array([[3.0, 1.0], [0.0, 1.0], [2.0, 5.0]]))
    result = told(numbers, [(numbers[i], float(i)) for i in range(3)])
    assert result.predict([0.0, 1.0])[0] == pytest.approx(result.predict([[0.0, 1.0]])[0][0])  # a row, not two numbers
    assert result.predict([0, 2])[0].shape == (2,)


@dataclass(frozen=True)
class Orders(sf.CustomSpace):
    """Orders of three things."""

    def draw(self, rng):
        return tuple(rng.permutation(3).tolist())

    def neighbour(self, point, rng):
        i, j = rng.choice(3, 2, replace=False)
        changed = list(point)
        changed[i], changed[j] = changed[j], changed[i]
        return tuple(changed)

    def encode(self, point):
        if sorted(point) != [0, 1, 2]:
            raise ValueError(f"{point!r} is no order of three things")
        return np.array(point) / 2

    def decode(self, row):
        return tuple(np.argsort(np.argsort(row, kind="stable"), kind="stable").tolist())


def test_points_of_a_space_of_ones_own():
    result = told(Orders(), [((0, 1, 2), 0.0), ((2, 1, 0), 4.0), ((0, 2, 1), 1.0)])
    mean, sd = result.predict([(0, 1, 2), (2, 0, 1)])
    assert mean[0] < mean[1]
    assert sd[0] < sd[1]
    assert result.predict((0, 1, 2))[0] == pytest.approx(mean[0])
    assert result.predict([0, 1, 2])[0] == pytest.approx(mean[0])


@pytest.mark.parametrize(
    ("points", "said"),
    [
        ([{"x": 1.0, "k": 0.1, "n": 3}], r"points\[0\].*missing 'c'"),
        ([{"x": 1.0, "k": 0.1, "n": 3, "c": "b"}, {"x": 99.0, "k": 0.1, "n": 3, "c": "b"}], r"points\[1\].*'x'.*99"),
        ({"x": [1.0, 2.0], "k": [0.1], "n": [3, 3], "c": ["a", "b"]}, "one length"),
        ({"x": [1.0, 2.0], "k": 0.1, "n": 3, "c": "a"}, "single values for 'k', 'n', 'c'"),
        (np.zeros((3, 4)), r"points\[0\].*a dict of 'x', 'k', 'n', 'c'"),
        (3, "a dict of 'x'"),
        ("abc", "a dict of 'x'"),
        (pd.DataFrame({"x": [1.0]}), r"points\[0\].*missing"),
    ],
)
def test_what_are_no_points_is_refused(mixed, points, said):
    with pytest.raises((TypeError, ValueError), match=said):
        mixed.predict(points)


def test_what_are_no_points_is_refused_without_names():
    result = spread([(0.0, 1.0), (0.0, 1.0)], lambda x: float(x.sum()), 5)
    for points in ([[0.1, 0.2, 0.3]], np.zeros((2, 3)), np.zeros((2, 2, 2)), [0.1], pd.DataFrame([[1.0, 2.0, 3.0]])):
        with pytest.raises((TypeError, ValueError), match=r"length|shape|columns"):
            result.predict(points)


def test_bands_hold_what_they_say_whatever_the_warp():
    values = [([x], math.exp(9 * x)) for x in np.linspace(0, 1, 12)]
    found = surface(told([(0.0, 1.0)], values, direction="minimize").history)
    assert found.fitted.outcome.lam != 1.0
    X = np.linspace(0, 1, 40)[:, None]
    median, low, high = found.at(X, z=1.0)
    assert np.all((low < median) & (median < high))
    # the quantiles of draws of f, from a member at a time and mapped one by one
    members, rng = found.fitted.mixture(X), np.random.default_rng(0)
    drawn = rng.choice(len(members.weights), 20_000, p=members.weights)
    y = -found.fitted.outcome.inverse(members.means[drawn] + members.stds[drawn] * rng.standard_normal((20_000, 1)))
    assert np.median(y, axis=0) == pytest.approx(median, rel=0.05, abs=0.05 * (high - low).max())
    inside = ((y >= low) & (y <= high)).mean(axis=0)
    assert inside == pytest.approx(np.full(40, 0.6827), abs=0.02)  # six deviations of the share of 20 000
    assert found.median(X) == pytest.approx(median)
    assert found.moments(X)[1] == pytest.approx((high - low) / 2, rel=1e-6)


def test_the_deviation_of_a_point_that_is_known_is_small_and_not_lost_to_rounding():
    values = [([x], 1e9 + math.exp(9 * x)) for x in np.linspace(0, 1, 12)]
    found = surface(told([(0.0, 1.0)], values, direction="minimize").history)
    X = np.linspace(0, 1, 12)[:, None]
    mean, std = found.fitted.predict(X)
    sd = found.moments(X)[1]
    assert np.all(sd > 0)
    assert sd == pytest.approx(found.mapped(mean, std)[1], rel=0.3)


def test_the_model_is_fitted_once_and_goes_with_its_history():
    result = spread([(0.0, 1.0)], lambda x: float(x[0]), 5)
    _ = result.x_recommended
    kept = surface(result.history).fitted
    result.predict([[0.5]])
    assert surface(result.history).fitted is kept
    before = len(module._MEMORY)
    del result, kept
    gc.collect()
    assert len(module._MEMORY) < before


def test_noise_failures_and_pending_trials_do_not_stop_it():
    optimizer = sf.Optimizer([(0.0, 1.0)], seed=0)
    rng = np.random.default_rng(0)
    for i in range(12):
        trial = optimizer.ask()
        if i == 3:
            optimizer.fail(trial)
        elif i < 11:
            optimizer.tell(trial, float(trial.point[0]) + 0.1 * rng.standard_normal())
    mean, sd = optimizer.result().predict([[0.1], [0.9]])
    assert mean[0] < mean[1]
    assert np.all(sd > 0)


def test_without_a_value_there_is_no_model():
    optimizer = sf.Optimizer([(0.0, 1.0)], seed=0)
    optimizer.fail(optimizer.ask())
    with pytest.raises(sf.errors.NoFinishedTrial, match="none of the 1 trials"):
        optimizer.result().predict([[0.5]])


def test_a_loaded_result_predicts_the_same_and_one_without_its_model_says_what_to_do(tmp_path):
    class Own(sf.GP):
        """Not a part of the library."""

    optimizer = sf.Optimizer([(0.0, 1.0)], seed=0, model=Own())
    for x in (0.1, 0.4, 0.9):
        optimizer.tell([x], x)
    result = optimizer.result()
    result.save(tmp_path / "run.json")
    loaded = sf.load(tmp_path / "run.json")
    with pytest.raises(sf.errors.SufficeError, match=r"Own.*pass it once.*surface"):
        loaded.predict([[0.5]])
    surface(loaded.history, model=Own())
    assert loaded.predict([[0.5]]) == result.predict([[0.5]])


def test_of_a_large_pool_in_a_file_the_space_is_asked_for(tmp_path):
    pool = sf.Pool(np.random.default_rng(0).random((200, 60)))
    result = told(pool, [(pool[i], float(i)) for i in range(4)])
    result.save(tmp_path / "run.json")
    with pytest.raises(sf.errors.SufficeError, match="space of this study is known only by its description"):
        sf.load(tmp_path / "run.json").predict([pool[0]])


def test_what_rounding_hides_is_part_of_every_statement_about_the_objective():
    """Values side by side are rounded alike: however many there are, the objective is known to step/√12 only."""
    step = 0.05
    result = sf.minimize(lambda x: round(((x[0] - 0.4) ** 2 + x[1] ** 2) / step) * step, [(0.0, 1.0)] * 2, 40, seed=0)
    hidden = step / math.sqrt(12.0)
    _, sd = result.predict([trial.point for trial in result.trials])
    assert np.all(sd >= 0.999 * hidden)
    assert result.fun_recommended_sd >= 0.999 * hidden
    found = surface(result.history)
    middle, low, high = found.at(np.array([trial.unit for trial in result.trials]), 2.0)
    assert np.all(high - middle >= 1.999 * hidden)
    assert np.all(middle - low >= 1.999 * hidden)
