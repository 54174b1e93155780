"""Which study a file says it belongs to: read before the study itself is, so that nothing else is known."""

import csv
import io
import json
from collections.abc import Iterable, Iterator
from pathlib import Path, PurePosixPath, PureWindowsPath
from typing import Any

from suffice.errors import UnreadableFile
from suffice.exchange.cells import unguarded
from suffice.exchange.spreadsheet import SEPARATORS, decoded
from suffice.exchange.table import format_of
from suffice.store.files import FilePath
from suffice.study.overview import visible

COLUMN = "study"


def study_named_in(path: FilePath) -> str | None:
    """The name of a study's file, without a folder; None if no row has one. UnreadableFile if it is no plain name.

    A file that came from elsewhere must not choose which files of this machine are written to: a name leads nowhere
    but to the folders where its reader looks.
    """
    text = decoded(Path(path).read_bytes())
    found = _json_names(text) if format_of(path) == "jsonl" else _table_names(text)
    names = sorted({unguarded(name.strip()) for name in found if isinstance(name, str) and name.strip()})
    if len(names) > 1:
        raise UnreadableFile(
            f"{path} has rows of several studies, {', '.join(map(visible, names[:5]))}: say which one is meant"
        )
    if not names:
        return None
    (name,) = names
    plain = name == PurePosixPath(name).name == PureWindowsPath(name).name and name not in (".", "..")
    if not plain:
        raise UnreadableFile(
            f"{path} names the study {name!r}: wanted a name without a folder; say which file is meant"
        )
    return name


def _table_names(text: str) -> Iterator[str]:
    for between in SEPARATORS:
        rows = _rows(text, between)
        header = next((row for row in rows if any(cell.strip() for cell in row)), [])
        words = [word.strip().casefold() for word in header]
        if COLUMN in words:
            place = words.index(COLUMN)
            yield from (row[place] for row in rows if len(row) > place)
            return


def _rows(text: str, between: str) -> Iterator[list[str]]:
    try:
        yield from csv.reader(io.StringIO(text, newline=""), delimiter=between, skipinitialspace=True)
    except csv.Error:  # who reads the rows says what is wrong
        return


def _json_names(text: str) -> Iterable[Any]:
    for line in text.split("\n"):
        try:
            data = json.loads(line)
        except (ValueError, RecursionError):  # who reads the rows says what is wrong
            continue
        if isinstance(data, dict):
            yield data.get(COLUMN)
