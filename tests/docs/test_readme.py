"""The front page: its example runs and prints what the page shows."""

import re

import pytest

from .pages import Page

PAGE = Page("README.md")


@pytest.fixture(scope="module")
def result(ran):
    return ran.names["result"]


def test_its_example_beats_the_default_settings_by_far(result, ran):
    stated = float(re.search(r"of `SVR` the error is (\d+\.\d)", PAGE.text)[1])
    assert ran.names["error"]({}) == pytest.approx(stated, abs=0.05)
    assert result.fun < 0.8 * stated


def test_it_shows_what_is_printed(result):
    (shown,) = PAGE.code("text")
    printed = str(result)
    labels = [line.split("  ")[0] for line in shown.splitlines() if not line.startswith(" ")]
    assert labels == [line.split("  ")[0] for line in printed.splitlines() if not line.startswith(" ")]
    best = float(re.search(r"^best seen +(\S+)", shown)[1])
    assert result.fun == pytest.approx(best, rel=0.01)  # machines differ in the last digits, and then in the way
    assert {finding.name for finding in result.diagnose()} >= {"bounds"}


def test_it_is_read_in_half_a_minute():
    assert len(PAGE.text.split()) <= 600
