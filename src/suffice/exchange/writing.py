"""A study's trials to a file, and a file's rows to a study: `write` and `read`."""

from pathlib import Path
from typing import Any

from suffice.errors import UnreadableFile, UnusableFile
from suffice.exchange.columns import Columns, Format, as_text, format_of
from suffice.exchange.reading import Plan, Summary
from suffice.exchange.rows import rows_of
from suffice.record.history import History
from suffice.record.trial import Event, Trial
from suffice.result.result import Result
from suffice.store.files import FilePath, as_path, replace_file
from suffice.study.optimizer import Optimizer
from suffice.text import visible


def write(
    study: Any, path: FilePath, *, pending: bool = False, format: Format | None = None, decimal: str = "."
) -> None:
    """Write the trials of an `Optimizer` or a `Result` to a file, replacing an older one.

    Parameters
    ----------
    study : Optimizer or Result
        Whose trials are written.
    path : path
        The file to write, such as "batch.csv".
    pending : bool, default: False
        Whether to write only pending trials.
    format : {'csv', 'jsonl'} or None, default: None
        A table or JSON lines; None takes JSON lines for the suffix .jsonl, else a table.
    decimal : {'.', ','}, default: '.'
        ",": for spreadsheets that write 0,5; the columns are separated by semicolons.

    Raises
    ------
    UnusableFile
        If the file has values that are not in the study; it is left unchanged.
    """
    if not isinstance(study, Optimizer | Result):
        raise TypeError(f"wanted write(study, path) of an Optimizer or a Result: got {type(study).__name__} first")
    trials = [trial for trial in study.trials if trial.state == "pending" or not pending]
    text = as_text(trials, study.settings, format or format_of(path), name_of(study), decimal)
    keep_what_is_new(path, study.history, name_of(study))
    replace_file(path, text)


def read(path: FilePath, optimizer: Optimizer, *, correct: bool = False) -> Summary:
    """Import the values of a file into an optimizer.

    A row with the number of a trial gives its value, any other row that of the pending trial at its point, or a new
    point. Reading the same file again changes nothing.

    Parameters
    ----------
    path : path
        The file from `write`, filled in.
    optimizer : Optimizer
        The optimizer that receives the values.
    correct : bool, default: False
        Whether rows with numbers replace the values of their trials where they differ. The old values are withdrawn, as
        by `Optimizer.withdraw`. By default such a row is an error.

    Returns
    -------
    Summary
        The number of rows of each kind.

    Raises
    ------
    UnreadableFile
        If a row is wrong: nothing is imported, and the error names the lines.
    """
    if not isinstance(optimizer, Optimizer):
        raise TypeError(f"wanted read(path, optimizer), with an sf.Optimizer: got {type(optimizer).__name__}")
    if correct and optimizer.journal.shared:
        raise UnusableFile("a study on a server cannot withdraw a value: leave out the rows that contradict it")
    columns = Columns(optimizer.settings)
    content = as_path(path).read_bytes()
    try:
        found = rows_of(content, columns, format_of(path) == "jsonl")
    except UnreadableFile as error:
        raise UnreadableFile(f"{path}: {error}") from error
    summary = Summary()

    def planned(history: History) -> list[Event]:
        nonlocal summary
        plan = Plan(history, columns, correct=correct, study=name_of(optimizer))
        plan.take(found.rows)
        faults = sorted([*found.faults, *plan.faults])
        if faults:
            raise UnreadableFile(_said(path, faults))
        summary = Summary(**plan.counts, ignored=found.unread)
        return plan.events

    optimizer.extend(planned)
    return summary


def _said(path: FilePath, faults: list[tuple[int, str]], most: int = 10) -> str:
    lines = [f"{path}, line {line}: {sentence}" for line, sentence in faults[:most]]
    more = f"\n… and {len(faults) - most} more lines" if len(faults) > most else ""
    return "\n".join(lines) + more + "\nNothing was imported; correct the file and import it again."


def name_of(study: Any) -> str:
    """The name of the file that holds a study, without its folder; "" if there is none."""
    return Path(study.storage).name if isinstance(study, Optimizer) and study.storage else ""


def keep_what_is_new(path: FilePath, history: History, study: str = "") -> tuple[Trial, ...]:
    """UnusableFile if a file that is to be replaced has what the study does not know: values, notes, other columns.

    What it returns are the pending trials for which the file has a row: who replaces it with others keeps them.

    study    the name of its file; a table of another study is never replaced
    """
    from suffice.store.sqlite import is_database  # sqlite3 is loaded where there is a file

    file = as_path(path)
    if file.suffix.casefold() in (".xlsx", ".xls", ".ods"):  # a spreadsheet would not open it if it held CSV
        raise UnusableFile(
            f"{path} has the suffix of a workbook, but a table is written as CSV: name it {file.stem}.csv"
        )
    if not file.is_file() or is_database(file):
        return ()
    columns = Columns(history.settings)
    try:
        found = rows_of(file.read_bytes(), columns, format_of(path) == "jsonl")
    except UnreadableFile:  # no table of a study
        return ()
    others = {row.study for row in found.rows} - {"", study} if study else set()
    if others:
        raise UnusableFile(
            f"{path} is a table of the study {visible(min(others))}: name another file, or remove it first"
        )
    ours = any(row.study and row.study == study for row in found.rows)
    if ours and found.unread:
        raise UnusableFile(
            f"{path} has columns that the study does not store, {', '.join(found.unread[:5])}: name another file, or "
            "call them note or attribute:NAME and import it first"
        )
    plan = Plan(history, columns)
    plan.take(row for row in found.rows if ours or row.state in ("", "pending"))
    if plan.events or plan.faults or (ours and found.faults):
        raise UnusableFile(
            f"{path} has values or notes that are not in the study: import it first, suffice import {path} "
            f"{study or 'STUDY'}, or name another file"
        )
    there = {row.number for row in found.rows if row.study in ("", study)}
    return tuple(trial for trial in history.trials if trial.state == "pending" and trial.number in there)
