"""The last trials of a run refine the best point: a local search that follows from the record."""

import numpy as np
import pytest

import suffice as sf
from suffice.ask.polish import why_not

BOX = [(-1.0, 1.5), (-2.0, 1.0)]


def bowl(x):
    return float((x[0] - 0.3) ** 2 + 3.0 * (x[1] + 0.4) ** 2 + 0.5 * x[0] * x[1])


def valley(x):
    return float(100.0 * (x[1] - x[0] ** 2) ** 2 + (1.0 - x[0]) ** 2)


def polished(result):
    return [trial.origin == "polish" for trial in result.trials]


def test_the_last_tenth_is_polished_by_count():
    for n, k in [(4, 0), (20, 2), (34, 3)]:
        result = sf.minimize(bowl, BOX, n, seed=0)
        assert polished(result) == [False] * (n - k) + [True] * k
    assert not any(polished(sf.minimize(bowl, BOX, 30, seed=0, polish=False)))


@pytest.mark.parametrize("f", [bowl, valley])
def test_a_polish_finds_digits_that_the_model_of_the_space_does_not(f):
    optimizer = sf.Optimizer(BOX, seed=0, n_initial=6)
    for _ in range(40):
        trial = optimizer.ask()
        optimizer.tell(trial, f(trial.point))
    before = optimizer.best.value
    for _ in range(15):
        trial = optimizer.ask(polish=True)
        assert trial.origin == "polish"
        optimizer.tell(trial, f(trial.point))
    exact = np.linalg.solve([[2.0, 0.5], [0.5, 6.0]], [0.6, -2.4]) if f is bowl else np.ones(2)
    left = 0.05 if f is bowl else 0.6  # a polish follows a bent valley slowly
    assert optimizer.best.value - f(exact) < left * (before - f(exact))


def test_points_beside_the_best_one_are_within_bounds_and_steps_and_on_its_options():
    space = {
        "x": sf.Float(0.0, 1.0),
        "rate": sf.Float(1e-4, 1.0, log=True),
        "n": sf.Int(0, 3),
        "k": sf.Choice("a", "b"),
    }

    def f(p):
        return (p["x"] - 1.0) ** 2 + (np.log10(p["rate"]) + 2.0) ** 2 + p["n"] + (p["k"] == "a")

    result = sf.minimize(f, space, 40, seed=1)
    last = [trial.point for trial in result.trials if trial.origin == "polish"]
    assert len(last) == 4
    assert all(0.0 <= p["x"] <= 1.0 and 1e-4 <= p["rate"] <= 1.0 for p in last)
    assert {(p["n"], p["k"]) for p in last} == {(0, "b")}


def test_known_constraints_hold():
    space = sf.Space(x=sf.Float(0.0, 1.0), y=sf.Float(0.0, 1.0), where=lambda p: p["x"] + p["y"] <= 1.0)
    result = sf.minimize(lambda p: (p["x"] - 0.8) ** 2 + (p["y"] - 0.8) ** 2, space, 40, seed=0)
    assert sum(polished(result)) == 4
    assert all(trial.point["x"] + trial.point["y"] <= 1.0 for trial in result.trials)


def test_a_run_that_is_resumed_is_the_run_that_was_not(tmp_path):
    words = {"seed": 3, "n_initial": 6}
    whole = sf.minimize(valley, BOX, 40, **words)

    def stops(x):
        if len(calls) == stop:
            raise KeyboardInterrupt
        calls.append(x)
        return valley(x)

    for stop in (36, 38):
        calls, path = [], tmp_path / f"{stop}.db"
        assert sf.minimize(stops, BOX, 40, storage=path, **words).nfev == stop
        resumed = sf.minimize(valley, BOX, 40, storage=path, **words)
        values = [trial.value for trial in resumed.trials if trial.state == "done"]
        assert values == [trial.value for trial in whole.trials]
        assert sf.load(path).fun == whole.fun


def test_values_that_are_noise_are_not_polished():
    rng = np.random.default_rng(0)
    result = sf.minimize(lambda x: bowl(x) + rng.normal(0.0, 0.3), BOX, 40, seed=0)
    assert sum(polished(result)) <= 1


def test_failures_shrink_the_radius_and_end_nothing():
    def f(x):
        calls.append(x)
        return np.nan if len(calls) > 36 else bowl(x)

    calls = []
    result = sf.minimize(f, BOX, 40, seed=0)
    assert polished(result) == [False] * 36 + [True] * 4
    assert result.trials[-1].state == "failed"


@pytest.mark.parametrize(
    ("space", "words", "said"),
    [
        (BOX, {"repeat": True}, "repeat=True means that the objective is noisy"),
        (BOX, {"constraints": {"w": sf.AtMost(1.0)}}, "there are constraints on outputs"),
        ({"n": sf.Int(0, 9)}, {}, "the space has no real parameter"),
        (sf.Pool([[0.0], [1.0]]), {}, "the space has no real parameter"),
    ],
)
def test_where_there_are_no_last_digits_it_is_refused_by_name(space, words, said):
    with pytest.raises(ValueError, match=rf"polish=True refines the best point .*: {said}"):
        sf.minimize(lambda x: 0.0, space, 10, polish=True, **words)
    optimizer = sf.Optimizer(space, **words)
    assert why_not(optimizer.settings).startswith(said)
    with pytest.raises(ValueError, match=said):
        optimizer.ask(polish=True)


def test_what_is_no_bool_is_refused():
    with pytest.raises(TypeError, match="polish must be True or False"):
        sf.minimize(bowl, BOX, 10, polish=0.1)


def test_a_study_without_values_asks_for_a_point_of_its_design():
    assert sf.Optimizer(BOX, seed=0).ask(polish=True).origin == "design"


def test_several_points_at_a_time_are_all_new():
    optimizer = sf.Optimizer(BOX, seed=0, n_initial=6)
    for _ in range(15):
        trial = optimizer.ask()
        optimizer.tell(trial, bowl(trial.point))
    trials = optimizer.ask(4, polish=True)
    assert len({trial.unit.tobytes() for trial in trials}) == 4
