"""The page about installing names every extra, and what each of them brings."""

import re
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
EXTRAS = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["optional-dependencies"]
ROW = re.compile(r"^\| `'suffice\[(\w+)\]'` \| (.*?) \|.*\|$", re.MULTILINE)
ROWS = dict(ROW.findall((ROOT / "docs" / "install.md").read_text(encoding="utf-8")))


def test_every_extra_is_on_the_page_and_no_other():
    assert set(ROWS) == set(EXTRAS)


@pytest.mark.parametrize("extra", sorted(set(EXTRAS) - {"all"}))
def test_what_an_extra_brings_is_said(extra):
    packages = {re.match(r"[\w-]+", wanted)[0] for wanted in EXTRAS[extra]}
    assert {name.strip().lower() for name in ROWS[extra].split(",")} == packages


def test_all_is_all_of_the_others():
    assert set(re.findall(r"\w+", EXTRAS["all"][0].partition("[")[2])) == set(EXTRAS) - {"all"}
