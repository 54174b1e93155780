"""The files of studies in a folder, found without opening what others are writing.

Symbolic links are not followed and hidden folders not looked into, so that nothing outside of the folder is read.
"""

import os
import re
import sqlite3
import stat
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, TypeAlias

from suffice.record.study_file import KIND
from suffice.store.sqlite import is_database

Sort: TypeAlias = Literal["store", "saved"]

DEPTH = 8  # folders within folders
ENTRIES = 20_000  # files and folders that are looked at: a tenth of a second
STUDIES = 500  # that are followed
BESIDE = ("-wal", "-shm", "-journal", "-lock")  # what lies beside a store
SAVED = re.compile(rb'"format"\s*:\s*"suffice result"')
HEAD = 1000  # bytes of a saved result in which its format stands


def sort_of(path: Path) -> Sort | None:
    """Whether a file is the store of a study or a saved result; None: neither, or it cannot be told."""
    try:
        if is_database(path):
            return "store" if _application(path) == KIND.application else None
        with path.open("rb") as file:
            return "saved" if SAVED.search(file.read(HEAD)) else None
    except (OSError, sqlite3.Error):
        return None


def _application(path: Path) -> int:
    """What the header says the file is for; without a lock, so that nothing is left beside it."""
    connection = sqlite3.connect(f"{path.resolve().as_uri()}?immutable=1", uri=True)
    try:
        found: int = connection.execute("PRAGMA application_id").fetchone()[0]
        return found
    finally:
        connection.close()


@dataclass
class Folder:
    """A folder that is looked through again and again: a file is opened anew only if it has changed."""

    root: Path
    full: bool = False  # whether a limit was reached, so that there may be more studies
    _seen: dict[str, tuple[tuple[int, int, int, int], bool]] = field(default_factory=dict)

    def studies(self) -> list[str]:
        """The files of studies, as paths below the folder, in the order of their names."""
        self.full, found, seen = False, [], {}
        for path, entry in self._files():
            try:
                here = entry.stat(follow_symlinks=False)
            except OSError:  # gone meanwhile
                continue
            stamp = here.st_ino, here.st_mtime_ns, here.st_ctime_ns, here.st_size  # ctime: who may read it
            known = self._seen.get(path)
            seen[path] = known if known and known[0] == stamp else (stamp, self._is_study(path, here.st_size))
            if seen[path][1]:
                found.append(path)
        self._seen = seen
        self.full = self.full or len(found) > STUDIES
        return sorted(found)[:STUDIES]

    def _is_study(self, path: str, size: int) -> bool:
        if not size or path.endswith(BESIDE):
            return False
        sort = sort_of(self.root / path)
        return sort == "store" or (sort == "saved" and path.endswith(".json"))

    def _files(self) -> Iterator[tuple[str, os.DirEntry[str]]]:
        """Regular files by their path below the folder, those in the folder itself first."""
        left, level = ENTRIES, [""]
        for _ in range(DEPTH + 1):
            deeper: list[str] = []
            for below in level:
                try:
                    entries = sorted(os.scandir(self.root / below), key=lambda entry: entry.name)
                except OSError:  # gone meanwhile, or not ours to read
                    continue
                for entry in entries:
                    left -= 1
                    if left < 0:
                        self.full = True
                        return
                    if entry.is_dir(follow_symlinks=False):
                        deeper += [] if entry.name.startswith(".") else [f"{below}{entry.name}/"]
                    elif entry.is_file(follow_symlinks=False):
                        yield f"{below}{entry.name}", entry
            level = deeper
        self.full = self.full or bool(level)


@dataclass(frozen=True)
class Stamp:
    """What changes when a file is written: of the file, and of the log beside it, to which SQLite appends."""

    file: tuple[int, int, int]
    log: tuple[int, int, int]
    changed: float  # seconds since 1970

    @classmethod
    def of(cls, path: Path) -> "Stamp | None":
        """None if there is no such file, or a link or a folder in its place."""
        try:
            file = path.lstat()
        except (OSError, ValueError):
            return None
        if not stat.S_ISREG(file.st_mode):
            return None
        try:
            log = Path(f"{path}-wal").lstat()
        except OSError:
            return cls(_of(file), (0, 0, 0), file.st_mtime)
        return cls(_of(file), _of(log), max(file.st_mtime, log.st_mtime))


def _of(found: os.stat_result) -> tuple[int, int, int]:
    return found.st_ino, found.st_mtime_ns, found.st_size
