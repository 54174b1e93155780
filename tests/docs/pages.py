"""Pages of the documentation: their blocks of code, and how these are run.

The blocks of a page are run in its order, in one folder: `python` blocks in one namespace, `sh` blocks by bash with the
programs of this environment, unless `commands.py` exempts them. A block whose first line is a comment with the name of
a file is written as that file instead, for the blocks that follow. Output is shown in `text` blocks.
"""

import csv
import json
import os
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from .commands import exempt

ROOT = Path(__file__).parents[2]
TEXTS = (*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), *(ROOT / "research").rglob("*.md"))
PATHS = sorted(path.relative_to(ROOT).as_posix() for path in TEXTS)
SECONDS = 200  # for one block of commands: a page should take a few, and CI's machine may be busy

_BLOCK = re.compile(r"^(?P<indent> *)```(?P<language>[^\n`]*)\n(?P<code>.*?)^(?P=indent)```$", re.MULTILINE | re.DOTALL)
_FILE = re.compile(r"(?:#|//) ?([\w./-]+\.\w+)\n")


@dataclass(frozen=True)
class Block:
    """A fenced block: its language, its text, and the line of the page that is its first."""

    language: str
    code: str
    line: int

    @property
    def file(self) -> str | None:
        """The file that it is written as."""
        named = _FILE.match(self.code)
        return named[1] if named and self.language not in ("", "text") else None

    @property
    def content(self) -> str:
        """What is written: the line with the name is left away where it would be no comment."""
        return self.code.partition("\n")[2] if self.language in ("json", "csv") else self.code


@dataclass(frozen=True)
class Page:
    """A page, named by its path from the root of the repository."""

    path: str

    @cached_property
    def text(self) -> str:
        return (ROOT / self.path).read_text(encoding="utf-8")

    @cached_property
    def blocks(self) -> tuple[Block, ...]:
        return tuple(
            Block(found["language"].strip(), _dedented(found["code"], found["indent"]), self._line(found.start("code")))
            for found in _BLOCK.finditer(self.text)
        )

    def code(self, language: str) -> list[str]:
        """The text of the blocks in a language."""
        return [block.code for block in self.blocks if block.language == language]

    def file(self, name: str) -> str:
        """The text of the one block that is a file of that name."""
        (code,) = (block.content for block in self.blocks if block.file == name)
        return code

    def run(self, folder: Path, **names: Any) -> "Run":
        """Run all blocks in the folder; `names` are there before the first."""
        run = Run(self, folder, names)
        with run.entered():
            for block in self.blocks:
                run.do(block)
        return run

    def _line(self, position: int) -> int:
        return self.text.count("\n", 0, position) + 1


class Run:
    """A page that is being run: what its names stand for, and what its commands have printed.

    names    dict  at the end                  after  list of dict  after each `python` block
    printed  list of str, of each `sh` block
    """

    def __init__(self, page: Page, folder: Path, names: dict[str, Any]) -> None:
        self.page, self.folder = page, folder
        self.module = ModuleType("page_" + re.sub(r"\W", "_", page.path))  # so that its functions can be pickled
        self.module.__dict__.update(names)
        self.names, self.after, self.printed = self.module.__dict__, [], []

    def __getitem__(self, name: str) -> Any:
        return self.names[name]

    @contextmanager
    def entered(self) -> Iterator[None]:
        """Its folder is the current one, its module can be imported, and nobody waits for a window."""
        with pytest.MonkeyPatch.context() as patch:
            patch.chdir(self.folder)
            patch.syspath_prepend(self.folder)
            patch.setitem(sys.modules, self.module.__name__, self.module)
            patch.setenv("MPLBACKEND", "agg")
            yield
        for name, module in list(sys.modules.items()):  # the next page may have another file of that name
            if str(getattr(module, "__file__", None)).startswith(str(self.folder)):
                del sys.modules[name]
        if "matplotlib.pyplot" in sys.modules:
            sys.modules["matplotlib.pyplot"].close("all")

    def do(self, block: Block) -> None:
        """Write, run or read one block."""
        if block.file:
            path = self.folder / block.file
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(block.content, encoding="utf-8")
        elif block.language == "python":
            # An error is shown with the name and the line of the page.
            exec(compile("\n" * (block.line - 1) + block.code, ROOT / self.page.path, "exec"), self.names)
            self.after.append(dict(self.names))
        elif block.language == "sh" and not exempt(block.code):
            self.printed.append(shell(block.code, self.folder))
        elif block.language in READERS:
            READERS[block.language](block.code)


READERS = {
    "toml": tomllib.loads,
    "json": json.loads,
    "csv": lambda text: list(csv.reader(text.splitlines(), strict=True)),
}


def shell(code: str, folder: Path, **more: str) -> str:
    """What bash prints for some lines, of which none may fail."""
    done = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", code],
        cwd=folder,
        env=environment(**more),
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
    )
    assert done.returncode == 0, f"{code}\n{done.stdout[-3000:]}{done.stderr[-3000:]}"
    return done.stdout


def environment(**more: str) -> dict[str, str]:
    """The variables of a user: this environment's programs come first, and pytest has left no traces."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}
    path = os.path.dirname(sys.executable) + os.pathsep + kept.get("PATH", os.defpath)
    quiet = {"MPLBACKEND": "agg", "DASK_LOGGING__DISTRIBUTED": "critical"}
    return {**kept, "PATH": path, **quiet, **more}


def _dedented(code: str, indent: str) -> str:
    return "".join(line.removeprefix(indent) for line in code.splitlines(keepends=True))
