"""Trials as text: a table in CSV, or JSON lines."""

import csv
import difflib
import io
import json
import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, TypeAlias

import numpy as np

from suffice.errors import UnreadableFile
from suffice.exchange.columns import Columns, guarded
from suffice.record.arguments import to_plain
from suffice.record.settings import Settings
from suffice.record.trial import Trial
from suffice.space import owns_points
from suffice.store.files import FilePath
from suffice.text import visible

Format: TypeAlias = Literal["csv", "jsonl"]
JSON_LINES = (".jsonl", ".ndjson")
BOM = "\ufeff"  # by which a spreadsheet knows that the file is in UTF-8


def format_of(path: FilePath) -> Format:
    """What the name of a file says about it."""
    return "jsonl" if Path(path).suffix.casefold() in JSON_LINES else "csv"


def as_csv(trials: Iterable[Trial], settings: Settings, study: str = "", decimal: str = ".") -> str:
    """A table with a line for each trial. decimal=",": commas in numbers and semicolons between the columns."""
    trials = tuple(trials)
    columns = Columns.of(settings, trials)
    between = ";" if decimal == "," else ","
    rows = (columns.headers, *(columns.write(trial, study, decimal) for trial in trials))
    text = "".join(between.join(_quoted(cell, between) for cell in row) + "\n" for row in rows)
    return text if text.isascii() else BOM + text


def as_jsonl(trials: Iterable[Trial], settings: Settings, study: str = "") -> str:
    """One JSON object for each trial, on a line of its own."""
    columns = Columns(settings)
    return "".join(json.dumps(line, allow_nan=False) + "\n" for line in _objects(trials, columns, study))


def _quoted(cell: str, between: str) -> str:
    special = cell != cell.strip() or any(mark in cell for mark in (between, '"', "\t", "\r", "\n"))
    return '"' + cell.replace('"', '""') + '"' if special else cell


def _objects(trials: Iterable[Trial], columns: Columns, study: str) -> Iterator[dict[str, Any]]:
    for trial in trials:
        values = trial.values or {}
        yield {
            "number": trial.number,
            "state": trial.state,
            "point": plain_point(trial.point, columns),
            **{header: values.get(name) for name, header in columns.values.items()},
            **{word: getattr(trial, word) for word in ("noise_var", "seconds", "reason", "cause", "origin")},
            **({"reports": [list(report) for report in trial.reports]} if _whole(trial) else {}),
            **({"traceback": trial.traceback} if trial.traceback else {}),
            **({"study": study} if study else {}),
        }


def _whole(trial: Trial) -> bool:
    """Whether there are reports, all of which JSON can have."""
    return bool(trial.reports) and all(math.isfinite(value) for _, value in trial.reports)


def plain_point(point: Any, columns: Columns) -> Any:
    """A point as JSON has it: an object by names, or a list."""
    if owns_points(columns.settings.space):
        return columns.codec.encode(to_plain(point, columns.settings.space))
    if isinstance(point, np.ndarray):
        return point.tolist()
    if isinstance(point, dict):
        return {name: _plain_value(value, columns.by_name[name], columns) for name, value in point.items()}
    return [_plain_value(value, c, columns) for value, c in zip(point, columns.parameters, strict=True)]


def _plain_value(value: Any, column: Any, columns: Columns) -> Any:
    try:
        return columns.codec.encode(value)
    except TypeError:  # an option that no file can hold: its text
        return column.write(value, ".")


#| -- exchange.spreadsheet: A CSV file as people's spreadsheets write it: cells by the names of their columns.
#|
#| Separated by commas, semicolons or tabs, with or without a byte order mark, in UTF-8, UTF-16 or the code page of
#| Western
#| Europe, with blank lines, spaces around cells and columns of one's own.

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
