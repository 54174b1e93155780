"""From a file to rows: what each says about a trial, whether it is a table or has a line of JSON for each.

People's spreadsheets write CSV separated by commas, semicolons or tabs, with or without a byte order mark, in UTF-8,
UTF-16 or the code page of Western Europe, with blank lines, spaces around cells and additional columns. `sheet` reads
them all, as cells by the names of their columns. A row is either good or has a fault, which names its line.
"""

import csv
import difflib
import io
import json
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path, PurePosixPath, PureWindowsPath
from typing import Any, TypeAlias, get_args

from suffice.errors import UnreadableFile
from suffice.exchange.columns import (
    ATTRIBUTE,
    ATTRIBUTES,
    NOISE,
    POINT,
    WHOLE,
    Column,
    Columns,
    Fault,
    Written,
    format_of,
    guarded,
    rounds_to,
    to_number,
    unguarded,
)
from suffice.record.arguments import from_plain
from suffice.record.outputs import is_violated
from suffice.record.trial import Cause, State
from suffice.space import OwnPoints
from suffice.store.files import FilePath
from suffice.text import visible

SEPARATORS = (",", ";", "\t")  # a spreadsheet writes what its language has


@dataclass(frozen=True)
class Open:
    """Nothing yet."""


@dataclass(frozen=True)
class Measured:
    """Values, as they are written and as numbers: of all outputs, unless one violates its constraint."""

    values: Mapping[str, float]  # nan where one is missing
    cells: Mapping[str, str]  # of those that are there
    comma: bool
    noise_var: float | dict[str, float] | None
    seconds: float | None

    @property
    def written(self) -> dict[str, float]:
        """Those that are there."""
        return {name: self.values[name] for name in self.cells}

    def shows(self, known: Mapping[str, float]) -> bool:
        """Whether these are the values that are known, perhaps rounded by a spreadsheet."""
        return all(name in known and rounds_to(known[name], cell, self.comma) for name, cell in self.cells.items())


@dataclass(frozen=True)
class Failure:
    """The evaluation failed."""

    reason: str
    cause: Cause
    seconds: float | None
    by_state: bool  # said by the column state, which may be older than the study


@dataclass(frozen=True)
class Withdrawn:
    """The evaluation will not be made."""

    reason: str


Outcome: TypeAlias = Open | Measured | Failure | Withdrawn


@dataclass(frozen=True)
class Row:
    """One row."""

    line: int
    number: int | None  # of a trial of the study
    given: Mapping[str, Any]  # values of parameters by name; of other points what is written there, or WHOLE
    outcome: Outcome
    study: str  # the name of the study's file, if the row has it
    note: str = ""
    attributes: Mapping[str, Any] = field(default_factory=dict)  # of a table what is written in their cells
    state: str = ""  # as it is written: one that somebody fills in says pending, or nothing


@dataclass(frozen=True)
class Rows:
    """The rows of a file, what is wrong with others, and the columns that mean nothing to a study."""

    rows: tuple[Row, ...]
    faults: tuple[tuple[int, str], ...]  # line, sentence
    unread: tuple[str, ...] = ()


def rows_of(content: bytes, columns: Columns, jsonl: bool) -> Rows:
    """The rows of a table, or of JSON lines; UnreadableFile, without its name, if the file is neither."""
    binary = {
        b"PK\x03\x04": "it is a spreadsheet workbook: save it as CSV, and read that file",
        b"SQLite format 3": "it is a database, perhaps a study: wanted CSV or JSON lines, as by suffice export",
    }
    for start, sentence in binary.items():
        if content.startswith(start):
            raise UnreadableFile(sentence)
    lines: Iterable[tuple[int, Any]]
    unread: dict[str, None] = {}
    if jsonl:
        lines = ((n, text) for n, text in enumerate(decoded(content).split("\n"), 1) if text.strip())
        row: Callable[[int, Any], Row] = partial(_json_row, columns=columns, unread=unread)
    else:
        lines, comma, unknown = sheet(content, columns)
        unread.update(dict.fromkeys(unknown))
        row = partial(_table_row, columns=columns, comma=comma)
    rows, faults = [], []
    for line, found in lines:
        try:
            rows.append(row(line, found))
        except Fault as fault:
            faults.append((line, str(fault)))
    return Rows(tuple(rows), tuple(faults), tuple(unread))


