"""The pages about the ideas: what they say of their examples is true, and their formulas are those of the code."""

import re

import pytest

from suffice.accuracy.estimate import DELTA, LONGEST, MISS, runs_for
from suffice.solvers import Adaptive, Grid, Linear
from suffice.solvers.adaptive import BENT, BENT_ROUNDS, LEAST, MOST, ROUNDS, UNBOUND
from suffice.types import Status

from .pages import ROOT, Page

INEXACT = Page("docs/ideas/inexact.md")
BUDGET = Page("docs/ideas/budget.md")
CERTIFICATE = Page("docs/ideas/certificate.md")
ESTIMATES = Page("docs/ideas/estimates.md")
BOUNDS = Page(path="docs/ideas/bounds.md")  # test_bounds_page.py runs it


@pytest.fixture(scope="module", params=[INEXACT, BUDGET, CERTIFICATE], ids=lambda page: page.path)
def ran(request, tmp_path_factory):
    return request.param.run(tmp_path_factory.mktemp("page"))


def test_the_examples_show_what_their_pages_say(ran):
    if ran.page is INEXACT:
        grid, enough = ran["grid"].accuracy, ran["enough"].accuracy
        assert 0 <= enough.m_estimated < 0.1 * grid.m_estimated
        assert ran["missed"] < 1e-6  # of the last in the loop, Adaptive
    elif ran.page is BUDGET:
        assert ran["ledger"].inaccuracies <= 0.1 * ran["ledger"].widths
        assert ran["solve"].inaccuracy <= ran["solve"].allowance
        assert ran["solve"].status is Status.DONE
    else:
        proofs = ran["result"].accuracy
        assert proofs.certified.max() < 1e-6
        assert all(report.upper_certified >= report.value for report in proofs.reports)
        assert (ran["solve"].upper_kind, ran["solve"].confidence) == ("certified", 1.0)


def test_the_budget_has_the_constants_of_the_code():
    solver, text = Adaptive(), BUDGET.text
    assert f"ĝ = {MISS:g} p S" in text
    assert f"share={solver.share:g}" in text
    assert f"s S/{1 / MOST:g}), at least s S/{1 / LEAST:g}" in text
    assert f"{solver.draws} uniform samples" in text
    assert solver.cap == 8  # "eight times the evaluations of the first batch"
    allowed = MOST * solver.share
    assert runs_for(1, allowed, 1.0) == 18 == solver._first()
    assert runs_for(8, allowed, 1.0) == 50
    assert f"may leave s S/{1 / UNBOUND:g}." in text
    assert (BENT, BENT_ROUNDS, ROUNDS) == (10, 8, 10)
    assert f"counts as {LONGEST:g} at most" in text.replace("\n", " ")


def test_the_estimates_have_the_constants_of_the_code():
    assert f"θ = {MISS:g}" in ESTIMATES.text
    assert f"δ = {DELTA:g}" in ESTIMATES.text
    assert Grid().size == Linear(100)  # the paper's, on the page about it


@pytest.mark.parametrize("page", [*sorted((ROOT / "docs" / "ideas").glob("*.md"))], ids=lambda page: page.name)
def test_every_function_that_a_page_names_is_in_its_room(page):
    """ "`one` and `other` in `suffice.room`" """
    text = page.read_text(encoding="utf-8")
    for names, room in re.findall(r"((?:`\w+` and )?`\w+`)\s+in\s+`suffice\.(\w+)`", text):
        sources = [path.read_text(encoding="utf-8") for path in (ROOT / "src" / "suffice" / room).rglob("*.py")]
        for name in re.findall(r"`(\w+)`", names):
            found = any(re.search(rf"^(def|class) {name}\b", source, re.MULTILINE) for source in sources)
            assert found, f"{name} is not in suffice.{room}"


def test_the_table_of_formulas_names_functions():
    table = BOUNDS.text.partition("| formula | in the paper | in the code |")[2].partition("\n\n")[0]
    assert len(re.findall(r"in `suffice\.\w+`", table)) >= 10
