"""The score of several objectives: what a point may add to the volume of the front."""

from dataclasses import replace

import numpy as np
import pytest

import suffice as sf
from suffice.acquisition.hypervolume import FEW, means
from suffice.ask.suggest import freeze
from suffice.checks import RESOLUTION
from suffice.pareto import hypervolume

SPACE = {"x": (0.0, 1.0), "y": (0.0, 1.0)}
BOTH = {"cost": "minimize", "gain": "maximize"}
REFERENCE = {"cost": 2.0, "gain": -2.0}


def f(point):
    x, y = point["x"], point["y"]
    return {"cost": x**2 + 0.3 * np.sin(5 * y), "gain": -((x - 0.8) ** 2) + 0.5 * y, "third": y - x * y}


def study(n=12, change=lambda values: values, **words):
    names = words.pop("objectives", BOTH)
    opt = sf.Optimizer(SPACE, objectives=names, seed=3, n_initial=6, **words)
    for _ in range(n):
        trial = opt.ask()
        told = change(f(trial.point))
        opt.tell(trial, {name: told[name] for name in names})
    return opt


def frozen(opt, **words):
    settings = replace(opt.settings, **words)
    return freeze(settings, opt.history, opt._fitted, number=len(opt.trials))


THREE = {**BOTH, "third": "minimize"}
KINDS = [
    (BOTH, sf.acquisition.Hypervolume()),
    (BOTH, sf.acquisition.Hypervolume(directions=40)),
    (THREE, sf.acquisition.Hypervolume(2.0)),
    (THREE, sf.acquisition.Hypervolume(1.0, sampled=True)),
]


@pytest.mark.parametrize(("objectives", "acquisition"), KINDS, ids=str)
def test_the_gradient_is_that_of_the_value(objectives, acquisition):
    alpha = frozen(study(objectives=objectives), acquisition=acquisition).alpha
    X = np.random.default_rng(0).uniform(0.05, 0.95, (40, 2))
    value, gradient = alpha.value_and_grad(X)
    step = 1e-6
    differences = [(alpha(X + step * e) - alpha(X - step * e)) / (2 * step) for e in np.eye(2)]
    one_sided = [(alpha(X + step * e) - value) / step for e in np.eye(2)]
    smooth = np.all(np.isclose(differences, one_sided, rtol=1e-2, atol=1e-3), axis=0)  # kinks are left out
    assert smooth.sum() > 30
    assert value == pytest.approx(alpha(X))
    assert gradient[smooth] == pytest.approx(np.transpose(differences)[smooth], rel=1e-4, abs=1e-4)


@pytest.mark.parametrize(("objectives", "acquisition"), KINDS[:3], ids=str)
def test_no_point_of_a_box_is_above_its_bound(objectives, acquisition):
    alpha = frozen(study(objectives=objectives), acquisition=acquisition).alpha
    rng = np.random.default_rng(1)
    lower = rng.uniform(0.0, 0.8, (20, 2))
    upper = lower + rng.uniform(0.0, 0.2, (20, 2))
    bound = alpha.bound(lower, upper)
    for _ in range(50):
        assert np.all(alpha(lower + rng.random((20, 2)) * (upper - lower)) <= bound)
    assert alpha.bound(lower, lower) == pytest.approx(alpha(lower), abs=1e-3)


@pytest.mark.parametrize(("objectives", "acquisition"), KINDS[:3], ids=str)
def test_the_best_of_many_are_those_of_all(objectives, acquisition):
    alpha = frozen(study(objectives=objectives), acquisition=acquisition).alpha
    X = np.random.default_rng(2).random((FEW + 500, 2))
    values = alpha(X)
    rows, found = alpha.top(X, 7)
    assert np.array_equal(rows, np.argsort(-values, kind="stable")[:7])
    assert np.array_equal(found, values[rows])


