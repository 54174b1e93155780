"""The report: one page that parses, shows what it should, and needs nothing from elsewhere."""

import builtins
import csv
import re
from dataclasses import replace
from html.parser import HTMLParser

import pytest

from suffice.lab.plan import Method
from suffice.lab.report import cells, grouped
from suffice.paper import report
from suffice.paper.plots import charts
from suffice.paper.presets import ENOUGH, SUFFICE, UNIFORM
from suffice.paper.report import methods, outcomes, write_report
from suffice.text import UNKNOWN

pytest.importorskip("matplotlib")

VOID = {"meta", "img", "br", "link", "hr"}


class Reader(HTMLParser):
    """Reads a page: elements in order, its text, and whether every tag is closed in its place."""

    def __init__(self, text):
        super().__init__()
        self.elements, self.text, self.open = [], "", []
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if self.open and self.open[-1] != "style":
            self.text += data + "\n"

    def all(self, tag):
        return [attrs for name, attrs in self.elements if name == tag]


@pytest.fixture(scope="module")
def main(make_plan):
    return make_plan({"branin": 6, "levy5": 6}, UNIFORM, ENOUGH, name="main", reps=3)


@pytest.fixture(scope="module")
def written(tmp_path_factory, main, make_runs):
    folder = tmp_path_factory.mktemp("report")
    return write_report(folder / "out", main, make_runs(main), command="suffice reproduce main")


@pytest.fixture
def undrawn(monkeypatch):
    """A report without figures, which is all the same where only words matter."""
    monkeypatch.setattr(report, "charts", lambda found: [])


def test_the_page_parses_and_stands_alone(written):
    text = written.read_text(encoding="utf-8")
    read = Reader(text)
    assert not any("src" in attrs for _, attrs in read.elements)
    ids = [attrs["id"] for _, attrs in read.elements if "id" in attrs]
    assert len(set(ids)) == len(ids)
    assert [attrs["href"] for attrs in read.all("a")] == [f"#{attrs['id']}" for attrs in read.all("section")]
    assert len({attrs["id"] for attrs in read.all("section")}) == len(read.all("section")) > 5
    assert not re.search(r"https?://|@import|url\([^#]|<script|<link", text)
    assert read.all("html") == [{"lang": "en"}]
    assert any(attrs.get("name") == "viewport" for attrs in read.all("meta"))
    assert "prefers-color-scheme: dark" in text
    assert "@media print" in text


def test_whoever_does_not_see_it_is_told(written):
    read = Reader(written.read_text(encoding="utf-8"))
    assert read.all("svg")
    assert all(attrs["role"] == "img" and len(attrs["aria-label"]) > 20 for attrs in read.all("svg"))
    assert all(attrs.get("scope") in ("col", "row") for attrs in read.all("th"))
    assert len(read.all("caption")) == len(read.all("table")) > 2
    assert len(read.all("figcaption")) == len(read.all("figure")) == len(read.all("svg"))
    assert all(attrs["aria-label"] for attrs in read.all("div") if attrs.get("role") == "region")


def test_files_are_where_they_are_said_to_be(written):
    folder = written.parent
    names = {path.stem for path in (folder / "figures").glob("*.svg")}
    assert names == {path.stem for path in (folder / "figures").glob("*.png")}
    assert {"regret", "published", "simple-regret", "seconds", "regret-and-time", "relative-gap", "bound"} <= names
    assert not names & {"dimension", "holes", "eta"}  # one family, a grid, and enough audits would have them
    tables = {path.name for path in (folder / "tables").iterdir()}
    assert tables == {f"{name}.csv" for name in ("cells", "published", "paired", "bound", "theorems", "ingredients")}
    with (folder / "tables" / "published.csv").open(encoding="utf-8", newline="") as file:
        assert [(row["problem"], row["method"]) for row in csv.DictReader(file)] == [
            ("branin", "uniform"),
            ("levy5", "uniform"),
        ]


def test_the_page_says_what_was_run_and_how_far_to_trust_it(written):
    text = Reader(written.read_text(encoding="utf-8")).text
    for words in ("A title", "What it is about.", "suffice reproduce main", "12 of 12", "NumPy", "SciPy"):
        assert words in text
    assert "Only 3 runs" in text
    assert "of 2 cells agree" in text


@pytest.mark.usefixtures("undrawn")
def test_verdicts_are_words_with_colours_and_missing_cells_dashes(tmp_path, main, make_run, monkeypatch):
    monkeypatch.setitem(report.REMARKS, "main", {("branin", "uniform"): "half <as> much"})
    twelve = replace(main, reps=12)
    runs = [make_run("branin", "uniform", seed, [1.0] * 6, plan="main") for seed in range(12)]  # 6, published: 29
    text = write_report(tmp_path, twelve, runs, command="c").read_text(encoding="utf-8")
    assert '<td class="differs">lower</td>' in text
    few = write_report(tmp_path, twelve, runs[:2], command="c").read_text(encoding="utf-8")
    assert "<td>lower, may be chance</td>" in few
    assert "differs" not in few.split("</style>", 1)[1]
    assert "half &lt;as&gt; much" in text
    assert "<td>no runs</td>" in text
    assert f'<td class="number">{UNKNOWN}</td>' in text
    runs = [make_run("branin", "uniform", 0, [5.0] * 6, plan="main")]
    agreeing = write_report(tmp_path, main, runs, command="c").read_text(encoding="utf-8")
    assert '<td class="agrees">agrees</td>' in agreeing
    assert "1 of 1 cells agree" in agreeing