def _table_row(line: int, cells: Mapping[str, str], columns: Columns, comma: bool) -> Row:
    row = _row(line, cells, columns.read_point(cells, comma), columns, comma)
    remarks = {word: cell for word, cell in cells.items() if _is_attribute(word, columns) and cell.strip()}
    return replace(row, attributes={word.removeprefix(ATTRIBUTE): Written(c, comma) for word, c in remarks.items()})


def _is_attribute(word: str, columns: Columns) -> bool:
    """Whether a column has an attribute: a parameter may be called like one."""
    return word.startswith(ATTRIBUTE) and word != ATTRIBUTE and word not in columns.points


# ---------------------------------------------------------------------- one row


def _row(line: int, cells: Mapping[str, str], given: Mapping[str, Any], columns: Columns, comma: bool) -> Row:
    texts = ("state", "reason", "cause", "study", columns.note)
    plain = {**cells, **{word: unguarded(cells.get(word, "").strip()) for word in texts}}
    state = plain["state"].casefold()
    if state and state not in (*get_args(State), "canceled"):
        raise Fault(f"the state is {plain['state']!r}: wanted {', '.join(get_args(State))}, or nothing")
    number, outcome = _number(cells.get("number", ""), comma), _outcome(plain, columns, comma)
    return Row(line, number, given, outcome, plain["study"], plain[columns.note], state=state)


def _number(cell: str, comma: bool) -> int | None:
    if not cell.strip():
        return None
    number = to_number(cell, comma)
    if number is None or not 0 <= number < math.inf or number != int(number):
        raise Fault(f"number is {cell!r}: wanted the number of a trial, or nothing for a point of your own")
    return int(number)


def _outcome(cells: Mapping[str, str], columns: Columns, comma: bool) -> Outcome:
    """What became of the evaluation: the values decide, where there are none the state."""
    written = {name: cells.get(header, "").strip() for name, header in columns.values.items()}
    seconds = _positive(cells, "seconds", comma)
    reason, cause = cells["reason"], _cause(cells["cause"])
    words = {name: cell.casefold() for name, cell in written.items()}
    bad = [name for name, word in words.items() if word in ("nan", "failed", "fail")]
    empty = [name for name, cell in written.items() if not cell]
    numbers = {name: cell for name, cell in written.items() if name not in (*bad, *empty)}
    values = {name: _value(columns.values[name], cell, comma) for name, cell in numbers.items()}
    finite = {name: value for name, value in values.items() if math.isfinite(value)}
    if len(values) == len(written) or is_violated(finite, columns.settings.constraints):
        _check_state(cells, {columns.values[name]: numbers[name] for name in finite})
        whole = {name: values.get(name, math.nan) for name in written}
        return Measured(whole, numbers, comma, _variances(cells, columns, comma), seconds)
    if bad:
        nan = "nan" in words.values() and not reason
        what = "the value" if len(written) == 1 else bad[0]
        said, why = (f"{what} was nan", "nan") if nan else ("failed", "failed")
        return Failure(reason or said, cause or _cause(why) or "failed", seconds, by_state=False)
    if len(empty) == len(written):
        return _without_value(cells, reason, cause, seconds)
    beyond = "; one may be missing where another violates its constraint" if columns.settings.constraints else ""
    raise Fault(f"there is no {', '.join(empty)}, but another value: give all of them, or none{beyond}")


def _check_state(cells: Mapping[str, str], finite: Mapping[str, str]) -> None:
    """Refuse a value where the state says that there is none."""
    if finite and cells["state"].casefold() in ("failed", "cancelled", "canceled"):
        name, value = next(iter(finite.items()))
        raise Fault(
            f"the column state says {cells['state']!r}, but {visible(name)} is {value!r}: empty the one that is wrong"
        )