def test_the_gain_is_the_volume_that_the_predicted_values_add():
    opt = study(reference=REFERENCE)
    known = frozen(opt, acquisition=sf.acquisition.Hypervolume(0.0))
    alpha, X = known.alpha, np.random.default_rng(3).random((30, 2))
    box = alpha.frame
    r, Y = np.array([-2.0, -2.0]), box.front
    assert np.array_equal(alpha.reference, r)
    predicted = means(known.beliefs, X)
    added = [hypervolume(np.vstack([Y, u]), r) - hypervolume(Y, r) for u in predicted]
    inside = np.array(added) > 0
    assert inside.any()
    gains = (np.exp(alpha(X)) - RESOLUTION) * np.prod(box.span)
    assert gains[inside] == pytest.approx(np.array(added)[inside], rel=1e-6)
    assert np.all(np.exp(alpha(X[~inside])) <= RESOLUTION * (1 + 1e-9))


def test_a_point_that_adds_nothing_is_the_better_the_less_it_lacks():
    known = frozen(study(), acquisition=sf.acquisition.Hypervolume(0.0))
    X = np.random.default_rng(6).random((60, 2))
    U, values = means(known.beliefs, X), known.alpha(X)
    nothing = values < np.log(RESOLUTION)
    better = np.all(U[:, None] > U[None], axis=2) & nothing[:, None] & nothing[None]
    assert better.any()
    assert np.all((values[:, None] >= values[None])[better])


@pytest.mark.parametrize("scale", [2.0**-20, 2.0**30])
def test_units_of_an_objective_change_nothing(scale):
    def change(values):
        return {**values, "cost": scale * values["cost"]}

    plain, other = study(10), study(10, change)
    assert all(np.array_equal(a.unit, b.unit) for a, b in zip(plain.trials, other.trials, strict=True))


def test_the_sense_of_an_objective_is_only_a_sign():
    def change(values):
        return {**values, "cost": -values["cost"]}

    plain, other = study(10), study(10, change, objectives={"cost": "maximize", "gain": "maximize"})
    assert all(np.array_equal(a.unit, b.unit) for a, b in zip(plain.trials, other.trials, strict=True))


def test_a_level_added_to_an_objective_and_their_order_change_nothing_but_rounding():
    def change(values):
        return {**values, "gain": 8.0 + values["gain"]}

    X = np.random.default_rng(4).random((50, 2))
    plain = frozen(study(9)).alpha(X)
    assert frozen(study(9, change)).alpha(X) == pytest.approx(plain, abs=1e-3)
    swapped = frozen(study(9, objectives=dict(reversed(BOTH.items())))).alpha(X)
    assert swapped == pytest.approx(plain, abs=1e-6)


def test_pending_points_are_not_proposed_again():
    opt = study(12)
    points = np.array([trial.unit for trial in opt.ask(4)])
    distances = np.linalg.norm(points[:, None] - points[None], axis=2)[np.triu_indices(4, 1)]
    assert distances.min() > 1e-3


def test_the_front_of_a_run_is_found_and_never_dominated():
    opt = study(24)
    front = opt.result().front
    Y = np.array([[-t.values["cost"], t.values["gain"]] for t in front])
    for y in Y:
        assert not np.any(np.all(Y >= y, axis=1) & np.any(Y > y, axis=1))
    draws = opt.space.points(opt.space.sample(500, np.random.default_rng(5)))
    best = np.array([[-f(p)["cost"], f(p)["gain"]] for p in draws])
    r = np.array([-2.0, -2.0])
    assert hypervolume(Y, r) > 0.97 * hypervolume(best, r)


def test_one_objective_acquisitions_are_refused_in_words():
    with pytest.raises(TypeError, match="for one objective, and the study has 2: cost, gain"):
        study(0, acquisition=sf.acquisition.EI())


def test_the_end_of_a_front_at_a_limit_is_found():
    opt = sf.Optimizer(
        {"x": (0.0, 1.0)},
        objectives={"cost": "minimize", "error": "minimize"},
        constraints={"x": sf.AtLeast(0.2)},
        seed=0,
        n_initial=5,
    )
    for _ in range(20):
        trial = opt.ask()
        x = trial.point["x"]
        opt.tell(trial, {"cost": x, "error": 1 - x**2, "x": x})
    found = [trial.point["x"] for trial in opt.result().front]
    assert 0.2 <= min(found) < 0.23
    assert max(found) > 0.97
