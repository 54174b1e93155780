"""The study of how exactly libraries solve: rows that are made once, comparisons of like with like, its page."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

from research.benchmarks.inventory import LIBRARIES
from research.benchmarks.markers import blocks, taken
from research.exactness import members, reference, report, solves
from research.exactness.runs import balanced, carry_out, read

PAGE = Path(__file__).parents[2] / "docs" / "ideas" / "libraries.md"


@dataclass(frozen=True)
class Run:
    solver: str
    problem: str
    seed: int


def test_a_study_that_was_stopped_makes_only_what_is_missing(tmp_path):
    made, path = [], tmp_path / "some.csv"

    def make(run):
        made.append(run)
        return None if run.solver == "absent" else {"simple": 0.5}

    first, second, absent = Run("a", "p", 0), Run("a", "p", 1), Run("absent", "p", 0)
    carry_out([first], make, path)
    carry_out([first, second, absent], make, path)
    assert made == [first, second, absent]
    assert [row["seed"] for row in read(path)] == ["0", "1"]


def test_seeds_that_a_cell_lacks_are_left_out():
    rows = [{"solver": s, "problem": "p", "seed": k, "simple": "1"} for s, k in (("a", "0"), ("a", "1"), ("b", "1"))]
    assert [(row["solver"], row["seed"]) for row in balanced(rows)] == [("a", "1"), ("b", "1")]


def test_changes_are_factors_between_runs_of_the_same_seed():
    regrets = {"own": (1.0, 10.0, 100.0), "other": (2.0, 20.0, 200.0)}
    rows = [
        {"solver": name, "problem": "branin", "seed": str(seed), "simple": str(value), "cumulative": str(9 * value)}
        for name, values in regrets.items()
        for seed, value in enumerate(values)
    ]
    found = report.changes(rows, "own")
    assert set(found) == {(p, "other", c) for p in ("branin", "all") for c in ("simple", "cumulative")}
    assert found["all", "other", "simple"].ends == pytest.approx((2.0, 2.0, 2.0))
    assert str(found["branin", "other", "cumulative"]) == "×2 (2 to 2)"


def test_a_run_of_each_part_measures_something():
    run = solves.made(solves.Run("suffice", "branin", 0, trials=13, every=1))
    assert [float(eta) for eta in run["eta"].split()] == pytest.approx([1.0, 1.0, 1.0], abs=1e-3)
    assert solves.made(solves.Run("bayes_opt", "two_way", 0)) is None  # its adapter takes no choices
    exact, grid = (members.made(members.Run(1, solver, "branin", 0, trials=13)) for solver in ("exact", "grid 100"))
    assert exact != grid
    assert np.isfinite([float(value) for value in (*exact.values(), *grid.values())]).all()
    counts = reference.made(reference.Run("levy5", 0, trials=12, every=1))
    assert counts == {"solves": 2, "agreed": 2, "better": 0, "proven": 0}


def test_the_page_has_the_numbers_of_the_committed_runs(monkeypatch, capsys):
    monkeypatch.setenv("SUFFICE_TABLES", "markdown")
    report.show(report.TABLES)
    printed, page = capsys.readouterr().out, PAGE.read_text(encoding="utf-8")
    shown = [block for block in blocks(page) if block.command == LIBRARIES]
    assert shown
    assert [block.text for block in shown] == [taken(printed, block.table) for block in shown]
    text = " ".join(page.split())
    for line in printed.splitlines():  # a sentence that begins as one of the page
        begin = " ".join(line.split()[:6])
        assert not line.endswith(".") or begin not in text or line in text
