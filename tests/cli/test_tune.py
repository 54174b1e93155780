"""suffice tune: a command is tuned, stopped, gone on with, and nothing passes through a shell."""

import json
import os
import re
import shlex
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import suffice as sf
from suffice.cli import main

PYTHON = sys.executable
BOWL = "import sys; x = float(sys.argv[1]); print('loss=9'); print(f'loss={(x - 0.3) ** 2}')"
SLEEP = (
    "import os, sys, time\n"
    "print(os.getpid(), flush=True)\n"
    "time.sleep(60 if int(os.environ['SUFFICE_TRIAL']) >= 2 and not os.path.exists('go') else 0)\n"
    "print('loss=' + os.environ['SUFFICE_PARAM_X'])"
)


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def tune(*options, code=BOWL, param="x=float:0:1", arguments=("{x}",)):
    code = code.replace("{", "{{").replace("}", "}}")
    command = [PYTHON, "-S", "-c", code, *arguments]
    return ["tune", "--minimize", "loss", "--param", param, "--seed", "0", *options, "--", *command]


def stored(here):
    (file,) = here.glob("tune-*.db")
    return sf.load(file)


def test_a_log_that_cannot_be_written_ends_no_run(here):
    ours, theirs = os.pipe()
    os.close(ours)
    run = subprocess.run(
        [PYTHON, "-m", "suffice", *tune("-n", "4")], stderr=theirs, stdout=subprocess.PIPE, check=False
    )
    os.close(theirs)
    assert run.returncode == 0
    assert b"all 4 trials are done" in run.stdout
    assert stored(here).nfev == 4


def test_a_command_is_tuned_and_its_best_line_can_be_copied(here, capfd):
    assert main(tune("-n", "8")) == 0
    out, err = capfd.readouterr()
    result = stored(here)
    assert result.nfev == 8
    assert f"best loss: {result.fun!r}" in out
    assert f"x = {result.x['x']!r}" in out
    line = out.splitlines()[-1].strip()
    again = subprocess.run(shlex.split(line), capture_output=True, text=True, check=True)
    assert again.stdout.splitlines()[-1] == f"loss={result.fun!r}"
    rows = [line for line in err.splitlines() if re.match(r" +\d+ ", line)]
    assert len(rows) == 8
    assert "% of the time spent choosing points" in err
    assert "the study is tune-" in err


def test_the_values_are_those_that_a_function_would_have_given(here):
    assert main(tune("-n", "8", "--quiet")) == 0
    plain = sf.minimize(lambda p: (p["x"] - 0.3) ** 2, {"x": sf.Float(0, 1)}, n_trials=8, seed=0)
    assert stored(here).func_vals.tolist() == plain.func_vals.tolist()


def test_the_same_line_goes_on_where_it_was_and_a_larger_number_adds_to_it(here, capfd):
    main(tune("-n", "4", "--quiet"))
    assert main(tune("-n", "4")) == 0
    out, err = capfd.readouterr()
    assert "all 4 trials are done" in out
    assert not re.search(r"^ +\d+ ", err, re.MULTILINE)
    assert main(tune("-n", "7", "--quiet", "--json")) == 0
    said = json.loads(capfd.readouterr().out)
    assert said["trials"] == 7
    assert said["best"]["value"] == stored(here).fun
    assert said["best"]["params"] == stored(here).x


def test_jobs_run_side_by_side(here):
    both = "import os, pathlib, time\nd = pathlib.Path(os.environ['SUFFICE_DIR'])\nn = int(d.name)\n"
    both += "other = d.parent / str(n ^ 1)\n"
    both += "while not (other / 'stdout').exists(): time.sleep(0.01)\n"
    both += "print('loss=1')"
    assert main(tune("-n", "2", "-j", "2", "--quiet", "--timeout", "60", code=both)) == 0
    assert stored(here).nfev == 2


