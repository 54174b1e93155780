"""What stands in one cell of a table: a number, an option or a text, and the way back.

A number is written with all its digits, so that it is read back bit for bit. An option is written by its text; where
two options would look alike, strings are quoted and the rest is written as in Python, and a cell is only ever looked up
among the options: nothing that is read is run. Text that a spreadsheet would take for a formula has an apostrophe in
front.
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

NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d{1,4})?", re.ASCII)
INTEGER = re.compile(r"[+-]?\d+", re.ASCII)
FORMULA = tuple("=+-@\t\r\n＝＋－＠")  # what a spreadsheet, also an East Asian one, may begin to calculate at
DIGITS = 5e-6  # relative: a spreadsheet that shows 1.23457E-05 writes these six digits into its file


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
    if not NUMBER.fullmatch(text):
        return None
    try:
        return int(text) if INTEGER.fullmatch(text) else float(text)
    except ValueError:  # an integer of thousands of digits, which Python does not read
        return None


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
    risky = text.lstrip(" ").startswith(FORMULA) and not NUMBER.fullmatch(text)
    return f"'{text}" if risky or text.startswith("'") else text


def unguarded(cell: str) -> str:
    """The text that was guarded; a text of one's own that begins with an apostrophe stays as it is."""
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
    if not isinstance(option, str):
        return _exact(option)
    clear = option and option == option.strip() and not option.startswith('"')
    return str(option) if clear else _exact(option)


def _exact(option: Any) -> str:
    if type(option) is str:
        return json.dumps(option, ensure_ascii=False)
    return repr(option)
