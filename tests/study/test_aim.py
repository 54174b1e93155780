"""What a run is for: the best point, or little regret; and what differences matter."""

import math
from itertools import pairwise

import pytest

import suffice as sf
from suffice.result.saved import read

SQUARE = [(0.0, 1.0), (0.0, 1.0)]


def bowl(x):
    return float(((x - 0.3) ** 2).sum())


def test_the_aim_chooses_the_acquisition_and_one_that_is_given_is_kept():
    assert sf.Optimizer(SQUARE).settings.acquisition == sf.acquisition.LookAround()
    assert sf.Optimizer(SQUARE, aim="best").settings.acquisition == sf.acquisition.LookAround()
    assert sf.Optimizer(SQUARE, aim="regret").settings.acquisition == sf.UCB()
    assert (
        sf.Optimizer(SQUARE, aim="regret", acquisition=sf.acquisition.PI()).settings.acquisition == sf.acquisition.PI()
    )


@pytest.mark.parametrize("aim", ["fast", None, 1, ["best"]])
def test_another_aim_is_refused_before_anything_is_evaluated(aim):
    with pytest.raises((ValueError, TypeError), match="aim must be 'best' or 'regret'"):
        sf.minimize(lambda _: pytest.fail("evaluated"), SQUARE, 5, aim=aim)


@pytest.mark.parametrize("resolution", [-1.0, math.nan, math.inf, "fine"])
def test_a_resolution_that_is_no_difference_is_refused(resolution):
    with pytest.raises((ValueError, TypeError), match="resolution"):
        sf.minimize(lambda _: pytest.fail("evaluated"), SQUARE, 5, resolution=resolution)


@pytest.mark.parametrize(("direction", "sign"), [("minimize", -1.0), ("maximize", 1.0)])
def test_a_run_is_idle_while_the_best_value_rises_by_less_than_the_resolution(direction, sign):
    opt = sf.Optimizer(SQUARE, seed=0, direction=direction, n_initial=2, resolution=0.1)
    idle = []
    for gain in (0.0, 1.0, 1.05, 1.0, 1.09, 1.11, 1.1, 3.0):
        opt.tell(opt.ask(), sign * gain)
        idle.append(opt.history.idle)
    # The third, a model's suggestion, gains 0.05. Small gains add up: the sixth, 0.11 above 1.0, is a rise.
    assert idle == [0, 0, 1, 2, 3, 0, 1, 0]


def test_without_a_resolution_it_is_a_thousandth_from_the_best_value_to_the_initial_median():
    opt = sf.Optimizer(SQUARE, seed=0, n_initial=3)
    assert opt.history.resolution is None
    for value in (5.0, 9.0, 7.0, 2.0, 2.0):
        opt.tell(opt.ask(), value)
    assert opt.history.resolution == pytest.approx(5e-3)


def test_steps_say_what_they_were_for_and_an_exhausted_run_explores_now_and_then():
    result = sf.minimize(bowl, SQUARE, 30, seed=0)
    kinds = [trial.solve.kind for trial in result.trials if trial.solve is not None]
    assert kinds[0] == "improve"
    assert {"refine", "explore"} <= set(kinds[-10:]) <= {"improve", "refine", "explore"}
    assert ("explore", "explore") not in pairwise(kinds)
    regret = sf.minimize(bowl, SQUARE, 9, seed=0, aim="regret")
    assert {trial.solve.kind for trial in regret.trials if trial.solve is not None} == {None}


def test_a_coarse_resolution_explores_sooner():
    def explorations(resolution):
        result = sf.minimize(bowl, SQUARE, 14, seed=0, resolution=resolution)
        return sum(trial.solve.kind == "explore" for trial in result.trials if trial.solve is not None)

    assert explorations(10.0) > explorations(0.0)


def test_the_better_of_two_close_options_is_found():
    space = sf.Space(lr=sf.Float(1e-5, 1, log=True), n=sf.Int(1, 12), kind=sf.Choice("plain", "better"))

    def close(point):
        worse = 0.05 if point["kind"] == "plain" else 0.0
        return (math.log10(point["lr"]) + 2.0) ** 2 + (point["n"] - 7) ** 2 / 10.0 + worse

    for seed in range(3):
        result = sf.minimize(close, space, 30, seed=seed)
        assert result.x["kind"] == "better"


def test_resolution_and_kinds_are_saved_and_an_audit_rebuilds_every_kind(tmp_path):
    result = sf.minimize(bowl, SQUARE, 16, seed=0, resolution=0.01, polish=False)
    result.save(tmp_path / "run.json")
    loaded = sf.load(tmp_path / "run.json")
    assert loaded.settings.resolution == 0.01
    assert read(tmp_path / "run.json").events[0].settings == result.settings
    assert [t.solve.kind for t in loaded.trials if t.solve] == [t.solve.kind for t in result.trials if t.solve]
    found = sf.audit(loaded)
    assert len(found.rebuilt) == len(found.steps) == 11
