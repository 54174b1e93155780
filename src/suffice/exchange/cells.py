"""What stands in one cell of a table: a number, an option or a text, and the way back.

A number is written with all its digits, so that it is read back bit for bit. An option is written by its text; where
two options would look alike, strings are quoted and the rest is written as in Python. A cell is only ever looked up
among the options: nothing that is read is run. Text that a spreadsheet would take for a formula has an apostrophe in
front. A cell of a point without parameters has no options to be looked up among: what is `Written` there is compared
with the cells of known points, and read as their values are.
"""

import json
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property
from typing import Any

import numpy as np

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
