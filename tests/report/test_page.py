"""The page of a study: what is on it, for studies of every kind."""

import sys

import numpy as np
import pytest

import suffice as sf
from suffice.cli import main
from suffice.errors import MissingExtra
from suffice.report import read, write


def test_links_lead_to_sections_and_what_scrolls_can_be_reached_with_the_keyboard(report):
    page = report(sf.minimize(lambda x: float(x[0]), [(0, 1)], 5, seed=0))
    places = [value for _, name, value in page.attributes if name == "id"]
    links = [value[1:] for tag, name, value in page.attributes if (tag, name) == ("a", "href")]
    assert links
    assert set(links) <= set(places)
    assert len(set(places)) == len(places)
    regions = [i for i, (_, name, value) in enumerate(page.attributes) if (name, value) == ("role", "region")]
    assert regions
    assert all(("div", "tabindex", "0") in page.attributes[i - 1 : i + 3] for i in regions)


def test_the_same_study_gives_the_same_bytes_from_memory_from_its_file_and_again(tmp_path):
    paths = [tmp_path / f"{i}.html" for i in range(3)]
    storage = tmp_path / "run.db"
    result = sf.minimize(lambda x: float((x[0] - 0.3) ** 2), [(0, 1)], 12, seed=0, storage=storage)
    result.save(tmp_path / "run.json")
    for path, source in zip(paths, (result, sf.load(storage), sf.load(tmp_path / "run.json")), strict=True):
        write(source, path, name="run")
    assert len({path.read_bytes() for path in paths}) == 1


def test_the_address_of_an_object_without_a_repr_of_its_own_is_not_on_the_page(report):
    class Solver:
        def __call__(self, alpha, domain, *, step, rng):
            return sf.solvers.Grid(size=sf.solvers.Fixed(50))(alpha, domain, step=step, rng=rng)

    page = report(sf.minimize(lambda x: float(x[0]), [(0, 1)], 6, seed=0, solver=Solver()))
    assert "Solver object" in page.section("Settings")
    assert " at 0x" not in page.text


@pytest.mark.usefixtures("without_figures")
def test_no_name_of_a_machine_or_user_and_no_path_is_on_the_page(tmp_path, monkeypatch):
    import getpass
    import platform

    monkeypatch.chdir(tmp_path)

    def broken(x):
        if x[0] > 0.5:
            raise RuntimeError("too large")
        return float(x[0])

    result = sf.minimize(broken, [(0, 1)], 8, seed=0, storage=tmp_path / "run.db")
    write(result, "run.html", name="run.db")
    text = (tmp_path / "run.html").read_text(encoding="utf-8")
    assert "RuntimeError: too large" in text
    assert str(tmp_path) not in text
    assert __file__ not in text
    assert platform.node() not in text or platform.node() in ("", "localhost")
    assert f"/{getpass.getuser()}/" not in text


@pytest.mark.usefixtures("without_figures")
def test_the_best_points_come_best_first_in_either_sense(report):
    for solve, order in ((sf.minimize, sorted), (sf.maximize, lambda v: sorted(v, reverse=True))):
        result = solve(lambda x: round(float(x[0]), 3), [(0, 1)], 15, seed=1, n_initial=15)
        section = report(result).section("Best points")
        shown = [line for line in section.splitlines() if line]
        values = [f"{value:.6g}" for value in order([t.value for t in result.trials])[:10]]
        assert [value for value in values if any(value in line for line in shown)] == values
        places = [section.index(value) for value in dict.fromkeys(values)]
        assert places == sorted(places)


@pytest.mark.usefixtures("without_figures")
def test_inactive_parameters_have_a_dash_and_conditions_their_words(report):
    space = {"kind": sf.Choice("a", "b"), "x": sf.Float(0, 1, when={"kind": "a"})}
    opt = sf.Optimizer(space, seed=0)
    opt.tell({"kind": "b"}, 1.0)
    opt.tell({"kind": "a", "x": 0.25}, 2.0)
    page = report(opt)
    assert "1b–" in page.section("Best points").replace("\n", "")
    assert "kind = a" in page.section("Parameters")


@pytest.mark.usefixtures("without_figures")
def test_parameters_are_described_by_range_scale_and_steps(report):
    space = {
        "rate": sf.Float(1e-4, 1, log=True),
        "batch": sf.Int(16, 64, step=16),
        "size": sf.Ordinal("s", "m", "l"),
        "many": sf.Choice(*range(20)),
        "k": 3,
        "celsius": sf.Float(20, 80, step=1),
    }
    section = report(sf.Optimizer(space, seed=0)).section("Parameters")
    for words in ("0.0001 to 1", "real, log scale", "16 to 64", "integer, steps of 16", "3 options, in order"):
        assert words in section
    assert "real, steps of 1–" in section
    assert "11, 8 more" in section
    assert "always 3" in section


