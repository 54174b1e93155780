"""What a reader meets first: links with names, pages that exist, and an example that runs."""

import re

import pytest

import suffice as sf

from .pages import ROOT

PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), *(ROOT / "research").rglob("*.md")])


@pytest.mark.parametrize("path", PAGES, ids=lambda path: str(path.relative_to(ROOT)))
def test_a_link_to_a_page_says_what_the_page_is_about(path):
    found = re.findall(r"\[`?[\w./-]+\.md`?\]\([^)]*\)", path.read_text(encoding="utf-8"))
    assert not found, "name the page by its title or its subject, not by its file"


def test_every_page_that_the_source_names_exists():
    texts = [path.read_text(encoding="utf-8") for path in (ROOT / "src").rglob("*.py")]
    named = {name for text in texts for name in re.findall(r"(?:docs|measurements)/[\w/-]+\.md", text)}
    assert len(named) > 10
    folders = (ROOT, ROOT / "research")
    assert [name for name in sorted(named) if not any((folder / name).is_file() for folder in folders)] == []


def test_the_example_in_the_help_of_the_package_runs(capsys):
    lines = sf.__doc__.split("\n")
    code = "\n".join(line[4:] for line in lines if line.startswith("    ") or not line)
    ran = {}
    exec(code, ran)
    assert ran["result"].x["n"] == 4
    assert capsys.readouterr().out.startswith("best seen ")


def test_every_name_in_the_help_of_the_package_is_public():
    listed = sf.__doc__.partition("- Run:")[2].partition("- Other modules")[0]
    named = set(re.findall(r"\b(?:[A-Z]\w*[a-z]\w*|[A-Z]{2,}\w*|minimize|maximize|load|audit)\b", listed))
    assert {"Optimizer", "GP", "LogEI", "Pool", "audit"} <= named
    assert named - {"Constraints", "Search", "Stopping", "Results", "Parts", "What"} <= set(sf.__all__)
