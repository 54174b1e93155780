"""The files of studies: those in a folder, whether one has changed, and the events that were appended.

Nothing is written, and no writer waits. Symbolic links are not followed and hidden folders are skipped, so nothing
outside of the folder is read. A study is open only while a portion is read, for one to ten milliseconds. If its writer
closes it in this time, SQLite leaves its log beside the file, and the next writer removes the log.
"""

import os
import sqlite3
import stat
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, TypeAlias

from suffice.errors import UnreadableFile
from suffice.record.recovery import check_log, found_rows, in_order
from suffice.record.study_file import KIND, is_saved_result
from suffice.store.files import from_json, is_claimed
from suffice.store.sqlite import SELECT, Book, Database, Fact, Plain, Row, is_database, read_from

Sort: TypeAlias = Literal["storage", "saved"]

ENTRIES = 20_000  # files and folders to inspect: a tenth of a second
STUDIES = 500  # studies to follow
LOCK_TIMEOUT = 1.0  # seconds to wait for a lock: the other studies wait meanwhile
LARGEST = 50_000_000  # bytes of an event or a file that is read as a whole; decoded, it needs ten times as much memory
PORTION = 500_000  # characters of events to read at once: some ten milliseconds, and little memory


def sort_of(path: Path) -> Sort | None:
    """Whether a file is a stored study or a saved result; None if neither, or unknown."""
    try:
        if is_database(path):
            return "storage" if _application(path) == KIND.application else None
        return "saved" if is_saved_result(path) else None
    except (OSError, sqlite3.Error):
        return None


def _application(path: Path) -> int:
    """The application id in the header; read without a lock, so no file is left beside it."""
    connection = sqlite3.connect(f"{path.resolve().as_uri()}?immutable=1", uri=True)
    try:
        found: int = connection.execute("PRAGMA application_id").fetchone()[0]
        return found
    finally:
        connection.close()


@dataclass
class Folder:
    """A folder that is searched repeatedly; a file is opened again only if it has changed."""

    root: Path
    full: bool = False  # whether a limit was reached, so there may be more studies
    _seen: dict[str, tuple[tuple[int, ...], bool]] = field(default_factory=dict)

    def studies(self) -> list[str]:
        """The files of studies, as paths below the folder, in the order of their names."""
        self.full, found, seen = False, [], {}
        for path, entry in self._files():
            try:
                here = entry.stat(follow_symlinks=False)
            except OSError:  # gone meanwhile
                continue
            stamp = *_of(here), here.st_ctime_ns  # ctime: who may read it
            known = self._seen.get(path)
            seen[path] = known if known and known[0] == stamp else (stamp, self._is_study(path, here.st_size))
            if seen[path][1]:
                found.append(path)
        self._seen = seen
        self.full = self.full or len(found) > STUDIES
        return sorted(found)[:STUDIES]

    def _is_study(self, path: str, size: int) -> bool:
        if not size or path.endswith(("-wal", "-shm", "-journal", "-lock")):  # the files beside a study
            return False
        sort = sort_of(self.root / path)
        return sort == "storage" or (sort == "saved" and path.endswith(".json"))

    def _files(self) -> Iterator[tuple[str, os.DirEntry[str]]]:
        """Regular files by their path below the folder, those in the folder itself first."""
        left, level = ENTRIES, [""]
        while level:
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


@dataclass(frozen=True)
class Stamp:
    """The attributes of the file and of SQLite's log beside it that change when the study is written."""

    file: tuple[int, int, int]
    log: tuple[int, int, int]
    changed: float  # seconds since 1970

    @classmethod
    def of(cls, path: Path) -> "Stamp | None":
        """The stamp of a file; None if there is no such file, or a link or a folder in its place."""
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


def light(data: str) -> Plain:
    """An event without the data for rebuilding its acquisition function."""
    start = data.find(',"binding":{"is":"Binding",')  # not inside a string: quotes are escaped there
    end = data.find(',"allowance":', start)
    return from_json(data if start < 0 or end < 0 else data[:start] + data[end:])


def _light_portion() -> Callable[[str], Plain]:
    """The same, event by event up to PORTION characters; then raises Filled, but never before the first event."""
    left = PORTION

    def limited(data: str) -> Plain:
        nonlocal left
        if left < PORTION and len(data) > left:
            raise Filled
        left -= len(data)
        return light(data)

    return limited


class Filled(Exception):
    """Raised when the events read are as much as should be in memory at once."""


class Exchanged(Exception):
    """Raised if the file was replaced by another one."""


@dataclass(frozen=True)
class Portion:
    """A portion: the next events, the problem of the event after them, and whether there may be more."""

    facts: list[Fact]
    fault: UnreadableFile | None
    more: bool


class Tail:
    """The unread events of a file."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.reached = (0, 0)

    def read(self, limit: int = -1) -> Portion:
        """The next portion, or so many events; Exchanged if earlier events are gone, OSError if the file is locked."""
        facts: list[Fact] = []
        reached = [self.reached]

        def next_ones(database: Database) -> bool:
            facts.clear()  # the file may be read in two ways
            database.refuse_longer(LARGEST)
            book = Book(database, self.reached)
            if not book.goes_on():
                raise Exchanged
            try:
                book.read(limit, facts, _light_portion())
            except Filled:
                return True
            finally:
                reached[0] = book.reached
            return False

        fault, more = None, False
        try:
            more = read_from(self.path, KIND, next_ones, LOCK_TIMEOUT)
        except UnreadableFile as error:
            fault = error
        self.reached = reached[0]
        return Portion(facts, fault, more)

    def before_damage(self) -> list[Fact]:
        """The consecutive events before the damage in the pages of a file that SQLite cannot read."""
        facts: list[Fact] = []
        if is_claimed(self.path):  # opening it here would drop the locks of a writer in this process
            return facts
        for row in in_order(found_rows(self.path)):
            if (row.number, row.before) != (self.reached[0] + 1, self.reached[1]):
                break
            facts.append(row.fact)
            self.reached = row.number, row.crc
        return facts

    def at(self, places: list[int]) -> list[Fact]:
        """Some events that were read before, by their places from 0; UnreadableFile if one is now damaged."""

        def these(database: Database) -> list[Fact]:
            database.refuse_longer(LARGEST)
            with database.reading() as connection:
                rows = [Row(*found) for i in places for found in connection.execute(SELECT, (i, 1))]
            if [row.number for row in rows] != [i + 1 for i in places] or not all(row.whole for row in rows):
                raise database.damaged("what was read before no longer exists")
            return [row.fact for row in rows]

        return read_from(self.path, KIND, these, LOCK_TIMEOUT)

    def fault(self, rows: bool) -> UnreadableFile | None:
        """The problem of the log beside the file or, if `rows`, of rows that were intact when they were read."""

        def checked(database: Database) -> None:
            if rows:
                Book(database).check()
            check_log(database)

        try:
            read_from(self.path, KIND, checked, LOCK_TIMEOUT)
        except UnreadableFile as error:
            return error
        return None
