"""The record of a study with several outputs: in a file, killed and resumed, continued, damaged, told in many ways."""

import json

import numpy as np
import pytest

import suffice as sf
from suffice.errors import DifferentStudy, UnreadableFile
from suffice.record.encoding import EventCodec
from suffice.record.recovery import salvage

LIMITED = ("limited", "both")


def trace(optimizer):
    """All that is decided, as exact numbers."""
    return [
        (t.point, t.state, t.values, t.feasible, t.noise_var, t.solve and (t.solve.value, t.solve.p_feasible))
        for t in optimizer.trials
    ]


def turn(studies, optimizer, i):
    """A batch told out of order, with a failure, with known noise, and one left pending."""
    trials = optimizer.ask(3)
    names = optimizer.settings.outputs
    optimizer.tell(trials[1], studies.outputs(trials[1].point, names), noise_var={names[-1]: 0.01} if i % 2 else None)
    if i == 1:
        optimizer.fail(trials[0], "no luck")
    else:
        optimizer.tell(trials[0], studies.outputs(trials[0].point, names), seconds=0.5)
    for late in optimizer.pending[:-1]:
        optimizer.tell(late, studies.outputs(late.point, names))


def test_a_study_that_is_killed_after_every_turn_goes_on_bit_for_bit(studies, kind, tmp_path):
    whole = studies.make(kind, solver=sf.solvers.Grid(size=sf.solvers.Fixed(60)))
    for i in range(5):
        turn(studies, whole, i)
    path = tmp_path / "run.db"
    studies.make(kind, solver=sf.solvers.Grid(size=sf.solvers.Fixed(60)), storage=path).close()
    for i in range(5):
        with sf.Optimizer.resume(path) as part:  # what it knows, it knows from the file
            turn(studies, part, i)
    with sf.Optimizer.resume(path) as part:
        assert trace(part) == trace(whole)
        assert part.ask().point == whole.ask().point
        assert repr(part.settings) == repr(whole.settings)
    loaded = sf.load(path)
    assert [t.values for t in loaded.trials] == [t.values for t in whole.trials[: len(loaded.trials)]]


def test_the_default_parts_go_on_bit_for_bit_too(studies, kind, tmp_path):
    words = {"model": None, "solver": None, "n_initial": 5}
    whole, path = studies.run(kind, 8, **words), tmp_path / "run.db"
    studies.run(kind, 7, storage=path, **words).close()
    with sf.Optimizer.resume(path) as part:
        studies.step(part)
        assert trace(part) == trace(whole)


def test_a_saved_result_is_the_same_again(studies, kind, tmp_path):
    words = {"reference": {"error": 1.0, "gain": -1.0}} if kind in ("several", "both") else {}
    optimizer = studies.run(kind, 7, **words)
    optimizer.tell(
        {"x": 0.1, "y": 0.2},
        studies.outputs({"x": 0.1, "y": 0.2}, optimizer.settings.outputs),
        noise_var={optimizer.settings.outputs[-1]: 0.25},
    )
    result = optimizer.result()
    result.save(tmp_path / "run.json")
    again = sf.load(tmp_path / "run.json")
    assert again.settings.constraints == optimizer.settings.constraints
    assert again.settings.objectives == optimizer.settings.objectives
    assert again.settings.reference == optimizer.settings.reference
    assert trace(again) == trace(optimizer)
    assert [t.solve.predicted for t in again.trials if t.solve] == [t.solve.predicted for t in result.trials if t.solve]
    assert str(again.accuracy) == str(result.accuracy)
    assert np.array_equal(again.func_vals, result.func_vals, equal_nan=True)


