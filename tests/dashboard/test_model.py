"""What takes the whole record or the model: as the result and its figures have it, for every kind of parameter."""

import time

import numpy as np
import pytest

import suffice as sf
from suffice.dashboard.model import Models, about, contour, whole_of
from suffice.plot.axes import ending
from suffice.result.predict import answer_with_noise
from suffice.result.screen import summary

from .conftest import SPACE, followed, make


def answer(path):
    return about(whole_of(followed(path)))


def test_slices_are_what_the_result_predicts_along_each_parameter(tmp_path):
    path = make(tmp_path / "a.db", 25, n_initial=20)
    result, found = sf.load(path), answer(path)
    assert (found["problem"], found["note"]) == (None, None)
    assert [cut["name"] for cut in found["slices"]] == list(SPACE)
    for cut in found["slices"]:
        name = cut["name"]
        assert cut["at"] == result.x_recommended[name]
        assert cut["through"] == "the best point"
        mean, _ = result.predict([{**result.x_recommended, name: value} for value in cut["x"]])
        np.testing.assert_allclose(cut["median"], mean, rtol=1e-4)
        assert all(
            low <= middle <= high for low, middle, high in zip(cut["low"], cut["median"], cut["high"], strict=True)
        )
    kinds = {cut["name"]: (cut["kind"], cut["x"]) for cut in found["slices"]}
    assert kinds["c"] == ("choice", ["a", "b"])
    assert kinds["n"] == ("int", list(range(1, 10)))
    rate = kinds["rate"][1]
    assert (rate[0], rate[-1]) == (1e-4, 1.0)
    np.testing.assert_allclose(np.diff(np.log(rate)), np.log(rate[1] / rate[0]))


def test_the_words_and_the_importance_are_those_of_the_printed_result(long):
    result, found = sf.load(long), answer(long)
    wanted = summary(result.history, result.history.accuracy)
    assert found["summary"] == [[label, text] for label, text in wanted]
    known = result.importance()
    (importance,) = found["importance"]
    assert importance["names"] == list(known.names)
    np.testing.assert_allclose(importance["total"], known.total)
    assert importance["sure"] == (known.deviation > known.uncertainty)


def test_where_values_are_noisy_the_recommended_point_has_an_interval(tmp_path):
    rng = np.random.default_rng(0)
    with sf.Optimizer({"x": (0.0, 1.0)}, storage=tmp_path / "a.db", seed=0, n_initial=12) as opt:
        for _ in range(16):
            trial = opt.ask()
            opt.tell(trial, trial.point["x"] + rng.normal(0, 0.3), noise_var=0.09)
    result, found = sf.load(tmp_path / "a.db"), answer(tmp_path / "a.db")["recommended"]
    noisy = answer_with_noise(result.history)
    assert (found["number"], found["said"]) == (noisy.recommended.trial.number, noisy.expected)
    assert found["value"] == result.fun_recommended
    assert found["high"] - found["low"] == pytest.approx(2 * 1.96 * result.fun_recommended_sd, rel=1e-3)
    make(tmp_path / "b.db", 12)
    assert answer(tmp_path / "b.db")["recommended"] is None


def test_a_contour_is_what_the_result_predicts_over_two_parameters(tmp_path):
    path = make(tmp_path / "a.db", 25, n_initial=20)
    result, whole = sf.load(path), whole_of(followed(path))
    found = contour(whole, "x", "c", 0)
    assert (found["x"]["name"], found["y"]["places"]) == ("x", ["a", "b"])
    ends = np.array(found["ends"])
    for c, row in zip(found["y"]["places"], found["shades"], strict=True):
        points = [{**result.x_recommended, "x": x, "c": c} for x in found["x"]["places"]]
        wanted = np.searchsorted(ends[1:-1], result.predict(points)[0])
        np.testing.assert_allclose(row, len(ends) - 2 - wanted, atol=1)  # the best, a small value, is the last shade
    important = contour(whole, "", "", 0)
    assert [important["x"]["name"], important["y"]["name"]] == list(result.importance().names[:2])