def _variances(cells: Mapping[str, str], columns: Columns, comma: bool) -> float | dict[str, float] | None:
    """The known variances of the noise: of the only objective as a number, else by name."""
    known = {name: _positive(cells, header, comma) for name, header in columns.variances.items()}
    found = {name: variance for name, variance in known.items() if variance is not None}
    only = columns.settings.objective
    return found[only] if list(found) == [only] and not columns.settings.several else found or None


def _without_value(cells: Mapping[str, str], reason: str, cause: Cause | None, seconds: float | None) -> Outcome:
    state = cells["state"].casefold()
    if state == "failed":
        return Failure(reason or "failed", cause or "failed", seconds, by_state=True)
    if state in ("cancelled", "canceled"):
        return Withdrawn(reason or "cancelled")
    if reason:
        raise Fault(
            f"there is a reason, {reason[:80]!r}, but no value: write failed as the value if the evaluation failed, "
            "cancelled as the state if it will not be evaluated, or leave the reason empty"
        )
    return Open()


def _value(name: str, cell: str, comma: bool) -> float:
    if cell.casefold() in ("inf", "+inf", "-inf"):
        return float(cell)
    number = to_number(cell, comma)
    if number is None:
        hint = ", with a point, such as 0.5" if "," in cell else ""
        raise Fault(f"{name} is {cell!r}: wanted a number{hint}, failed, or nothing while it is pending")
    return float(number)


def _positive(cells: Mapping[str, str], name: str, comma: bool) -> float | None:
    cell = cells.get(name, "").strip()
    if not cell:
        return None
    number = to_number(cell, comma)
    if number is None or not 0 <= number < math.inf:
        raise Fault(f"{name} is {cell!r}: wanted a number ≥ 0, or nothing")
    return float(number)


def _cause(cell: str) -> Cause | None:
    word: Any = cell.casefold()
    if word and word not in get_args(Cause):
        raise Fault(
            f"cause is {cell!r}: wanted one of {', '.join(get_args(Cause))}, or nothing; perhaps the row has a cell "
            "too few or too many"
        )
    return word or None


# ---------------------------------------------------------------------- a line of JSON


def _json_row(line: int, text: str, columns: Columns, unread: dict[str, None]) -> Row:
    try:
        data = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise Fault(f"it is not JSON: {error}") from error
    if not isinstance(data, dict):
        raise Fault(f"wanted a JSON object with a number or a point and a value: got {text[:80]}")
    cells = {name: _cell(data.get(name), name) for name in columns.known if name != NOISE} | _json_noise(data, columns)
    row = _row(line, cells, _json_point(data, columns), columns, False)
    attributes = data.get(ATTRIBUTES)
    if not isinstance(attributes, dict | None):
        raise Fault(f'{ATTRIBUTES} is {json.dumps(attributes)[:80]}: wanted an object, such as {{"operator": "Ann"}}')
    unread.update(
        dict.fromkeys(visible(name) for name in data if name not in (*columns.known, NOISE, POINT, ATTRIBUTES))
    )
    return replace(row, attributes=attributes or {})


def _json_noise(data: Mapping[str, Any], columns: Columns) -> dict[str, str]:
    """The variances of the noise, which are a number or an object by the names of the outputs, as cells."""
    noise = data.get(NOISE)
    if not isinstance(noise, dict):
        if noise is not None and columns.settings.several:
            raise Fault(f"{NOISE} is {json.dumps(noise)[:80]}: wanted an object by the names of the outputs")
        return {NOISE: _cell(noise, NOISE)}
    unknown = sorted(set(noise) - set(columns.outputs))
    if unknown:
        raise Fault(f"{NOISE} has {unknown[0]!r}, which is no output: the names are {', '.join(columns.outputs)}")
    return {columns.variances[name]: _cell(variance, NOISE) for name, variance in noise.items()}


def _cell(value: Any, name: str) -> str:
    """A plain value as a cell; a number keeps its digits."""
    if value is None:
        return ""
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        raise Fault(f"{name} is {json.dumps(value)[:80]}: wanted a number or a text")
    return value if isinstance(value, str) else repr(value)


