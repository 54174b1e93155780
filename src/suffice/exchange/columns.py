"""Trials as text, a table in CSV or JSON lines: what its columns are called, and what stands in them.

    number, state, one for each parameter, value, noise_var, seconds, reason, cause, origin, study

Of several outputs, objectives and limited ones, each has a column in the place of `value`; the variance of the noise
in one of them is `noise_var:latency`, which is there where it is known. A parameter that has the name of another
column is called `parameter:value`, and so on. Where there are any, notes and attributes follow in the columns `note`
and `attribute:operator`, which are read as well; `note` is `trial:note` where a parameter has its name. An
output that has the name of one of the above `output:state`. The rows of a pool have a column for each of their
parts. Of a space with other points there is one column, `point`, which holds a point as JSON.

In a cell is a number, an option or a text. A number is written with all its digits, so that it is read back bit for
bit. An option is written by its text; where two options would look alike, strings are quoted and the rest is written as
in Python. A cell is only ever looked up among the options: nothing that is read is run. Text that a spreadsheet would
take for a formula has an apostrophe in front. A cell of a point without parameters has no options to be looked up
among: what is `Written` there is compared with the cells of known points, and read as their values are.
"""

import json
import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from decimal import Decimal
from functools import cached_property
from pathlib import Path
from typing import Any, Literal, TypeAlias, get_args

import numpy as np

from suffice.record.arguments import from_plain, to_plain
from suffice.record.encoding import Codec, parts
from suffice.record.outputs import OUTPUT, PARAMETER, of_output
from suffice.record.settings import Settings
from suffice.record.trial import Trial, noise_of
from suffice.space import Choice, Ordinal, OwnPoints, Parameter
from suffice.store.files import FilePath
from suffice.text import visible

FORMULA = tuple("=+-@\t\r\n＝＋－＠")  # what a spreadsheet, also an East Asian one, may begin to calculate at
DIGITS = 5e-6  # relative: a spreadsheet that shows 1.23457E-05 writes these six digits into its file


class Fault(ValueError):
    """One row cannot be taken as it is; whoever reads the file adds its name and the line."""


def from_number(value: Any, decimal: str = ".") -> str:
    """A number with all its digits; "" for None."""
    if value is None:
        return ""
    plain = value.item() if isinstance(value, np.generic) else value
    return repr(plain).replace(".", decimal) if isinstance(plain, float) else str(plain)


def to_number(cell: str, comma: bool = False) -> int | float | None:
    """The number in a cell, None if there is none: int where it is written as one. comma: 0,5 is a half."""
    text = cell.strip().replace("−", "-")
    if comma and "." not in text:
        text = text.replace(",", ".")
    if not _is_number(text):
        return None
    try:
        return float(text) if set(text) & set(".eE") else int(text)
    except ValueError:  # an integer of thousands of digits, which Python does not read
        return None


def _is_number(text: str) -> bool:
    return re.fullmatch(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d{1,4})?", text, re.ASCII) is not None


def rounds_to(own: float, cell: str, comma: bool = False) -> bool:
    """Whether a cell shows a number that is known: the number itself, or rounded to the digits of the cell."""
    shown = to_number(cell, comma)
    if shown is None or shown == own:
        return shown is not None
    written = Decimal(cell.strip().replace("−", "-").replace(",", "."))
    exponent = written.as_tuple().exponent
    assert isinstance(exponent, int)  # it is finite
    error = abs(written - Decimal(own))
    return error <= Decimal((0, (5,), exponent - 1)) and error <= Decimal(DIGITS) * abs(Decimal(own))


def guarded(text: str) -> str:
    """A text that no spreadsheet takes for a formula: `'=A1`. Numbers stay as they are."""
    text = text.encode("utf-8", "backslashreplace").decode()  # half a surrogate pair has no place in a file
    risky = text.lstrip(" ").startswith(FORMULA) and not _is_number(text)
    return f"'{text}" if risky or text.startswith("'") else text


def unguarded(cell: str) -> str:
    """The text that was guarded; other text that begins with an apostrophe stays as it is."""
    rest = cell[1:]
    added = cell.startswith("'") and (rest.startswith("'") or rest.lstrip(" ").startswith(FORMULA))
    return rest if added else cell


