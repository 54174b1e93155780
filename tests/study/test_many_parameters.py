"""Many parameters: suggestions are valid, the default search is bounded, and a trust region follows what was told."""

import numpy as np
import pytest

import suffice as sf
from suffice.record.settings import MANY, VERY_MANY, Settings


def sphere(x):
    return float(np.sum((np.asarray(x)[:5] - 0.3) ** 2))


def test_of_a_thousand_parameters_suggestions_are_new_points_of_the_box():
    low, high = np.full(1000, -2.0), np.full(1000, 3.0)
    optimizer = sf.Optimizer(list(zip(low, high, strict=True)), seed=0)
    for x in np.random.default_rng(1).uniform(low, high, (40, 1000)):
        optimizer.tell(x, sphere(x))
    points = []
    for _ in range(3):
        trial = optimizer.ask()
        points.append(np.asarray(trial.point))
        assert trial.origin == "model"
        assert np.isfinite(trial.solve.value)
        optimizer.tell(trial, sphere(trial.point))
    assert all(point.shape == (1000,) and np.all((low <= point) & (point <= high)) for point in points)
    assert len({point.tobytes() for point in points}) == 3


def test_integers_and_choices_among_many_parameters_stay_what_they_are():
    space = sf.Space(
        **{f"x{i}": sf.Float(0, 1) for i in range(60)},
        **{f"n{i}": sf.Int(0, 9) for i in range(20)},
        **{f"c{i}": sf.Choice("a", "b", "c") for i in range(20)},
    )
    run = sf.minimize(lambda p: p["x3"] + p["n4"] + (p["c5"] != "b"), space, 24, seed=0)
    for trial in run.trials:
        assert all(space.params[name].as_value(value) == value for name, value in trial.point.items())


@pytest.mark.parametrize(
    ("d", "solver"),
    [
        (MANY - 1, sf.solvers.Adaptive()),
        (MANY, sf.solvers.Adaptive(cap=2)),
        (VERY_MANY - 1, sf.solvers.Adaptive(cap=2)),
        (VERY_MANY, sf.solvers.Adaptive(cap=1)),
    ],
)
def test_the_default_search_is_shorter_from_so_many_parameters_on(d, solver):
    assert Settings.of([(0, 1)] * d).solver == solver
    assert Settings.of([(0, 1)] * d, solver=sf.solvers.Adaptive()).solver == sf.solvers.Adaptive()


def test_options_of_a_choice_are_not_many_parameters():
    assert Settings.of({"c": sf.Choice(*range(100)), "x": sf.Float(0, 1)}).solver == sf.solvers.Adaptive()


def test_the_trail_says_which_suggestions_improved_and_idle_counts_its_end():
    optimizer = sf.Optimizer([(0, 1)], seed=0, n_initial=3, resolution=0.1)
    for value in (5.0, 6.0, 4.0):  # a design: what did not improve is no failure of a suggestion
        optimizer.tell(optimizer.ask(), value)
    for value in (3.0, 2.95, 3.5):
        optimizer.tell(optimizer.ask(), value)
    optimizer.fail(optimizer.ask(), "it broke")
    assert optimizer.history.trail == (True, True, True, False, False, False)
    assert optimizer.history.idle == 3
    optimizer.tell(optimizer.ask(), 1.0)
    assert (optimizer.history.trail[-1], optimizer.history.idle) == (True, 0)


def test_a_run_in_a_region_shrinks_it_and_goes_on_as_if_never_interrupted(tmp_path):
    words = {"solver": sf.solvers.Region(failures=2), "seed": 3}
    whole = sf.minimize(sphere, [(0, 1)] * 6, 30, n_initial=10, polish=False, **words)
    path = tmp_path / "run.db"
    part = sf.Optimizer([(0, 1)] * 6, n_initial=10, storage=path, **words)
    for _ in range(22):
        trial = part.ask()
        part.tell(trial, sphere(trial.point))
    part.close()
    rest = sf.Optimizer.resume(path)
    while len(rest.history.trials) < 30:
        trial = rest.ask()
        rest.tell(trial, sphere(trial.point))
    for one, other in zip(whole.trials, rest.history.trials, strict=True):
        assert np.array_equal(one.point, other.point)
    assert any(not raised for raised in rest.history.trail)
