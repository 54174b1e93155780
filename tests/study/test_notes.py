"""Notes and attributes of a trial: kept wherever a trial is, and seen by no model."""

import pickle
from pathlib import Path

import numpy as np
import pytest

import suffice as sf
from suffice.run.live_trial import Desk, Line, LiveTrial

SPACE = {"x": (0.0, 1.0)}


def f(point, trial=None):
    if trial is not None:
        trial.note("unstable", model=Path("runs/7.pt"), epochs=np.int64(12))
        trial.note(epochs=13, sizes=(1, 2.5), best={"loss": float("nan")})
    return (point["x"] - 0.3) ** 2


def test_what_an_objective_notes_is_in_the_file_and_changes_no_suggestion(tmp_path):
    words = {"n_trials": 7, "seed": 0, "n_initial": 3}
    result = sf.minimize(f, SPACE, storage=tmp_path / "run.db", **words)
    kept = {"model": "runs/7.pt", "epochs": 13, "sizes": [1, 2.5], "best": {"loss": "nan"}}
    assert (result.trials[0].note, result.trials[0].attributes) == ("unstable", kept)
    assert result.x_iters == sf.minimize(lambda p: f(p), SPACE, **words).x_iters
    loaded = sf.load(tmp_path / "run.db")
    assert [(t.note, t.attributes) for t in loaded.trials] == [("unstable", kept)] * 7
    loaded.save(tmp_path / "run.json")
    assert sf.load(tmp_path / "run.json").trials[3].attributes == kept
    assert "unstable" in repr(loaded.trials[0])
    assert "runs/7.pt" in loaded.trials[0]._repr_html_()


def test_a_trial_is_noted_in_any_state_and_from_another_process():
    opt = sf.Optimizer(SPACE, seed=0)
    trial = opt.ask()
    opt.note(trial, "a first look")
    done = opt.note(opt.tell(trial, 1.0), trial="b", text=None)
    assert (done.note, done.attributes, done.value) == ("a first look", {"trial": "b", "text": None}, 1.0)
    done.attributes["trial"] = "c"  # a copy
    assert opt.trials[0].attributes["trial"] == "b"
    assert opt.note(done, "a second one").note == "a second one"
    assert opt.history.before(0).trials == ()
    desk = Desk(opt)
    try:
        line = pickle.loads(pickle.dumps(Line(0, desk)))  # as it is sent to a worker
        LiveTrial(0, done.point, line).note("from afar", host=Path("node7"))
        assert line.trouble == ""
        line.close()
    finally:
        desk.close()
    assert (opt.trials[0].note, opt.trials[0].attributes["host"]) == ("from afar", "node7")


def test_attributes_whose_keys_would_be_one_in_a_file_are_refused():
    opt = sf.Optimizer(SPACE, seed=0)
    trial = opt.ask()
    with pytest.raises(ValueError, match=r"two keys of the attribute 'sizes' are the same as text.*got \[1, '1'\]"):
        opt.note(trial, sizes={1: 2, "1": 3})
    assert opt.trials[0].attributes == {}


@pytest.mark.parametrize("name", ["trials.csv", "trials.jsonl"])
def test_notes_are_exported_and_read_back(tmp_path, name):
    opt = sf.Optimizer(SPACE, seed=0)
    first, _ = opt.ask(2)
    opt.note(first, "=spilled, a little\nagain", operator="Ann", tries=[1, 2])
    sf.exchange.write(opt, tmp_path / name)
    text = (tmp_path / name).read_text()
    assert "spilled" in text
    assert "Ann" in text
    assert "[1, 2]" in text
    other = sf.Optimizer(SPACE, seed=0)
    other.ask(2)
    sf.exchange.read(tmp_path / name, other)
    assert [t.note for t in other.trials] == ["=spilled, a little\nagain", None]
    assert [t.attributes for t in other.trials] == [{"operator": "Ann", "tries": [1, 2]}, {}]
    events = len(other.history.events)
    sf.exchange.read(tmp_path / name, other)  # what is known already adds nothing
    assert len(other.history.events) == events


def test_a_parameter_that_is_called_note_keeps_its_column(tmp_path):
    opt = sf.Optimizer({"note": (0.0, 1.0)}, seed=0)
    opt.note(opt.ask(), "flat")
    sf.exchange.write(opt, tmp_path / "a.csv")
    assert (tmp_path / "a.csv").read_text().startswith("number,state,note,value,")
    other = sf.Optimizer({"note": (0.0, 1.0)}, seed=0)
    other.ask()
    sf.exchange.read(tmp_path / "a.csv", other)
    assert other.trials[0].note == "flat"


def test_a_point_of_ones_own_comes_with_its_note(tmp_path):
    (tmp_path / "own.csv").write_text("x,value,note\n0.5,2.0,by hand\n")
    opt = sf.Optimizer(SPACE, seed=0)
    opt.ask()
    sf.exchange.read(tmp_path / "own.csv", opt)
    assert [t.note for t in opt.trials] == [None, "by hand"]