@dataclass(frozen=True)
class Labels:
    """The options of a choice as texts, one for each, all different."""

    texts: tuple[str, ...]

    @classmethod
    def of(cls, options: Sequence[Any]) -> "Labels":
        """Strings as they are, the rest as in Python; quoted or numbered only where that is not clear."""
        texts = [_label(option) for option in options]
        seen = Counter(texts)
        texts = [_exact(o) if seen[text] > 1 else text for o, text in zip(options, texts, strict=True)]
        seen = Counter(texts)
        return cls(tuple(f"{text} [{j}]" if seen[text] > 1 else text for j, text in enumerate(texts)))

    @cached_property
    def _places(self) -> dict[str, int]:
        return {text: j for j, text in enumerate(self.texts)}

    def find(self, cell: str, comma: bool = False) -> int | None:
        """The place of the option that a cell means; None if it is none of them, or not clear.

        A spreadsheet writes True as TRUE and 1.0 as 1: what equals one option alone is taken for it.
        """
        text = unguarded(cell)
        if text in self._places:
            return self._places[text]
        folded, number = text.strip().casefold(), to_number(text, comma)
        ways = (
            lambda own: own.strip().casefold() == folded,
            lambda own: number is not None and to_number(own) == number,
        )
        for same in ways:
            found = [j for j, own in enumerate(self.texts) if same(own)]
            if len(found) == 1:
                return found[0]
        return None


def _label(option: Any) -> str:
    clear = isinstance(option, str) and option and option == option.strip() and not option.startswith('"')
    return str(option) if clear else _exact(option)


def _exact(option: Any) -> str:
    return json.dumps(option, ensure_ascii=False) if type(option) is str else repr(option)


def to_cell(value: Any, decimal: str = ".") -> str:
    """The cell of a number or a text."""
    if isinstance(value, str):
        return guarded(_label(value))
    return repr(value) if value is None or isinstance(value, bool) else from_number(value, decimal)


@dataclass(frozen=True)
class Written:
    """What somebody wrote into a cell."""

    cell: str
    comma: bool  # whether numbers are written as 0,5

    def shows(self, value: Any) -> bool:
        """Whether this is a value that is known, perhaps as a spreadsheet writes it."""
        text, own = unguarded(self.cell).strip(), unguarded(to_cell(value)).strip()
        if text.casefold() == own.casefold():
            return True
        number = isinstance(value, int | float) and not isinstance(value, bool)
        return number and rounds_to(value, self.cell, self.comma)

    def like(self, known: Any) -> Any:
        """The value, of the kind that a known point has there; None: a number if it looks like one."""
        text = unguarded(self.cell)
        if isinstance(known, str):
            return json.loads(text) if text.startswith('"') and text.endswith('"') and len(text) > 1 else text.strip()
        words: dict[str, Any] = {"true": True, "false": False, "none": None}
        number = to_number(text, self.comma)
        return words.get(text.strip().casefold(), text.strip()) if number is None else number

    def __repr__(self) -> str:
        return repr(self.cell.strip())


# ---------------------------------------------------------------------- columns

NOISE = "noise_var"  # as the argument of `tell`
BEFORE = ("number", "state")  # columns before those of the point and of the outputs
AFTER = (NOISE, "seconds", "reason", "cause", "origin", "study")  # columns after them
NOTE, ATTRIBUTE = "note", "attribute:"  # columns at the end, where there are any
ATTRIBUTES = "attributes"  # an object by name, in a line of JSON
POINT = "point"  # the column of points that have no parts
WHOLE = ""  # the name of a point that stands in one cell: no column of a table has it


@dataclass(frozen=True)
class Column:
    """One parameter."""

    name: str
    header: str
    parameter: Parameter = field(repr=False)

    @cached_property
    def labels(self) -> Labels | None:
        """The texts of its options; None: it is a number."""
        return Labels.of(self.parameter.options) if isinstance(self.parameter, Choice | Ordinal) else None

    def write(self, value: Any, decimal: str) -> str:
        """The cell of a value."""
        if self.labels is None:
            return from_number(value, decimal)
        places = self._places
        return guarded(self.labels.texts[places[id(value)] if id(value) in places else self._place(value)])

    def read(self, cell: str, comma: bool) -> Any:
        """The value of a cell: an option, or a number of which the space says whether it fits."""
        if self.labels is None:
            number = to_number(cell, comma)
            if number is None:
                raise Fault(f"{visible(self.name)} is {cell!r}: wanted a number{_comma_hint(cell)}")
            return number
        place = self.labels.find(cell, comma)
        if place is None:
            shown = ", ".join(self.labels.texts[:8]) + (", …" if len(self.labels.texts) > 8 else "")
            raise Fault(f"{visible(self.name)} is {cell!r}: wanted one of {visible(shown, 200)}")
        return self._options[place]

    @property
    def _options(self) -> tuple[Any, ...]:
        return self.parameter.options if isinstance(self.parameter, Choice | Ordinal) else ()

    @cached_property
    def _places(self) -> dict[int, int]:
        return {id(option): j for j, option in enumerate(self._options)}  # a record holds these very objects

    def _place(self, value: Any) -> int:
        return self._places[id(self.parameter.as_value(value))]


