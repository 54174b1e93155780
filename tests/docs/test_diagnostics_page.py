"""The page about diagnostics: its examples run, and its table has every finding."""

import re

from .pages import ROOT, Page

PAGE = Page("docs/howto/diagnostics.md")


def test_the_findings_are_those_that_the_page_names(ran):
    said = {finding.name: finding.sentence for finding in ran["found"]}
    assert "workers" in said["effect"]
    assert "x" in said["bounds"]
    assert "dropout" in said["bounds"]


def test_every_kind_of_finding_is_in_the_table():
    source = "\n".join(path.read_text(encoding="utf-8") for path in (ROOT / "src/suffice/result").rglob("*.py"))
    kinds = set(re.findall(r'Finding\(\s*"(\w+)"', source))
    assert len(kinds) > 10
    for kind in kinds:
        assert f"`{kind}`" in PAGE.text, kind


def test_the_search_of_the_example_is_exhausted(ran):
    assert ran["smooth"].exhausted.explored
