"""What is public: what the pages of docs/reference/ describe."""

import inspect
import re
from functools import cached_property
from importlib import import_module
from pathlib import Path
from types import FunctionType

import pytest

PAGES = Path(__file__).parents[2] / "docs" / "reference"
SEAMS = PAGES / "parts.md"  # for authors of parts: of each class all that it defines, in the house's own form
ENTRY = re.compile(r"^\.\. auto(class|function|data|exception):: (\S+)\n(?:   :members:(.*)\n)?", re.MULTILINE)


@pytest.fixture(scope="session")
def reference():
    """The dotted name of everything that the reference describes for users, with the members that are listed of it."""
    return {name: members for page in sorted(PAGES.glob("*.md")) if page != SEAMS for name, members in entries(page)}


@pytest.fixture(scope="session")
def seams():
    """The dotted names of what parts are made of, each with all members that it has itself."""
    found = {name: _resolved(name) for name, _ in entries(SEAMS)}
    return {name: own(thing) if inspect.isclass(thing) else () for name, thing in found.items()}


def entries(page):
    found = ENTRY.findall(page.read_text(encoding="utf-8"))
    return [(name, tuple(re.findall(r"\w+", members))) for _, name, members in found]


def own(thing):
    names = [name for name in vars(thing) if name == "__call__" or name[0] != "_"]
    return tuple(name for name in names if isinstance(vars(thing)[name], (FunctionType, property, cached_property)))


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