@dataclass(frozen=True)
class Columns:
    """The columns of a study's table."""

    settings: Settings = field(repr=False)
    whole: bool = False  # whether a point that is not made of parameters is to stand in one cell
    remarks: tuple[str, ...] = ()  # columns of notes and of attributes
    noisy: tuple[str, ...] = ()  # outputs beside the only objective in which the variance of the noise is known

    @classmethod
    def of(cls, settings: Settings, trials: Iterable[Trial]) -> "Columns":
        """The columns of a table with these trials."""
        space, trials = settings.space, tuple(trials)
        known = {name for trial in trials if isinstance(trial.noise_var, dict) for name in trial.noise_var}
        noisy = tuple(name for name in settings.outputs if name in known)
        names = dict.fromkeys(f"{ATTRIBUTE}{name}" for trial in trials for name in trial.attributes)
        remarks = (*((cls(settings).note,) if any(trial.note for trial in trials) else ()), *names)
        if not isinstance(space, OwnPoints):
            return cls(settings, noisy=noisy, remarks=remarks)
        whole = any(by_name(space.to_plain(trial.point), space.names) is None for trial in trials)
        return cls(settings, whole, remarks, noisy)

    @property
    def outputs(self) -> tuple[str, ...]:
        """The objectives, one of which alone is called value, and the limited outputs."""
        return self.settings.outputs

    @cached_property
    def values(self) -> dict[str, str]:
        """The column of each output by its name."""
        words = {word.casefold() for word in (*BEFORE, *AFTER, POINT)}
        clash = (name.strip().casefold() in words or ":" in name for name in self.outputs)
        return {name: f"{OUTPUT}{name}" if bad else name for name, bad in zip(self.outputs, clash, strict=True)}

    @cached_property
    def note(self) -> str:
        """The column of the notes, which gives way to a parameter or an output of that name."""
        taken = {name.strip().casefold() for name in (*self.settings.space.names, *self.outputs)}
        return f"trial:{NOTE}" if NOTE in taken else NOTE

    @cached_property
    def variances(self) -> dict[str, str]:
        """The column of the variance of the noise in each output by its name."""
        return {name: of_output(NOISE, name, self.settings.objectives) for name in self.outputs}

    @cached_property
    def after(self) -> tuple[str, ...]:
        """The columns behind the outputs."""
        noise = dict.fromkeys(self.variances[name] for name in self.outputs if name in self.noisy)
        return (*dict.fromkeys((*((NOISE,) if not self.settings.several else ()), *noise)), *AFTER[1:])

    @cached_property
    def known(self) -> tuple[str, ...]:
        """The names of all columns that a file may have beside those of a point."""
        return (*BEFORE, *self.values.values(), *self.variances.values(), *AFTER[1:], self.note)

    @cached_property
    def reserved(self) -> frozenset[str]:
        """Names that a parameter's column cannot have."""
        return frozenset(word.strip().casefold() for word in (*self.known, NOISE, POINT))

    @cached_property
    def parameters(self) -> tuple[Column, ...]:
        """Those of the point; none where it is not made of parameters."""
        space = self.settings.space
        if isinstance(space, OwnPoints):
            return ()
        return tuple(Column(name, self._header(name), p) for name, p in space.params.items())

    @cached_property
    def own(self) -> dict[str, str]:
        """The parts of a point that is not made of parameters, each with the name of its column."""
        space = self.settings.space
        return {name: self._header(name) for name in space.names} if isinstance(space, OwnPoints) else {}

    @property
    def points(self) -> tuple[str, ...]:
        """All columns in which a point, or a part of it, may stand."""
        parts = tuple(column.header for column in self.parameters)
        return parts or (*self.own.values(), POINT)

    @cached_property
    def by_name(self) -> dict[str, Column]:
        """The columns of the point by the names of the parameters, in order."""
        return {column.name: column for column in self.parameters}

    @property
    def headers(self) -> tuple[str, ...]:
        """The names of all columns, as they are written."""
        single = self.whole or not self.own
        point = self.points if self.parameters else (POINT,) if single else tuple(self.own.values())
        return (*BEFORE, *point, *map(guarded, (*self.values.values(), *self.after, *self.remarks)))

    def _header(self, name: str) -> str:
        clash = name.strip().casefold() in self.reserved or name.startswith(PARAMETER)
        return guarded(PARAMETER + name if clash else name)

    # ------------------------------------------------------------------ out

    def write(self, trial: Trial, study: str, decimal: str = ".") -> list[str]:
        """The cells of a trial, in the order of the headers."""
        values = trial.values or {}
        stopped = trial.state == "pruned"  # it has no value that a variance would be of
        noise = {
            header: math.nan if stopped else noise_of(trial, name)
            for name, header in self.variances.items()
            if header in self.after
        }
        known = (None if math.isnan(variance) else variance for variance in noise.values())
        numbers = (*(values.get(name) for name in self.outputs), *known, trial.seconds)
        texts = (trial.reason or "", trial.cause or "", trial.origin, study)
        known_as = {self.note: trial.note, **{f"{ATTRIBUTE}{name}": value for name, value in trial.attributes.items()}}
        remarks = (_remark(known_as.get(header), decimal) for header in self.remarks)
        return [
            *(str(trial.number), trial.state),
            *self._point_cells(trial.point, decimal),
            *(from_number(number, decimal) for number in numbers),
            *map(guarded, texts),
            *remarks,
        ]

    def _point_cells(self, point: Any, decimal: str) -> list[str]:
        space = self.settings.space
        if not self.parameters:
            plain = to_plain(point, space)
            if self.whole or not self.own:
                return [guarded(json.dumps(self.codec.encode(plain), ensure_ascii=False))]
            parts = by_name(plain, space.names) or {}
            return [to_cell(parts[name], decimal) if name in parts else "" for name in self.own]
        if isinstance(point, Mapping):
            return [c.write(point[c.name], decimal) if c.name in point else "" for c in self.parameters]
        return [column.write(value, decimal) for column, value in zip(self.parameters, point, strict=True)]

    @cached_property
    def codec(self) -> Codec:
        """What turns an option, or a point that is not made of parameters, into plain data and back."""
        return Codec(parts())

    # ------------------------------------------------------------------ and back

    def read_point(self, cells: Mapping[str, str], comma: bool) -> dict[str, Any]:
        """The values that a row gives, by the names of the parameters; empty cells are left out."""
        if not self.parameters:
            if cells.get(POINT, "").strip():
                return {WHOLE: self._own_point(unguarded(cells[POINT]))}
            parts = ((name, cells.get(header, "")) for name, header in self.own.items())
            return {name: Written(cell, comma) for name, cell in parts if cell.strip()}
        given = ((column, cells.get(column.header, "")) for column in self.parameters)
        return {column.name: column.read(cell, comma) for column, cell in given if cell.strip()}

    def _own_point(self, text: str) -> Any:
        try:
            return from_plain(self.codec.decode(json.loads(text)), self.settings.space)
        except (ValueError, TypeError, LookupError, RecursionError) as error:
            raise Fault(f"point is {text[:80]!r}: wanted a point of the space as JSON ({error})") from error


