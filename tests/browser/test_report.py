"""The page of a study, opened in a browser."""

import numpy as np
import pytest

import suffice as sf
from suffice.report import write

EVIL = ("<img src=x onerror=alert(1)>", "</script><script>alert(2)</script>", "\u202ertl", "w" * 10_000)


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    """A study with everything on its page, and names that are not harmless."""
    space = {name: sf.Float(-1, 1) for name in EVIL} | {"kind": sf.Choice(*EVIL), "n": sf.Int(1, 9)}
    space["only"] = sf.Float(1e-3, 1, log=True, when={"kind": EVIL[0]})
    opt = sf.Optimizer(space, seed=0, n_initial=12)
    for i in range(14):
        trial = opt.ask()
        if i % 4 == 3:
            opt.fail(trial, EVIL[i // 4])
        else:
            opt.tell(trial, float(np.sum(trial.unit)), seconds=1.0)
    opt.ask()
    path = tmp_path_factory.mktemp("report") / "report.html"
    write(opt, path, name=EVIL[0])
    return path


def test_nothing_is_cut_off_and_nothing_is_asked_for(check_page, path):
    check_page(path)


def test_names_are_text(visit, path):
    page = visit(path).page
    assert page.locator("img").count() == 0
    assert page.locator("script").count() == 1
    assert page.locator("h1").inner_text() == f"Report: {EVIL[0]}"
    assert page.title() == f"Report: {EVIL[0]}"


def test_every_section_that_scrolls_is_reached_with_the_keyboard(visit, path):
    page = visit(path, width=400).page
    page.eval_on_selector_all("details", "all => all.forEach(e => e.open = true)")
    regions = page.locator('[role="region"]').count()
    reached = set()
    for _ in range(regions + 30):
        page.keyboard.press("Tab")
        reached.add(page.evaluate("[...document.querySelectorAll('[role=region]')].indexOf(document.activeElement)"))
    assert reached - {-1} == set(range(regions))


def test_a_program_can_read_the_data(visit, path):
    rows = visit(path).page.evaluate("JSON.parse(document.getElementById('data').textContent).rows")
    assert len(rows) == 15


def test_the_best_trials_unfold(visit, path):
    page = visit(path).page
    table = page.locator("details table")
    assert not table.is_visible()
    page.locator("summary").click()
    assert table.is_visible()
