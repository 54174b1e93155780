"""suffice tune with several objectives and limits: a front, the best within the limits, or that there is none."""

import json
import re
import shlex
import subprocess
import sys

import pytest

import suffice as sf
from suffice.cli import main

PYTHON = sys.executable
# Beyond a latency of 0.8 nothing else is printed.
MODEL = "import sys; x = float(sys.argv[1]); print(f'latency: {x}'); "
MODEL += "x > 0.8 or print(f'epoch 1 loss=9\\nloss={(x - 1) ** 2} speed={1 - x}')"
FRONT = ("--minimize", "loss", "--maximize", "speed")
WITHIN = ("--at-most", "latency=0.8")


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def tune(*options, code=MODEL):
    code = code.replace("{", "{{").replace("}", "}}")
    study = ["--param", "x=float:0:1", "--seed", "0", "--storage", "s.db"]
    return ["tune", *study, *options, "--", PYTHON, "-S", "-c", code, "{x}"]


def test_a_front_is_shown_with_a_compromise_whose_line_can_be_copied(capfd):
    assert main(tune(*FRONT, *WITHIN, "-n", "8")) == 0
    out, err = capfd.readouterr()
    result = sf.load("s.db")
    table = [line for line in out.splitlines() if re.match(r" +\d+ ", line)]
    assert [int(line.split()[0]) for line in table] == [trial.number for trial in result.front]
    assert f"a front of {len(result.front)} trials:" in out
    knee = result.knee()
    assert [int(line.split()[0]) for line in table if "*" in line] == [knee.number]
    assert f"* the best compromise: trial {knee.number}" in out
    again = subprocess.run(shlex.split(out.splitlines()[-1]), capture_output=True, text=True, check=True)
    assert again.stdout.endswith(f"loss={knee.values['loss']!r} speed={knee.values['speed']!r}\n")
    rows = [line.split() for line in err.splitlines() if re.match(r" +\d+ ", line) and "of" not in line]
    assert len(rows) == 8
    for trial, (number, *texts) in zip(result.trials, rows, strict=True):
        assert trial.number == int(number)
        assert (texts[3] == "!") == (trial.feasible is False) == (texts[0] == "-")


def test_the_values_are_those_that_a_function_would_have_given():
    def f(point):
        x = point["x"]
        return {"latency": x} | ({"loss": (x - 1) ** 2, "speed": 1 - x} if x <= 0.8 else {})

    assert main(tune(*FRONT, *WITHIN, "-n", "7", "--quiet")) == 0
    aims = {"objectives": {"loss": "minimize", "speed": "maximize"}, "constraints": {"latency": sf.AtMost(0.8)}}
    plain = sf.optimize(f, {"x": sf.Float(0, 1)}, n_trials=7, seed=0, **aims)
    assert [trial.values for trial in sf.load("s.db").trials] == [trial.values for trial in plain.trials]


def test_the_best_within_the_limits_is_shown_and_the_same_line_goes_on(capfd):
    assert main(tune("--minimize", "loss", *WITHIN, "--quiet", "-n", "5")) == 0
    before = sf.load("s.db")
    assert main(tune("--minimize", "loss", *WITHIN, "--quiet", "-n", "9")) == 0
    result = sf.load("s.db")
    assert [trial.values for trial in result.trials[:5]] == [trial.values for trial in before.trials]
    assert result.nfev == 9
    best = result.history.best
    assert best.values["latency"] <= 0.8
    out = capfd.readouterr().out
    assert f"best loss: {best.value!r} (trial {best.number})" in out
    assert f"  latency : {best.values['latency']!r} (at most 0.8)" in out


def test_where_nothing_is_within_the_limits_the_least_violated_is_shown(capfd):
    words = ("--minimize", "loss", "--at-least", "latency=2", "--quiet", "-n", "6")
    assert main(tune(*words)) == 1
    out, err = capfd.readouterr()
    most = max(sf.load("s.db").trials, key=lambda trial: trial.values["latency"])
    assert f"closest to feasible: trial {most.number}" in out
    assert f"  latency : {most.values['latency']!r} (at least 2)" in out
    assert "no trial is feasible: " in err
    assert "none of the 6 evaluated points is feasible" in err
    assert main(tune(*words, "--json")) == 1
    said = json.loads(capfd.readouterr().out)
    assert said["best"] is None
    assert said["least_violated"]["trial"] == most.number
    assert said["constraints"] == {"latency": {"at_least": 2.0}}


def test_a_front_as_json(capfd):
    assert main(tune(*FRONT, *WITHIN, "-n", "6", "--quiet", "--json")) == 0
    said, result = json.loads(capfd.readouterr().out), sf.load("s.db")
    assert said["objectives"] == {"loss": "minimize", "speed": "maximize"}
    assert [trial["values"] for trial in said["front"]] == [trial.values for trial in result.front]
    assert said["knee"] == result.knee().number
    assert said["hypervolume"] == result.hypervolume[-1]
    assert said["reference"] == result.reference
    assert "best" not in said


def test_a_missing_metric_is_a_failure_that_says_which_one(capfd):
    code = "import os; n = int(os.environ['SUFFICE_TRIAL']); print('loss=1 latency=0.5', *(['speed=2'] if n else []))"
    assert main(tune(*FRONT, *WITHIN, "-n", "2", "--quiet", code=code)) == 0
    first, second = sf.load("s.db").trials
    assert re.match(r"the output has no speed: wanted a line such as speed=0\.5", first.reason)
    assert second.values == {"loss": 1.0, "speed": 2.0, "latency": 0.5}


def test_a_target_counts_only_within_the_limits(capfd):
    code = "import sys; x = float(sys.argv[1]); print(f'loss={1 - x} latency={x}')"
    line = tune("--minimize", "loss", "--at-most", "latency=0.4", "--target", "0.65", "--quiet", "-n", "12", code=code)
    assert main(line) == 0
    result = sf.load("s.db")
    assert [trial.feasible and trial.value <= 0.65 for trial in result.trials] == (result.nfev - 1) * [False] + [True]
    assert any(trial.value <= 0.65 for trial in result.trials[:-1])  # beyond the limit
    assert "the target 0.65 was reached" in capfd.readouterr().out


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--minimize", "loss", "--maximize", "loss"), "there is --minimize loss already"),
        (("--minimize", "loss", "--at-most", "loss=1"), "'loss' is an objective and a constraint"),
        (("--at-most", "latency=1"), "wanted one of minimize"),
        ((*FRONT, "--target", "1"), "target: it needs one objective"),
    ],
)
def test_aims_that_make_no_sense_are_refused_before_anything_is_run(here, capfd, options, message):
    assert main(tune(*options)) == 2
    assert message in capfd.readouterr().err
    assert not list(here.iterdir())


def test_a_limit_that_is_no_number_is_refused(capfd):
    with pytest.raises(SystemExit):
        main(tune("--minimize", "loss", "--at-most", "latency=fast"))
    assert "wanted NAME=V with a number V: got 'latency=fast'" in capfd.readouterr().err


def test_another_limit_is_refused_with_the_difference(capfd):
    assert main(tune("--minimize", "loss", *WITHIN, "-n", "3", "--quiet")) == 0
    assert main(tune("--minimize", "loss", "--at-most", "latency=0.7", "-n", "3", "--quiet")) == 2
    assert re.search(r"latency.*0\.8.* -> .*0\.7", capfd.readouterr().err)