def _remark(value: Any, decimal: str) -> str:
    """The cell of a note or an attribute; lists and the like are JSON."""
    if value is None or isinstance(value, str):
        return guarded(value or "")
    plain = isinstance(value, int | float) and not isinstance(value, bool)
    return from_number(value, decimal) if plain else guarded(json.dumps(value, ensure_ascii=False))


def shows_remark(written: Written, known: Any) -> bool:
    """Whether a cell has an attribute that is known, perhaps as a spreadsheet writes it."""
    return written.cell.strip() == _remark(known, "," if written.comma else ".").strip() or written.shows(known)


def read_remark(written: Written) -> Any:
    """The attribute in a cell: a number, True, False, a list or an object as JSON, or else a text."""
    text = unguarded(written.cell).strip()
    number = to_number(text, written.comma)
    if number is not None:
        return number
    if text.casefold() in ("true", "false"):
        return text.casefold() == "true"
    if text.startswith(("[", "{")):
        with suppress(ValueError, RecursionError):
            return json.loads(text)
    return text


def _comma_hint(cell: str) -> str:
    return " with a point, such as 0.5, where columns are separated by commas" if "," in cell else ""


def by_name(plain: Any, names: Sequence[str]) -> dict[str, Any] | None:
    """The plain data of a point as numbers and texts by the names of its space; None where it is something else."""
    if isinstance(plain, Mapping):
        found = dict(plain)
    elif isinstance(plain, list | tuple) and len(plain) == len(names):
        found = dict(zip(names, plain, strict=True))
    else:
        return None
    plain_values = all(value is None or isinstance(value, bool | int | float | str) for value in found.values())
    return found if names and plain_values and set(found) <= set(names) else None


Format: TypeAlias = Literal["csv", "jsonl"]


def format_of(path: FilePath) -> Format:
    """What the name of a file says about it."""
    return "jsonl" if Path(path).suffix.casefold() in (".jsonl", ".ndjson") else "csv"


# ---------------------------------------------------------------------- text


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