def test_the_shades_of_a_contour_end_where_the_axis_of_the_run_ends(tmp_path):
    for direction, sign in (("minimize", 1.0), ("maximize", -1.0)):
        path, space = tmp_path / f"{direction}.db", {"x": (0.0, 1.0), "y": (0.0, 1.0)}
        with sf.Optimizer(space, storage=path, seed=0, n_initial=30, direction=direction) as opt:
            for i in range(30):
                trial = opt.ask() if i < 10 else opt.ask(fixed={"x": 0.01 * (i % 7)})
                opt.tell(trial, sign * (10 * trial.point["x"] + 0.1 * trial.point["y"]))
        values = np.array([trial.value for trial in sf.load(path).trials])
        found = contour(whole_of(followed(path)), "x", "y", 0)
        best = (np.minimum if sign > 0 else np.maximum).accumulate(values)
        axis = ending(values, best, larger=sign < 0)
        assert found["cut"]
        assert found["ends"][-1 if sign > 0 else 0] == (axis.high if sign > 0 else axis.low)
        assert sf.load(path).trials[found["number"]].point["x"] == found["x"]["at"]


def test_the_shades_of_one_of_several_objectives_hold_all_values_because_bad_ones_may_be_on_the_front(tmp_path):
    path, aims = tmp_path / "a.db", {"cost": "minimize", "gain": "maximize"}
    with sf.Optimizer({"x": (0.0, 1.0), "y": (0.0, 1.0)}, storage=path, seed=0, n_initial=20, objectives=aims) as opt:
        for i in range(20):
            trial = opt.ask() if i < 10 else opt.ask(fixed={"x": 0.01 * (i % 7)})
            opt.tell(trial, {"cost": 10 * trial.point["x"] + 0.1 * trial.point["y"], "gain": trial.point["x"]})
    found = contour(whole_of(followed(path)), "x", "y", 0)
    assert not found["cut"]
    assert found["ends"][-1] > 9


def test_a_contour_shows_what_is_probably_infeasible(tmp_path):
    space, limits = {"x": (0.0, 1.0), "y": (0.0, 1.0)}, {"heat": sf.AtMost(0.9)}
    words = {"objectives": {"gain": "maximize"}, "constraints": limits}
    with sf.Optimizer(space, storage=tmp_path / "a.db", seed=0, n_initial=20, **words) as opt:
        for _ in range(20):
            trial = opt.ask()
            opt.tell(trial, {"gain": trial.point["x"], "heat": sum(trial.point.values())})
    found = contour(whole_of(followed(tmp_path / "a.db")), "x", "y", 0)
    assert not found["unlikely"][0][0]
    assert found["unlikely"][-1][-1]
    assert found["shades"][0][0] < found["shades"][0][-1]  # maximized: larger values have the larger shade


def test_a_parameter_that_the_best_point_lacks_is_cut_where_it_is_active(tmp_path):
    space = {"c": sf.Choice("plain", "wide"), "x": sf.Float(0, 1), "w": sf.Ordinal(1, 5, 9, when={"c": "wide"})}
    with sf.Optimizer(space, storage=tmp_path / "a.db", seed=0, n_initial=12) as opt:
        for _ in range(12):
            trial = opt.ask()
            opt.tell(trial, trial.point["x"] + (10 if trial.point["c"] == "wide" else 0))
        assert opt.best.point["c"] == "plain"
    cuts = {cut["name"]: cut for cut in answer(tmp_path / "a.db")["slices"]}
    assert (cuts["w"]["kind"], cuts["w"]["x"]) == ("ordinal", ["1", "5", "9"])
    assert min(cuts["w"]["median"]) > max(cuts["x"]["median"])
    assert set(cuts["c"]["x"]) == {"plain", "wide"}
    assert (cuts["w"]["at"], cuts["w"]["height"]) == (None, None)  # inactive at the best point, so no star is drawn
    assert cuts["w"]["through"] == "the best point with w"
    assert isinstance(cuts["x"]["at"], float)


def test_points_without_names_and_known_noise_have_slices_too(tmp_path):
    with sf.Optimizer(
        [(0.0, 1.0), sf.Int(1, 4)], storage=tmp_path / "a.db", seed=0, n_initial=9, direction="maximize"
    ) as opt:
        for _ in range(9):
            trial = opt.ask()
            opt.tell(trial, trial.point[0], noise_var=0.01)
    found = answer(tmp_path / "a.db")
    assert [cut["name"] for cut in found["slices"]] == ["x[0]", "x[1]"]
    assert found["slices"][0]["median"][-1] > found["slices"][0]["median"][0]


