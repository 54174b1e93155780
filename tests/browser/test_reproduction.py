"""The report of a reproduction in a browser: readable at any width, in the dark and on paper."""

import pytest

from suffice.lab.plan import Method
from suffice.paper import report
from suffice.paper.presets import ENOUGH, SUFFICE, UNIFORM
from suffice.paper.report import write_report

pytest.importorskip("matplotlib")

LBFGSB = Method("lbfgsb", "L-BFGS-B", UNIFORM.make)
LINES = """element => {
  const range = document.createRange();
  range.selectNodeContents(element);
  return new Set([...range.getClientRects()].filter(box => box.width > 1).map(box => Math.round(box.bottom))).size;
}"""


@pytest.fixture(scope="module")
def path(make_plan, make_runs, tmp_path_factory, few_charts):
    few_charts(report, "regret", "published", "regret-and-time")
    plan = make_plan({"hartmann3": 6, "levy5": 6}, UNIFORM, LBFGSB, ENOUGH, SUFFICE, name="main", reps=3)
    return write_report(tmp_path_factory.mktemp("out"), plan, make_runs(plan), command="suffice reproduce main")


def test_nothing_is_cut_off_at_any_width_and_on_paper(check_page, path):
    check_page(path)


@pytest.mark.parametrize(("width", "media"), [(400, "screen"), (1200, "screen"), (703, "print")])
def test_names_stay_in_one_line(visit, path, width, media):
    page = visit(path, width=width, media=media).page
    for name in ("L-BFGS-B", "Hartmann 3d"):
        cells = page.locator("th, td", has_text=name).all()
        assert len(cells) > 3
        exact = [cell for cell in cells if cell.inner_text() == name]
        assert {cell.evaluate(LINES) for cell in exact} == {1}
    assert {word.evaluate(LINES) for word in page.locator("p .whole, figcaption .whole").all()} == {1}


def test_what_scrolls_can_be_scrolled_to_its_end(visit, path):
    page = visit(path, width=400).page
    table = page.locator(".scroll.broad").first
    assert table.evaluate("e => e.scrollWidth > e.clientWidth")
    table.evaluate("e => { e.scrollLeft = 1e6 }")
    last, window = table.locator("thead th").last.bounding_box(), table.bounding_box()
    assert last["x"] + last["width"] <= window["x"] + window["width"] + 1
    first = table.locator("tbody th").first.bounding_box()
    assert first["x"] == pytest.approx(window["x"], abs=1)  # the name of the row is still there


def test_figures_are_dark_in_the_dark(visit, path):
    page = visit(path, scheme="dark").page
    grounds = page.eval_on_selector_all(
        "svg.drawing > g > g > path:first-child", "all => all.map(e => getComputedStyle(e).fill)"
    )
    assert len(grounds) >= 3
    assert "rgb(255, 255, 255)" not in grounds
    assert grounds.count("rgb(22, 24, 27)") >= page.locator("svg.drawing").count()
