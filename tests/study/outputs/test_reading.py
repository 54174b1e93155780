"""What is read of a study with several outputs: in print, in a notebook, as a table, by its models, as findings."""

import copy
import logging
import math
import pickle

import numpy as np
import pytest

import suffice as sf
from suffice.errors import NoFinishedTrial, SufficeError
from suffice.result.display import curve, overview
from suffice.result.importance import importance
from suffice.result.predict import recommend, surface

POINTS = np.random.default_rng(1).random((14, 2))
LIMITED = ("limited", "both")


def tell(optimizer, *told):
    for (x, y), values in zip(POINTS, told, strict=False):
        optimizer.tell({"x": x, "y": y}, values)
    return optimizer


def wholly(optimizer, **known):
    return {name: known.get(name, 0.5) for name in optimizer.settings.outputs}


def nothing(optimizer):
    return optimizer


def pending(optimizer):
    optimizer.ask(3)
    return optimizer


def failed(optimizer):
    for trial in optimizer.ask(6):
        optimizer.fail(trial, "no luck")
    return optimizer


def beyond(optimizer):
    return tell(optimizer, *(wholly(optimizer, weight=2.0 + x, error=x, value=y, gain=y) for x, y in POINTS))


def only_beyond(optimizer):
    if not optimizer.settings.constraints:
        return optimizer
    return tell(optimizer, *({"weight": 2.0 + x} for x, _ in POINTS))


def one(optimizer):
    return tell(only_beyond(optimizer), wholly(optimizer))


def equal(optimizer):
    return tell(optimizer, *[wholly(optimizer)] * 12)


def huge(optimizer):
    size = np.finfo(float).max / 100
    return tell(optimizer, *(wholly(optimizer, value=s * size, gain=s * size, reach=size) for s in (1, -1, 0.5) * 4))


STATES = [nothing, pending, failed, beyond, only_beyond, one, equal, huge]


@pytest.mark.parametrize("state", STATES)
def test_everything_can_be_read_of_any_study(studies, kind, state, tmp_path):
    optimizer = state(studies.make(kind))
    result = optimizer.result()
    for shown in (result, optimizer, *result.trials, result.accuracy, result.history, optimizer.settings):
        assert repr(shown)
    for shown in (result, optimizer, *result.trials, result.diagnose()):
        assert shown._repr_html_()
    assert overview(result.history, result.accuracy)
    assert str(result.diagnose())
    assert len(result.to_dataframe()) == len(result.trials)
    result.save(tmp_path / "run.json")
    again = sf.load(tmp_path / "run.json")
    assert repr(again) == repr(result)
    assert str(again.diagnose()) == str(result.diagnose())
    for name in optimizer.settings.outputs:
        if not result.history.known(name):
            with pytest.raises(NoFinishedTrial, match="has a value"):
                result.predict({"x": 0.5, "y": 0.5}, name)
        else:
            mean, sd = result.predict({"x": 0.5, "y": 0.5}, name)
            assert math.isfinite(mean)
            assert sd >= 0.0
    if not optimizer.settings.several:
        assert math.isnan(result.fun_recommended) == (result.x_recommended is None)


@pytest.mark.parametrize("state", STATES)
def test_every_study_can_be_asked_and_told_again(studies, kind, state):
    optimizer = state(studies.make(kind))
    for _ in range(2):
        studies.step(optimizer)
    assert optimizer.trials[-1].state == "done"


def test_a_study_is_the_same_after_a_trip(studies, kind):
    optimizer = studies.run(kind, 6)
    optimizer.ask(2)
    copies = [copy.deepcopy(optimizer), copy.copy(optimizer), pickle.loads(pickle.dumps(optimizer))]
    result = pickle.loads(pickle.dumps(optimizer.result()))
    assert repr(result) == repr(optimizer.result())
    suggested = [one.ask().point for one in (optimizer, *copies)]
    assert all(point == suggested[0] for point in suggested)


