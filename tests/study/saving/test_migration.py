"""Files of earlier versions, and files whose parts are not at hand."""

import json
from pathlib import Path

import pytest

import suffice as sf
from suffice.accuracy.estimate import eta
from suffice.record.encoding import from_version_1, present
from suffice.record.settings import Opaque

OLD = sorted((Path(__file__).parent / "files").glob("version_1*.json"))
VERSION_1 = Path(__file__).parent / "files" / "version_1_asynchronous.json"  # thirty trials, three at a time


@pytest.fixture
def old():
    return json.loads(VERSION_1.read_text())["content"]["trials"]


def test_a_file_of_version_1_has_all_its_trials(old):
    result = sf.load(VERSION_1)
    assert [trial.number for trial in result.trials] == list(range(len(old)))
    for trial, was in zip(result.trials, old, strict=True):
        assert (trial.state, trial.value, trial.reason) == (was["state"], was["value"], was["reason"])
        assert (trial.told, trial.origin, trial.seconds) == (was["told"], was["origin"], was["seconds"])
        assert list(trial.point.values()) == was["point"]
    assert {trial.state for trial in result.trials} == {"done", "cancelled", "pending"}
    assert result.fun == min(was["value"] for was in old if was["state"] == "done")


def test_every_step_of_a_file_of_version_1_is_rebuilt():
    found = sf.audit(sf.load(VERSION_1), every=5, solver=sf.Enough())
    assert [step.reason for step in found.steps] == [None] * len(found.steps)
    assert len(found.steps) == 4


def test_the_shift_of_a_report_of_version_1_is_what_its_eta_rests_on():
    told = [
        report
        for old in OLD
        for report in sf.load(old).accuracy.reports
        if report.shift is not None and report.eta_lower is not None and report.upper is not None
    ]
    assert len(told) > 5
    for report in told:
        assert eta(report.value, report.upper, report.shift) == pytest.approx(report.eta_lower, rel=1e-9)


def test_what_the_bound_of_a_file_of_version_1_rests_on_is_kept():
    for old in OLD:
        bound = sf.load(old).accuracy.bound
        assert bound is not None
        assert bound.broken


def test_a_file_of_version_1_that_is_saved_again_is_the_same_study(tmp_path):
    first = sf.load(VERSION_1)
    first.save(tmp_path / "run.json")
    again = sf.load(tmp_path / "run.json")
    assert json.loads((tmp_path / "run.json").read_text())["version"] == 2
    assert again.settings == first.settings
    assert [trial.told for trial in again.trials] == [trial.told for trial in first.trials]
    assert again.accuracy.m_t == first.accuracy.m_t


# ------------------------------------------------------------------ trials and parts as version 1 had them

TRIAL = {"point": [0.5], "origin": "design", "value": None, "noise_var": None, "seconds": None, "reason": None}


def trial(number, state, told=None, solve=None, **words):
    return {**TRIAL, "number": number, "state": state, "told": told, "solve": solve, **words}


def events(*trials, acquisition="EI"):
    settings = {"sense": "maximize", "acquisition": {"is": acquisition}}
    content = {"settings": settings, "notes": [], "trials": trials, "message": "", "accuracy": {}}
    return from_version_1(content)["events"]


def test_each_kind_of_settlement_follows_from_its_trial():
    happened = events(
        trial(0, "failed", told=2, reason="boom", seconds=4.0),
        trial(1, "done", told=0, value=1.5, noise_var=0.25, seconds=3.0),
        trial(2, "cancelled", told=1, reason="no time"),
        trial(3, "pending"),
    )
    assert [event["number"] for event in happened[:4]] == [0, 1, 2, 3]
    assert {event["event"] for event in happened[:4]} == {"asked"}
    assert happened[4:] == [
        {"event": "told", "number": 1, "values": {"value": 1.5}, "noise_var": 0.25, "seconds": 3.0},
        {"event": "cancelled", "number": 2, "reason": "no time"},
        {"event": "failed", "number": 0, "reason": "boom", "cause": "failed", "seconds": 4.0},
    ]


