"""Several objectives and limits: the columns, the front and the summary are those of the study's own history."""

import json

import numpy as np
import pytest

import suffice as sf
from suffice.dashboard.detail import detail
from suffice.dashboard.model import about, whole_of
from suffice.dashboard.server import study_answer, trials_answer
from suffice.result.front import Front

from .conftest import Followed

SPACE = {"x": (0.0, 1.0), "y": (0.0, 1.0)}
AIMS = {"error": "minimize", "speed": "maximize"}


def outputs(p):
    """Objectives are missing where the limit is broken by far."""
    heat = p["x"] + p["y"]
    return {"heat": heat} | ({} if heat > 1.6 else {"error": p["x"], "speed": p["x"] - p["y"] ** 2})


def written(path, n=14, f=outputs, **words):
    """A study in which some trials fail, one is cancelled and one is pending."""
    with sf.Optimizer(SPACE, storage=path, seed=0, n_initial=n - 3, **words) as optimizer:
        for i in range(n):
            trial = optimizer.ask()
            if i % 5 == 3:
                optimizer.fail(trial, "no")
            else:
                optimizer.tell(trial, f(trial.point), noise_var={"error": 0.01} if i == 2 else None)
        optimizer.cancel(optimizer.ask())
        optimizer.ask()
    return path


@pytest.fixture(scope="module")
def both(tmp_path_factory):
    """A study of two objectives with a limit, its history, and what follows its file."""
    folder = tmp_path_factory.mktemp("front")
    path = written(folder / "a.db", objectives=AIMS, constraints={"heat": sf.AtMost(1.3)})
    followed = Followed(folder)
    followed.look()
    return followed, sf.load(path)


def test_the_columns_have_every_output_and_what_is_feasible(both):
    followed, result = both
    columns = followed.columns("a.db")
    told = columns.json(range(len(columns)))
    assert list(columns.outputs) == ["error", "speed", "heat"]
    for i, trial in enumerate(result.trials):
        values = trial.values or {}
        assert [column[i] for column in told["outputs"]] == [values.get(name) for name in columns.outputs]
        assert told["feasible"][i] is trial.feasible
        assert told["value"][i] == values.get("error")
    assert any("error" not in (trial.values or {"error": 0}) for trial in result.trials)
    assert columns.noise[2] == 0.01


def test_the_front_is_that_of_the_history_with_its_volume_and_reference(both):
    followed, result = both
    found, front = followed.columns("a.db").front(), Front(result.history)
    assert found["trials"] == [trial.number for trial in front.trials]
    assert found["knee"] == front.knee().number
    assert found["reference"] == [front.reference[name] for name in AIMS]
    volume, evaluated = 0.0, [trial.number for trial in result.trials if trial.state in ("done", "failed")]
    for number, expected in zip(evaluated, front.hypervolume, strict=True):
        volume = dict(map(tuple, found["growth"])).get(number, volume)
        assert volume == expected
    assert followed.columns("a.db").front() is found  # made once for a revision


def test_the_summary_counts_the_front_and_what_is_within_limits(both):
    followed, result = both
    summary = followed.look()["a.db"]
    assert summary["front"] == len(result.front)
    assert summary["best"] is None
    assert summary["best_number"] == result.knee().number
    assert summary["feasible"] == len(result.history.feasible)
    assert summary["spark"][-1] == result.hypervolume[-1]
    assert summary["aims"] == "minimize error, maximize speed"


def test_what_is_told_is_json_and_says_what_outputs_are(both):
    followed, result = both
    (watched,) = followed.watcher.studies.values()
    whole = json.loads(json.dumps(study_answer(watched), allow_nan=False))
    assert [one["name"] for one in whole["outputs"]] == ["error", "speed", "heat"]
    assert [one["larger"] for one in whole["outputs"]] == [False, True, False]
    assert whole["outputs"][2]["said"] == "at most 1.3"
    assert whole["front"]["trials"] == [trial.number for trial in result.front]
    assert trials_answer(watched, whole["revision"])["front"] == whole["front"]
    model = next(t for t in result.trials if t.origin == "model" and t.state == "done" and len(t.values) == 3)
    one = detail(watched, model.number)
    assert one["outputs"] == [model.values[name] for name in ("error", "speed", "heat")]
    frame = result.to_dataframe()
    assert one["expected"][0][0] == frame["predicted:error"][model.number]
    assert one["expected"][1][0] == frame["predicted:speed"][model.number]


def test_slices_are_those_of_each_objective_through_the_knee(both):
    followed, result = both
    (watched,) = followed.watcher.studies.values()
    found = about(whole_of(watched))["slices"]
    assert {cut["name"]: cut["at"] for cut in found} == pytest.approx(result.knee().point)
    assert [(cut["output"], cut["name"]) for cut in found] == [(0, "x"), (0, "y"), (1, "x"), (1, "y")]
    knee, along = result.knee().point, next(cut for cut in found if (cut["output"], cut["name"]) == (1, "x"))
    points = [{**knee, "x": x} for x in along["x"]]
    assert np.allclose(along["median"], result.predict(points, "speed")[0], rtol=0.05, atol=0.02)


def test_the_best_value_of_a_study_with_limits_is_within_them(tmp_path):
    f = lambda p: {"value": p["x"], "heat": -p["x"]}  # noqa: E731
    with sf.Optimizer(SPACE, storage=tmp_path / "a.db", seed=0, constraints={"heat": sf.AtMost(-0.4)}) as optimizer:
        for x in (0.9, 0.1, 0.5, 0.2, 0.6):
            optimizer.tell({"x": x, "y": 0.5}, f({"x": x}))
    summary = Followed(tmp_path).look()["a.db"]
    assert (summary["best"], summary["best_number"], summary["feasible"]) == (0.5, 2, 3)
    assert summary["spark"] == [0.9, 0.5, 0.5]
    assert summary["front"] is None


def test_where_nothing_is_feasible_there_is_neither_a_best_nor_a_front(tmp_path):
    written(tmp_path / "a.db", 6, objectives=AIMS, constraints={"heat": sf.AtMost(-1.0)})
    followed = Followed(tmp_path)
    summary = followed.look()["a.db"]
    assert (summary["front"], summary["best"], summary["best_number"], summary["feasible"]) == (0, None, None, 0)
    assert followed.columns("a.db").front()["growth"] == []


def test_a_volume_that_takes_too_long_is_not_followed(both, monkeypatch):
    followed, _ = both
    columns = followed.columns("a.db")
    monkeypatch.setattr("suffice.dashboard.table.FOLLOWED", {2: 3})
    monkeypatch.setattr(columns, "_front", None)
    assert columns.front()["growth"] is None
    assert columns.front()["trials"]


def test_names_of_outputs_are_shown_and_told_apart(tmp_path):
    path = tmp_path / "a.db"
    aims = {"a" * 80 + "1": "minimize", "a" * 80 + "2": "maximize", " ": "minimize"}
    with sf.Optimizer(SPACE, storage=path, seed=0, objectives=aims):
        pass
    followed = Followed(tmp_path)
    followed.look()
    names = [one["name"] for one in followed.columns("a.db").output_list()]
    assert len(set(names)) == 3
    assert names[2] == "' '"
    assert max(map(len, names)) < 70
