"""A CSV file as people's spreadsheets write it: cells by the names of their columns.

Separated by commas, semicolons or tabs, with or without a byte order mark, in UTF-8, UTF-16 or the code page of Western
Europe, with blank lines, spaces around cells and columns of one's own.
"""

import csv
import difflib
import io
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from suffice.errors import UnreadableFile
from suffice.exchange.cells import guarded
from suffice.exchange.columns import Columns
from suffice.study.overview import visible

SEPARATORS = (",", ";", "\t")


@dataclass(frozen=True)
class Sheet:
    """What a file holds."""

    lines: tuple[tuple[int, dict[str, str]], ...]  # the number of the line, and its cells by the names of the columns
    comma: bool  # whether numbers are written as 0,5
    unread: tuple[str, ...]  # columns that mean nothing to a study


def sheet(content: bytes, columns: Columns) -> Sheet:
    """The cells of a file; UnreadableFile, without its name, if its columns are not those of the study."""
    text = decoded(content)
    first, _, rest = text.partition("\n")
    told = first.strip().strip('"').casefold()
    skipped = told.startswith("sep=") and len(told) <= 5  # a line by which Excel is told the separator
    if skipped:
        text = rest
    between = max(SEPARATORS, key=lambda mark: _recognized(_header(text, mark), columns))
    records = _records(text, between, int(skipped))
    try:
        line, header = next(records)
    except StopIteration:
        raise UnreadableFile(
            "it is empty: wanted a line with the names of the columns, and one for each trial"
        ) from None
    names, unread = _names(line, header, columns)
    lines = tuple((line, _cells(line, cells, names)) for line, cells in records)
    return Sheet(lines, between == ";", unread)


def decoded(content: bytes) -> str:
    """The text of a file: Excel writes UTF-16 as "Unicode text", and its plain CSV in the code page of the machine."""
    if content.startswith((b"\xff\xfe", b"\xfe\xff")):
        return content.decode("utf-16", "replace")
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError:
        return content.decode("cp1252", "replace")


def _records(text: str, between: str, skipped: int) -> Iterator[tuple[int, list[str]]]:
    """The records that are not blank, each with the number of the line on which it begins."""
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=between, skipinitialspace=True)
    line = 1 + skipped
    try:
        for cells in reader:
            if any(cell.strip() for cell in cells):
                yield line, cells
            line = reader.line_num + 1 + skipped
    except csv.Error as error:
        raise UnreadableFile(f"line {line}: {error}") from error


def _header(text: str, between: str) -> list[str]:
    return next((cells for _, cells in _records(text, between, 0)), [])


def _recognized(header: Sequence[str], columns: Columns) -> int:
    found, _ = _matched(header, columns)
    return sum(name is not None for name in found)


def _matched(header: Sequence[str], columns: Columns) -> tuple[list[str | None], dict[str, str]]:
    """The column that each name in a header means, and how names can be written."""
    exact = {guarded(word): word for word in columns.known} | {word: word for word in (*columns.known, *columns.points)}
    loose: dict[str, str] = {}
    for written, name in exact.items():
        key = written.strip().casefold()
        loose[key] = name if loose.get(key, name) == name else ""  # two that differ by letters' case are not clear
    return [exact.get(name) or loose.get(name.strip().casefold()) or None for name in header], exact


def _names(line: int, header: Sequence[str], columns: Columns) -> tuple[list[str | None], tuple[str, ...]]:
    """What the columns mean, None for those of one's own; refused if the study cannot learn from them."""
    names, exact = _matched(header, columns)
    unread = tuple(
        visible(cell.strip()) for cell, name in zip(header, names, strict=True) if name is None and cell.strip()
    )
    twice = sorted({name for name in names if name is not None and names.count(name) > 1})
    if twice:
        raise UnreadableFile(f"line {line}: the column {', '.join(map(repr, twice))} is there more than once; keep one")
    missing = [name for name in columns.values.values() if name not in names]
    points = set(columns.points)
    if not missing and ("number" in names or points & set(names)):
        return names, unread
    lacking = missing or ["number", *sorted(points)[:8]]
    close = [near for word in lacking for near in difflib.get_close_matches(word, unread, 1)]
    hint = f" (is it {', '.join(map(repr, close))}?)" if close else ""
    wanted = f"no column {', '.join(map(repr, missing))}" if missing else "neither the number of a trial nor a point"
    got, known = visible(", ".join(header), 500), visible(", ".join(exact), 500)
    raise UnreadableFile(f"line {line} names {wanted}{hint}: got {got}; a study's columns are {known}")


def _cells(line: int, cells: Sequence[str], names: Sequence[str | None]) -> dict[str, str]:
    if any(cell.strip() for cell in cells[len(names) :]):
        raise UnreadableFile(
            f"line {line} has {len(cells)} cells, but there are {len(names)} names of columns; where commas separate "
            "the columns, numbers are written with a point, such as 0.5, and text with commas in quotes"
        )
    return {name: cell for name, cell in zip(names, cells, strict=False) if name is not None}
