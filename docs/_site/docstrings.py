"""What docstrings and signatures become on the site: the pages, names and types that they mention are links."""

import dataclasses
import inspect
import re
from pathlib import Path
from typing import Any

from sphinx.application import Sphinx

import suffice as sf

DOCS = Path(__file__).parents[1]
PAGE = re.compile(r"\bdocs/([\w/-]+)\.md\b")
# `sf.UCB`, sf.UCB() or sf.plot.slice in running text; not in an example, and not as a part of a longer expression.
NAME = re.compile(
    r"(?<![=`\w])(?P<tick>`?)\bsf\.(?P<name>[A-Za-z_.]*[A-Za-z_])(?P<call>\(\))?(?P=tick)(?![\w(`=]|\.\w)"
)
TYPED = re.compile(r"(?P<name> *\*\*.*\*\* : )(?P<type>.*)")  # a parameter or an attribute, as numpydoc writes it
FUNCTION = re.compile(r"<function (\w+)(?: at 0x[0-9a-f]+)?>")
ENTRY = re.compile(r"^\.\. auto(?:class|exception):: (\S+)$", re.MULTILINE)
OTHERS = "suffice.compat."  # whose Optimizer and Space are not ours


def setup(app: Sphinx) -> dict[str, bool]:
    app.connect("autodoc-process-docstring", lambda *about: link(about[2], about[5]), priority=900)  # after numpydoc
    app.connect("autodoc-process-signature", lambda *about: readable(about[3], *about[5:]))
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def link(name: str, lines: list[str]) -> None:
    """Make links of what the lines of a docstring mention; they are changed in place."""
    section = ""
    for i, line in enumerate(lines):
        section = line if line.startswith((":", "..")) else section
        typed = TYPED.fullmatch(line)
        if typed is not None and not name.startswith(OTHERS):
            lines[i] = typed["name"] + with_types(typed["type"])
        elif section in (":Returns:", ":Raises:") and re.match(r"    \S", line) and not name.startswith(OTHERS):
            lines[i] = with_types(line)
        elif not line.lstrip().startswith((">>>", "...")):
            lines[i] = NAME.sub(_to_name, PAGE.sub(_to_page, line))


def with_types(text: str) -> str:
    """The words of a type that the reference describes, as links."""
    return re.sub(r"(?<!\.)\b[A-Z]\w+\b(?!\()", lambda word: _to_type(word[0]), text)


def readable(thing: Any, signature: str | None, returned: str | None) -> tuple[str, str | None] | None:
    """A signature without addresses: a function by its name, and what a dataclass makes by how it is written.

    What is not made has none: a protocol, and what users get, whose docstring has attributes and no parameters.
    """
    if not signature:
        return None
    said = inspect.getdoc(thing) or ""
    given = inspect.isclass(thing) and "\nAttributes\n---" in said and "\nParameters\n---" not in said
    if given or getattr(thing, "_is_protocol", False):
        return "", returned
    signature = FUNCTION.sub(r"\1", signature)
    for field in dataclasses.fields(thing) if dataclasses.is_dataclass(thing) else ():
        if field.default_factory is not dataclasses.MISSING:
            made = getattr(field.default_factory, "__name__", "…")
            signature = signature.replace(f"{field.name}=<factory>", f"{field.name}={made}()")
    return signature, returned


def described() -> dict[str, str]:
    """The classes of the reference by their names: of two with one name, this library's own."""
    pages = sorted((DOCS / "reference").glob("*.md"))
    found = [name for page in pages for name in ENTRY.findall(page.read_text(encoding="utf-8"))]
    return {name.rpartition(".")[2]: name for name in found if not name.startswith(OTHERS)}


TYPES = described()


def _to_type(word: str) -> str:
    return f":obj:`{word} <{TYPES[word]}>`" if word in TYPES else word


def _to_page(found: re.Match[str]) -> str:
    return f":doc:`/{found[1]}`" if (DOCS / f"{found[1]}.md").exists() else found[0]


def _to_name(found: re.Match[str]) -> str:
    thing: Any = sf
    for word in found["name"].split("."):
        thing = getattr(thing, word, None)
    return found[0] if thing is None else f":obj:`sf.{found['name']}{found['call'] or ''} <suffice.{found['name']}>`"
