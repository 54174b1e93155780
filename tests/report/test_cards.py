"""The checks as cards: one for each finding, warnings told from notes by a word."""

import pytest

import suffice as sf
from suffice.report.verdict import HEADINGS, cards
from suffice.result.findings import Finding

pytestmark = pytest.mark.usefixtures("without_figures")


def test_every_finding_of_a_run_has_a_card(report):
    result = sf.minimize(lambda p: p["x"], {"x": sf.Float(0, 1), "idle": sf.Choice("a", "b", "c")}, 12, seed=0)
    found, section = result.diagnose(), report(result).section("Checks")
    assert "bounds" in {finding.name for finding in found}
    for finding in found:
        assert finding.sentence in section
        assert finding.remedy in section
        assert HEADINGS[finding.name] in section


def test_a_warning_is_called_one_and_an_unknown_kind_has_a_heading(report):
    warned = cards([Finding("bounds", "A.", "B.", "warning"), Finding("<novel>", "C.", "D.")])
    assert warned.index("Warning") < warned.index("A.") < warned.index("Note") < warned.index("C.")
    assert "&lt;novel&gt;" in warned


def test_without_findings_it_says_so():
    assert "Nothing was found that calls for a remedy." in cards([])
