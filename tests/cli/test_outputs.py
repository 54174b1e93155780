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


def test_the_command_that_chooses_from_a_front_is_shown_and_works(run, tmp_path, capsys):
    def f(point):
        return {"error": point["x"] ** 2, "gain": -((point["x"] - 2) ** 2)}

    aims = {"error": "minimize", "gain": "maximize"}
    result = sf.optimize(f, {"x": (0.0, 3.0)}, 12, seed=0, objectives=aims, storage=str(tmp_path / "run.db"))
    said = " ".join(run("show", "run.db").out.split())
    assert "suffice show run.db --pick error=VALUE, or --knee for a compromise" in said
    assert "result.pick" not in said
    assert "result.pick" in str(result)
    for words, trial in ((["--pick", "error=1"], result.pick(error=1)), (["--knee"], result.knee())):
        first, second = run("show", "run.db", *words).out.splitlines()
        assert first.startswith(f"trial {trial.number}: error {trial.values['error']:.6g}, gain ")
        assert second == f"  x = {trial.point['x']:.6g}"
    assert "--pick: no trial of the front reaches error=-1.0" in run("show", "run.db", "--pick", "error=-1", code=1).err
    assert "there is no objective 'eror'" in run("show", "run.db", "--pick", "eror=1", code=1).err
    for words, wrong in (
        (["--pick", "error=1", "--knee"], "--knee and --pick each choose a trial"),
        (["--pick", "error=1,0"], "written with a point, such as 0.5: got 'error=1,0'"),
    ):
        with pytest.raises(SystemExit, match="2"):
            run("show", "run.db", *words)
        assert wrong in capsys.readouterr().err
    table = list(csv.DictReader(io.StringIO(run("export", "run.db", "--front").out)))
    assert [int(row["number"]) for row in table] == [trial.number for trial in result.front]
    sf.minimize(lambda p: p["x"], {"x": (0.0, 3.0)}, 3, seed=0, storage=str(tmp_path / "one.db"))
    assert "has one objective" in run("show", "one.db", "--knee", code=1).err
    assert "has no front" in run("export", "one.db", "--front", code=1).err


def test_a_new_study_has_a_reference_and_names_the_column_of_the_noise(run, tmp_path):
    run("ask", "run.db", *PARAM, *AIMS, "--reference", "error=3", "--reference", "gain=-1", "-o", "batch.csv")
    with sf.Optimizer.resume("run.db") as opt:
        assert opt.settings.reference == {"error": 3.0, "gain": -1.0}
    (tmp_path / "old.csv").write_text("x,error,gain,noise_var\n0.5,1,2,0.1\n")
    assert "ignored columns: noise_var (name it noise_var:error)" in run("import", "old.csv", "run.db").out


def test_a_reference_point_that_moves_is_said_to_move(tmp_path):
    aims, words = {"a": "minimize", "b": "minimize"}, {"n_trials": 6, "seed": 0}
    found = [
        str(
            sf.optimize(lambda p: {"a": p["x"], "b": -p["x"]}, {"x": (0.0, 1.0)}, objectives=aims, reference=r, **words)
        )
        for r in (None, {"a": 2.0, "b": 2.0})
    ]
    assert ["moves with the front: pass reference= to fix it" in " ".join(text.split()) for text in found] == [
        True,
        False,
    ]


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