KINDS = {"text": "=Ann", "whole": 7, "real": 0.1, "yes": True, "list": [1, {"a": None}], "Ünder 2": "a, b"}


@pytest.mark.parametrize(("name", "decimal"), [("a.csv", "."), ("a.csv", ","), ("a.jsonl", ".")])
def test_attributes_are_read_as_they_were_written(tmp_path, name, decimal):
    opt, other = sf.Optimizer(SPACE, seed=0), sf.Optimizer(SPACE, seed=0)
    opt.note(opt.ask(), **KINDS)
    other.note(other.ask(), text="Bob", mine=1)
    sf.exchange.write(opt, tmp_path / name, decimal=decimal)
    assert sf.exchange.read(tmp_path / name, other).ignored == ()
    assert other.trials[0].attributes == {"text": "=Ann", "mine": 1, **{k: v for k, v in KINDS.items() if k != "text"}}
    assert [type(v) for k, v in other.trials[0].attributes.items() if k != "mine"] == [type(v) for v in KINDS.values()]


def test_attributes_of_ones_own_point_and_names_that_are_not_read(tmp_path):
    line = '{"point": {"x": 0.5}, "value": 1.0, "attributes": {"operator": "Ann"}, "weather": "rain"}\n'
    (tmp_path / "own.jsonl").write_text(line)
    opt = sf.Optimizer(SPACE, seed=0)
    assert sf.exchange.read(tmp_path / "own.jsonl", opt).ignored == ("weather",)
    assert opt.trials[0].attributes == {"operator": "Ann"}
    (tmp_path / "own.jsonl").write_text('{"point": {"x": 0.25}, "value": 1.0, "attributes": ["Ann"]}\n')
    with pytest.raises(sf.errors.UnreadableFile, match=r"line 1: attributes is \[\"Ann\"\]: wanted an object"):
        sf.exchange.read(tmp_path / "own.jsonl", opt)


def test_a_parameter_that_is_called_like_an_attribute_is_none(tmp_path):
    (tmp_path / "a.csv").write_text("attribute:x,value\n0.5,2.0\n")
    opt = sf.Optimizer({"attribute:x": (0.0, 1.0)}, seed=0)
    sf.exchange.read(tmp_path / "a.csv", opt)
    assert (opt.trials[0].point, opt.trials[0].attributes) == ({"attribute:x": 0.5}, {})


def test_a_data_frame_has_a_column_for_each_attribute():
    pytest.importorskip("pandas")
    opt = sf.Optimizer(SPACE, seed=0)
    opt.note(opt.ask(), "odd", operator="Ann")
    opt.ask()
    table = opt.result().to_dataframe()
    assert table["note"].tolist() == ["odd", None]
    assert table["attribute:operator"].tolist() == ["Ann", None]


HUGE = 10**5000  # Python does not write it as text


@pytest.mark.parametrize(
    "say",
    [
        lambda trial: trial.note(id=HUGE),
        lambda trial: trial.note(best={"ids": [1, -HUGE]}),
        lambda trial: trial.note(best={HUGE: 1}),
        lambda trial: trial.note(HUGE),
        lambda trial: trial.report(1.0, HUGE),
    ],
)
def test_an_integer_that_no_file_could_hold_is_refused_at_once(tmp_path, say):
    def refused(point, trial):
        with pytest.raises(ValueError, match="at most 4300 digits, because longer integers cannot be stored"):
            say(trial)
        trial.note(id=10**4300 - 1)
        return point["x"]

    sf.minimize(refused, SPACE, storage=tmp_path / "run.db", n_trials=2, seed=0)
    assert [(t.state, t.attributes) for t in sf.load(tmp_path / "run.db").trials] == [
        ("done", {"id": 10**4300 - 1})
    ] * 2


def test_an_option_or_a_bound_that_no_file_could_hold_is_refused():
    for make in (sf.Choice, sf.Ordinal):
        with pytest.raises(ValueError, match="an option must have at most 4300 digits"):
            make(HUGE, 1)
        with pytest.raises(ValueError, match="an option must have at most 4300 digits"):
            make((HUGE, 1), (2, 1))
    with pytest.raises(ValueError, match="low must have at most 4300 digits"):
        sf.Int(-HUGE, 1)
    with pytest.raises(ValueError, match="seed must have at most 4300 digits"):
        sf.Optimizer(SPACE, seed=HUGE)


def test_what_is_said_after_the_evaluation_is_refused_and_not_lost():
    trials = []

    def objective(point, trial):
        trials.append(trial)
        return point["x"]

    sf.minimize(objective, SPACE, n_trials=2, seed=0)
    with pytest.raises(RuntimeError, match=r"the evaluation of trial 1 has ended: call trial\.note in the objective"):
        trials[1].note("late")
    with pytest.raises(RuntimeError, match=r"the evaluation of trial 0 has ended: call trial\.report in the objective"):
        trials[0].report(1.0, 1)
    assert trials[0].should_prune() is False
