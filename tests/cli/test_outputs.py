"""suffice ask, import, export and show of studies with limits and several objectives."""

import csv
import io

import pytest

import suffice as sf
from suffice.cli import main

PARAM = ("--param", "x=float:0:1")
AIMS = ("--objective", "error=minimize", "--objective", "gain=maximize")
LIMITS = ("--at-most", "cost=5", "--at-least", "purity=0.9")
KINDS = {"plain": (), "limited": LIMITS, "several": AIMS, "both": (*AIMS, *LIMITS)}


@pytest.fixture
def run(tmp_path, monkeypatch, capsys):
    """Run a command in an empty folder; what it printed, and its errors."""
    monkeypatch.chdir(tmp_path)

    def call(*arguments, code=0):
        assert main([str(argument) for argument in arguments]) == code
        return capsys.readouterr()

    return call


@pytest.mark.parametrize("kind", list(KINDS))
def test_a_batch_is_asked_filled_in_read_and_shown(run, tmp_path, kind):
    run("ask", "run.db", *PARAM, *KINDS[kind], "--seed", "0", "-n", "3", "-o", "batch.csv")
    numbers = {"value": "0.5", "error": "0.5", "gain": "2", "cost": "3", "purity": "0.95"}
    with open(tmp_path / "batch.csv") as file:
        rows = list(csv.DictReader(file))
    filled = [{**row, **{name: text for name, text in numbers.items() if name in row}} for row in rows[:2]]
    if "cost" in rows[0]:
        filled.append({**rows[2], "cost": "9"})
    out = io.StringIO()
    writer = csv.DictWriter(out, rows[0])
    writer.writeheader()
    writer.writerows(filled)
    (tmp_path / "batch.csv").write_text(out.getvalue())
    assert run("import", "batch.csv").out.startswith(f"recorded {len(filled)}, ")
    said = run("show", "run.db").out
    assert ("constraint   cost at most 5" in said) == ("cost" in rows[0])
    assert ("feasible: 2 of 3" in said) == ("cost" in rows[0])
    assert ("objectives   minimize error, maximize gain" in said) == ("error" in rows[0])
    assert ("Front: 1 trial, hypervolume" in said) == ("error" in rows[0])
    assert "trial 0" in said
    again = list(csv.DictReader(io.StringIO(run("export", "run.db").out)))
    assert again[0]["state"] == "done"
    assert float(again[0]["gain" if "gain" in again[0] else "value"]) == (2.0 if "gain" in again[0] else 0.5)


def test_a_study_of_the_command_line_is_that_of_python(run):
    run("ask", "run.db", *PARAM, *KINDS["both"], "--seed", "0", "-o", "batch.csv")
    aims = {"objectives": {"error": "minimize", "gain": "maximize"}}
    limits = {"constraints": {"cost": sf.AtMost(5), "purity": sf.AtLeast(0.9)}}
    with sf.Optimizer({"x": (0.0, 1.0)}, storage="run.db", seed=0, **aims, **limits) as again:
        assert len(again.pending) == 1


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--objective", "error"), "--objective: wanted NAME=SENSE: got 'error'"),
        (("--objective", "error=up"), "must be 'minimize' or 'maximize'"),
        (("--objective", "a=minimize", "--maximize"), "write --objective NAME=maximize instead"),
        (("--at-most", "cost=cheap"), "--at-most: wanted NAME=V with a number V: got 'cost=cheap'"),
        (("--at-most", "cost=5", "--at-least", "cost=1"), "cost already has a constraint"),
        (("--at-most", "5"), "--at-most: wanted NAME=V with a number V: got '5'"),
        (("--at-most", "value=5"), "'value' is an objective and a constraint"),
    ],
)
def test_aims_that_are_none_are_wrong_usage(run, capsys, words, said):
    with pytest.raises(SystemExit, match="2"):
        run("ask", "run.db", *PARAM, *words)
    assert said in capsys.readouterr().err


def test_aims_are_of_a_new_study(run, capsys):
    run("ask", "run.db", *PARAM, "-o", "batch.csv")
    with pytest.raises(SystemExit, match="2"):
        run("ask", "run.db", *LIMITS)
    assert "apply only to a new study" in capsys.readouterr().err
    assert "constraints: (none) -> cost at most 5" in run("ask", "run.db", *PARAM, *LIMITS, code=1).err
