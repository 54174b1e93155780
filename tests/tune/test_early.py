"""Commands that are stopped on their way, by what they print."""

import sys

import pytest

import suffice as sf
from suffice.cli import main
from suffice.run.live_trial import Desk, Line, LiveTrial
from suffice.tune.config import as_pruner
from suffice.tune.metric import Follower, Metric

TRAIN = """
import signal, sys, time
x = float(sys.argv[1])
for epoch in range(1, 7):
    print(f"epoch={epoch} loss={(x - 0.3) ** 2 + 1 / epoch}")
    time.sleep(0.05 if x < 0.9 else 0.4)
"""


def follower(tmp_path, rule=None):
    optimizer = sf.Optimizer([(0, 1)], seed=0, pruner=rule)
    optimizer.ask()
    (tmp_path / "stdout").write_bytes(b"")
    live = LiveTrial(0, None, Line(0, Desk(optimizer)))
    return optimizer, Follower(tmp_path / "stdout", Metric("loss"), Metric("step"), live)


def test_lines_with_the_metric_and_a_step_are_reports_once_they_have_an_end(tmp_path):
    optimizer, found = follower(tmp_path)
    with (tmp_path / "stdout").open("ab", buffering=0) as out:
        out.write(b"begin\nstep=1 loss=0.5\nloss=0.4\nstep=2 loss=0.")
        assert not found.look()
        assert optimizer.trials[0].reports == ((1, 0.5),)
        out.write(
            b'25\r{"step": 3, "loss": 0.125, "lr": 1}\nstep=2.5 loss=9\nstep=3 loss=9\n{"step": 4, "loss": "?"}\n'
        )
        assert not found.look()
        out.write(b"step=5 loss=nan\nbest step=1 loss=0.5\nstep=6 loss=7")
    found.finish()
    assert [step for step, _ in optimizer.trials[0].reports] == [1, 2, 3, 5]
    assert optimizer.trials[0].reports[:3] == ((1, 0.5), (2, 0.25), (3, 0.125))


def test_a_report_that_is_no_number_stops_the_command(tmp_path):
    _, found = follower(tmp_path, sf.pruning.Median())
    (tmp_path / "stdout").write_bytes(b"step=1 loss=nan\nstep=2 loss=1\n")
    assert found.look()


def test_rules_go_by_their_names():
    assert as_pruner(None) is None
    assert as_pruner("median") == sf.pruning.Median()
    assert as_pruner({"rule": "halving", "eta": 4}) == sf.pruning.Halving(eta=4)
    assert as_pruner({"rule": "race", "risk": 0.1}) == sf.pruning.Race(risk=0.1)
    for wrong, words in (("mean", "there is no rule"), (3, "wanted"), ({"eta": 2}, "wanted")):
        with pytest.raises((TypeError, ValueError), match=words):
            as_pruner(wrong)
    with pytest.raises(TypeError, match=r"Median\(\) has no keyword argument 'eta': it takes startup, warmup, risk"):
        as_pruner({"rule": "median", "eta": 3})


def test_a_command_is_stopped_and_recorded_as_stopped(tmp_path, monkeypatch, capsys):
    (tmp_path / "train.py").write_text(TRAIN)
    (tmp_path / "study.toml").write_text(
        f"""
        command = [{sys.executable!r}, "train.py", "{{x}}"]
        minimize = "loss"
        step = "epoch"
        pruner = {{ rule = "median", risk = 0.05 }}
        trials = 7
        jobs = 1
        seed = 0
        start = [{{x = 0.3}}, {{x = 0.35}}, {{x = 0.25}}, {{x = 0.4}}, {{x = 0.2}}, {{x = 1.0}}, {{x = 0.31}}]
        [params]
        x = {{ type = "float", low = 0.0, high = 1.0 }}
        """
    )
    monkeypatch.chdir(tmp_path)
    assert main(["tune", "--quiet", "--json", "study.toml"]) == 0
    assert '"pruned": 1' in capsys.readouterr().out
    result = sf.load("study.db")
    assert [trial.state for trial in result.trials] == ["done"] * 5 + ["pruned", "done"]
    assert result.settings.pruner == sf.pruning.Median(risk=0.05)
    assert [len(trial.reports) for trial in result.trials][:5] == [6] * 5
    assert 1 <= len(result.trials[5].reports) < 6
