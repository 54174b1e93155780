"""What holds of all pages: somebody runs every block, commands can be given, links lead somewhere, names exist."""

import re

import pytest

import suffice as sf

from .commands import EXEMPT, commands, exempt, mistake
from .pages import PATHS, ROOT, Page
from .who import OWN, WALKED

# A fence has one of these languages, or it is a directive of the site such as {toctree}.
LANGUAGES = {"python", "sh", "toml", "json", "csv", "text", "sql", "yaml"}
every_page = pytest.mark.parametrize("page", [Page(path) for path in PATHS], ids=PATHS)


@every_page
def test_every_block_says_what_it_is(page):
    for block in page.blocks:
        assert block.language in LANGUAGES or block.language.startswith("{"), f"{page.path}:{block.line}"
    assert page.text.count("```") == 2 * len(page.blocks), "a block is not closed, or indented otherwise than it began"


@every_page
def test_no_code_is_shown_as_text(page):
    code = re.compile(r"^(from|import) \w|^\w+ = sf\.|^(pip|suffice|python) \w", re.MULTILINE)
    assert [text for text in page.code("text") if code.search(text) and "→" not in text] == []


def test_every_page_with_a_test_of_its_own_is_run_there():
    assert set(OWN) <= set(PATHS)
    runs = {path for path, file in OWN.items() if re.search(r"(PAGE|\"\))\.run\(|\(ran\b", file.read_text("utf-8"))}
    without = {path for path in OWN if not Page(path).blocks}
    assert set(OWN) - runs - without <= set(WALKED) <= set(OWN)


@every_page
def test_the_commands_that_are_not_run_can_be_given(page):
    for block in page.blocks:
        if block.language == "sh" and (exempt(block.code) or page.path in WALKED):
            for command in commands(block.code):
                assert mistake(command) is None, f"{page.path}:{block.line}: {command}: {mistake(command)}"


def test_a_command_that_does_not_exist_is_noticed():
    assert "unknown" in mistake("suffice show run.db --nowhere 3")
    assert "invalid choice" in mistake("suffice nothing run.db")
    assert mistake("python -m research.benchmarks.nothing")
    assert "unknown" in mistake("python -m research.compare --nowhere 3")
    assert mistake("make nothing")
    assert exempt("suffice show run.db") is None
    long = "cd a\nOMP_NUM_THREADS=1 python -m research.benchmarks.x \\\n  --report  # hours"
    assert exempt(long) == EXEMPT[r"^python -m research\.|^suffice reproduce\b"]


@every_page
def test_every_link_leads_to_a_file_and_to_a_heading_in_it(page):
    for target in links(page):
        name, _, anchor = target.partition("#")
        path = (ROOT / page.path).parent / name if name else ROOT / page.path
        assert path.exists(), target
        if anchor and path.suffix == ".md":
            assert anchor in anchors(path.read_text(encoding="utf-8")), target


@every_page
def test_every_name_of_the_library_exists(page):
    if page.path in ("docs/project/next.md", "CHANGELOG.md"):
        return  # they are about names to come, and about names that are gone or of others
    for name in set(re.findall(r"\bsf\.(\w+)", page.text)):
        assert hasattr(sf, name), name


def links(page):
    """Where the page leads to inside of this repository, its code left aside."""
    prose = re.sub(r"^ *```.*?^ *```$|`[^`\n]*`", "", page.text, flags=re.MULTILINE | re.DOTALL)
    found = re.findall(r"\]\(<?([^)\s>]+)", prose) + re.findall(r"^\[[^\]^]+\]: *(\S+)", prose, re.MULTILINE)
    return [target for target in found if not re.match(r"[a-z]+:", target)]


def anchors(text):
    """The names of headings as GitHub and MyST make them: small letters, hyphens for spaces, no punctuation."""
    prose = re.sub(r"^ *```.*?^ *```$", "", text, flags=re.MULTILINE | re.DOTALL)
    headings = re.findall(r"^#+ (.*?)\s*$", prose, re.MULTILINE)
    plain = (re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).lower() for heading in headings)
    return {re.sub(r"[^\w\- ]", "", heading).replace(" ", "-") for heading in plain}