def _json_point(data: Mapping[str, Any], columns: Columns) -> dict[str, Any]:
    point = data.get(POINT)
    if point is None:
        return {}
    try:
        if isinstance(columns.settings.space, OwnPoints):
            return {WHOLE: from_plain(columns.codec.decode(point), columns.settings.space)}
        if isinstance(point, list) and len(point) == len(columns.parameters):
            point = {column.name: value for column, value in zip(columns.parameters, point, strict=True)}
        if not isinstance(point, dict):
            raise ValueError(f"got {json.dumps(point)[:80]}")
        unknown = set(point) - {column.name for column in columns.parameters}
        if unknown:
            raise ValueError(f"there is no parameter {', '.join(map(repr, sorted(unknown)[:8]))}")
        return {
            column.name: _json_value(point[column.name], column, columns)
            for column in columns.parameters
            if column.name in point
        }
    except (ValueError, TypeError, LookupError) as error:
        raise Fault(f"the point is not a point of the study: {error}") from error


def _json_value(plain: Any, column: Column, columns: Columns) -> Any:
    try:
        return column.parameter.as_value(columns.codec.decode(plain))
    except ValueError:
        if column.labels is not None and isinstance(plain, str):  # an option that no file can hold is its text
            return column.read(plain, comma=False)
        raise


# ---------------------------------------------------------------------- the cells of a spreadsheet


def sheet(content: bytes, columns: Columns) -> tuple[list[tuple[int, dict[str, str]]], bool, tuple[str, ...]]:
    """The numbers of lines with their cells by column, whether numbers are written as 0,5, and unknown columns.

    UnreadableFile, without its name, if the columns are not those of the study.
    """
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
    return [(line, _cells(line, cells, names, between)) for line, cells in records], between == ";", unread


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
    found = (exact.get(name) or loose.get(name.strip().casefold()) for name in header)
    return [
        name or (word if _is_attribute(word, columns) else None) for word, name in zip(header, found, strict=True)
    ], exact


def _names(line: int, header: Sequence[str], columns: Columns) -> tuple[list[str | None], tuple[str, ...]]:
    """What the columns mean, None for unknown ones; an error if the study cannot learn from them."""
    names, exact = _matched(header, columns)
    unread = tuple(
        visible(cell.strip()) for cell, name in zip(header, names, strict=True) if name is None and cell.strip()
    )
    noise = f"{NOISE} (name it {next(iter(columns.variances.values()))})"  # there are several outputs
    unread = tuple(noise if cell.casefold() == NOISE else cell for cell in unread)
    twice = sorted({name for name in names if name is not None and names.count(name) > 1})
    if twice:
        raise UnreadableFile(f"line {line}: the column {', '.join(map(repr, twice))} occurs more than once; keep one")
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


def _cells(line: int, cells: Sequence[str], names: Sequence[str | None], between: str) -> dict[str, str]:
    if any(cell.strip() for cell in cells[len(names) :]):
        hint = {
            ",": "where commas separate the columns, numbers are written with a point, such as 0.5, and text with "
            "commas in quotes",
            ";": "text with semicolons is written in quotes",
        }.get(between, "text with tabs is written in quotes")
        raise UnreadableFile(f"line {line} has {len(cells)} cells, but there are {len(names)} names of columns; {hint}")
    return {name: cell for name, cell in zip(names, cells, strict=False) if name is not None}


# ---------------------------------------------------------------------- the study that a file names


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


def _table_names(text: str) -> list[str]:
    for between in SEPARATORS:
        rows: list[list[str]] = []
        with suppress(UnreadableFile):  # who reads the rows says what is wrong
            rows.extend(cells for _, cells in _records(text, between, 0))
        words = [word.strip().casefold() for word in (rows[0] if rows else [])]
        if "study" in words:
            place = words.index("study")
            return [row[place] for row in rows[1:] if len(row) > place]
    return []


def _json_names(text: str) -> Iterator[Any]:
    for line in text.split("\n"):
        with suppress(ValueError, RecursionError):  # who reads the rows says what is wrong
            data = json.loads(line)
            if isinstance(data, dict):
                yield data.get("study")
