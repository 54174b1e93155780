"""What is handed out is the caller's own: the record is safe, and what is told is checked at the border."""

import pytest

import suffice as sf

SPACE = sf.Space(a=sf.Float(0, 10), b=sf.Int(1, 3))


@pytest.fixture
def opt(make, drive):
    made = make(SPACE)
    drive(made, 4)
    return made


def test_a_point_that_is_changed_does_not_change_the_record(opt, tmp_path):
    kept = [trial.point for trial in opt.trials]
    opt.best.point["a"] = 77.0
    opt.trials[0].point.clear()
    opt.trials[0].values["value"] = 0.0
    result = opt.result()
    result.x["a"] = -1
    result.x_iters[0]["a"] = -1
    assert [trial.point for trial in opt.trials] == kept
    result.save(tmp_path / "run.json")
    assert [trial.point for trial in sf.load(tmp_path / "run.json").trials] == kept


def test_an_objective_may_take_its_point_apart(quick):
    result = sf.minimize(lambda p: p.pop("a") + p.pop("b"), SPACE, 5, **quick)
    assert all(set(trial.point) == {"a", "b"} for trial in result.trials)


@pytest.mark.parametrize("seconds", ["1.5", -1.0, float("nan"), True, [1.0]])
def test_wrong_seconds_are_refused_and_leave_no_trace(opt, seconds):
    trial = opt.ask()
    for call in (lambda: opt.tell(trial, 1.0, seconds=seconds), lambda: opt.fail(trial, seconds=seconds)):
        with pytest.raises(ValueError, match="seconds must be a finite number of seconds"):
            call()
    assert opt.trials[trial.number].state == "pending"
    opt.tell(trial, 1.0, seconds=1)
    opt.ask()


@pytest.mark.parametrize("wrong", [3, {"a": 1.0, "b": 2}, None])
def test_only_a_trial_can_fail_or_be_cancelled(opt, wrong):
    for call in (opt.fail, opt.cancel):
        with pytest.raises(TypeError, match=r"wanted a trial, as ask\(\) returns it"):
            call(wrong)


def test_a_value_may_come_by_its_name(opt):
    trial = opt.tell(opt.ask(), {"value": 2.5})
    assert (trial.value, trial.values) == (2.5, {"value": 2.5})
    with pytest.raises(TypeError, match="must be one real number: got dict"):
        opt.tell(opt.ask(), {"loss": 2.5})


def test_options_that_no_file_can_hold_are_told_at_the_start(make, caplog):
    opt = make(sf.Space(c=sf.Choice(b"x", b"y")))
    assert "cannot be saved" in opt.history.notes[0]
    assert "cannot be saved" in caplog.text
    assert make(SPACE).history.notes == ()


def test_the_senses_of_a_study_cannot_be_turned_round(opt):
    opt.settings.objectives["value"] = "maximize"
    assert opt.settings.direction == "minimize"
    assert opt.settings == opt.history.settings