def test_other_aims_are_refused_in_words(studies, tmp_path):
    path = tmp_path / "run.db"
    studies.run("both", 2, storage=path).close()
    aims, limits = studies.kinds["both"]["objectives"], studies.kinds["both"]["constraints"]
    for words, said in (
        (
            {"constraints": limits | {"weight": sf.AtMost(2)}},
            r"constraints: weight at most 0\.9, .* -> weight at most 2,",
        ),
        ({"constraints": {"weight": limits["weight"]}}, "constraints: .*reach at least 0.2 -> weight at most 0.9\n"),
        ({"objectives": aims | {"gain": "minimize"}}, "objectives: error minimize, gain maximize -> .*gain minimize"),
        ({"direction": "minimize"}, "objectives: error minimize, gain maximize -> value minimize"),
        ({"objectives": aims, "reference": {"error": 1, "gain": 0}}, "reference: None -> error 1, gain 0"),
    ):
        with pytest.raises(DifferentStudy, match=said):
            sf.Optimizer(studies_space(), storage=path, **words)
    with pytest.raises(DifferentStudy, match=r"optimizer\.tell\(trial\.point, trial\.values\)"):
        sf.Optimizer(studies_space(), storage=path, direction="maximize")


def test_limits_are_not_added_to_a_study_that_has_none(studies, tmp_path):
    path = tmp_path / "run.db"
    studies.run("plain", 2, storage=path).close()
    with pytest.raises(DifferentStudy, match=r"constraints: \(none\) -> weight at most 1"):
        sf.Optimizer(studies_space(), storage=path, constraints={"weight": sf.AtMost(1)})
    with pytest.raises(DifferentStudy, match="sense: 'minimize' -> 'maximize'"):
        sf.Optimizer(studies_space(), storage=path, direction="maximize")


def test_the_same_aims_go_on(studies, kind, tmp_path):
    path = tmp_path / "run.db"
    studies.run(kind, 3, storage=path).close()
    with sf.Optimizer(studies_space(), storage=path, **studies.kinds[kind]) as again:
        assert len(again.trials) == 3


def studies_space():
    return {"x": (0.0, 1.0), "y": (0.0, 1.0)}


# ---------------------------------------------------------------------- damaged


def events(studies, kind):
    codec = EventCodec()
    return codec, [codec.encode(event) for event in studies.run(kind, 3).history.events]


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda v: {"error": 1.0}, "trial 2 has values of error"),
        (lambda v: v | {"speed": 1.0}, "trial 2 has values of .*speed"),
        (lambda v: v | {"gain": "high"}, "gain of trial 2 is 'high'"),
        (lambda v: {}, "trial 2 has values of"),
        (lambda v: v | {"gain": True}, "gain of trial 2 is True"),
    ],
)
def test_damaged_values_are_refused_by_name(studies, change, said):
    _, plain = events(studies, "both")
    told = [data for data in plain if data["event"] == "told"][-1]
    told["values"] = change(told["values"])
    codec = EventCodec()
    codec.decode(plain[0])
    with pytest.raises(ValueError, match=said):
        codec.decode(json.loads(json.dumps(told)))


@pytest.mark.parametrize(
    ("word", "value"),
    [
        ("constraints", {"weight": {"is": "AtMost", "limit": "heavy"}}),
        ("constraints", {"weight": {"is": "Float", "low": 0.0, "high": 1.0}}),
        ("constraints", {"weight": 5}),
        ("reference", {"error": 1.0}),
        ("objectives", {"error": "sideways"}),
    ],
)
def test_damaged_settings_are_refused(studies, word, value):
    _, plain = events(studies, "both")
    plain[0]["settings"][word] = value
    with pytest.raises((ValueError, TypeError)):
        EventCodec().decode(json.loads(json.dumps(plain[0])))


@pytest.mark.parametrize("noise", [{"weight": "a"}, {"weight": None}, {"speed": 0.1}, "much", {"weight": -1.0}])
def test_damaged_noise_is_refused(studies, noise):
    codec, plain = events(studies, "both")
    told = [data for data in plain if data["event"] == "told"][-1]
    with pytest.raises(ValueError, match="noise_var of trial 2"):
        codec.decode(told | {"noise_var": noise})


def test_a_damaged_file_is_named(studies, tmp_path):
    path = tmp_path / "run.json"
    studies.run("both", 3).result().save(path)
    content = json.loads(path.read_text())
    del content["crc32"]
    content["content"]["settings"]["constraints"]["weight"]["limit"] = None
    path.write_text(json.dumps(content))
    with pytest.raises(UnreadableFile, match=r"run\.json is damaged: .*limit"):
        sf.load(path)