def test_output_and_command_of_every_trial_are_kept(here):
    main(tune("-n", "3", "--quiet"))
    (folder,) = here.glob("*.trials")
    assert sorted(p.name for p in folder.iterdir()) == ["0", "1", "2", "study.json"]
    assert (folder / "1" / "stdout").read_text().startswith("loss=9\nloss=")
    assert (folder / "1" / "stderr").read_text() == ""
    assert shlex.split((folder / "1" / "command").read_text())[:3] == [PYTHON, "-S", "-c"]


LINK = (
    "import os\n"
    "here = os.environ['SUFFICE_DIR']\n"
    "after = os.path.join(os.path.dirname(here), str(int(os.environ['SUFFICE_TRIAL']) + 1))\n"
    "LINKED\n"
    "print('loss=1')"
)


@pytest.mark.parametrize(
    "linked",
    [
        "os.symlink(os.path.abspath('elsewhere'), after)",
        "os.mkdir(after); os.symlink(os.path.abspath('elsewhere/file'), after + '/stdout')",
        "os.mkdir(after); os.symlink(os.path.abspath('elsewhere/file'), after + '/command')",
    ],
)
def test_a_link_in_the_place_of_the_next_folder_is_refused(here, capfd, linked):
    (here / "elsewhere").mkdir()
    (here / "elsewhere" / "file").write_text("mine")
    main(tune("-n", "3", code=LINK.replace("LINKED", linked)))
    assert "is a symbolic link, but the output of a trial must stay in" in capfd.readouterr().out
    assert [path.name for path in (here / "elsewhere").iterdir()] == ["file"]
    assert (here / "elsewhere" / "file").read_text() == "mine"
    assert stored(here).trials[0].state == "done"


def test_failures_have_their_cause_and_a_line_of_what_was_printed(here, capfd):
    code = (
        "import os, signal, sys, time\n"
        "n = int(os.environ['SUFFICE_TRIAL'])\n"
        "if n == 1: print('Traceback', file=sys.stderr); sys.exit('ValueError: too deep')\n"
        "if n == 2: os.kill(os.getpid(), signal.SIGSEGV)\n"
        "if n == 3: time.sleep(60)\n"
        "if n == 4: print('done, no metric')\n"
        "elif n == 5: print('loss=nan')\n"
        "else: print('loss=1')"
    )
    assert main(tune("-n", "6", "--trial-timeout", "2", code=code)) == 0
    failed = {t.number: (t.cause, t.reason) for t in stored(here).trials if t.state == "failed"}
    assert failed[1] == ("raised", "exit code 1: ValueError: too deep")
    assert failed[2] == ("crashed", "ended by SIGSEGV")
    assert failed[3][0] == "timed out"
    assert re.match(r"timed out after 2\.?\d* s", failed[3][1])
    assert failed[4][0] == "raised"
    assert re.match(r"the output has no loss: wanted .*; it ends with: done, no metric", failed[4][1])
    assert failed[5][0] == "nan"
    assert stored(here).trials[1].traceback == "Traceback\nValueError: too deep"
    err = capfd.readouterr().err
    assert "# exit code 1: ValueError: too deep" in err
    assert "5 failed" in err


def test_nothing_that_succeeds_is_an_exit_code_of_one(here, capfd):
    assert main(tune("-n", "9", "--quiet", code="import sys; sys.exit('no licence')")) == 1
    out, err = capfd.readouterr()
    assert out == ""
    assert "no trial has a value" in err
    assert "no licence" in err
    assert stored(here).nfev == 3  # it does not go on
    assert "--keep-going" in err


def test_a_command_that_fails_at_first_is_kept_going_with_if_one_says_so(here):
    code = "import os, sys; print('loss=1'); sys.exit(int(os.environ['SUFFICE_TRIAL']) < 4)"
    assert main(tune("-n", "5", "--quiet", "--keep-going", code=code)) == 0
    assert [trial.state for trial in stored(here).trials] == 4 * ["failed"] + ["done"]


def test_a_target_ends_it(here, capfd):
    assert main(tune("-n", "50", "--target", "1e9")) == 0
    assert "the target 1e+09 was reached" in capfd.readouterr().out


