"""suffice reproduce: a preset from the command line to the report, and again without repeating a run."""

import csv
from dataclasses import replace
from html.parser import HTMLParser

import pytest

from suffice.cli import main, reproduce
from suffice.lab.plan import Task
from suffice.lab.results import Results
from suffice.lab.runner import Execution
from suffice.paper.known import known_runs
from suffice.paper.presets import PRESETS

pytest.importorskip("matplotlib")


@pytest.fixture
def tiny(monkeypatch):
    """The main experiment with small budgets."""
    plan = replace(PRESETS["main"], tasks=(Task("branin", 6, 3), Task("hartmann3", 6, 3)), reps=2)
    monkeypatch.setitem(reproduce.PRESETS, "main", plan)
    monkeypatch.setattr(reproduce, "known_runs", lambda: known_runs((1,), steps=4))
    return plan


def test_the_list_names_every_preset(capsys):
    assert main(["reproduce", "--list"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines] == list(PRESETS)
    assert all(plan.title in line for plan, line in zip(PRESETS.values(), lines, strict=True))


def test_a_preset_becomes_a_report_and_is_not_repeated(tiny, tmp_path, capsys):
    words = ["reproduce", "main", "--methods", "uniform", "suffice", "--jobs", "1", "--out", str(tmp_path)]
    assert main(words) == 0
    *said, last = capsys.readouterr().out.splitlines()
    assert last == str(tmp_path / "report.html")
    assert said[1].startswith("  d = 1: R_T = ")
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    HTMLParser().feed(page)
    assert "suffice reproduce main --jobs 1" in page
    assert any((tmp_path / "figures").iterdir())
    assert "What the theorems are made of in these runs" in page
    with (tmp_path / "tables" / "ingredients.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert [(row["problem"], row["method"], row["steps"]) for row in rows] == [
        ("branin", "uniform", "3"),
        ("hartmann3", "uniform", "3"),
    ]
    for row in rows:  # the grids were drawn again, and hold the points
        assert float(row["first_fill"]) > float(row["last_fill"]) > 0.0
        assert float(row["deviations"]) <= float(row["deviation_limit"])
    with Results(tmp_path / "results.db") as results:
        runs = results.runs("main")
    assert len(runs) == 2 * 2 * 2
    assert main([*words, "--reps", "1"]) == 0  # a part of what is there already
    with Results(tmp_path / "results.db") as results:
        again = results.runs("main")
    assert [run.seconds for run in again] == [run.seconds for run in runs]  # no two runs take the same time


def test_the_quick_version_leaves_the_runs_of_the_whole_alone(tiny, monkeypatch, tmp_path, capsys):
    monkeypatch.setitem(reproduce.PRESETS, "main", replace(tiny, audit=1, audited=1))
    words = ["reproduce", "main", "--methods", "uniform", "--problems", "branin", "--jobs", "1"]
    monkeypatch.chdir(tmp_path)
    assert main(words) == 0
    with Results(tmp_path / "reproduction" / "main" / "results.db") as results:
        before = results.finished()
    assert main([*words, "--quick"]) == 0
    page = tmp_path / "reproduction" / "main-quick" / "report.html"
    assert capsys.readouterr().out.splitlines()[-1] == str(page.relative_to(tmp_path))
    assert "Published beside reproduced" in page.read_text(encoding="utf-8")
    assert main([*words, "--quick", "--out", "reproduction/main"]) == 0  # the same file: other names
    with Results(tmp_path / "reproduction" / "main" / "results.db") as results:
        assert before.items() <= results.finished().items()
        assert len(results.finished()) == 2 * len(before)


def test_runs_of_another_definition_are_not_reported(tiny, monkeypatch, tmp_path, capsys):
    words = ["reproduce", "main", "--methods", "uniform", "--problems", "branin", "--jobs", "1", "--out", str(tmp_path)]
    assert main(words) == 0
    changed = replace(tiny, tasks=(Task("branin", 6, 2),))
    monkeypatch.setitem(reproduce.PRESETS, "main", changed)
    monkeypatch.setattr("suffice.lab.runner.execute", lambda *_, **__: Execution(0, 0, interrupted=True))
    capsys.readouterr()
    assert main(words) == 130
    assert capsys.readouterr().out == ""  # of the two runs in the file none is of this plan


def test_unknown_names_are_refused_before_anything_runs(tmp_path, capsys):
    out = ["--out", str(tmp_path / "x")]
    assert main(["reproduce", "main", "--problems", "brainin", *out]) == 1
    assert "main has no problem 'brainin'; it has branin, rastrigin3" in capsys.readouterr().err
    assert main(["reproduce", "main", "--methods", "grid", *out]) == 1
    assert "it has uniform, lbfgsb" in capsys.readouterr().err
    with pytest.raises(SystemExit) as stopped:
        main(["reproduce", "mian", *out])
    assert stopped.value.code == 2
    assert not (tmp_path / "x").exists()


def test_without_matplotlib_it_says_what_to_install(monkeypatch, tmp_path, capsys):
    monkeypatch.setattr("suffice.cli.arguments.find_spec", lambda name: None)
    assert main(["reproduce", "main", "--out", str(tmp_path / "x")]) == 1
    assert "pip install 'suffice[plot]'" in capsys.readouterr().err
    assert not (tmp_path / "x").exists()


def test_the_quick_version_is_part_of_the_whole():
    class Given:
        preset, quick, reps, problems, methods = "main", True, None, ["branin"], None

    plan = reproduce.chosen(Given())
    assert plan.reps < PRESETS["main"].reps
    assert [task.problem for task in plan.tasks] == ["branin"]
    assert plan.methods == PRESETS["main"].methods


def test_the_comparison_is_not_installed_and_the_error_says_what_to_run(capsys):
    with pytest.raises(SystemExit) as stopped:
        main(["compare", "--quick"])
    assert stopped.value.code == 2
    assert "python -m research.compare" in capsys.readouterr().err
