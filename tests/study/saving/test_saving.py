"""A result in a file: nothing is lost, nothing is half written, nothing in the file is run."""

import json
import math
import os
from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import suffice as sf
from suffice.errors import UnreadableFile, UnusableFile
from suffice.record.settings import Opaque
from suffice.result.saved import VERSION


@pytest.fixture
def path(tmp_path):
    return tmp_path / "run.json"


def test_a_loaded_result_is_the_saved_one_in_all_fields(result, path, same):
    result.save(path)
    loaded = sf.load(path)
    assert type(loaded) is sf.Result
    assert str(loaded) == str(result)
    same(loaded, result)


def test_the_run_had_trials_of_every_state_and_origin(result):
    assert {trial.state for trial in result.trials} == {"pending", "done", "failed", "cancelled"}
    assert {trial.origin for trial in result.trials} == {"given", "design", "model", "foreign"}


def test_an_option_of_a_loaded_point_is_the_object_of_the_loaded_space(mixed_result, path):
    mixed_result.save(path)
    loaded = sf.load(path)
    kinds = loaded.settings.space.params["kind"].options
    assert all(any(trial.point["kind"] is option for option in kinds) for trial in loaded.trials)


def test_saving_a_loaded_result_gives_the_same_file(result, path, tmp_path):
    result.save(path)
    sf.load(path).save(tmp_path / "again.json")
    assert path.read_bytes() == (tmp_path / "again.json").read_bytes()


def test_a_run_without_any_value_is_kept_too(path, same):
    for result in (
        sf.minimize(lambda x: math.nan, [(0, 1)], 4, seed=0),
        sf.Optimizer([(0, 1)], seed=0).result(),
    ):
        result.save(path)
        same(sf.load(path), result)


def test_the_file_is_strict_json_in_utf8(result, path):
    result.save(str(path))  # a string is a path too

    def refuse(name):
        raise AssertionError(name)

    data = json.loads(path.read_bytes().decode("utf-8"), parse_constant=refuse)
    assert (data["format"], data["version"]) == ("suffice result", VERSION)


def test_infinite_and_missing_numbers_of_a_report_are_kept(path, same):
    # An exact draw on three of infinitely many points: used up after three asks, the score is −∞ everywhere else.
    optimizer = sf.Optimizer([(0, 1)], seed=0, n_initial=2, acquisition=sf.acquisition.Thompson(exact=True, points=1))
    for _ in range(5):
        trial = optimizer.ask()
        optimizer.tell(trial, float(trial.point[0]))
    result = optimizer.result()
    result.save(path)
    same(sf.load(path), result)


# ---------------------------------------------------------------------- parts that are not the library's


@dataclass(frozen=True)
class Mine:
    """Somebody's own acquisition."""

    pull: float = 1.0

    def __call__(self, beliefs, domain, *, step, rng):
        return sf.UCB(sf.acquisition.Constant(self.pull))(beliefs, domain, step=step, rng=rng)


@dataclass(frozen=True)
class Rough(sf.gp.RBF):
    """Somebody's own kernel."""


def test_a_part_of_ones_own_is_kept_as_text_and_the_rest_is_complete(path, make_eventful, same):
    result = make_eventful([(0.0, 1.0)], acquisition=Mine(2.0), solver=lambda *a, **k: sf.solvers.Grid()(*a, **k))
    result.save(path)
    loaded = sf.load(path)
    assert loaded.settings.acquisition == Opaque("Mine(pull=2.0)")
    assert "<lambda>" in loaded.settings.solver.text
    assert loaded.settings.model == result.settings.model
    same(sf.Result(loaded, settings=0), sf.Result(result, settings=0))
    loaded.save(path)
    same(sf.load(path), loaded)


def test_a_kernel_of_ones_own_leaves_the_series_but_no_bound(path, make_eventful):
    result = make_eventful([(0.0, 1.0)], model=sf.GP(kernel=Rough()))
    result.save(path)
    loaded = sf.load(path)
    assert loaded.settings.model == Opaque(repr(result.settings.model))
    assert loaded.accuracy.reports == result.accuracy.reports
    assert loaded.accuracy.gain == result.accuracy.gain
    assert result.accuracy.bound is not None
    assert loaded.accuracy.bound is None


def test_an_option_that_cannot_be_stored_is_named_and_no_file_is_made(path):
    optimizer = sf.Optimizer(sf.Space(c=sf.Choice("a", b"b")), seed=0)
    with pytest.raises(TypeError, match=r"b'b' of type builtins\.bytes cannot be stored"):
        optimizer.result().save(path)
    assert os.listdir(path.parent) == []


# ---------------------------------------------------------------------- written at once or not at all