def test_what_is_whole_of_a_damaged_study_is_brought_out(studies, kind, tmp_path):
    path = tmp_path / "run.db"
    with studies.run(kind, 4, storage=path) as optimizer:
        known = trace(optimizer)
    found = salvage(path)
    assert found.lost == ()
    assert found.settings.outputs == optimizer.settings.outputs
    assert [trial.values for trial in found.trials] == [values for _, _, values, *_ in known]


# ---------------------------------------------------------------------- known values


def test_known_values_may_be_dicts_or_not_known(studies, kind):
    points = [{"x": 0.1, "y": 0.2}, {"x": 0.9, "y": 0.9}, {"x": 0.5, "y": 0.5}]
    names = studies.make(kind).settings.outputs
    values = [studies.outputs(points[0], names), studies.outputs(points[1], names), None]
    optimizer = studies.make(kind, x0=points, y0=values)
    assert [trial.point for trial in optimizer.trials] == points[:2]
    assert [trial.origin for trial in optimizer.trials] == ["foreign", "foreign"]
    assert optimizer.ask().point == points[2]


def test_the_trials_of_a_result_begin_another_study(studies, kind):
    result = studies.run(kind, 5).result()
    told = {"x0": [t.point for t in result.trials], "y0": [t.values for t in result.trials]}
    again = studies.make(kind, **told)
    assert [t.values for t in again.trials] == [t.values for t in result.trials]


def test_known_values_count_towards_the_trials_of_a_run(studies):
    f = {"x0": [{"x": 0.1, "y": 0.2}], "y0": {"value": 1.0, "w": 0.5}}
    result = sf.minimize(
        lambda p: {"value": p["x"], "w": p["y"]}, studies_space(), 4, constraints={"w": sf.AtMost(1)}, seed=0, **f
    )
    assert result.nfev == 5


@pytest.mark.parametrize(
    ("y0", "said"),
    [
        ([1.0], r"y0\[0\]: an evaluation of this study has 4 outputs"),
        ([{"error": 1.0, "gian": 2.0}], r"y0\[0\]: the values have 'gian'.*did you mean 'gain'"),
        ([{"error": "a"}], r"y0\[0\]: 'error' must be one real number"),
    ],
)
def test_known_values_that_are_none_are_refused_by_number(studies, y0, said):
    with pytest.raises(TypeError, match=said):
        studies.make("both", x0=[{"x": 0.1, "y": 0.2}], y0=y0)


def test_a_table_of_known_values_is_to_be_taken_apart(studies):
    table = studies.run("several", 3).result().to_dataframe()
    with pytest.raises(TypeError, match=r"y0=table\.to_dict\('records'\)"):
        studies.make("several", x0=[{"x": 0.1, "y": 0.2}], y0=table[["error", "gain"]])


# ---------------------------------------------------------------------- telling


def test_a_value_is_told_once_and_the_same_again_changes_nothing(studies, kind):
    optimizer = studies.run(kind, 2)
    trial = optimizer.trials[-1]
    told = studies.outputs(trial.point, optimizer.settings.outputs)
    assert optimizer.tell(trial, told) is trial
    other = dict.fromkeys(optimizer.settings.outputs, 7.0) if kind != "plain" else 7.0
    with pytest.raises(ValueError, match=r"trial 1 already has the value .*: got"):
        optimizer.tell(trial, other)
    with pytest.raises(ValueError, match=r"already has the value .* and can no longer fail"):
        optimizer.fail(trial)


def test_what_is_missing_makes_a_trial_fail_unless_a_limit_is_violated(studies, kind):
    if kind not in LIMITED:
        return
    optimizer = studies.make(kind)
    fine = dict.fromkeys(optimizer.settings.outputs, 0.5)
    missing = optimizer.tell({"x": 0.1, "y": 0.1}, {name: v for name, v in fine.items() if name != "reach"})
    assert (missing.state, missing.cause, missing.reason) == ("failed", "nan", "reach was missing or nan")
    infinite = optimizer.tell({"x": 0.2, "y": 0.1}, fine | {"weight": np.inf})
    assert (infinite.state, infinite.cause) == ("failed", "inf")
    beyond = optimizer.tell({"x": 0.3, "y": 0.1}, {"weight": 5.0, "reach": None})
    assert (beyond.state, beyond.values, beyond.feasible) == ("done", {"weight": 5.0}, False)
