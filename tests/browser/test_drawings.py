"""Drawings in a page follow its scheme, keep to themselves and can be read."""

import pytest

from suffice.report.html import figure_inline, page

mpl = pytest.importorskip("matplotlib")
from matplotlib.figure import Figure  # noqa: E402

from suffice.plot.style import as_svg  # noqa: E402

EVIL = '<img src=x onerror="alert(1)">&'

SCHEMES = {  # colours of text and background
    "light": ("rgb(27, 27, 27)", "rgb(255, 255, 255)"),
    "dark": ("rgb(232, 232, 232)", "rgb(22, 24, 27)"),
}


def figure(title, width=7.0):
    made = Figure(figsize=(width, 2.5))
    ax = made.add_subplot()
    ax.plot([1, 2, 3], [2, 1, 3], color="#000000", marker="o", label=EVIL)
    ax.bar([1, 2], [1, 2], facecolor="white", edgecolor="#0072B2", hatch="//")
    ax.set_title(title)
    ax.legend()
    return made


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    drawn = [
        figure_inline(as_svg(figure(EVIL, width)), name=name, alt=EVIL, caption=EVIL)
        for name, width in (("first", 7.0), ("second", 3.4))
    ]
    path = tmp_path_factory.mktemp("page") / "page.html"
    path.write_text(page("A page", "", [("One", drawn[0]), ("Two", drawn[1])]), encoding="utf-8")
    return path


def test_nothing_is_cut_off_and_nothing_is_asked_for(check_page, path):
    check_page(path)


def test_text_is_text_and_harmless(visit, path):
    seen = visit(path)
    assert seen.page.locator("svg.drawing text", has_text=EVIL).count() == 4
    assert seen.page.locator("img").count() == 0
    assert seen.page.get_by_role("img", name=EVIL).count() == 2


def test_lines_letters_and_ground_follow_the_scheme_and_data_do_not(visit, path):
    for scheme, (text, back) in SCHEMES.items():
        seen = visit(path, scheme=scheme)
        assert seen.colour("svg.drawing text", "fill") == text
        fills = seen.page.eval_on_selector_all("svg.drawing path", "all => all.map(e => getComputedStyle(e).fill)")
        strokes = seen.page.eval_on_selector_all("svg.drawing path", "all => all.map(e => getComputedStyle(e).stroke)")
        assert back in fills
        assert text in strokes
        assert "rgb(0, 114, 178)" in strokes
        assert ("rgb(255, 255, 255)" in fills) is (scheme == "light")


def test_every_reference_meets_one_element_of_its_own_drawing(visit, path):
    found = visit(path).page.evaluate(
        """() => [...document.querySelectorAll("svg.drawing")].map(svg => {
          const text = svg.outerHTML;
          return [...text.matchAll(/url\\(#([^)"]+)\\)|href="#([^"]+)"/g)].map(m => m[1] || m[2]).map(id =>
            [document.querySelectorAll("#" + id).length, svg.querySelector("#" + id) !== null]);
        })"""
    )
    assert len(found) == 2
    assert all(len(references) > 3 for references in found)
    assert all(reference == [1, True] for references in found for reference in references)
