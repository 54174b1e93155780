"""The page about the lab: somebody walks through it, in a new process each time, and what it says comes true."""

import csv
import os
import shlex
import subprocess
import sys

import pytest

import suffice as sf
from suffice.cli import main

from .commands import commands
from .pages import Page

PAGE = Page("docs/howto/lab.md")
EXAMPLES = PAGE.code("python")
COMMANDS = commands("".join(PAGE.code("sh")))


def run(folder, *arguments):
    done = subprocess.run(
        [sys.executable, *arguments], capture_output=True, text=True, check=False, cwd=folder, env=dict(os.environ)
    )
    assert (done.returncode, done.stderr.count("Traceback")) == (0, 0), done.stderr
    return done.stdout


def measured(row):
    """The yield of an experiment."""
    warm = {"water": 40, "ethanol": 60, "acetone": 35}[row["solvent"]]
    return 90 - 0.02 * (float(row["temperature"]) - warm) ** 2 - abs(int(row["minutes"]) - 30) / 5


def fill_in(path, leave=()):
    """What a person does in the lab: write down what was measured, in a spreadsheet that writes CRLF."""
    rows = list(csv.DictReader(path.read_text("utf-8-sig").splitlines()))
    for row in rows:
        row["value"] = "" if int(row["number"]) in leave else f"{measured(row):.4f}"
    with path.open("w", newline="", encoding="utf-8-sig") as file:
        table = csv.DictWriter(file, rows[0])
        table.writeheader()
        table.writerows(rows)
    return rows


@pytest.fixture(scope="module")
def walked(tmp_path_factory):
    """The folder after the walk in Python, and what was printed on the way."""
    folder = tmp_path_factory.mktemp("lab")
    run(folder, "-c", EXAMPLES[0])
    first = fill_in(folder / "batch.csv", leave={3})
    second = run(folder, "-c", EXAMPLES[1])
    fill_in(folder / "batch.csv")
    third = run(folder, "-c", EXAMPLES[1])
    return folder, first, second, third, run(folder, "-c", EXAMPLES[2])


def test_a_batch_of_five_is_asked_filled_in_days_later_and_told(walked):
    folder, first, second, third, last = walked
    assert [row["number"] for row in first] == ["0", "1", "2", "3", "4"]
    assert second == "recorded 4, already known 0, still pending 1\n"
    assert second.strip() in EXAMPLES[1]
    assert third == "recorded 6, already known 0, still pending 0\n"
    result = sf.load(folder / "yield.db")
    assert [trial.state for trial in result.trials] == ["done"] * 10 + ["pending"] * 5
    assert result.fun == max(round(measured(trial.point), 4) for trial in result.trials[:10])
    assert str(result.x) in last


def test_a_study_that_is_visited_asks_what_one_that_never_closed_would_ask(walked):
    folder, *_ = walked
    trials = sf.load(folder / "yield.db").trials
    names = {}
    exec(EXAMPLES[0].split("with ")[0], names)
    opt = sf.Optimizer(names["space"], direction="maximize", seed=0)
    opt.ask(5)
    for tell in ((0, 1, 2, 4), (3, 5, 6, 7, 8, 9)):
        for number in tell:
            opt.tell(opt.trials[number], round(measured(opt.trials[number].point), 4))
        opt.ask(5)
    assert [trial.point for trial in opt.trials] == [trial.point for trial in trials]


def test_the_table_on_the_page_is_the_one_that_is_written(walked):
    _, first, *_ = walked
    lines = [line for line in PAGE.text.splitlines() if "| pending |" in line]
    shown = [[cell.strip() for cell in line.strip("| ").split("|")] for line in lines]
    assert shown
    for cells, row in zip(shown, first, strict=False):
        assert cells[:5] == [row[name] for name in ("number", "state", "temperature", "minutes", "solvent")]


def test_the_same_walk_on_the_command_line(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)

    def command(line):
        word, *arguments = shlex.split(line)
        assert (word, main(arguments)) == ("suffice", 0)
        return capsys.readouterr().out

    ask, read, again, show, several = COMMANDS
    command(ask)
    fill_in(tmp_path / "batch.csv", leave={3})
    assert command(read) == "recorded 4, already known 0, still pending 1\n"
    assert command(read) == "recorded 0, already known 4, still pending 1\n"
    command(again)
    rows = csv.DictReader((tmp_path / "next.csv").read_text().splitlines())
    assert [row["number"] for row in rows] == ["5", "6", "7", "8", "9"]
    assert "10: done 4, pending 6" in command(show)
    command(several)
    rows = list(csv.DictReader((tmp_path / "purity.csv").read_text().splitlines()))
    assert len(rows) == 3
    assert {"yield", "minutes", "purity"} <= set(rows[0])
    assert "value" not in rows[0]