def test_the_time_of_a_run_ends_what_is_under_way(here, capfd):
    start = time.monotonic()
    assert main(tune("-n", "50", "--timeout", "3", "--quiet", code=SLEEP, arguments=())) == 0
    assert time.monotonic() - start < 40
    *before, last = [t.state for t in stored(here).trials]
    assert set(before) == {"done"}
    assert last == "cancelled"


def test_what_is_not_in_the_command_is_in_the_environment_and_in_the_line_to_copy(here, capfd):
    code = "import os; print('loss=' + os.environ['SUFFICE_PARAM_X'])"
    assert main(tune("-n", "3", "--quiet", code=code, arguments=())) == 0
    out = capfd.readouterr().out
    assert f"  SUFFICE_PARAM_X={stored(here).x['x']!r} {PYTHON}" in out


def test_no_option_reaches_a_shell(here):
    nasty = ["$(touch hacked)", "; touch hacked", "`touch hacked`", "a b", "'\"", "\n"]
    code = "import json, sys; print(json.dumps({'loss': len(sys.argv[1]), 'argument': sys.argv[1]}))"
    assert main(tune("-n", "6", "--quiet", code=code, param="x=choice:" + json.dumps(nasty))) == 0
    (folder,) = here.glob("*.trials")
    seen = [json.loads((folder / str(n) / "stdout").read_text())["argument"] for n in range(6)]
    assert sorted(seen) == sorted(nasty)
    assert not (here / "hacked").exists()


def test_what_is_not_active_is_neither_an_argument_nor_a_variable(here, monkeypatch):
    monkeypatch.setenv("SUFFICE_PARAM_M", "of an outer study")
    code = "import json, os, sys; m = os.environ.get('SUFFICE_PARAM_M')\n"
    code += "print(json.dumps({'loss': len(sys.argv), 'seen': [sys.argv[1:], m]}))"
    more = ("--param", "m=float:0:1", "--when", "m:x=on", "-n", "6", "--quiet")
    assert main(tune(*more, code=code, param="x=choice:on,off", arguments=("{x}", "--m={m}"))) == 0
    (folder,) = here.glob("*.trials")
    kinds = set()
    for trial in stored(here).trials:
        arguments, variable = json.loads((folder / str(trial.number) / "stdout").read_text())["seen"]
        x, *m = arguments
        assert x == trial.point["x"]
        assert m == ([f"--m={trial.point['m']!r}"] if x == "on" else [])
        assert variable == (repr(trial.point["m"]) if x == "on" else None)
        kinds.add(x)
    assert kinds == {"on", "off"}


def test_a_changed_parameter_is_refused_with_the_difference(here, capfd):
    main(tune("-n", "3", "--quiet"))
    assert main(tune("-n", "9", "--quiet", param="x=float:0:2")) == 2
    assert re.search(r"x: Float\(.*1\.0.*\) -> Float\(.*2\.0", capfd.readouterr().err)
    assert stored(here).nfev == 3


def test_a_changed_command_is_refused_unless_it_is_accepted(here, capfd):
    storage = ("--storage", "one.db", "--quiet")
    main(tune("-n", "3", *storage))
    assert main(tune("-n", "4", *storage, arguments=("{x}", "more"))) == 2
    err = capfd.readouterr().err
    assert "was made with another command" in err
    assert "--accept-command" in err
    assert main(tune("-n", "4", *storage, "--accept-command", arguments=("{x}", "more"))) == 0
    assert main(tune("-n", "4", *storage, arguments=("{x}", "more"))) == 0
    assert sf.load("one.db").nfev == 4


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (["tune"], "wanted a TOML file, or --minimize"),
        (["tune", "none.toml"], "none.toml: there is no such file"),
        (["tune", "study.toml", "--minimize", "loss"], "study.toml defines what to tune: write --minimize"),
        (["tune", "--", "echo", "hi"], "wanted a TOML file, or --minimize"),
        (["tune", "--minimize", "loss", "--", "echo"], "there are no parameters"),
        (["tune", "--param", "x=float:0:1", "--", "echo"], "wanted one of minimize"),
        (["tune", "--minimize", "l", "--param", "x=float:0:1", "--", "echo", "{y}"], "place for 'y'"),
        (["tune", "--minimize", "l", "--param", "x=float:0:1", "--", "no-such-program"], "it is not on the PATH"),
        (["tune", "--minimize", "l", "--param", "x=float:0:1", "--", "./none"], "there is no such file in"),
        (["tune", "--minimize", "l", "--param", "x=float:0:1", "--", "./text"], "it is a file, but not executable"),
        (["tune", "--minimize", "l", "--param", "x=float:0:1", "--", "text"], "write ./text"),
    ],
)
def test_wrong_usage_is_refused_before_anything_is_run(here, capfd, line, message):
    (here / "text").write_text("hello")
    assert main(line) == 2
    assert message in capfd.readouterr().err
    assert [p.name for p in here.iterdir()] == ["text"]