@pytest.mark.parametrize("call", ["fsync", "replace"])
def test_a_full_disk_leaves_the_old_file_and_no_litter(call, box_result, path, monkeypatch, same):
    box_result.save(path)

    def full(*args):
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(f"suffice.store.files.os.{call}", full)
        with pytest.raises(OSError, match="No space left"):
            sf.Result(box_result, message="another").save(path)
    assert os.listdir(path.parent) == [path.name]
    same(sf.load(path), box_result)


def test_a_missing_directory_is_an_error_of_the_system(box_result, tmp_path):
    with pytest.raises(FileNotFoundError):
        box_result.save(tmp_path / "nowhere" / "run.json")
    with pytest.raises(FileNotFoundError):
        sf.load(tmp_path / "nowhere.json")


def test_a_link_stays_a_link(box_result, path, tmp_path, same):
    target = tmp_path / "real.json"
    target.write_text("old")
    path.symlink_to(target)
    box_result.save(path)
    assert path.is_symlink()
    same(sf.load(target), box_result)


# ---------------------------------------------------------------------- damaged, foreign and hostile files


def edited(path, change):
    """Change the file's data without a checksum that would tell."""
    data = json.loads(path.read_text())
    del data["crc32"]
    change(data)
    path.write_text(json.dumps(data))


def test_a_file_from_before_there_were_audits_and_predictions_is_read(box_result, path):
    box_result.save(path)

    def older(data):
        del data["content"]["settings"]["audit"]
        for event in data["content"]["events"]:
            for name in ("mean", "deviation", "audited", "allowance") if event.get("report") else ():
                del event["report"][name]

    edited(path, older)
    loaded = sf.load(path)
    assert loaded.settings.diagnostics.audit is None
    assert np.isnan(loaded.accuracy.z_scores).all()
    assert len(loaded.accuracy.z_scores) == len(box_result.accuracy.reports)
    assert "predictions" not in str(loaded)


def test_a_report_that_cannot_be_judged_is_refused_when_it_is_read(box_result, path):
    told = {trial.number for trial in box_result.history.done}
    for change in ({"seconds": []}, {"deviation": 0.0}, {"mean": "much"}):
        box_result.save(path)

        def forge(data, change=change):
            reports = [e["report"] for e in data["content"]["events"] if e.get("report") and e["number"] in told]
            reports[0].update(change)

        edited(path, forge)
        with pytest.raises(UnreadableFile, match="damaged"):
            sf.load(path)


@pytest.mark.parametrize("name", ["noise_var", "seconds"])
def test_what_was_told_about_a_value_is_a_number(name, box_result, path):
    box_result.save(path)

    def forge(data):
        told = [event for event in data["content"]["events"] if event["event"] == "told"]
        told[0][name] = {"is": "os.system", "command": "false"}

    edited(path, forge)
    with pytest.raises(UnreadableFile, match=f"{name} of trial"):
        sf.load(path)


def test_a_newer_version_is_refused_naming_both(box_result, path):
    box_result.save(path)
    edited(path, lambda data: data.update(version=VERSION + 6))
    with pytest.raises(UnreadableFile, match=rf"version {VERSION + 6}, .* up to {VERSION}"):
        sf.load(path)


@pytest.mark.parametrize("version", [0, -1, "1", 1.0, True, None])
def test_a_version_that_is_none_is_damage(version, box_result, path):
    box_result.save(path)
    edited(path, lambda data: data.update(version=version))
    with pytest.raises(UnreadableFile, match="damaged: its version"):
        sf.load(path)


@pytest.mark.parametrize(
    "text",
    [
        *(b"", b"hello", b"[]", b"{}", b"NaN", b"\xff\xfe\x00", b"[" * 100_000, b"1" * 5000, b'{"format": "other"}'),
        b'{"format": "suffice result", "version": 1}',
        b'{"format": "suffice result", "version": 1, "content": []}',
    ],
    ids=lambda text: repr(text[:50]),
)
def test_another_file_is_refused_by_name(text, path):
    path.write_bytes(text)
    with pytest.raises(UnreadableFile, match=r"run\.json"):
        sf.load(path)


def test_a_file_that_was_cut_off_is_refused(box_result, path):
    box_result.save(path)
    whole = path.read_bytes()
    for length in np.linspace(0, len(whole) - 2, 40).astype(int):
        path.write_bytes(whole[:length])
        with pytest.raises(UnreadableFile):
            sf.load(path)


@given(st.data())
@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_a_changed_byte_is_noticed_unless_it_changes_nothing(box_result, path, same, data):
    box_result.save(path)
    whole = bytearray(path.read_bytes())
    place = data.draw(st.integers(0, len(whole) - 1))
    whole[place] = data.draw(st.integers(0, 255))
    path.write_bytes(whole)
    try:
        loaded = sf.load(path)
    except UnreadableFile:
        return
    same(loaded, box_result)


