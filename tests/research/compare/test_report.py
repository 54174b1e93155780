"""The report of a comparison: a page that stands alone, figures without warnings, tables that can be read."""

import csv
import re
from dataclasses import replace
from html.parser import HTMLParser

import numpy as np
import pytest

from research.compare.contest import Cap, Contest
from research.compare.contest import contest as make_contest
from research.compare.entrant import Entrant
from research.compare.report import as_text, solved_by_family, write_report
from research.compare.standings import by_family, overall, units
from research.compare.systems import SYSTEMS, Installed
from research.problems import find
from research.problems.typical import typical_regret
from suffice.lab.plan import Task

pytest.importorskip("matplotlib")

CAPS = {"ax": Cap(seeds=1, iterations=3, problems=("branin",))}


@pytest.fixture(scope="module")
def contest():
    tasks = (Task("branin", 5, 12), Task("levy5", 5, 12))
    entrants = tuple(Entrant(system, "python", {system.packages[0]: "9.8"}) for system in SYSTEMS.values())
    return make_contest("full", tasks, entrants, 3, CAPS)


@pytest.fixture(scope="module")
def runs(contest, make_run):
    rng = np.random.default_rng(0)
    return [
        make_run(
            job.task.problem,
            job.method.name,
            job.seed,
            rng.exponential(size=job.task.iterations),
            ask=rng.exponential(size=job.task.iterations),
        )
        for job in contest.plan.jobs()
    ]


@pytest.fixture(scope="module")
def written(contest, runs, tmp_path_factory):
    absent = [Installed(SYSTEMS["hebo"], "python", {"HEBO": None})]
    return write_report(
        tmp_path_factory.mktemp("out"), contest, runs, absent, command="python -m research.compare <here>"
    )


def test_the_page_stands_alone_and_names_everything(contest, written):
    text = written.read_text(encoding="utf-8")
    HTMLParser().feed(text)
    assert "http" not in text.replace("http-equiv", "")
    assert "python -m research.compare &lt;here&gt;" in text
    assert all(system.label in text and "9.8" in text for system in SYSTEMS.values())
    assert "HEBO did not take part: HEBO not installed: pip install HEBO, or --python hebo=PATH" in text
    assert "problems × seeds: 1 × 1, up to 3 iterations" in text
    assert '<span class="whole">1 %</span> of a random point&#x27;s regret, runs: ' in text
    assert "Best mean ranks by simple regret, of 14 systems: " in text
    assert "this many times as long as suffice, on the runs they share: " in text
    assert text.count("<svg") == 6
    assert "Gaussian noise" not in text


def test_the_tables_have_every_cell(written, contest, runs):
    with (written.parent / "tables" / "standings.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    cells = {(run.problem, run.method) for run in runs}
    assert {(row["problem"], row["system"]) for row in rows} == cells | {("all", name) for name in SYSTEMS}
    with (written.parent / "tables" / "solved.csv").open(encoding="utf-8") as file:
        solved = {(row["family"], row["system"]): row for row in csv.DictReader(file)}
    assert solved.keys() == cells | {("all", name) for name in SYSTEMS}
    best = [run for run in runs if (run.problem, run.method) == ("branin", "random")]
    limit = 0.01 * typical_regret(find("branin"))
    assert int(solved["branin", "random"]["within_1"]) == sum(run.simple[-1] <= limit for run in best) > 0
    with (written.parent / "tables" / "duels.csv").open(encoding="utf-8") as file:
        duels = {(row["system"], row["opponent"]): row for row in csv.DictReader(file)}
    assert len(duels) == len(SYSTEMS) * (len(SYSTEMS) - 1)
    for (first, second), duel in duels.items():
        assert float(duel["wins"]) + float(duels[second, first]["wins"]) == pytest.approx(1.0)
        assert int(duel["runs"]) == (1 if "ax" in (first, second) else 6)


def test_a_single_step_of_a_single_system_is_enough(contest, make_run, tmp_path):
    small = make_contest("full", (Task("branin", 5, 1),), contest.entrants[:1], 1, {})
    path = write_report(tmp_path, small, [make_run("branin", "suffice", 0, [1.0], ask=[0.5])], command="c")
    assert path.read_text(encoding="utf-8").count("<svg") == 4  # no profiles of one


def test_without_runs_there_is_a_page_without_figures(contest, tmp_path):
    text = write_report(tmp_path, contest, [], command="c").read_text(encoding="utf-8")
    assert "<svg" not in text
    assert "0 of 79" in text  # 13 systems × 2 problems × 3 seeds, and one run of Ax


def test_noise_is_said(contest, runs, tmp_path):
    noisy = Contest(contest.plan, tuple(replace(entrant, noise=0.05) for entrant in contest.entrants))
    text = write_report(tmp_path, noisy, [], command="c").read_text(encoding="utf-8")
    assert "its standard deviation is 0.05 of the range" in text


def test_the_text_has_a_line_for_each_system(contest, runs):
    known = units(contest.plan)
    standings, solved = as_text(contest.plan, overall(runs, known), by_family(runs, known)).split("\n\n")
    for lines in (solved.splitlines(), standings.splitlines()):
        assert len({len(line) for line in lines}) == 1  # aligned
    assert standings.startswith("System ")
    assert len(standings.splitlines()) == 1 + len(SYSTEMS)
    assert [line.split("  ")[0] for line in solved.splitlines()[1:]] == ["Branin", "Levy 5d"]
    assert "–" in solved.splitlines()[2]  # Ax has no part in the second


def test_the_best_of_a_row_is_bold_unless_nobody_solved_anything(contest, make_run):
    runs = [make_run("branin", name, 0, [0.0 if name == "cma" else 99.0] * 12, initial=99.0) for name in SYSTEMS]
    runs += [make_run("levy5", name, 0, [9e9] * 12, initial=9e9) for name in SYSTEMS]
    text = solved_by_family(contest.plan, by_family(runs, units(contest.plan)))
    branin, levy = (re.search(f">{name}</th>(.*)</tr>", text)[1] for name in ("Branin", "Levy 5d"))
    assert branin.count("best") == 1
    assert '<td class="number best">1 of 1</td>' in branin
    assert "best" not in levy
