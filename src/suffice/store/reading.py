"""Reading an SQLite file that others may be writing, wherever it lies, and leaving it as it is."""

import errno
import shutil
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TypeVar

from suffice.errors import SufficeError, UnusableFile
from suffice.store.files import FilePath
from suffice.store.sqlite import PATIENCE, Database, Kind

Found = TypeVar("Found")

LOGS = ("-wal", "-journal")  # what SQLite has beside a file in use; the second one while the file is being made


class OnlyByCopy(Exception):
    """The file cannot be read where it is: it has an earlier version, or a log without its index. A copy can."""


def read_from(path: FilePath, kind: Kind, read: Callable[[Database], Found], patience: float = PATIENCE) -> Found:
    """What `read` makes of the file, in one of three ways; `patience` is how many seconds a lock is waited for.

    1.  Nobody writes it: without a lock, so that nothing is left beside it. If it has changed meanwhile, once more.
    2.  Somebody does, or was killed: by the log beside it, which may leave files that the next writer removes.
    3.  Where SQLite cannot do that without making files, or the version is an earlier one: from a copy.
    """
    file = Path(path)
    if not file.exists():
        raise FileNotFoundError(errno.ENOENT, "There is no such file", str(path))
    try:
        before = _state(file)
        if not before[0]:
            try:
                found = _read(file, kind, "immutable=1", read, patience)
            except SufficeError:
                if _state(file) == before:
                    raise
            else:
                if _state(file) == before:
                    return found
        if Path(f"{file}-wal").exists() and not Path(f"{file}-shm").exists():
            raise OnlyByCopy  # nobody has it open, and SQLite would make the index of the log beside it
        return _read(file, kind, "mode=ro", read, patience)
    except (UnusableFile, OnlyByCopy):
        with TemporaryDirectory(prefix="suffice-", ignore_cleanup_errors=True) as folder:
            copy = Path(folder) / file.name
            for suffix in ("", *LOGS):
                with suppress(FileNotFoundError):
                    shutil.copyfile(f"{file}{suffix}", f"{copy}{suffix}")
            with Database(copy, kind, called=file) as database:
                return read(database)


def _state(file: Path) -> tuple[bool, int, int, int]:
    """Whether there is a log, and what changes when the file is written."""
    there = file.stat()
    return any(Path(f"{file}{log}").exists() for log in LOGS), there.st_mtime_ns, there.st_size, there.st_ino


def _read(file: Path, kind: Kind, how: str, read: Callable[[Database], Found], patience: float) -> Found:
    with Database.unprepared(file, kind, how, patience) as database:
        database.check()
        if database.version() < kind.version:
            raise OnlyByCopy
        return read(database)