def test_nothing_but_one_run_or_none_is_enough(tmp_path, main, make_run):
    empty = write_report(tmp_path, main, [], command="c").read_text(encoding="utf-8")
    assert "There are no runs yet." in Reader(empty).text
    run = make_run("levy5", "enough", 2, [1.0] * 6, plan="main")
    single = write_report(tmp_path, main, [run], command="c").read_text(encoding="utf-8")
    assert "1 of 12" in Reader(single).text


@pytest.mark.usefixtures("undrawn")
def test_all_text_is_escaped(tmp_path, make_plan, make_run):
    evil = '<script>alert("1")</script>&'
    plan = make_plan({"branin": 1}, Method("m", evil, UNIFORM.make), "other")
    plan = replace(plan, title=evil, about=evil)
    run = make_run("branin", "m", 0, [1.0], version=evil)
    text = write_report(tmp_path, plan, [run], command=evil).read_text(encoding="utf-8")
    assert "<script" not in text
    assert Reader(text).text.count(evil) >= 6


@pytest.mark.usefixtures("undrawn")
def test_a_plan_without_published_values_has_no_comparison(tmp_path, make_plan, make_runs):
    plan = make_plan({"branin": 4}, "one", "two")
    text = write_report(tmp_path, plan, make_runs(plan), command="c").read_text(encoding="utf-8")
    assert "agree with" not in text
    assert ">Published" not in text
    assert "Difference to ONE" in text


def names_of_charts(plan, runs):
    """What would be drawn."""
    groups = grouped(plan, runs)
    return {chart.name for chart in charts(report.findings(plan, groups))}


def test_a_plan_of_one_family_has_figures_over_dimensions(make_plan, make_runs):
    without, with_grid = (make_plan({"levy1": 3, "levy2": 3}, method) for method in (ENOUGH, UNIFORM))
    assert names_of_charts(without, make_runs(without)) & {"dimension", "holes"} == {"dimension"}
    assert names_of_charts(with_grid, make_runs(with_grid)) & {"dimension", "holes"} == {"dimension", "holes"}
    assert not names_of_charts(with_grid, [])


def test_the_bound_is_drawn_if_all_models_keep_the_units(make_plan, make_runs):
    for second, drawn in (ENOUGH, True), (SUFFICE, False):
        plan = make_plan({"branin": 4}, UNIFORM, second)
        assert ("bound" in names_of_charts(plan, make_runs(plan))) is drawn


def test_what_is_not_known_is_not_drawn(make_plan, make_run):
    plan = make_plan({"branin": 3}, "one")
    names = names_of_charts(plan, [make_run("branin", "one", 0, [1, 1, 1])])  # no audit, no reported accuracy
    assert names == {"regret", "simple-regret", "seconds"}


def test_the_lowest_of_a_row_is_marked(make_plan, make_run):
    plan = make_plan({"branin": 1, "levy5": 1}, "one", "two", "three")
    runs = [make_run("branin", name, 0, [value], fit=[9 - value]) for name, value in (("one", 2), ("two", 1))]
    text = outcomes(plan, cells(grouped(plan, runs)))
    regret, simple, seconds = re.findall("<tbody>(.*?)</tbody>", text, re.DOTALL)
    row = '<th scope="row">Branin</th><td class="number">2</td><td class="number best">1</td><td class="number">–</td>'
    assert row in regret
    assert row in simple
    assert '<td class="number best">7</td><td class="number">8</td>' in seconds
    assert text.count("best") == 3  # nothing on Levy


def test_without_matplotlib_there_are_tables_and_advice(tmp_path, main, make_runs, monkeypatch):
    real = builtins.__import__

    def absent(name, *args, **kwargs):
        if name.startswith("matplotlib"):
            raise ModuleNotFoundError(name)
        return real(name, *args, **kwargs)

    monkeypatch.setattr(builtins, "__import__", absent)
    text = write_report(tmp_path, main, make_runs(main), command="c").read_text(encoding="utf-8")
    assert "pip install" in text
    assert "<svg" not in text
    assert (tmp_path / "tables" / "cells.csv").exists()


def test_methods_are_described_by_their_parts(make_plan):
    text = Reader(methods(make_plan({"branin": 1}, UNIFORM, ENOUGH))).text
    assert "on the authors' surrogate" in text
    assert "Surrogate(sides=(15.0, 15.0))" in text
    assert "solver=Grid(near=False)" in text
