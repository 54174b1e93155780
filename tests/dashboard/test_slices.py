"""What the model predicts through the best point: as `result.predict` has it, for every kind of parameter."""

import time

import numpy as np
import pytest

import suffice as sf
from suffice.dashboard.slices import NoSlices, Slicer, data_of, slices

from .conftest import SPACE, followed, make, objective


def test_slices_are_what_the_result_predicts_along_each_parameter(tmp_path):
    path = make(tmp_path / "a.db", 25, n_initial=20)
    watched, result = followed(path), sf.load(path)
    data = data_of(watched.columns)
    found = slices(data)
    assert data.note is None
    assert found["at"] == result.x
    assert [cut["name"] for cut in found["slices"]] == list(SPACE)
    for cut in found["slices"]:
        points = [{**result.x, cut["name"]: value} for value in cut["x"]]
        mean, _ = result.predict(points)
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


def test_a_parameter_that_the_best_point_lacks_is_cut_where_it_is_active(tmp_path):
    space = {"c": sf.Choice("plain", "wide"), "x": sf.Float(0, 1), "w": sf.Ordinal(1, 5, 9, when={"c": "wide"})}
    with sf.Optimizer(space, storage=tmp_path / "a.db", seed=0, n_initial=12) as opt:
        for _ in range(12):
            trial = opt.ask()
            opt.tell(trial, trial.point["x"] + (10 if trial.point["c"] == "wide" else 0))
        assert opt.best.point["c"] == "plain"
    cuts = {cut["name"]: cut for cut in slices(data_of(followed(tmp_path / "a.db").columns))["slices"]}
    assert (cuts["w"]["kind"], cuts["w"]["x"]) == ("ordinal", ["1", "5", "9"])
    assert min(cuts["w"]["median"]) > max(cuts["x"]["median"])
    assert set(cuts["c"]["x"]) == {"plain", "wide"}


def test_points_without_names_and_known_noise_have_slices_too(tmp_path):
    with sf.Optimizer(
        [(0.0, 1.0), sf.Int(1, 4)], storage=tmp_path / "a.db", seed=0, n_initial=9, direction="maximize"
    ) as opt:
        for _ in range(9):
            trial = opt.ask()
            opt.tell(trial, trial.point[0], noise_var=0.01)
    found = slices(data_of(followed(tmp_path / "a.db").columns))
    assert [cut["name"] for cut in found["slices"]] == ["x[0]", "x[1]"]
    assert found["slices"][0]["median"][-1] > found["slices"][0]["median"][0]


def test_of_many_values_the_best_are_taken_and_that_is_said(tmp_path, monkeypatch):
    monkeypatch.setattr("suffice.dashboard.slices.VALUES", 20)
    path = make(tmp_path / "a.db", 60, n_initial=100)
    columns = followed(path).columns
    data = data_of(columns)
    assert "20 of the 60 values" in data.note
    assert sorted(told["value"] for told in data.values)[:10] == sorted(columns.value)[:10]
    assert len(data.values) == 20
    assert all({"value": objective(point)} == told for point, told in zip(data.points, data.values, strict=True))


def test_constraints_that_a_file_cannot_hold_are_left_out_and_that_is_said(tmp_path):
    space = sf.Space(x=(0.0, 1.0), y=(0.0, 1.0), where=lambda p: p["x"] + p["y"] <= 1)
    with sf.Optimizer(space, storage=tmp_path / "a.db", seed=0, n_initial=6) as opt:
        for _ in range(6):
            trial = opt.ask()
            opt.tell(trial, trial.point["x"])
    data = data_of(followed(tmp_path / "a.db").columns)
    assert "does not hold the constraints" in data.note
    assert len(slices(data)["slices"]) == 2


def test_where_there_is_no_model_a_sentence_says_why(tmp_path):
    make(tmp_path / "one.db", 1)
    with pytest.raises(NoSlices, match="at least two values"):
        data_of(followed(tmp_path / "one.db").columns)
    with sf.Optimizer(sf.Pool(np.arange(12.0).reshape(6, 2)), storage=tmp_path / "pool.db", seed=0, n_initial=4) as opt:
        for _ in range(4):
            opt.tell(opt.ask(), 1.0)
    with pytest.raises(NoSlices, match="not made of parameters"):
        data_of(followed(tmp_path / "pool.db").columns)


def test_slices_are_computed_one_study_at_a_time_and_remembered(tmp_path, monkeypatch):
    computed, most, now = [], [], []

    def slow(data):
        now.append(1)
        most.append(len(now))
        computed.append(data.revision)
        time.sleep(0.02)  # long enough for another one to begin, if it could
        now.pop()
        return {"at": {}, "slices": [{"name": data.revision}]}

    monkeypatch.setattr("suffice.dashboard.slices.slices", slow)
    studies = [followed(make(tmp_path / f"{name}.db", 4)) for name in "abc"]
    slicer = Slicer()
    for study in studies * 2:
        assert slicer.ask(study)["problem"] is None
    answers = [until_answered(slicer, study) for study in studies]
    assert [answer["slices"][0]["name"] for answer in answers] == [study.columns.revision for study in studies]
    assert sorted(computed) == sorted(study.columns.revision for study in studies)
    assert set(most) == {1}
    assert slicer.ask(studies[0])["wait"] is False


def test_a_fault_in_one_study_leaves_slices_of_the_others(tmp_path, monkeypatch):
    def broken(data):
        raise RuntimeError("oh")

    study, slicer = followed(make(tmp_path / "a.db", 4)), Slicer()
    with monkeypatch.context() as patch:
        patch.setattr("suffice.dashboard.slices.slices", broken)
        assert "oh" in until_answered(slicer, study)["problem"]
    other = followed(make(tmp_path / "b.db", 4))
    assert until_answered(slicer, other)["slices"]


def until_answered(slicer, study):
    for _ in range(400):
        answer = slicer.ask(study)
        if not answer["wait"]:
            return answer
        time.sleep(0.05)
    raise AssertionError("no slices came")
