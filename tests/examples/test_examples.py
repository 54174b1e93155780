"""The examples: each runs as it stands, as a process in an empty folder, and what it claims is true."""

import ast
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import suffice as sf

EXAMPLES = Path(__file__).parents[2] / "examples"


def printed(folder, name):
    """What a program prints in a folder where nothing else is; warnings are errors there, too."""
    assert not list(folder.iterdir())
    done = subprocess.run(
        [sys.executable, "-W", "error", str(EXAMPLES / name)],
        cwd=folder,
        env={**os.environ, "OMP_NUM_THREADS": "1"},
        capture_output=True,
        text=True,
        timeout=200,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "Traceback" not in done.stderr
    return done.stdout


def number(text, pattern):
    (found,) = re.findall(pattern, text)
    return float(found)


def test_a_first_run_finds_one_of_the_three_lowest_points(tmp_path):
    assert number(printed(tmp_path, "first.py"), r"best seen +(\S+)") == pytest.approx(0.397887, abs=1e-3)


def test_the_reactor_runs_away_less_often_once_it_is_known_where(tmp_path):
    text = printed(tmp_path, "reactor.py")
    early, late = number(text, r"(\d+) in the first 20"), number(text, r"(\d+) in the last 20")
    assert late < early
    assert "Runaway: " in text
    assert number(text, r"settings: (\S+) mol/l") > 3.0


def test_the_service_keeps_its_limits_and_is_as_good_as_thousands_of_random_compromises(tmp_path):
    text = printed(tmp_path, "service.py")
    assert number(text, r"(\d+) of 40 were beyond a limit") < 20
    found = {
        words: (float(error), float(machines), float(latency))
        for words, error, machines, latency in re.findall(
            r"^(a compromise|at most .*): (\S+) % of errors with (\S+) machines, (\d+) ms", text, re.MULTILINE
        )
    }
    assert len(found) == 3
    assert all(latency <= 50 for *_, latency in found.values())
    # Of 20 000 points drawn from the space, the least within the limits: 24.0 machines with at most 1 % of errors.
    assert found["at most 1 % of errors"][0] <= 1
    assert found["at most 1 % of errors"][1] < 28  # six seeds: 19.9 to 26.8
    assert found["at most 3 machines"][1] <= 3


def test_the_lab_ends_with_the_right_solvent_and_five_tables(tmp_path):
    text = printed(tmp_path, "lab.py")
    assert len(re.findall(r"^day \d: recorded", text, re.MULTILINE)) == 5
    assert "day 2: recorded 3, failed 1" in text
    assert "'solvent': 'ethanol'" in text
    assert number(text, r"in truth (\S+) %") > 75
    trials = sf.load(tmp_path / "yield.db").trials
    assert [trial.state for trial in trials].count("done") == 19
    assert [trial.reason for trial in trials if trial.state == "failed"] == ["the flask broke"]


def test_forty_of_two_thousand_molecules_find_one_of_the_best(tmp_path):
    text = printed(tmp_path, "molecules.py")
    assert number(text, r"that are better: (\d+) of 2000") < 10
    assert number(text, r" with (\S+); the best of all") > number(text, r"would have found (\S+) \(median")


def test_the_conditional_space_tries_every_model_and_settles_on_one(tmp_path):
    text = printed(tmp_path, "conditional.py")
    rows = re.findall(
        r"^(neighbours|smoother|polynomial) +(\d+) evaluations, the best (\S+) with (.*)$", text, re.MULTILINE
    )
    assert len(rows) == 3
    assert sum(int(count) for _, count, *_ in rows) == 28
    for model, _, _, point in rows:
        assert ("degree" in point, "width" in point, "k" in ast.literal_eval(point)) == tuple(
            model == other for other in ("polynomial", "smoother", "neighbours")
        )
    best = min(rows, key=lambda row: float(row[2]))
    assert float(best[2]) == pytest.approx(number(text, r"best seen +(\S+)"), abs=1e-4)
    assert float(best[2]) < 0.22


def test_a_cluster_evaluates_two_at_a_time(tmp_path):
    pytest.importorskip("distributed")
    text = printed(tmp_path, "on_dask.py")
    assert "24 evaluations on 2 workers, 2 at a time" in text
    assert number(text, r"the best is (\S+)") < 0.5


def test_the_notebook_runs_and_is_stored_without_output(tmp_path):
    nbformat, nbclient = pytest.importorskip("nbformat"), pytest.importorskip("nbclient")
    stored = json.loads((EXAMPLES / "notebook.ipynb").read_text(encoding="utf-8"))
    assert all(not cell.get("outputs") and cell.get("execution_count") is None for cell in stored["cells"])
    notebook = nbformat.read(EXAMPLES / "notebook.ipynb", 4)
    nbclient.NotebookClient(notebook, timeout=200, resources={"metadata": {"path": str(tmp_path)}}).execute()
    kinds = [
        set(output.get("data", {output.output_type: 0}))
        for cell in notebook.cells
        for output in cell.get("outputs", ())
    ]
    assert kinds == [{"text/plain", "text/html"}] * 2 + [
        {"text/plain", "image/png"},
        {"stream"},
        {"text/plain", "text/html"},
    ]


def test_the_list_has_every_example():
    listed = set(re.findall(r"\]\(([\w.]+)\)", (EXAMPLES / "README.md").read_text(encoding="utf-8")))
    assert listed == {path.name for path in EXAMPLES.iterdir() if path.is_file()} - {"README.md"}
