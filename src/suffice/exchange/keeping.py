"""What somebody has filled in, and no study knows yet, is not replaced by a new table."""

from pathlib import Path

from suffice.errors import UnreadableFile, UnusableFile
from suffice.exchange.columns import Columns
from suffice.exchange.plan import Plan
from suffice.exchange.rows import Failure, Measured, Row, rows_of
from suffice.exchange.table import format_of
from suffice.store.files import FilePath
from suffice.study.history import History

WORKBOOKS = (".xlsx", ".xls", ".ods")  # which a spreadsheet would not open if they held CSV


def keep_what_is_new(path: FilePath, history: History, study: str = "") -> None:
    """UnusableFile if a file that is to be replaced has values, written by hand, that the study does not know.

    study    the name of its file. What an export wrote, of this study or another, is no work of anybody's hands.
    """
    from suffice.store.sqlite import is_database  # sqlite3 is loaded where there is a file

    file = Path(path)
    if file.suffix.casefold() in WORKBOOKS:
        raise UnusableFile(f"{path} has the name of a workbook, and a table is written as CSV: name it {file.stem}.csv")
    if not file.is_file() or is_database(file):
        return
    columns = Columns(history.settings)
    try:
        found = rows_of(file.read_bytes(), columns, format_of(path) == "jsonl")
    except UnreadableFile:  # no table of a study
        return
    plan = Plan(history, columns)
    plan.take(row for row in found.rows if _by_hand(row))
    ours = any(row.study and row.study == study for row in found.rows)
    if plan.events or plan.faults or (ours and found.faults):
        raise UnusableFile(
            f"{path} is filled in, and the study does not know all that it says: read it first, suffice import {path} "
            f"{study or 'STUDY'}, or name another file"
        )


def _by_hand(row: Row) -> bool:
    return isinstance(row.outcome, Measured | Failure) and row.state in ("", "pending")
