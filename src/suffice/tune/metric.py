"""The value of a trial, from what its command printed.

A line counts if it is a JSON object with the name as a key, {"loss": 0.25, "epoch": 3}, or if the name and a number
stand in it: loss=0.25 or loss: 0.25. Of several, the last one counts: what a program prints while it trains is
followed by what it prints at the end.
"""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import BinaryIO

from suffice.checks import short

BLOCK = 1 << 16  # bytes read at a time, from the end
LONGEST = 1 << 20  # bytes of a line that are looked at, the last ones: a line without an end must not fill the memory
COLOURS = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")
NUMBER = r"[+-]?(?:(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?|(?i:nan|inf(?:inity)?))"


@dataclass(frozen=True)
class Metric:
    """What to look for in the output."""

    name: str

    def __post_init__(self) -> None:
        if not self.name.strip() or not self.name.isprintable():
            raise ValueError(f"the metric needs a name, such as loss: got {short(self.name)}")

    @cached_property
    def _pattern(self) -> re.Pattern[str]:
        """The name as a word of its own: neither val_loss nor --loss is loss. What follows the number ends it: 12ms,
        1.2.3 and 1,234 are no numbers."""
        name = re.escape(self.name)
        return re.compile(rf"""(?:^|[\s,;|(\[{{])(["']?){name}\1\s*[=:]\s*({NUMBER})(?!\w|\.\d|,\d)""", re.ASCII)

    def of_line(self, line: str) -> float | None:
        """The value in a line, the last if there are several; None if there is none. ValueError: it is no number."""
        text = COLOURS.sub("", line).strip()
        if self.name not in text:
            return None
        if text.startswith("{") and text.endswith("}"):
            try:
                found = json.loads(text)
            except (ValueError, RecursionError):  # it only looks like JSON
                found = {}
            if self.name in found:
                return _number(found[self.name], self.name)
        values = [float(match[2]) for match in self._pattern.finditer(text)]
        return values[-1] if values else None

    def of_file(self, path: Path) -> float | None:
        """The value in a file: that of the last line that has one; None if there is none."""
        with path.open("rb") as file:
            for line in backwards(file):
                value = self.of_line(line)
                if value is not None:
                    return value
        return None


def tail(path: Path, lines: int = 3, letters: int = 200, between: str = " | ") -> str:
    """The last lines of a file that are not empty; "" if there are none."""
    found: list[str] = []
    with path.open("rb") as file:
        for line in backwards(file):
            text = COLOURS.sub("", line).rstrip()
            if text.strip():
                found.insert(0, "".join(c if c.isprintable() else "?" for c in text))
            if len(found) == lines:
                break
    shown = between.join(found)
    return shown if len(shown) <= letters else "..." + shown[3 - letters :]


def backwards(file: BinaryIO) -> Iterator[str]:
    """The lines of a file from the last to the first. A carriage return ends a line too, as progress bars have it."""
    position, rest = file.seek(0, 2), b""
    while position > 0:
        size = min(BLOCK, position)
        position -= size
        file.seek(position)
        first, *others = re.split(rb"[\r\n]", file.read(size) + rest)
        for line in reversed(others):
            yield _decoded(line)
        rest = first[-LONGEST:]
    yield _decoded(rest)


def _decoded(line: bytes) -> str:
    return line[-LONGEST:].decode("utf-8", errors="replace")


def _number(value: object, name: str) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise ValueError(f"the output says that {name} is {short(value)}: wanted a number")
    try:
        return float(value)
    except OverflowError:
        return float("inf") if value > 0 else float("-inf")
