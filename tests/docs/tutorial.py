"""The walk through the tutorial: all pages one after the other in one folder, as a reader does, and what is printed."""

import contextlib
import importlib
import io
import re
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from .pages import Block, Page, Run

# A reader waits before the kill; a test waits until there is something to kill, however busy the machine is.
WAIT = "sleep 3"
_ROWS = "sqlite3.connect('file:night.db?mode=ro', uri=True).execute('SELECT count(*) FROM events').fetchone()"
_ENOUGH = f'[ "$(python -c "import sqlite3; print(*{_ROWS})" 2>/dev/null || echo 0)" -ge 20 ]'
UNTIL = f"for look in $(seq 500); do if {_ENOUGH}; then break; fi; sleep 0.3; done"


@dataclass(frozen=True)
class Shown:
    """A `text` block of a page, and what was printed by the block of code before it."""

    page: Page
    block: Block
    printed: str

    @property
    def exact(self) -> bool:
        """Whether the page has what is printed, to the last digit; but for times, and what depends on them (…)."""
        return self.close if "…" in self.block.code else _plain(self.block.code).split() == _plain(self.printed).split()

    @property
    def close(self) -> bool:
        """The same, as far as machines agree. Of a block with lines of … only the others are shown."""
        if "…" in self.block.code:
            parts, printed = self.block.code.split("…"), _words(self.printed)
            return all(_words(part).strip() in printed for part in parts)
        return close(self.block.code, self.printed)


def walk(folder: Path, pages: Sequence[Page]) -> tuple[list[Run], list[Shown]]:
    """Run the pages in the folder."""
    runs, shown = [], []
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(folder)
        for page in pages:
            run = Run(page, folder, {})
            with run.entered():
                shown += list(_walked(run))
            runs.append(run)
    for path in folder.glob("*.py"):  # another walk has files of its own
        sys.modules.pop(path.stem, None)
    return runs, shown


def _walked(run: Run) -> Iterator[Shown]:
    printed = ""
    for block in run.page.blocks:
        if block.language == "text":
            yield Shown(run.page, block, printed)
            continue
        importlib.invalidate_caches()  # the block before may have written a module
        before, output = len(run.printed), io.StringIO()
        with contextlib.redirect_stdout(output):
            run.do(replace(block, code=block.code.replace(WAIT, UNTIL)))
        printed = output.getvalue() + "".join(run.printed[before:])


_NUMBER = re.compile(r"(?<![\w.])-?\d+(?:\.\d+)?(?:e[+-]?\d+)?")
_TIMES = re.compile(r"took [\d.e-]+ m?s,\s\d+ %|[\d.e-]+ m?s, choosing points [\d.e-]+ m?s of it|, pending \d+")


def close(shown: str, printed: str) -> bool:
    """Whether the words are the same, and the numbers about the same.

    A rounding error that another machine makes sends a search of 30 trials to other points of the same quality: then
    settings differ by some factor, and rows of a table may change places.
    """
    (words, numbers), (others, found) = (
        (sorted(_words(text).split()), [float(n) for n in _NUMBER.findall(_plain(text))]) for text in (shown, printed)
    )
    return words == others and all(
        abs(a - b) <= 0.05 or 1 / 3 <= a / b <= 3 for a, b in zip(numbers, found, strict=True)
    )


def _plain(text: str) -> str:
    """Without times."""
    return _TIMES.sub("", text)


def _words(text: str) -> str:
    """Without times and with # in the place of each number."""
    return _NUMBER.sub("#", _plain(text))
