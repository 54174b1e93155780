"""The pages for users of other libraries: their examples run and agree, and the names that they give exist."""

import importlib.util
import re

import pytest

import suffice as sf
from suffice.result.result import Result
from suffice.study.optimizer import Optimizer

from .pages import ROOT, Page

INDEX = Page("docs/coming-from/index.md")
PAGES = {  # by the name under which the other library is imported
    "optuna": Page("docs/coming-from/optuna.md"),
    "skopt": Page("docs/coming-from/scikit-optimize.md"),
    "ax": Page("docs/coming-from/ax.md"),
    "botorch": Page("docs/coming-from/botorch.md"),
    "bayes_opt": Page("docs/coming-from/bayes-opt.md"),
    "smac": Page("docs/coming-from/smac.md"),
}


@pytest.fixture(scope="module", params=PAGES.values(), ids=PAGES)
def ran(request, tmp_path_factory):
    """A page after all its blocks were run; the program in the other library's words is but written."""
    return request.param.run(tmp_path_factory.mktemp("page"))


def objective(ran, point):
    f = ran["score"] if "score" in ran.names else ran["loss"]
    return f(**point) if ran.page is PAGES["ax"] else f(point)


def test_there_is_a_test_for_each_page():
    paths = {path.relative_to(ROOT).as_posix() for path in (ROOT / "docs" / "coming-from").glob("*.md")}
    assert paths == {page.path for page in (INDEX, *PAGES.values())}


def test_the_first_page_finds_what_it_looks_for(tmp_path):
    first = INDEX.run(tmp_path)
    assert first["result"].fun > 0.99
    assert first["opt"].best.value > -2
    with first.entered():
        again = sf.maximize(first["score"], first["space"], n_trials=30, seed=0, storage="run.db")
    assert len(again.trials) == 30  # the same line run again has nothing to do


def test_our_run_ends_at_the_optimum(ran):
    best = sf.load(ran.folder / "run.db").x if ran.page is PAGES["ax"] else ran["result"].x
    C, n, *kind = best.values() if isinstance(best, dict) else best
    assert n == 4
    assert 9 < C < 11
    assert kind in (["a"], [])  # BoTorch's page has no option


def test_finished_trials_come_along_and_are_of_the_same_function(ran):
    again = ran["again"] if "again" in ran.names else ran["opt"]
    told = again.trials[: len(ran["finished"])]
    assert [trial.value for trial in told] == [value for _, value in ran["finished"]]
    for trial in told:
        assert trial.solve is None
        assert objective(ran, trial.point) == pytest.approx(trial.value, rel=1e-6)


@pytest.mark.parametrize("package", list(filter(importlib.util.find_spec, PAGES)))
def test_their_program_runs_where_the_package_is_installed(package, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    names = {}
    exec(PAGES[package].file(f"with_{package}.py"), names)
    assert len(names["finished"]) == 30


@pytest.mark.parametrize("page", [INDEX, *PAGES.values()], ids=["index", *PAGES])
def test_every_method_that_a_page_names_exists(page):
    for name in re.findall(r"\bsf\.plot\.(\w+)", page.text):
        assert hasattr(sf.plot, name), name
    for name in re.findall(r"`opt\.(\w+)", page.text):
        assert hasattr(Optimizer, name), name
    items = {"x", "fun", "trials", "x_iters", "func_vals", "front", "hypervolume", "reference"}
    for name in re.findall(r"`result\.(\w+)", page.text):
        assert name in items or hasattr(Result, name), name
