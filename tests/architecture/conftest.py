"""What is public: what the pages of docs/reference/ describe."""

import re
from importlib import import_module
from pathlib import Path

import pytest

PAGES = Path(__file__).parents[2] / "docs" / "reference"
ENTRY = re.compile(r"^\.\. auto(class|function|data|exception):: (\S+)\n(?:   :members: (.*)\n)?", re.MULTILINE)


@pytest.fixture(scope="session")
def reference():
    """The dotted name of everything that the reference describes, with the members that are listed of it."""
    pages = [path.read_text(encoding="utf-8") for path in sorted(PAGES.glob("*.md"))]
    found = [
        (name, tuple(re.split(r", *", members or ""))) for page in pages for _, name, members in ENTRY.findall(page)
    ]
    return {name: tuple(filter(None, members)) for name, members in found}


@pytest.fixture(scope="session")
def resolved():
    """`resolved("suffice.plot.slice")` is that function."""
    return _resolved


def _resolved(dotted):
    thing = import_module("suffice")
    walked = ["suffice"]
    for word in dotted.split(".")[1:]:
        walked.append(word)
        if not hasattr(thing, word):  # a module that nobody has imported yet
            import_module(".".join(walked))
        thing = getattr(thing, word)
    return thing
