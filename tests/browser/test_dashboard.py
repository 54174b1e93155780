"""The dashboard in a browser: the real command watches studies that this process writes."""

import json
import re
import signal
import subprocess
import sys
import time
from contextlib import contextmanager

import numpy as np
import pytest

import suffice as sf
from suffice.plot.axes import ending, window

pytest.importorskip("uvicorn")
EVIL = "<img src=x onerror=alert(1)>"
SPACE = {
    "rate": sf.Float(1e-4, 1, log=True),
    "kind": sf.Choice("plain", EVIL),
    "depth": sf.Int(1, 9, when={"kind": "plain"}),
}


@contextmanager
def served(folder, port=0):
    """The command runs meanwhile; the address that it printed."""
    command = [sys.executable, "-m", "suffice", "dashboard", str(folder), "--port", str(port)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            yield re.search(r"http://\S+", process.stdout.readline()).group()
        finally:
            process.send_signal(signal.SIGINT)
            process.wait(timeout=20)


def grow(optimizer, count):
    """So many trials more; every fourth fails."""
    for _ in range(count):
        trial = optimizer.ask()
        if trial.number % 4 == 3:
            optimizer.fail(trial, f"out of memory {EVIL}")
        else:
            optimizer.tell(trial, 1 + abs(np.log10(trial.point["rate"]) + 2) + trial.number % 3, seconds=0.5)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Studies: one with everything, whose names are not harmless; one without trials."""
    folder = tmp_path_factory.mktemp("studies")
    with sf.Optimizer(SPACE, storage=folder / f"{EVIL[1:5]}.db", seed=0, n_initial=12) as optimizer:
        grow(optimizer, 16)
        optimizer.ask()
        optimizer.note(optimizer.trials[2], f"odd {EVIL}", **{"operator": EVIL})
    sf.Optimizer(SPACE, storage=folder / "empty.db", seed=0).close()
    write_front(folder / "front.db")
    write_constrained(folder / "constrained.db")
    write_noisy(folder / "noisy.db")
    return folder


def write_noisy(path):
    """Known noise, so that one point is recommended and another one is the best."""
    rng = np.random.default_rng(1)
    with sf.Optimizer({"x": (0.0, 1.0), "y": (0.0, 1.0)}, storage=path, seed=0, n_initial=14) as optimizer:
        for _ in range(16):
            trial = optimizer.ask()
            optimizer.tell(trial, trial.point["x"] + rng.normal(0, 0.4), noise_var=0.16)


def write_constrained(path):
    """One objective and one constraint; the last trial is pruned."""
    constraint = {"heat": sf.AtMost(0.6)}
    options = {"objectives": {"gain": "maximize"}, "constraints": constraint, "pruner": sf.pruning.Median()}
    with sf.Optimizer({"x": (0.0, 1.0)}, storage=path, seed=0, n_initial=9, **options) as optimizer:
        for _ in range(8):
            trial = optimizer.ask()
            optimizer.tell(trial, {"gain": trial.point["x"], "heat": trial.point["x"]})
        optimizer.prune(optimizer.ask())


def write_front(path):
    """Three objectives and a limit, with names that are not harmless; far beyond it, the objectives are missing."""
    aims, limits = {EVIL: "minimize", "speed": "maximize", "cost": "minimize"}, {"heat": sf.AtMost(1.2)}
    options = {"objectives": aims, "constraints": limits, "reference": {EVIL: 2.0, "speed": -1.0, "cost": 3.0}}
    with sf.Optimizer({"x": (0.0, 1.0), "y": (0.0, 1.0)}, storage=path, seed=0, n_initial=14, **options) as optimizer:
        for i in range(14):
            trial = optimizer.ask()
            x, y = trial.point["x"], trial.point["y"]
            known = {} if x + y > 1.5 else {EVIL: x, "speed": x - y**2, "cost": 2 - x - y}
            if i == 5:
                optimizer.fail(trial, "no")
            else:
                optimizer.tell(trial, known | {"heat": x + y})


@pytest.fixture(scope="module")
def site(folder):
    """The address of a server that watches the folder."""
    with served(folder) as address:
        yield address


@pytest.fixture
def study(site, folder, visit):
    """study(name, …): open the page of one study, as `visit` does."""

    def study(name="img .db", **words):
        seen = visit(site, **words)
        seen.page.get_by_role("link", name=name, exact=True).click()
        seen.page.wait_for_selector(".panels")
        return seen

    return study


def finished(seen):
    """Nothing went wrong since the page was opened."""
    assert seen.errors == []
    assert seen.requests == []


def test_the_list_and_a_study_fit_every_screen(check_page, visit, site):
    seen = visit(site, width=400)
    address = seen.page.get_by_role("link", name="img .db", exact=True).get_attribute("href")
    assert seen.sticking_out() == []
    check_page(site + address)


def test_the_star_of_a_contour_is_in_the_ring_of_its_trial(study):
    page = study().page
    page.get_by_role("heading", name="Prediction over").scroll_into_view_if_needed()
    page.locator("path.cells").last.wait_for(timeout=20_000)
    page.get_by_role("combobox", name="Across").select_option("kind")
    page.get_by_role("combobox", name="Upwards").select_option("rate")
    page.locator("svg .name", has_text="kind").first.wait_for(state="attached")
    panel = page.locator(".panel", has=page.get_by_role("heading", name="Prediction over two parameters"))
    top = [float(at) for at in re.findall(r"[\d.]+", panel.locator(".chart path.star").get_attribute("d"))[:2]]
    spots = panel.locator(".chart").evaluate("chart => chart.chart.spots")
    assert min(abs(x - top[0]) + abs(y - 7 - top[1]) for x, y, _ in spots) < 0.2


def test_names_from_files_are_text(study):
    seen = study()
    assert seen.page.locator("main img").count() == 0
    assert seen.page.locator("h1").inner_text() == "img .db"
    assert EVIL in seen.page.get_by_role("region", name="Failures by reason").inner_text()
    finished(seen)


def test_everything_is_drawn(study):
    seen = study()
    page = seen.page
    assert page.locator(".tile").first.inner_text().startswith("Best value (smallest)")
    names = ("Convergence", "Result", "Which parameters matter", "Prediction over two parameters", "Timeline")
    for name in (*names, "Parallel coordinates", "Accuracy of the search", "Failures", "Pending", "Trials", "Settings"):
        heading = page.get_by_role("heading", name=name, exact=True)
        heading.first.wait_for(timeout=20_000)  # some wait for the model
        assert heading.count() == 1
    assert page.get_by_text("1 trial is pending.").count() == 1
    assert page.locator("path.run.state-failed").count() == 1
    page.locator(".said dt", has_text="best seen").wait_for(timeout=20_000)
    page.locator(".share").first.wait_for()
    page.get_by_role("heading", name="Prediction along").scroll_into_view_if_needed()
    page.wait_for_selector(".multiple .band")
    assert page.locator(".multiple", has_text="depth").first.locator(".dot").count() > 0
    page.get_by_role("heading", name="Prediction over").scroll_into_view_if_needed()
    page.locator("path.cells").last.wait_for()
    page.get_by_role("combobox", name="Upwards").select_option("depth")
    page.locator("svg .name", has_text="depth").first.wait_for(state="attached")
    finished(seen)


def test_the_words_are_those_of_the_printed_result(study, folder):
    page = study("constrained.db", width=1500).page
    page.locator(".said dt", has_text="best seen").wait_for(timeout=20_000)
    printed = " ".join(str(sf.load(folder / "constrained.db")).split())
    for text in page.locator(".said dd").all_inner_texts()[:-1]:  # the last one counts the time of choosing anew
        assert " ".join(text.split()) in printed


def test_where_values_are_noisy_the_point_to_use_is_recommended(study, folder):
    result = sf.load(folder / "noisy.db")
    page = study("noisy.db", width=1500).page
    tile = page.locator(".tile", has_text="Recommended")
    tile.wait_for(timeout=20_000)
    recommended = next(trial for trial in result.trials if trial.point == result.x_recommended)
    assert f"trial {recommended.number}" in tile.inner_text()
    assert page.locator(".chart").first.locator("path.star").count() == 1
    assert page.locator(".chart").first.locator("path.star.recommended").count() == 1
    assert page.get_by_role("heading", name=f"Trial {recommended.number}", exact=True).count() == 1
    assert "recommended" in page.locator("aside .badges").inner_text()
    page.get_by_role("heading", name="Value against each parameter").scroll_into_view_if_needed()
    page.locator(".multiple path.star.recommended").first.wait_for(state="attached")
    assert page.get_by_label("Recommended point").count() == 1


def test_charts_are_on_paper_though_nobody_scrolled_to_them(study):
    page = study(height=400).page
    page.locator(".said dt", has_text="best seen").wait_for(timeout=20_000)
    empty = ".chart svg:not([viewBox])"
    drawn = page.locator(empty).count()
    assert drawn > 4
    page.pdf()
    folded = page.locator(f"details {empty}").count()
    assert page.locator(empty).count() == folded


def test_accuracy_is_folded_away(study):
    page = study(width=1500).page
    fold = page.locator("details", has_text="The median gap")
    assert fold.evaluate("e => e.open") is False
    fold.locator("summary").click()
    fold.locator("svg[viewBox] path.mark").first.wait_for(state="attached")


def test_an_axis_shows_the_distance_to_the_best(study, folder):
    with sf.Optimizer({"x": (0.0, 1.0)}, storage=folder / "falling.db", seed=0, n_initial=9) as optimizer:
        for i in range(9):
            optimizer.tell(optimizer.ask(), 3 + 10.0**-i)
    page = study("falling.db", width=1500).page
    page.get_by_role("combobox", name="Axis").select_option("distance to the best, log")
    page.locator("svg .name", has_text="distance to the best value").first.wait_for(state="attached")


def test_pruned_trials_are_counted_and_marked(study, visit, site, folder):
    options = {"direction": "maximize", "pruner": sf.pruning.Median(), "n_initial": 9}
    with sf.Optimizer({"x": (0.0, 1.0)}, storage=folder / "halted.db", seed=0, **options) as optimizer:
        optimizer.tell(optimizer.ask(), 5.0)
        for i in range(6):
            trial = optimizer.ask()
            optimizer.prune(trial) if i % 2 else optimizer.tell(trial, 1.0)
    seen = study("halted.db", width=1500)
    page = seen.page
    assert "6 trials ago" in page.locator(".tile", has_text="Last improvement").inner_text()
    panel = page.locator(".panel", has=page.get_by_role("heading", name="Convergence", exact=True))
    panel.locator(".legend li", has_text="pruned").wait_for()
    assert panel.locator(".chart path.mark.diamond").get_attribute("d").count("M") == 3
    assert panel.locator(".chart").evaluate("chart => chart.chart.spots.length") == 7
    against = page.locator(".panel", has=page.get_by_role("heading", name="Value against each parameter"))
    against.locator(".chart path.mark.diamond").first.wait_for(state="attached")
    finished(seen)
    page = visit(site).page
    row = page.get_by_role("row", name=re.compile("halted"))
    row.wait_for()
    assert row.locator("td.column-pruned").inner_text() == "3"
    assert page.get_by_role("columnheader", name="Pruned").is_visible()
    for name in ("halted.db", "constrained.db"):
        page.get_by_role("checkbox", name=f"Compare {name}").check()
    page.get_by_role("link", name="Compare 2 studies").click()
    line = page.get_by_role("region", name="Studies side by side").locator("tr", has_text="halted")
    line.wait_for()
    assert line.locator("td").all_inner_texts()[4:6] == ["7", "3"]  # evaluations, and how many of them were pruned


def test_a_comparison_by_the_distance_to_the_best_falls_to_the_best_itself(visit, site, folder):
    for name in ("fallen", "twin"):
        with sf.Optimizer({"x": (0.0, 1.0)}, storage=folder / f"{name}.db", seed=0, n_initial=9) as optimizer:
            for i in range(6):
                optimizer.tell(optimizer.ask(), 3 + 10.0 ** -min(i, 4))
    page = visit(site, width=1500).page
    for name in ("fallen.db", "twin.db"):
        page.get_by_role("checkbox", name=f"Compare {name}").check()
    page.get_by_role("link", name="Compare 2 studies").click()
    page.locator(".axes text", has_text=re.compile("^best$")).wait_for(state="attached")
    heights = [float(y) for y in re.findall(r"V([\d.]+)", page.locator(".chart path.line.study-0").get_attribute("d"))]
    assert heights == sorted(heights)
    assert heights[-1] - heights[-2] == pytest.approx(heights[1] - heights[0], abs=1)  # a tenth, as before it
    dashes = [page.locator(f".chart path.line.study-{i}").evaluate(DASHES) for i in (0, 1)]
    assert dashes[0] == "none" != dashes[1]  # two equal lines are both visible


DASHES = "path => getComputedStyle(path).strokeDasharray"


def test_the_state_of_a_study_is_explained(study):
    badge = study("front.db").page.locator("h1 ~ * .badge").first
    assert "a process has it open for writing" in badge.get_attribute("title")


def test_notes_and_attributes_are_text_and_can_be_searched(study):
    seen = study(width=1600)
    page = seen.page
    page.get_by_role("searchbox", name="Filter trials").fill("odd")
    page.get_by_text("1 of 17 trials").wait_for()
    page.locator('tr[data-trial="2"]').click()
    page.locator("aside dt", has_text="operator").wait_for()
    assert page.locator("aside dd", has_text=EVIL).count() == 2
    assert page.locator("main img").count() == 0
    finished(seen)


def test_studies_are_compared(visit, site, folder):
    for seed in (1, 2):
        with sf.Optimizer({"x": (0.0, 1.0)}, storage=folder / f"{seed}{EVIL[1:5]}.db", seed=seed, n_initial=9) as opt:
            for _ in range(5 * seed):
                trial = opt.ask()
                opt.tell(trial, 10 ** (-5 * trial.point["x"]))
    seen = visit(site, width=400, scheme="dark")
    page = seen.page
    for seed in (1, 2):
        page.get_by_role("checkbox", name=f"Compare {seed}img").check()
    page.get_by_role("link", name="Compare 2 studies").click()
    page.get_by_role("heading", name="Comparison of 2 studies").wait_for()
    page.locator("svg[viewBox] path.line.study-1").wait_for(state="attached")
    assert seen.sticking_out() == []
    rows = page.get_by_role("region", name="Studies side by side").locator("tbody tr").all_inner_texts()
    assert [re.search(r"\dimg", row).group() for row in rows] == ["1img", "2img"]
    assert "After 5 evaluations" in page.get_by_role("region", name="Studies side by side").inner_text()
    assert page.get_by_role("region", name="Differing settings").locator("tbody tr").count() == 1  # the seed
    with sf.Optimizer.resume(folder / f"1{EVIL[1:5]}.db") as opt:
        opt.tell(opt.ask(), -7.0)
    page.get_by_role("cell", name="-7", exact=True).first.wait_for(timeout=10_000)
    page.get_by_role("link", name="1img").click()
    page.get_by_role("heading", name="1img").wait_for()
    finished(seen)


def test_studies_of_different_senses_share_no_axis(visit, site):
    page = visit(site).page
    for name in ("noisy.db", "constrained.db"):
        page.get_by_role("checkbox", name=f"Compare {name}").check()
    page.get_by_role("link", name="Compare 2 studies").click()
    page.get_by_text("different objectives or senses").wait_for()
    assert page.locator(".chart").count() == 0
    other = page.get_by_role("region", name="Differing settings").locator("tbody tr").all_inner_texts()
    assert other[0].startswith("Parameters")  # first of all: what was searched
    page.evaluate("location.hash = '#/compare/none,%3Cb%3E'")
    page.get_by_text("None of these studies can be read").wait_for()


def test_a_study_that_is_being_written_grows_on_the_page_and_nothing_chosen_is_lost(visit, site, folder):
    with sf.Optimizer(SPACE, storage=folder / "running.db", seed=1, n_initial=60) as optimizer:
        grow(optimizer, 40)
        seen = visit(site)
        page = seen.page
        page.get_by_role("link", name="running.db").click()
        page.get_by_role("searchbox", name="Filter trials").fill("plain")
        rows = page.get_by_role("region", name="Trials;")
        rows.evaluate("rows => rows.scrollTop = 90")
        page.locator("tr[data-trial]").nth(9).click()
        chosen = page.locator("tr[aria-current=true]").get_attribute("data-trial")
        top = page.evaluate(TOP_ROW)
        grow(optimizer, 9)
        page.get_by_text("of 49 trials").first.wait_for(timeout=10_000)
        assert page.get_by_role("searchbox", name="Filter trials").input_value() == "plain"
        assert page.locator("tr[aria-current=true]").get_attribute("data-trial") == chosen
        assert page.evaluate(TOP_ROW) == top
        assert page.get_by_role("heading", name=f"Trial {chosen}").is_visible()
        assert "trial=" + chosen in page.url
        page.locator(".badge.study-running").wait_for()
    finished(seen)


# The number of the trial whose row is the first below the headings.
TOP_ROW = """() => {
  const top = document.querySelector(".rows th").getBoundingClientRect().bottom;
  const rows = [...document.querySelectorAll("tr[data-trial]")];
  return rows.find(row => row.getBoundingClientRect().bottom > top + 1).dataset.trial;
}"""


def test_a_trial_is_filtered_selected_and_told_in_every_place(study):
    seen = study(width=1600)
    page = seen.page
    said = page.locator(".panel", has=page.locator(".rows")).locator(".sentence")
    page.get_by_role("button", name="done").click()
    page.get_by_role("button", name="pending").click()
    assert said.inner_text() == "4 of 17 trials"
    page.get_by_role("button", name="done").click()
    page.get_by_role("searchbox", name="Filter trials").fill("value<3 trial>=4")
    numbers = [int(text) for text in page.locator("tr[data-trial] td:first-child").all_inner_texts()]
    assert numbers == sorted(numbers, reverse=True)
    assert min(numbers) >= 4
    page.locator(".chart path.pale").first.wait_for(state="attached")  # the charts show what is left
    page.get_by_role("columnheader", name="trial").get_by_role("button").click()
    assert page.locator("tr[data-trial]").first.get_attribute("data-trial") == str(min(numbers))
    page.locator(".chart").first.scroll_into_view_if_needed()
    x, y, number = page.evaluate(SPOT)
    page.mouse.move(x, y)
    assert page.locator(".tip:visible").inner_text().startswith(f"Trial {number}: ")
    page.mouse.click(x, y)
    assert page.get_by_role("heading", name=f"Trial {number}").is_visible()
    assert page.locator("circle.selected[visibility=visible]").count() >= 2
    page.get_by_text("Search for this point").click()
    assert "not the distance" in page.locator("aside").inner_text()
    page.keyboard.press("Escape")
    assert page.locator("circle.selected[visibility=visible]").count() == 0
    finished(seen)


# Where trial 14, which the model chose, lies in the window.
SPOT = """() => {
  const chart = document.querySelector(".chart"), box = chart.getBoundingClientRect();
  const [x, y, number] = chart.chart.spots.filter(spot => spot[2] == 14)[0];
  return [box.left + x, box.top + y, number];
}"""


def test_the_keyboard_walks_through_trials_and_the_page_says_which(study):
    page = study().page
    page.locator(".chart").first.focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    assert page.get_by_role("heading", name="Trial 1", exact=True).is_visible()
    page.locator("#live", has_text="Trial 1:").wait_for(state="attached")
    page.keyboard.press("Alt+ArrowRight")  # the browser's own: forward, where there is nothing
    page.keyboard.press("Control+ArrowRight")
    assert page.get_by_role("heading", name="Trial 1", exact=True).is_visible()


def test_empty_damaged_and_deleted_studies_are_said_to_be_so(visit, site, folder):
    path = folder / "doomed.db"
    with sf.Optimizer(SPACE, storage=path, seed=2, n_initial=60) as optimizer:
        grow(optimizer, 40)
    seen = visit(site)
    page = seen.page
    page.get_by_role("link", name="empty.db").click()
    page.get_by_text("This study has no trial yet").wait_for()
    page.go_back()
    page.get_by_role("link", name="doomed.db").click()
    page.get_by_role("heading", name="doomed.db").wait_for()
    page.locator("tr[data-trial]").first.wait_for()  # what was read before the damage stays on the page
    content = bytearray(path.read_bytes())
    content[len(content) // 2 :] = b"\xff" * (len(content) - len(content) // 2)
    path.write_bytes(content)
    page.get_by_role("alert").get_by_text("damaged").wait_for(timeout=20_000)
    path.unlink()
    page.locator(".badge.study-gone").wait_for(timeout=20_000)
    assert page.locator("tr[data-trial]").count() > 0
    page.get_by_role("link", name="suffice").click()
    page.get_by_role("link", name="empty.db").wait_for()
    finished(seen)


def test_a_lost_connection_is_said_and_found_again(visit, tmp_path):
    with sf.Optimizer(SPACE, storage=tmp_path / "run.db", seed=3, n_initial=30) as optimizer:
        grow(optimizer, 5)
        with served(tmp_path) as address:
            page = visit(address).page  # a single study is opened at once
            page.get_by_role("heading", name="run.db").wait_for()
            page.get_by_role("searchbox", name="Filter trials").fill("design")
            page.locator('tr[data-trial="1"]').click()
        page.get_by_text("The connection is lost").wait_for()
        assert page.locator("tr[data-trial]").count() == 5
        grow(optimizer, 1)
        with served(tmp_path, port=int(address.rstrip("/").rpartition(":")[2])):
            page.locator('tr[data-trial="5"]').wait_for()
            assert not page.get_by_text("The connection is lost").is_visible()
            assert page.get_by_role("searchbox", name="Filter trials").input_value() == "design"
            assert page.locator("tr[aria-current=true]").get_attribute("data-trial") == "1"


def test_the_front_is_drawn_by_two_objectives_that_can_be_chosen(study, folder):
    result = sf.load(folder / "front.db")
    seen = study("front.db", width=1500)
    page, n = seen.page, len(result.front)
    panel = page.locator(".panel", has=page.get_by_role("heading", name="The front", exact=True))
    panel.locator("path.line.blue").wait_for()
    said = panel.inner_text()
    assert f"{n} trials are on the front" in said
    assert f"trial {result.knee().number}, is its knee" in said
    assert panel.locator("svg .name").all_text_contents()[1] == "speed (maximize)"
    assert panel.locator("svg[role] path.mark.plus").count() == 1
    panel.get_by_role("combobox", name="Upwards").select_option("cost")
    panel.get_by_text("cost (minimize)").wait_for()
    panel.get_by_role("combobox", name="Across").select_option("cost")  # the two change places
    assert panel.get_by_role("combobox", name="Upwards").evaluate("e => e.selectedOptions[0].label") == EVIL
    panel.locator("svg[role]").click(position={"x": 5, "y": 5})  # no trial is there
    finished(seen)


def test_a_study_with_a_front_fits_a_phone(study):
    seen = study("front.db", width=400, scheme="dark")
    assert seen.sticking_out() == []
    finished(seen)


def test_limits_and_the_hypervolume_are_shown_and_every_output_has_a_column(study, folder):
    result = sf.load(folder / "front.db")
    seen = study("front.db", width=1500)
    page = seen.page
    tiles = page.locator(".tiles").inner_text()
    assert f"{len(result.history.feasible)} of {len(result.history.done)} trials" in tiles
    assert f"knee: trial {result.knee().number}" in tiles
    assert page.get_by_role("heading", name="Hypervolume of the front").count() == 1
    heads = page.locator("table.trials thead").inner_text()
    assert all(name in heads for name in ("speed", "cost", "heat", "feasible", "front"))
    page.get_by_role("searchbox", name="Filter trials").fill("heat>1.2")
    beyond = [trial.number for trial in result.history.done if not trial.feasible]
    page.get_by_text(f"{len(beyond)} of 14 trials").wait_for()
    rows = page.locator("tr[data-trial]")
    assert sorted(int(row.get_attribute("data-trial")) for row in rows.all()) == beyond
    rows.first.click()
    detail = page.locator("aside.detail")
    assert "infeasible" in detail.inner_text()
    assert "required: at most 1.2" in detail.inner_text()
    page.get_by_role("combobox", name="Output").select_option("heat")
    finished(seen)


def test_a_study_with_one_objective_and_a_constraint_has_a_best_trial_and_no_front(study, folder):
    result = sf.load(folder / "constrained.db")
    page = study("constrained.db", width=1500).page
    tiles = page.locator(".tiles").inner_text()
    assert "Best value (largest)" in tiles
    best = max(result.history.feasible, key=lambda trial: trial.values["gain"])
    assert f"trial {best.number}" in tiles
    assert "1 pruned" in tiles
    assert page.locator(".bar .state-pruned").evaluate("e => e.style.flexGrow") == "1"
    assert page.get_by_role("heading", name="The front").count() == 0


def test_thousands_of_trials_are_few_elements(visit, site):
    seen = visit(site)
    page = seen.page
    count = 5000
    page.route("**/api/studies/many", lambda route: route.fulfill(json=many(count)))
    page.route("**/api/studies/many/*", lambda route: route.fulfill(json={"revision": "a.1", "problem": "none"}))
    page.route("**/api/studies/many/trials/*", lambda route: route.fulfill(json={}))
    page.route("**/api/events?study=many*", lambda route: route.fulfill(content_type="text/event-stream", body=":\n\n"))
    page.evaluate("location.hash = '#/study/many'")
    page.get_by_text("5\u202f000 trials").wait_for()
    assert page.locator("tr[data-trial]").count() < 60
    assert page.locator(".chart").first.evaluate("chart => chart.chart.spots.length") == count
    assert page.evaluate("document.querySelectorAll('*').length") < 1500
    page.get_by_role("region", name="Trials;").evaluate("rows => rows.scrollTop = rows.scrollHeight")
    page.locator('tr[data-trial="0"]').wait_for()


def many(count):
    """What a server says of a large study."""
    rng = np.random.default_rng(0)
    columns = {word: [None] * count for word in ("seconds", "gap", "enough", "looked_elsewhere", "reason", "cause")}
    columns |= {"number": list(range(count)), "state": ["done"] * count, "origin": ["model"] * count}
    columns |= {"value": rng.random(count).tolist(), "params": {"x": rng.random(count).tolist()}}
    x = {"name": "x", "kind": "float", "low": 0, "high": 1, "log": False, "step": None, "options": [], "when": None}
    summary = {"id": "many", "name": "many.db", "state": "quiet", "problem": None, "direction": "minimize"}
    summary |= {"changed": time.time()}
    return {"summary": summary, "revision": "a.1", "parameters": [x], "settings": {}, "trials": columns}


def test_an_axis_shows_what_the_figures_of_a_report_show(visit, site):
    page = visit(site).page
    rng = np.random.default_rng(0)
    samples = [rng.lognormal(0, scale, 40).tolist() for scale in (0.1, 1, 3)]
    for values in (*samples, [2.0], [1.0, 1.0], [1e-3, 1e9, 1, 2, 3]):
        for larger in (False, True):
            for log in (False, True):
                wanted = window(np.array(values), larger=larger, log=log)
                words = json.dumps({"larger": larger, "logarithmic": log})
                script = f"v => import('/static/chart.js').then(m => m.limits(v, {words}))"
                got = page.evaluate(script, values)
                assert [got["low"], got["high"]] == pytest.approx([wanted.low, wanted.high], rel=1e-12)


def test_an_axis_of_a_run_shows_what_the_figure_shows(visit, site):
    page = visit(site).page
    rng = np.random.default_rng(0)
    falling = [[10 ** (-i / 4) * rng.random() for i in range(n)] for n in (1, 2, 9, 40)]
    for values in (*falling, rng.random(30).tolist(), [3.0, 2.0, 1.0, 1.0, 1.0]):
        for larger in (False, True):
            best = (np.maximum if larger else np.minimum).accumulate(values)
            wanted = ending(np.array(values), best, larger=larger)
            script = (
                f"([v, b]) => import('/static/chart.js').then(m => m.ending(v, b, {json.dumps({'larger': larger})}))"
            )
            got = page.evaluate(script, [values, best.tolist()])
            assert [got["low"], got["high"]] == pytest.approx([wanted.low, wanted.high], rel=1e-12)


def test_numbers_are_short_and_can_be_told_from_their_neighbours(visit, site):
    page = visit(site).page
    script = "([value, digits]) => import('/static/format.js').then(m => m.number(value, digits))"
    for value, digits, text in (
        (0.978932, 6, "0.978932"),
        (-1.5, 6, "-1.5"),
        (1234567.0, 7, "1\u202f234\u202f567"),
        (3.2e-7, 6, "3.2e-7"),
        (2e300, 6, "2e300"),
        (0.0, 6, "0"),
        (None, 6, "–"),
    ):
        assert page.evaluate(script, [value, digits]) == text
    # Rounding does not hide the distance to the next value.
    script = """([best, values]) => import('/static/format.js').then(
      m => m.number(best, m.digitsApart(best, values)).replace('−', '-'))"""
    for best, other in ((0.9999999927, 0.9999999), (0.1, 0.10000001), (5.0, 4.0), (-12.345678, -12.3456)):
        shown = float(page.evaluate(script, [best, [best, other]]).replace("\u202f", ""))
        assert abs(shown - best) < abs(shown - other) / 5


def test_an_axis_of_any_range_of_floats_has_ends_and_ticks(visit, site):
    page = visit(site).page
    words = [{"low": 1e-308, "high": 1e300, "log": True}, {"low": 5e-324, "high": 1.7e308, "log": True}]
    words += [{"low": -1e308, "high": 1e308}, {"low": -1.7e308, "high": 0}, {"low": 0, "high": 1e-300}]
    script = """given => import('/static/chart.js').then(m => {
      const [low, high] = [given.low, given.high], logarithmic = Boolean(given.log);
      const shown = m.limits([low, high, high], {larger: false, logarithmic, all: true});
      const axes = [m.ofParameter(given, 0, 100), m.vertical(shown, {height: 0, top: 100, logarithmic})];
      return axes.map(axis => [axis.place(low), axis.place(high), ...axis.ticks(4).map(({at}) => axis.place(at))]);
    })"""
    for given in words:
        for first, last, *ticks in page.evaluate(script, given):
            assert 0 <= first < last <= 100
            assert all(-1 <= tick <= 101 for tick in ticks)
            assert len(ticks) <= 12


def test_an_address_that_is_none_is_said_to_be_so(visit, site):
    page = visit(f"{site}#/study/%").page
    page.get_by_text("This study cannot be shown").wait_for()