@pytest.mark.usefixtures("without_figures")
def test_failures_are_counted_by_cause_with_their_reasons_and_an_example(report):
    opt = sf.Optimizer({"x": (0.0, 1.0)}, seed=0)
    opt.tell({"x": 0.5}, 1.0)
    for x in (0.6, 0.7, 0.8):
        opt.fail(opt.ask(fixed={"x": x}), "out of memory", cause="crashed")
    opt.fail(opt.ask(fixed={"x": 0.1}), "not allowed", cause="infeasible")
    section = report(opt).section("Failures")
    assert "4 of 5 evaluations failed: 3 × the process died; 1 × the objective raised" in section
    assert "out of memory" in section
    assert "x = 0.6" in section
    assert "x = 0.7" not in section


@pytest.mark.usefixtures("without_figures")
def test_a_wide_space_shows_a_few_columns_and_every_parameter_once(report):
    opt = sf.Optimizer({f"p{i:03}": (0.0, 1.0) for i in range(60)}, seed=0)
    opt.tell(opt.ask(), 1.0)
    page = report(opt)
    assert page.section("Best points").count("p0") == 12
    assert "12 of 60 parameters are shown" in page.shown
    assert all(f"p{i:03}" in page.section("Parameters") for i in range(60))


def test_a_space_of_ones_own_and_one_that_is_known_by_its_description_have_their_points_shown(
    report, own_space, tmp_path
):
    with sf.Optimizer(own_space, seed=0, storage=tmp_path / "own.db") as opt:
        for _ in range(6):
            trial = opt.ask()
            opt.tell(trial, float(trial.point[0]))
        here = report(opt)
    best = str(opt.best.point)
    absent = report(sf.load(tmp_path / "own.db"))
    assert best in here.shown
    assert best in absent.shown
    assert "known only by its description" in absent.section("Parameters")


def test_parts_that_a_file_could_only_describe_do_not_hinder(tmp_path, report):
    class Mine(sf.GP):
        pass

    result = sf.minimize(lambda x: float(x[0]), [(0, 1)], 8, seed=0, model=Mine())
    result.save(tmp_path / "run.json")
    page = report(sf.load(tmp_path / "run.json"))
    assert "a custom part" in page.section("Settings")
    assert "smallest value in 8 evaluations" in page.shown


@pytest.mark.parametrize("wrong", [None, 3, "run.db", {}])
def test_what_is_no_study_is_refused(wrong, tmp_path):
    with pytest.raises(TypeError, match="wanted write\\(study, path\\)"):
        write(wrong, tmp_path / "x.html")


@pytest.mark.usefixtures("without_figures")
def test_many_trials_are_in_the_data_and_not_all_in_the_table(report, tmp_path):
    opt = sf.Optimizer([(0, 1)], seed=0)
    with opt.together():
        for x in np.linspace(0, 1, 150):
            opt.tell([x], float(x))
    page = report(opt)
    assert "The best 100 of 150 trials" in page.shown
    assert len(read(tmp_path / "report.html")["rows"]) == 150


@pytest.mark.usefixtures("without_figures")
def test_a_page_has_the_title_that_it_is_given(tmp_path):
    result = sf.minimize(lambda x: x[0] ** 2, [(-1, 2)], 4, seed=0)
    result.report(tmp_path / "page.html", title="Oven <b>12</b>")
    text = (tmp_path / "page.html").read_text()
    assert "<title>Oven &lt;b&gt;12&lt;/b&gt;</title>" in text
    assert "<h1>Oven &lt;b&gt;12&lt;/b&gt;</h1>" in text
    with pytest.raises(TypeError, match="title must be a text"):
        result.report(tmp_path / "page.html", title=12)


def test_a_result_writes_its_own_page(tmp_path):
    result = sf.minimize(lambda x: float(x[0]), [(0, 1)], 4, seed=0)
    result.report(tmp_path / "a.html")
    write(result, tmp_path / "b.html")
    assert (tmp_path / "a.html").read_bytes() == (tmp_path / "b.html").read_bytes()
    assert "report" in dir(result)


def test_without_matplotlib_the_command_that_installs_it_is_named_before_any_work(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(MissingExtra, match=r"a report needs matplotlib.*pip install 'suffice\[plot\]'"):
        write(sf.Optimizer([(0, 1)], seed=0), tmp_path / "a.html")
    assert main(["report", str(tmp_path / "missing.db")]) == 1
    assert list(tmp_path.iterdir()) == []


def test_every_figure_has_words_for_those_who_do_not_see_it(report):
    page = report(sf.minimize(lambda x: float((x[0] - 0.3) ** 2), [(0, 1)], 10, seed=0))
    images = page.tags["svg"]
    words = [value for tag, name, value in page.attributes if (tag, name) == ("svg", "aria-label")]
    assert images == len(words) == len(set(words)) == page.tags["figcaption"]
    assert images >= 3


def test_a_figure_that_cannot_be_drawn_leaves_a_line_and_the_rest_of_the_page(report, monkeypatch):
    def broken(result, ax):
        raise ValueError("too <large>")

    monkeypatch.setattr("suffice.plot.convergence", broken)
    page = report(sf.minimize(lambda x: float(x[0]), [(0, 1)], 3, seed=0))
    assert "Convergence could not be drawn: too <large>" in page.section("Progress")
    assert "Value" in page.section("Best points")