def test_a_command_without_the_dashes_before_it_is_refused_with_the_remedy(capfd):
    with pytest.raises(SystemExit) as ended:
        main(["tune", "--minimize", "loss", "--param", "x=float:0:1", "echo", "--lr", "{x}"])
    assert ended.value.code == 2
    assert "unrecognized arguments: --lr {x}; the command to be tuned comes after --" in capfd.readouterr().err


def alive(pid):
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_an_interruption_ends_the_children_and_the_same_line_goes_on(here, number):
    line = tune("-n", "3", code=SLEEP, arguments=())
    run = subprocess.Popen([PYTHON, "-m", "suffice", *line], stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    sleeper = ""
    while not sleeper.endswith("\n") and run.poll() is None:
        time.sleep(0.05)
        sleeper = "".join(file.read_text() for file in here.glob("*.trials/2/stdout"))
    run.send_signal(number)
    out, err = run.communicate(timeout=60)
    before = stored(here)
    assert before.nfev == 2
    if number == signal.SIGKILL:
        assert [trial.state for trial in before.trials] == ["done", "done", "pending"]
        until = time.monotonic() + 30
        while alive(int(sleeper)) and time.monotonic() < until:
            time.sleep(0.05)
    else:
        assert run.returncode == 130, err
        assert "run the same line again to resume" in err
        assert "best loss: " in out
        assert "pending" not in [trial.state for trial in before.trials]
    assert not alive(int(sleeper))
    (here / "go").touch()
    assert main(line) == 0
    after = stored(here)
    assert after.nfev == 3
    assert after.func_vals[:2].tolist() == before.func_vals.tolist()
    if number == signal.SIGKILL:
        assert [trial.number for trial in after.trials] == [0, 1, 2]  # what was under way is run again
        assert after.trials[2].point == before.trials[2].point


def test_the_example_is_tuned_from_its_file(here, capfd, monkeypatch):
    examples = Path(__file__).parents[2] / "examples"
    for name in ("train.py", "study.toml"):
        (here / name).write_text((examples / name).read_text())
    (here / "elsewhere").mkdir()
    monkeypatch.chdir(here / "elsewhere")
    monkeypatch.setenv("PATH", os.path.dirname(PYTHON) + os.pathsep + os.environ["PATH"])
    assert main(["tune", "../study.toml", "--trials", "6", "--seed", "0"]) == 0
    out = capfd.readouterr().out
    result = sf.load(here / "study.db")
    assert result.nfev == 6
    assert result.trials[0].point == {"lr": 0.1, "degree": 5, "opt": "sgd"}
    assert result.trials[0].value == pytest.approx(0.0338, abs=1e-4)
    assert out.splitlines()[-1].startswith("  cd .. && python train.py --lr ")


def test_a_parameter_that_is_in_no_argument_is_said(here, capfd):
    said = "the command has no place {x}: it gets x as the variable SUFFICE_PARAM_X alone"
    assert main(tune("-n", "2", code="print('loss=1')", arguments=())) == 0
    assert said in capfd.readouterr().err
    assert main(tune("-n", "2")) == 0
    assert "has no place" not in capfd.readouterr().err
