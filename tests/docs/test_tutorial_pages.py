"""The tutorial: a reader walks through all five pages in one folder, and what is printed is what the pages show."""

import re

import pytest

import suffice as sf

from .pages import Page
from .tutorial import walk

PAGES = (
    Page("docs/tutorial/1-first-run.md"),
    Page("docs/tutorial/2-space.md"),
    Page("docs/tutorial/3-looking.md"),
    Page("docs/tutorial/4-trouble.md"),
    Page("docs/tutorial/5-loop.md"),
)


@pytest.fixture(scope="module")
def walked(tmp_path_factory):
    """The folder at the end, the runs of the pages, and what was shown."""
    folder = tmp_path_factory.mktemp("tutorial")
    return folder, *walk(folder, PAGES)


def test_what_the_pages_show_is_what_is_printed(walked):
    """To the last digit where the machine computes as that on which the pages were made, as one long run tells."""
    _, _, shown = walked
    (long_run,) = (s for s in shown if s.page.path.endswith("3-looking.md") and s.block.code.startswith("30 "))
    same_digits = long_run.exact
    wrong = [
        f"{s.page.path}:{s.block.line}\n{s.block.code}--- but now\n{s.printed}"
        for s in shown
        if not (s.exact if same_digits else s.close)
    ]
    assert not wrong, "python -m research.benchmarks.tutorial_pages writes them anew:\n" + "\n".join(wrong)
    assert {s.page.path for s in shown} == {page.path for page in PAGES}


def test_the_first_run_halves_the_distance_and_is_the_same_everywhere(walked):
    _, (first, *_), _ = walked
    assert first["cost"]({"gain": 1.0, "reset": 100.0}) > 1.9 * first["result"].fun
    assert first["result"].fun == pytest.approx(10.2511, rel=1e-4)
    assert first["result"].nit == 19


def test_the_best_controller_is_the_one_that_looks_ahead(walked):
    _, (_, second, *_), _ = walked
    best = {}
    for trial in second["result"].trials:
        kind = trial.point["controller"]
        best[kind] = min(trial.value, best.get(kind, trial.value))
        assert trial.point.get("lead", 60) >= trial.point["interval"]
        assert ("lead" in trial.point) == (kind == "PID")
    assert best["PID"] < 10 < best["PI"]
    assert best["PID"] < second["short"].trials[0].value < best["PI"], "it says that PI can do better than was seen"


def test_the_figures_and_the_report_are_written(walked):
    folder, (_, _, third, *_), _ = walked
    for name in ("run.png", "slices.png", "report.html"):
        assert (folder / name).stat().st_size > 10_000, name
    assert str(third["result"].importance()).splitlines()[1].startswith("gain ")
    near, far = third["sds"]
    assert near < far


def test_the_lucky_value_is_further_from_the_truth_than_the_recommended_one(walked):
    _, (_, _, _, fourth, _), _ = walked
    result, truth = fourth["result"], fourth["distance"]
    best, recommended = (truth(fourth["temperatures"](**point)) for point in (result.x, result.x_recommended))
    assert best - result.fun > 2 * abs(recommended - result.fun_recommended)


def test_the_program_was_killed_in_the_middle_and_ended_as_if_it_had_not_been(walked):
    folder, (_, _, _, fourth, _), _ = walked
    show, again = fourth.printed
    (done,) = re.findall(r"^  \d+: done (\d+)", show, re.MULTILINE)
    assert 0 < int(done) < 20
    assert "all 20 trials are done" in again
    assert [trial.point for trial in sf.load(folder / "night.db").trials] == [
        trial.point for trial in fourth["again"].trials
    ]


def test_the_loop_the_batches_and_the_rule_come_to_an_end(walked):
    _, (*_, fifth), _ = walked
    loop, batches = fifth.after[0]["opt"], fifth["opt"]
    assert [trial.state for trial in loop.trials] == ["done"] * 15
    assert len({str(trial.point) for trial in batches.trials}) == len(batches.trials) == 16
    assert fifth["result"].nfev < 100
    assert fifth["result"].fun <= 10.5
