"""What a row says about a trial, whether it came from a table or from a line of JSON."""

import json
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias, get_args

from suffice.errors import UnreadableFile
from suffice.exchange.columns import (
    NOISE,
    POINT,
    WHOLE,
    Column,
    Columns,
    Fault,
    rounds_to,
    to_number,
    unguarded,
)
from suffice.exchange.tables import decoded, sheet
from suffice.record.arguments import from_plain
from suffice.record.outputs import is_violated
from suffice.record.trial import Cause, State
from suffice.space import OwnPoints

FAILED_WORDS = ("nan", "failed", "fail")
INFINITE_WORDS = {"inf": math.inf, "+inf": math.inf, "-inf": -math.inf}
CANCELLED_WORDS = ("cancelled", "canceled")
BINARY = {
    b"PK\x03\x04": "it is a workbook of a spreadsheet: save it as CSV there, and read that file",
    b"SQLite format 3": "it is a database, perhaps a study: wanted CSV or JSON lines, as suffice export writes them",
}
TEXT = ("state", "reason", "cause", "study")


@dataclass(frozen=True)
class Open:
    """Nothing yet."""


@dataclass(frozen=True)
class Measured:
    """Values, as they are written and as numbers: of all outputs, unless one is beyond its limit."""

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
    by_state: bool  # said by the column state, which may be older than what the study knows


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
    state: str = ""  # as it is written: one that somebody fills in says pending, or nothing


@dataclass(frozen=True)
class Rows:
    """The rows of a file, what is wrong with others, and the columns that mean nothing to a study."""

    rows: tuple[Row, ...]
    faults: tuple[tuple[int, str], ...]  # line, sentence
    unread: tuple[str, ...] = ()


def rows_of_csv(content: bytes, columns: Columns) -> Rows:
    """The rows of a table."""
    found = sheet(content, columns)
    comma = found.comma

    def row(line: int, cells: Mapping[str, str]) -> Row:
        return _row(line, cells, columns.read_point(cells, comma), columns, comma)

    return _gathered(found.lines, row, found.unread)


def rows_of_jsonl(content: bytes, columns: Columns) -> Rows:
    """The rows of a file with a JSON object on each line."""
    lines = enumerate(decoded(content).split("\n"), 1)
    return _gathered(((n, text) for n, text in lines if text.strip()), lambda n, text: _json_row(n, text, columns))


def _gathered(lines: Any, row: Callable[[int, Any], Row], unread: tuple[str, ...] = ()) -> Rows:
    rows, faults = [], []
    for line, content in lines:
        try:
            rows.append(row(line, content))
        except Fault as fault:
            faults.append((line, str(fault)))
    return Rows(tuple(rows), tuple(faults), unread)


# ---------------------------------------------------------------------- one row


def _row(line: int, cells: Mapping[str, str], given: Mapping[str, Any], columns: Columns, comma: bool) -> Row:
    plain = {**cells, **{word: unguarded(cells.get(word, "").strip()) for word in TEXT}}
    number, outcome = _number(cells.get("number", ""), comma), _outcome(plain, columns, comma)
    return Row(line, number, given, outcome, plain["study"], plain["state"].casefold())


def _number(cell: str, comma: bool) -> int | None:
    if not cell.strip():
        return None
    number = to_number(cell, comma)
    if number is None or number < 0 or number != int(number):
        raise Fault(f"number is {cell!r}: wanted the number of a trial, or nothing for a point of your own")
    return int(number)


def _outcome(cells: Mapping[str, str], columns: Columns, comma: bool) -> Outcome:
    """What became of the evaluation: the values decide, where there are none the state."""
    written = {name: cells.get(header, "").strip() for name, header in columns.values.items()}
    seconds = _positive(cells, "seconds", comma)
    reason, cause = cells["reason"], _cause(cells["cause"])
    words = {name: cell.casefold() for name, cell in written.items()}
    bad = [name for name, word in words.items() if word in FAILED_WORDS]
    empty = [name for name, cell in written.items() if not cell]
    numbers = {name: cell for name, cell in written.items() if name not in (*bad, *empty)}
    values = {name: _value(columns.values[name], cell, comma) for name, cell in numbers.items()}
    finite = {name: value for name, value in values.items() if math.isfinite(value)}
    if len(values) == len(written) or is_violated(finite, columns.settings.constraints):
        whole = {name: values.get(name, math.nan) for name in written}
        return Measured(whole, numbers, comma, _variances(cells, columns, comma), seconds)
    if bad:
        nan = "nan" in words.values() and not reason
        what = "the value" if len(written) == 1 else bad[0]
        said, why = (f"{what} was nan", "nan") if nan else ("failed", "failed")
        return Failure(reason or said, cause or _cause(why) or "failed", seconds, by_state=False)
    if len(empty) == len(written):
        return _without_value(cells, reason, cause, seconds)
    beyond = "; one may be missing where another is beyond its limit" if columns.settings.constraints else ""
    raise Fault(f"there is no {', '.join(empty)}, but another value: give all of them, or none{beyond}")


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
    if state in CANCELLED_WORDS:
        return Withdrawn(reason or "cancelled")
    if state and state not in get_args(State):
        raise Fault(f"there is no value, and the state is {cells['state']!r}: wanted failed, cancelled or nothing")
    if reason:
        raise Fault(
            f"there is a reason, {reason[:80]!r}, but no value: write failed as the value if the evaluation failed, "
            "cancelled as the state if it will not be made, or leave the reason empty"
        )
    return Open()


def _value(name: str, cell: str, comma: bool) -> float:
    if cell.casefold() in INFINITE_WORDS:
        return INFINITE_WORDS[cell.casefold()]
    number = to_number(cell, comma)
    if number is None:
        hint = ", with a point, such as 0.5" if "," in cell else ""
        raise Fault(f"{name} is {cell!r}: wanted a number{hint}, failed, or nothing while it is open")
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
        raise Fault(f"cause is {cell!r}: wanted one of {', '.join(get_args(Cause))}, or nothing")
    return word or None


# ---------------------------------------------------------------------- a line of JSON


def _json_row(line: int, text: str, columns: Columns) -> Row:
    try:
        data = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise Fault(f"it is not JSON: {error}") from error
    if not isinstance(data, dict):
        raise Fault(f"wanted a JSON object with a number or a point and a value: got {text[:80]}")
    cells = {name: _cell(data.get(name), name) for name in columns.known if name != NOISE} | _json_noise(data, columns)
    return _row(line, cells, _json_point(data, columns), columns, False)


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
        raise Fault(f"the point is no point of the study: {error}") from error


def _json_value(plain: Any, column: Column, columns: Columns) -> Any:
    try:
        return column.parameter.as_value(columns.codec.decode(plain))
    except ValueError:
        if column.labels is not None and isinstance(plain, str):  # an option that no file can hold is its text
            return column.read(plain, comma=False)
        raise


def rows_of(content: bytes, columns: Columns, jsonl: bool) -> Rows:
    """The rows of a file; UnreadableFile, without its name, if it is none."""
    for start, sentence in BINARY.items():
        if content.startswith(start):
            raise UnreadableFile(sentence)
    return rows_of_jsonl(content, columns) if jsonl else rows_of_csv(content, columns)