# ---------------------------------------------------------------------- in print and in a notebook


def test_the_print_of_a_limited_study_has_the_limits_at_the_best_point(studies):
    optimizer = studies.run("limited")
    said, best = repr(optimizer.result()), optimizer.best
    assert f"constraints   weight {best.values['weight']:.4g} (at most 0.9); reach" in said
    n = sum(trial.feasible for trial in optimizer.trials)
    assert f"feasible: {n} of 9 trials with a value" in " ".join(said.split())
    assert f"best {best.value:g}" in repr(optimizer)


def test_the_counts_on_one_screen_add_up():
    optimizer = sf.Optimizer([(0.0, 1.0)], seed=0, constraints={"dose": sf.AtMost(5)})
    optimizer.tell(np.array([0.5]), {"value": 1.0, "dose": 3.0})
    optimizer.fail(optimizer.ask())
    optimizer.ask()
    said = " ".join(repr(optimizer.result()).split())
    assert "feasible: 1 of 1 trials with a value" in said
    assert "3 trials, the run so far, 1 pending, 1 with a value, 1 failed" in said
    assert "origin: 2 in the initial design, 1 evaluated elsewhere" in overview(
        optimizer.result().history, optimizer.result().accuracy
    )


def test_the_print_of_several_objectives_has_the_front_and_neither_x_nor_fun(studies):
    optimizer = studies.run("several")
    result = optimizer.result()
    said = repr(result)
    assert "best seen" not in said
    assert "recommended" not in said
    assert f"front         {len(result.front)} trials, hypervolume {result.hypervolume[-1]:.6g}" in said
    assert f"  trial {result.front[0].number}     error" in said
    assert "result.pick(" in said
    assert f"a front of {len(result.front)} trials" in repr(optimizer)
    assert f"a front of {len(result.front)} trials" in result._repr_html_()


def test_a_trial_beyond_a_limit_says_so_and_what_is_known_of_it(studies, kind):
    if kind not in LIMITED:
        return
    trial = studies.make(kind).tell({"x": 0.9, "y": 0.9}, {"weight": 1.8})
    assert "values={'weight': 1.8}, feasible=False" in repr(trial)
    assert "infeasible" in trial._repr_html_()


def test_a_picture_has_rings_beyond_limits_and_the_best_line_of_what_is_allowed(studies):
    optimizer = studies.make("limited")
    tell(
        optimizer, wholly(optimizer, value=-9.0, weight=5.0), wholly(optimizer, value=2.0), wholly(optimizer, value=1.0)
    )
    picture = curve(optimizer.history)
    assert "the best value, 1, is that of trial 2" in picture
    assert picture.count("a2 2 0 1 1 4 0") == 1
    tell(optimizer, {"weight": 9.0})
    assert picture.count("v-7") == 0
    assert curve(optimizer.history).count("v-7") == 1  # it has no value, so that there is a mark


def test_a_picture_without_anything_allowed_has_no_line(studies):
    optimizer = beyond(studies.make("limited"))
    assert "none of them feasible" in curve(optimizer.history)
    assert "#2b8cc4" not in curve(optimizer.history)
    assert curve(beyond(studies.make("both")).history) == ""


def test_the_picture_of_several_objectives_is_their_hypervolume(studies):
    picture = curve(studies.run("several").history)
    assert "hypervolume of the front" in picture
    assert "#2b8cc4" in picture


def test_the_log_says_what_a_trial_did_to_the_front(studies, caplog):
    with caplog.at_level(logging.INFO, logger="suffice"):
        optimizer = studies.run("both", 3)
        trial = optimizer.ask()
        optimizer.tell(trial, {"weight": 5.0})
    assert "one of a front of 1 trial" in caplog.text
    assert "{'weight': 5.0}, infeasible, a front of" in caplog.text


# ---------------------------------------------------------------------- a table


