"""Tables in pages, between `<!-- made by: COMMAND -->` and `<!-- end -->`: found, taken from an output, exchanged.

A marker may name one of several tables that a command prints: `<!-- made by: COMMAND; table: HOW ITS TITLE BEGINS -->`.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass

from research.benchmarks.timing import is_measured

END = "<!-- end -->"
BEGIN = re.compile(r"<!-- made by: (?P<command>[^;\n]+?)(?:; table: (?P<table>[^\n]+?))? -->")
SAID = re.compile(r"^Made with version (\d+\.\d+\.\d+\S*) \(([A-Z][a-z]+ \d{4})\): `([^`\n]+)`\.", re.MULTILINE)
RULED = re.compile(r"\s*-{3,}(  +-{3,})+\s*")  # below the head of a table that was printed for a terminal
PART = re.compile(r"^\*\*(?P<title>[^\n]+)\*\*\n\n(?P<table>(?:\|[^\n]*\n?)+)", re.MULTILINE)


@dataclass(frozen=True)
class Block:
    """What one marker of a page begins."""

    command: str
    table: str | None
    text: str  # between the markers, without blank lines around
    span: tuple[int, int]  # where that is in the page

    @property
    def said(self) -> tuple[str, str, str] | None:
        """Version, month and command, if the block says with which version it was made."""
        found = SAID.search(self.text)
        return None if found is None else (found[1], found[2], found[3])


def blocks(page: str) -> list[Block]:
    """All of them, in order; ValueError if a marker is not closed, or misspelled."""
    found = []
    for line in re.findall(r"^<!--.*$", page, re.MULTILINE):
        if "made by" in line and not BEGIN.fullmatch(line.strip()):
            raise ValueError(f"{line!r} is no marker; wanted <!-- made by: COMMAND --> or … COMMAND; table: TITLE -->")
    for begin in BEGIN.finditer(page):
        stop, following = page.find(END, begin.end()), BEGIN.search(page, begin.end())
        if stop < 0 or (following and following.start() < stop):
            raise ValueError(f"{begin[0]!r} is not closed; wanted {END} behind its table")
        text = page[begin.end() : stop].strip()
        found.append(Block(begin["command"], begin["table"], text, (begin.end(), stop)))
    return found


def exchanged(page: str, text: Callable[[Block], str | None]) -> str:
    """The page with the text that is given for a block in place of the old one; None leaves a block as it is."""
    for block in reversed(blocks(page)):
        new = text(block)
        if new is not None:
            page = f"{page[: block.span[0]]}\n\n{new.strip()}\n\n{page[block.span[1] :]}"
    return page


def taken(output: str, table: str | None) -> str:
    """What a block shows of an output in Markdown: all of it, or the table whose title begins so, without the title."""
    if table is None:
        return "\n".join(line.strip() for line in output.strip().splitlines())
    parts = list(PART.finditer(output))
    found = [part["table"] for part in parts if part["title"] == table]
    found = found or [part["table"] for part in parts if part["title"].startswith(table)]
    if len(found) != 1:
        titles = [part["title"] for part in parts]
        raise ValueError(f"{len(found)} tables have a title that begins with {table!r}; wanted one of {titles}")
    return found[0].strip()


def measured_tables(page: str) -> list[tuple[int, str]]:
    """Where tables of numbers begin, and their first lines: in most cells beside the first column there is a number.

    A table that a script printed for a terminal, with a ruled head, is one as well.
    """
    found, fenced, at, rows = [], False, 0, list[str]()
    for line in [*page.splitlines(keepends=True), ""]:
        if line.startswith("```"):
            fenced = not fenced
        if line.startswith("|") and not fenced:
            rows.append(line)
        elif rows:
            cells = [re.split(r"(?<!\\)\|", row.strip())[2:-1] for row in rows[2:]]
            if is_measured([cell.strip() for row in cells for cell in row]):
                found.append((at - sum(map(len, rows)), rows[0].strip()))
            rows = []
        if RULED.fullmatch(line):
            found.append((at, line.strip()))
        at += len(line)
    return found