def test_a_saved_result_has_the_same_answer(long, tmp_path):
    sf.load(long).save(tmp_path / "a.json")
    assert answer(tmp_path / "a.json") == answer(long)


def test_constraints_that_a_file_cannot_hold_are_left_out_and_that_is_said(tmp_path):
    space = sf.Space(x=(0.0, 1.0), y=(0.0, 1.0), where=lambda p: p["x"] + p["y"] <= 1)
    with sf.Optimizer(space, storage=tmp_path / "a.db", seed=0, n_initial=6) as opt:
        for _ in range(6):
            trial = opt.ask()
            opt.tell(trial, trial.point["x"])
    found = answer(tmp_path / "a.db")
    assert "does not hold the constraints" in found["note"]
    assert len(found["slices"]) == 2


def test_where_there_is_no_model_a_sentence_says_why_and_the_rest_is_there(tmp_path):
    make(tmp_path / "one.db", 1)
    found = answer(tmp_path / "one.db")
    assert "at least two values" in found["problem"]
    assert found["summary"][0][0] == "best seen"
    with sf.Optimizer(sf.Pool(np.arange(12.0).reshape(6, 2)), storage=tmp_path / "pool.db", seed=0, n_initial=4) as opt:
        for _ in range(4):
            opt.tell(opt.ask(), 1.0)
    found = answer(tmp_path / "pool.db")
    assert "not made of parameters" in found["problem"]
    assert len(found["importance"][0]["names"]) == 2


def test_answers_are_computed_one_study_at_a_time_and_remembered(tmp_path, monkeypatch):
    computed, most, now = [], [], []

    def slow(whole):
        now.append(1)
        most.append(len(now))
        computed.append(whole.revision)
        time.sleep(0.02)  # long enough for another one to begin, if it could
        now.pop()
        return {"summary": [["best seen", whole.revision]]}

    monkeypatch.setattr("suffice.dashboard.model.about", slow)
    studies = [followed(make(tmp_path / f"{name}.db", 4)) for name in "abc"]
    models = Models()
    for study in studies * 2:
        assert models.ask(study)["problem"] is None
    answers = [until_answered(models, study) for study in studies]
    assert [answer["summary"][0][1] for answer in answers] == [study.columns.revision for study in studies]
    assert sorted(computed) == sorted(study.columns.revision for study in studies)
    assert set(most) == {1}
    assert models.ask(studies[0])["wait"] is False


def test_contours_are_remembered_by_their_parameters_and_not_without_end(tmp_path, monkeypatch):
    monkeypatch.setattr("suffice.dashboard.model.CONTOURS", 2)
    study, models = followed(make(tmp_path / "a.db", 12, n_initial=12)), Models()
    for x, y in (("x", "rate"), ("x", "n"), ("rate", "c")):
        found = until_answered(models, study, (x, y, 0))["contour"]
        assert (found["x"]["name"], found["y"]["name"]) == (x, y)
    assert models.ask(study, ("rate", "c", 0))["wait"] is False
    assert models.ask(study, ("x", "rate", 0))["wait"] is True
    assert "room for" not in str(until_answered(models, study, ("x", "x", 0))["contour"])
    assert "more than once" in until_answered(models, study, ("x", "x", 0))["problem"]


def test_a_fault_in_one_study_leaves_answers_about_the_others(tmp_path, monkeypatch):
    def broken(whole):
        raise RuntimeError("oh")

    study, models = followed(make(tmp_path / "a.db", 4)), Models()
    with monkeypatch.context() as patch:
        patch.setattr("suffice.dashboard.model.about", broken)
        assert "oh" in until_answered(models, study)["problem"]
    other = followed(make(tmp_path / "b.db", 4))
    assert until_answered(models, other)["slices"]


def test_a_file_that_is_gone_has_a_sentence_in_place_of_an_answer(tmp_path):
    study, models = followed(make(tmp_path / "a.db", 4)), Models()
    study.path.unlink()
    found = until_answered(models, study)
    assert found["problem"]
    assert found["slices"] == []


def until_answered(models, study, wish=None):
    for _ in range(400):
        answer = models.ask(study, wish)
        if not answer["wait"]:
            return answer
        time.sleep(0.05)
    raise AssertionError("no answer came")