def test_a_table_has_a_column_for_every_output(studies, kind):
    optimizer = studies.run(kind)
    table = optimizer.result().to_dataframe()
    for name in optimizer.settings.outputs:
        known = [trial.values.get(name, math.nan) for trial in optimizer.trials]
        assert np.array_equal(table[name], known, equal_nan=True)
        asked = f"predicted:{name}" if name != "value" else "predicted"
        assert table[asked].notna().sum() == sum(trial.solve is not None for trial in optimizer.trials)
    assert ("feasible" in table) == ("p_feasible" in table) == (kind in LIMITED)
    if kind in LIMITED:
        assert list(table["feasible"]) == [trial.feasible for trial in optimizer.trials]
        assert table["p_feasible"][4:].between(0.0, 1.0).all()


def test_what_the_models_expected_is_in_the_units_of_each_output(studies):
    optimizer = studies.run("both", 14)
    table = optimizer.result().to_dataframe()[-4:]
    for name in ("gain", "weight", "reach"):
        surprise = (table[name] - table[f"predicted:{name}"]) / table[f"predicted_sd:{name}"]
        assert surprise.abs().max() < 6.0


def test_known_noise_is_in_the_column_of_its_output(studies):
    optimizer = studies.make("limited")
    optimizer.tell({"x": 0.1, "y": 0.2}, wholly(optimizer), noise_var={"weight": 0.25})
    optimizer.tell({"x": 0.3, "y": 0.2}, wholly(optimizer), noise_var=0.5)
    table = optimizer.result().to_dataframe()
    assert table["noise_var:weight"].tolist()[0] == 0.25
    assert table["noise_var"].tolist()[1] == 0.5
    assert table[["noise_var", "noise_var:weight", "noise_var:reach"]].notna().sum().sum() == 2


def test_outputs_and_parameters_that_are_called_like_a_column_have_a_prefix(studies):
    optimizer = sf.Optimizer(
        {"error": (0.0, 1.0), "feasible": (0.0, 1.0)},
        seed=0,
        objectives={"error": "minimize"},
        constraints={"state": sf.AtMost(1.0)},
    )
    optimizer.tell({"error": 0.5, "feasible": 0.25}, {"error": 3.0, "state": 0.5})
    table = optimizer.result().to_dataframe()
    row = table.iloc[0]
    assert (row["error"], row["parameter:error"], row["output:state"], row["parameter:feasible"]) == (
        3.0,
        0.5,
        0.5,
        0.25,
    )
    assert row["state"] == "done"
    assert optimizer.result().predict(table.rename(columns={}))[0].shape == (1,)


# ---------------------------------------------------------------------- by the models


def test_several_objectives_are_predicted_by_name_only(studies):
    result = studies.run("both").result()
    for read in (lambda: result.predict([{"x": 0.5, "y": 0.5}]), result.importance, lambda: surface(result.history)):
        with pytest.raises(ValueError, match="choose one with output=, of 'error', 'gain', 'weight', 'reach'"):
            read()
    with pytest.raises(ValueError, match="there is no output 'eror': did you mean 'error'"):
        result.predict([{"x": 0.5, "y": 0.5}], "eror")


def test_a_prediction_is_that_of_a_study_of_that_output_alone(studies):
    both = studies.run("both", 8)
    space, model = both.space, sf.GP(warp=False)
    for name, direction in (("error", "minimize"), ("gain", "maximize"), ("weight", "minimize")):
        alone = sf.Optimizer(space, seed=0, model=model, direction=direction)
        for trial in both.history.known(name):
            alone.tell(trial.point, trial.values[name])
        points = [{"x": 0.2, "y": 0.7}, {"x": 0.8, "y": 0.1}]
        for ours, theirs in zip(both.result().predict(points, name), alone.result().predict(points), strict=True):
            assert ours == pytest.approx(theirs, rel=1e-6)
        assert both.result().importance(name).total == pytest.approx(alone.result().importance().total, abs=1e-6)


