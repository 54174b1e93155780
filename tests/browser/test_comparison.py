"""The report of a comparison of all systems in a browser: their names at their points, ours in bold."""

import re

import numpy as np
import pytest

from research.compare import report
from research.compare.contest import contest
from research.compare.entrant import Entrant
from research.compare.report import write_report
from research.compare.systems import SYSTEMS
from suffice.lab.plan import Task

pytest.importorskip("matplotlib")


@pytest.fixture(scope="module")
def path(make_run, tmp_path_factory, few_charts):
    few_charts(report, "rank-and-overhead", "profiles-simple", "simple-regret")
    entrants = tuple(Entrant(system, "python", {system.packages[0]: "9.8"}) for system in SYSTEMS.values())
    made, rng = (
        contest("full", (Task("hartmann3", 5, 8), Task("levy5", 5, 8)), entrants, 2, {}),
        np.random.default_rng(0),
    )
    runs = []
    for job in made.plan.jobs():
        times = 10 ** rng.uniform(-5, 0) * rng.uniform(0.5, 1.5, size=8)
        regrets = 1000 * rng.exponential(size=8)
        runs.append(
            make_run(job.task.problem, job.method.name, job.seed, regrets, plan="full", solve=times, initial=2e3)
        )
    return write_report(tmp_path_factory.mktemp("out"), made, runs, command="python -m research.compare")


def test_nothing_is_cut_off_at_any_width_and_on_paper(check_page, path):
    check_page(path)


def test_systems_are_named_at_their_points_and_suffice_in_bold(visit, path):
    page = visit(path).page
    figure = page.locator("#rank-and-overhead svg")
    drawn = figure.locator("text").all_text_contents()
    assert {system.label for system in SYSTEMS.values()} <= set(drawn)
    boxes = [text.bounding_box() for text in figure.locator("text").all()]
    for i, one in enumerate(boxes):
        for other in boxes[:i]:
            apart = (
                one["x"] >= other["x"] + 0.9 * other["width"]
                or other["x"] >= one["x"] + 0.9 * one["width"]
                or one["y"] >= other["y"] + 0.9 * other["height"]
                or other["y"] >= one["y"] + 0.9 * one["height"]
            )
            assert apart
    weight = figure.locator("text", has_text="suffice").first.evaluate("e => getComputedStyle(e).fontWeight")
    assert int(weight) >= 600


def test_broad_tables_are_printed_on_sheets_that_lie(visit, path):
    printed = visit(path, media="print").page.pdf(format="A4", prefer_css_page_size=True)
    sheets = [tuple(map(float, box.split())) for box in re.findall(rb"/MediaBox \[([^]]+)\]", printed)]
    lying = [width > height for _, _, width, height in sheets]
    assert any(lying)
    assert not all(lying)
    assert not lying[0]
