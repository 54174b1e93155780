"""Points that are not made of parameters: the rows of a pool, and the points of a space of one's own.

A row of numbers and texts has a column for each of them. What a cell means is not known beforehand, as it is of a
parameter: it is compared with what the cells of known points look like, and read as their values are.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from suffice.exchange.cells import from_number, guarded, rounds_to, to_number, unguarded

WHOLE = ""  # the name of a point that stands in one cell: no column of a table has it


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


def to_cell(value: Any, decimal: str = ".") -> str:
    """The cell of a number or a text."""
    if isinstance(value, str):
        clear = value and value == value.strip() and not value.startswith('"')
        return guarded(value if clear else json.dumps(value, ensure_ascii=False))
    return repr(value) if value is None or isinstance(value, bool) else from_number(value, decimal)
