"""The page about faults: the tests that it names exist."""

import re

import pytest

from ..docs.pages import ROOT, Page

PAGE = Page("research/measurements/faults.md")
FAULTS = "".join(path.read_text(encoding="utf-8") for path in (ROOT / "tests" / "faults").glob("test_*.py"))


@pytest.mark.parametrize("name", sorted(set(re.findall(r"`(test_\w+)`", PAGE.text))))
def test_a_test_that_it_names_exists(name):
    assert f"def {name}(" in FAULTS


@pytest.mark.parametrize("path", sorted(set(re.findall(r"`(tests/[\w/]+\.py)`", PAGE.text))))
def test_a_file_that_it_names_exists(path):
    assert (ROOT / path).is_file()


def test_the_numbers_in_names_of_tests_are_lines_of_the_page():
    lines = set(re.findall(r"^\| (\d+) \|", PAGE.text, re.MULTILINE))
    used = set(re.findall(r"def test_(\d+)_", FAULTS)) | set(re.findall(r"def test_\d+_(\d+)_", FAULTS))
    assert lines == {str(n) for n in range(1, 53)} >= used
