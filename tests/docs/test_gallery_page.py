"""The gallery: every line on it draws, every function is on it, and the pictures are there and small."""

import re

import numpy as np
import pytest

import suffice as sf

from .pages import ROOT, Page

pyplot = pytest.importorskip("matplotlib.pyplot")

PAGE = Page("docs/gallery.md")
FIRST, *LINES = PAGE.code("python")
PICTURES = re.findall(r"^!\[[^\]]+\]\(([^)]+)\)$", PAGE.text, re.MULTILINE)


@pytest.fixture(scope="module")
def names():
    """What the names of the page stand for after its first block."""
    found = {}
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(ROOT)
        exec(FIRST, found)
    return found


def test_the_run_is_the_one_that_the_page_speaks_of(names):
    result = names["result"]
    assert result.nfev == 60
    assert len(result.settings.space.coordinates) == 6
    assert any("more components" not in t.reason and "n_components" in t.reason for t in result.history.failed)
    assert all(t.point["components"] > 64 for t in result.history.failed)
    assert result.fun_recommended_sd > 0


@pytest.mark.parametrize("line", LINES, ids=lambda line: line.strip())
def test_a_line_draws_its_figure(names, line):
    try:
        drawn = eval(line, dict(names))
        first = drawn.ravel()[0] if isinstance(drawn, np.ndarray) else drawn
        getattr(first, "figure", first).draw_without_rendering()
    finally:
        pyplot.close("all")


def test_every_function_has_a_line_and_every_line_a_picture():
    shown = set(re.findall(r"sf\.plot\.(\w+)\(", " ".join(LINES)))
    assert shown == set(sf.plot.__all__) - {"overview", "interactive"}
    assert "result.plot()\n" in LINES
    assert len(PICTURES) == len(LINES)


def test_the_pictures_are_there_and_small():
    for name in PICTURES:
        assert 2_000 < (ROOT / "docs" / name).stat().st_size < 80_000, name
    whole = ROOT / "docs" / "figures" / "overview.png"
    assert whole.stat().st_size < 150_000
    height, width, _ = pyplot.imread(whole).shape
    assert width == 1400
    assert height < width