FIRST_FAILURE = {"event": "failed", "number": 0, "reason": "boom", "cause": "bad luck", "seconds": None}


def value_of_the_first(content, value):
    next(event for event in content["events"] if event["event"] == "told")["values"]["value"] = value


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda content: content["settings"].update(seed=True), "seed is True"),
        (lambda content: content["settings"].update(repeat=1), "repeat is 1"),
        (lambda content: content["settings"].update(model=content["settings"]["solver"]), r"model is Grid\("),
        (lambda content: content["settings"].update(solver=content["settings"]["space"]), "solver is Space"),
        (lambda content: content["events"][0].update(number=5), "trial 0 has the number 5"),
        (lambda content: content["events"].insert(0, FIRST_FAILURE | {"cause": "nan"}), "before it was asked for"),
        (lambda content: content["events"].insert(1, FIRST_FAILURE), "cause is 'bad luck', wanted one of"),
        (lambda content: value_of_the_first(content, math.nan), "JSON has no NaN"),
        (lambda content: value_of_the_first(content, "1.0"), "value of trial 0 is '1.0'"),
    ],
)
def test_what_cannot_have_been_is_said(box_result, path, change, words):
    box_result.save(path)
    edited(path, lambda data: change(data["content"]))
    with pytest.raises(UnreadableFile, match=words):
        sf.load(path)


def test_an_edited_value_is_noticed_and_the_way_out_is_named(box_result, path):
    box_result.save(path)
    text = path.read_text()
    path.write_text(text.replace('"enough for a test"', '"more than that"'))
    with pytest.raises(UnreadableFile, match="checksum; if you edited it, remove the entry crc32"):
        sf.load(path)
    edited(path, lambda data: None)
    assert sf.load(path).message == "more than that"


def nodes(data):
    """Every place in JSON data: (container, key)."""
    items = data.items() if isinstance(data, dict) else enumerate(data) if isinstance(data, list) else ()
    for key, value in items:
        yield data, key
        yield from nodes(value)


json_values = st.recursive(
    st.one_of(
        st.none(),
        st.booleans(),
        st.integers(),
        st.floats(allow_nan=False, allow_infinity=False),
        st.sampled_from(["", "is", "GP", "done", "model"]),
        st.sampled_from([{"is": "GP"}, {"is": "uniform"}, {"is": "Hyper", "lengthscale": []}, {"float": "nan"}]),
        st.just({"is": "os.system", "command": "false"}),
    ),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.sampled_from(["is", "x", "dict"]), inner),
    max_leaves=4,
)


@given(st.data())
@settings(max_examples=100, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_whatever_a_file_holds_it_is_a_result_or_unreadable(mixed_result, path, data):
    """A forged file, without a checksum: any piece of it replaced by any other."""
    mixed_result.save(path)

    def forge(whole):
        places = list(nodes(whole["content"]))
        container, key = places[data.draw(st.integers(0, len(places) - 1))]
        if isinstance(container, dict) and data.draw(st.booleans()):
            del container[key]
        else:
            container[key] = data.draw(json_values)

    edited(path, forge)
    try:
        loaded = sf.load(path)
    except UnreadableFile:
        return
    assert type(loaded) is sf.Result
    assert str(loaded)


def test_the_space_of_a_file_bounds_its_points(box_result, path):
    box_result.save(path)
    edited(path, lambda data: data["content"]["events"][0].update(point=[2.0, 0.0]))
    with pytest.raises(UnreadableFile, match="outside the bounds"):
        sf.load(path)


def test_a_file_without_tracebacks_keeps_the_whole_reason_and_shows_its_last_line(mixed_result, tmp_path):
    path, text = tmp_path / "old.json", 'Traceback:\n  File "f.py", line 3, in f\n    boom()\nOSError: disk\n'
    mixed_result.save(path)
    data = json.loads(path.read_text())
    (failure,) = (event for event in data["content"]["events"] if event.get("cause") == "raised")
    del failure["traceback"], data["crc32"]
    failure |= {"reason": text, "cause": "failed"}
    path.write_text(json.dumps(data))
    trial = sf.load(path).trials[failure["number"]]
    assert (trial.cause, trial.reason, trial.traceback) == ("failed", "OSError: disk", text)


def test_a_file_that_is_not_there_is_named_with_what_was_wanted(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"there is no file .*none\.db: wanted a study"):
        sf.load(tmp_path / "none.db")
    for other in (tmp_path, "/dev/zero"):
        with pytest.raises(UnusableFile, match=f"{other} is a .*: wanted a file"):
            sf.load(other)