def test_each_output_is_fitted_once(studies):
    history = studies.run("both", 8).history
    assert surface(history, name="gain").fitted is surface(history, name="gain").fitted
    assert surface(history, name="gain").fitted is not surface(history, name="error").fitted
    assert importance(history, "gain") is importance(history, "gain")


def test_a_model_that_is_given_by_hand_is_that_of_every_output(studies, tmp_path):
    class Own(sf.GP):
        """A model that a file can only describe."""

    result = studies.run("both", 8, model=Own(warp=False)).result()
    result.save(tmp_path / "run.json")
    again = sf.load(tmp_path / "run.json")
    with pytest.raises(SufficeError, match="needs the model of the run"):
        again.predict([{"x": 0.5, "y": 0.5}], "gain")
    surface(again.history, Own(warp=False), "gain")
    for name in ("gain", "weight"):
        assert again.predict({"x": 0.5, "y": 0.5}, name) == pytest.approx(result.predict({"x": 0.5, "y": 0.5}, name))


def test_the_recommended_point_of_an_exact_study_is_the_best_one(studies):
    result = studies.run("limited", 12, model=sf.GP(warp=False, noise=1e-6)).result()
    assert result.x_recommended == result.x
    assert result.fun_recommended == pytest.approx(result.fun, abs=0.01)


def test_a_lucky_draw_beyond_the_limit_is_not_recommended():
    rng = np.random.default_rng(0)
    opt = sf.Optimizer({"x": (0.0, 1.0)}, seed=0, constraints={"load": sf.AtMost(0.5)})
    for x in np.repeat(np.linspace(0.0, 1.0, 11), 4):  # the smallest value within the limit is at x = 0.5
        opt.tell({"x": x}, {"value": -x, "load": x + 0.15 * rng.standard_normal()})
    result = opt.result()
    assert result.x["x"] >= 0.6  # by luck
    assert 0.35 <= result.x_recommended["x"] <= 0.5
    assert result.trials[recommend(opt.history).trial.number].values["value"] == pytest.approx(
        result.fun_recommended, abs=0.05
    )


def test_nothing_is_recommended_where_nothing_is_probably_allowed(studies):
    assert beyond(studies.make("limited")).result().x_recommended is None


def test_several_objectives_have_no_recommended_point(studies):
    result = studies.run("several", 6).result()
    for name in ("x_recommended", "fun_recommended", "fun_recommended_sd"):
        with pytest.raises(AttributeError, match=f"no '{name}': pick.* and knee.* choose from its front"):
            getattr(result, name)
    assert not hasattr(result, "x_recommended")


def test_one_objective_has_no_front(studies):
    with pytest.raises(
        AttributeError, match=r"no 'front': read result\.x and result\.fun: the result has one objective"
    ):
        _ = studies.run("limited", 3).result().front


def test_predictions_are_judged_for_every_output(studies, kind):
    optimizer = studies.run(kind, 12)
    accuracy = optimizer.result().accuracy
    assert list(accuracy.calibrations) == list(optimizer.settings.outputs)
    for name in optimizer.settings.outputs:
        known = [trial for trial in optimizer.trials if trial.solve is not None and name in trial.values]
        assert np.count_nonzero(~np.isnan(accuracy.z_scores_of(name))) == len(known)
        assert accuracy.calibrations[name].n == len(known)
        assert kind == "plain" or name in str(accuracy)


# ---------------------------------------------------------------------- findings


def names(findings):
    return [finding.name for finding in findings]


def test_that_nothing_is_allowed_is_said_in_print_and_proven_on_request(studies, kind):
    if kind not in LIMITED:
        return
    result = beyond(studies.make(kind)).result()
    said = " ".join(repr(result).split())
    assert "best seen none: no trial of 14 satisfies every constraint" in said
    assert "(weight satisfied by 0, reach satisfied by 14): run more trials, or relax one" in said
    found = result.diagnose()[0]
    assert (found.name, found.severity) == ("infeasible", "warning")
    assert "proven" in found.sentence or "possible" in found.sentence
    assert "infeasible" not in names(studies.run(kind).result().diagnose())


