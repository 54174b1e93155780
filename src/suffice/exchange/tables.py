"""Trials as text: a table in CSV, or JSON lines."""

import json
import math
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, Literal, TypeAlias, get_args

import numpy as np

from suffice.exchange.columns import Column, Columns
from suffice.record.arguments import to_plain
from suffice.record.settings import Settings
from suffice.record.trial import Trial
from suffice.space import OwnPoints
from suffice.store.files import FilePath

Format: TypeAlias = Literal["csv", "jsonl"]


def format_of(path: FilePath) -> Format:
    """What the name of a file says about it."""
    return "jsonl" if Path(path).suffix.casefold() in (".jsonl", ".ndjson") else "csv"


def as_text(trials: Iterable[Trial], settings: Settings, format: Format, study: str = "", decimal: str = ".") -> str:
    """The text of a file with these trials."""
    if format not in get_args(Format):
        raise ValueError(f"format must be {' or '.join(map(repr, get_args(Format)))}: got {format!r}")
    if decimal not in (".", ","):
        raise ValueError(f"decimal must be '.' or ',': got {decimal!r}")
    return as_csv(trials, settings, study, decimal) if format == "csv" else as_jsonl(trials, settings, study)


def as_csv(trials: Iterable[Trial], settings: Settings, study: str = "", decimal: str = ".") -> str:
    """A table with a line for each trial. decimal=",": commas in numbers and semicolons between the columns."""
    trials = tuple(trials)
    columns = Columns.of(settings, trials)
    between = ";" if decimal == "," else ","
    rows = (columns.headers, *(columns.write(trial, study, decimal) for trial in trials))
    text = "".join(between.join(_quoted(cell, between) for cell in row) + "\n" for row in rows)
    mark = "\ufeff"  # marks the file as UTF-8 for spreadsheets
    return text if text.isascii() else mark + text


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
            **({columns.note: trial.note} if trial.note else {}),
            **({"attributes": trial.attributes} if trial.attributes else {}),
            **({"traceback": trial.traceback} if trial.traceback else {}),
            **({"study": study} if study else {}),
        }


def _whole(trial: Trial) -> bool:
    """Whether there are reports, all of which JSON can have."""
    return bool(trial.reports) and all(math.isfinite(value) for _, value in trial.reports)


def plain_point(point: Any, columns: Columns) -> Any:
    """A point as JSON has it: an object by names, or a list."""
    if isinstance(columns.settings.space, OwnPoints):
        return columns.codec.encode(to_plain(point, columns.settings.space))
    if isinstance(point, np.ndarray):
        return point.tolist()
    if isinstance(point, dict):
        return {name: _plain_value(value, columns.by_name[name], columns) for name, value in point.items()}
    return [_plain_value(value, c, columns) for value, c in zip(point, columns.parameters, strict=True)]


def _plain_value(value: Any, column: Column, columns: Columns) -> Any:
    try:
        return columns.codec.encode(value)
    except TypeError:  # an option that no file can hold: its text
        return column.write(value, ".")