def test_a_report_says_which_settlements_came_before_it():
    first, second = ({"binding": {"n_told": n}, "shift": 0.0} for n in (1, 2))
    happened = events(
        trial(0, "done", told=1, value=1.0),
        trial(1, "done", told=0, value=2.0),
        trial(2, "pending", solve=first),
        trial(3, "pending", solve=second),
    )
    assert [(event["event"], event["number"]) for event in happened] == [
        *(("asked", 0), ("asked", 1), ("told", 1), ("asked", 2), ("told", 0), ("asked", 3))
    ]


@pytest.mark.parametrize(
    ("acquisition", "report", "shift"),
    [
        ("EI", {}, 0.0),
        ("LogEI", {}, None),
        ("UCB", {"value": 1.0, "upper": 3.0, "eta_lower": 0.75}, 5.0),  # (1 + 5)/(3 + 5) = 0.75
        ("UCB", {"value": 1.0, "upper": 3.0, "eta_lower": 0.0}, None),
        ("UCB", {"value": 3.0, "upper": 3.0, "eta_lower": 1.0}, None),
        ("UCB", {"value": 3.0, "upper": None, "eta_lower": None}, None),
        ("Mine", {"value": 1.0, "upper": 3.0, "eta_lower": 0.75}, None),
    ],
)
def test_the_shift_is_what_the_report_determines(acquisition, report, shift):
    solve = {"binding": {"n_told": 0}, **report}
    (asked,) = events(trial(0, "pending", solve=solve), acquisition=acquisition)
    assert asked["report"]["shift"] == shift


def test_a_model_of_version_1_has_no_length_scale_that_was_not_looked_at():
    kernel = {"is": "Matern", "nu": 2.5}
    was = {"is": "GP", "sides": None, "refit": {"is": "Refit", "memory": True}, "kernel": kernel | {"lengthscale": 0.5}}
    assert present([was]) == [{"is": "GP", "refit": {"is": "Refit"}, "kernel": kernel}]


def test_a_part_of_a_room_that_is_not_imported_costs_the_part_only(quick_result, edited, tmp_path):
    path = tmp_path / "run.json"
    quick_result.save(path)
    edited(path, lambda content: content["settings"].update(solver={"is": "Unheard", "starts": 3}))
    loaded = sf.load(path)
    assert isinstance(loaded.settings.solver, Opaque)
    assert "Unheard" in loaded.settings.solver.text
    assert [trial.value for trial in loaded.trials] == [trial.value for trial in quick_result.trials]
    assert len(sf.audit(loaded, solver=sf.Grid(), every=2).rebuilt) == 2


@pytest.fixture
def quick_result():
    return sf.minimize(lambda x: float((x**2).sum()), [(-1, 2)] * 2, 8, seed=0, n_initial=4, solver=sf.Grid())


@pytest.fixture
def edited():
    """Change the content of a file by hand, as its error message says how."""

    def edit(path, change):
        data = json.loads(path.read_text())
        change(data["content"])
        del data["crc32"]
        path.write_text(json.dumps(data))

    return edit


def test_what_a_file_cannot_hold_is_said_in_it(tmp_path):
    class Own(sf.RBF):
        """A kernel that is not a part of the library."""

    model = sf.GP(kernel=Own())
    result = sf.minimize(lambda x: float((x**2).sum()), [(-1, 2)] * 2, 8, seed=0, n_initial=4, model=model)
    assert result.accuracy.bound is not None
    result.save(tmp_path / "run.json")
    loaded = sf.load(tmp_path / "run.json")
    assert loaded.accuracy.bound is None
    assert any("regret bound is missing" in note and "Own" in note for note in loaded.notes)
    loaded.save(tmp_path / "again.json")
    assert sf.load(tmp_path / "again.json").notes == loaded.notes