def test_an_output_that_never_changes_is_named(studies, kind):
    optimizer = studies.make(kind)
    for x, y in POINTS[:8]:
        optimizer.tell({"x": x, "y": y}, wholly(optimizer, error=x, value=x, gain=3.0, weight=0.25, reach=y + 0.2))
    said = [finding for finding in optimizer.result().diagnose() if finding.name == "constant"]
    wanted = {"plain": [], "limited": ["weight"], "several": ["gain"], "both": ["gain", "weight"]}[kind]
    assert len(said) == len(wanted)
    for finding, name in zip(said, wanted, strict=True):
        assert f"All 8 values of {name} are" in finding.sentence
        assert finding.severity == ("warning" if name == "gain" else "note")


def test_a_limit_that_is_far_away_is_noted(studies):
    optimizer = studies.make("limited")
    for x, y in POINTS[:12]:
        optimizer.tell({"x": x, "y": y}, {"value": x * y, "weight": x - 5.0, "reach": 0.2 + y})
    found = [finding for finding in optimizer.result().diagnose() if finding.name == "limit"]
    assert len(found) == 1
    assert "The constraint on weight, at most 0.9, was never close" in found[0].sentence


@pytest.mark.parametrize("late", [True, False])
def test_late_progress_is_that_within_all_limits(studies, late):
    optimizer = studies.make("limited")
    for i, (x, y) in enumerate(POINTS[:12]):
        good = i == (11 if late else 5)
        values = {"value": 1.0 + 0.01 * i - 0.8 * good, "weight": 0.5, "reach": 0.5 + 0.1 * y}
        if i == 10:
            values |= {"value": -9.0, "weight": 3.0}  # better, and not allowed
        optimizer.tell({"x": x, "y": y}, values)
    assert any("still improving" in f.sentence for f in optimizer.result().diagnose()) == late


@pytest.mark.parametrize("late", [True, False])
def test_late_progress_of_several_objectives_is_that_of_the_hypervolume(studies, late):
    optimizer = studies.make("several", reference={"error": 1.0, "gain": 0.0})
    for i, (x, y) in enumerate(POINTS[:12]):
        good = i == (11 if late else 5)
        optimizer.tell({"x": x, "y": y}, {"error": 0.5 + 0.01 * i - 0.4 * good, "gain": 0.5 - 0.01 * i + 0.4 * good})
    found = [f for f in optimizer.result().diagnose() if "still improving" in f.sentence]
    assert len(found) == late
    if late:
        assert "y0=[t.values for t in result.trials]" in found[0].remedy


def test_a_front_that_lies_on_a_bound_is_said_to(studies):
    optimizer = studies.make("several")
    for x in np.linspace(0.1, 0.9, 5):
        optimizer.tell({"x": x, "y": 0.0}, {"error": x, "gain": x})
    optimizer.tell({"x": 0.0, "y": 0.5}, {"error": 9.0, "gain": -9.0})
    found = [f.sentence for f in optimizer.result().diagnose() if f.name == "bounds"]
    assert found == ["All 5 points of the front lie on the lower bound of y (0.0)."]


def test_an_outlier_is_that_of_its_output(studies):
    optimizer = studies.make("both")
    for i, (x, y) in enumerate(POINTS[:10]):
        gain = 1e9 if i == 7 else y
        optimizer.tell({"x": x, "y": y}, {"error": x, "gain": gain, "weight": 0.5 * x, "reach": 0.3 + y})
    found = [f.sentence for f in optimizer.result().diagnose() if f.name == "outliers"]
    assert len(found) == 1
    assert "The best value of gain, 1e+09 of trial 7" in found[0]
