"""An SQLite file of one kind: opened with care, brought to the present version, used in transactions.

Whatever ends the program, the file holds a transaction as a whole or not at all, and several programs may use it at
once. The header of the file says what it is (application) and which version its tables have.

What a program has written survives its end, because the operating system has it. A power cut it survives only once it
is on the disk; to wait for that takes milliseconds, so it is asked for in the background (`Flusher`).

No module may open such a file by itself while it is in use: closing any descriptor of it, in this process, drops the
locks of SQLite, because POSIX has them so. `read_from` reads a file that others may be writing.

A `Book` has facts in a table, one row each, with checksums that tell a missing, moved or changed row.

    number  kind  data  before  crc

`data` is JSON; `before` is the crc of the row before, 0 in the first one, and crc that of the row's number, kind and
data, continued from `before`. So a row can be judged by itself, and rows that follow each other belong together. SQLite
counts the rows ever added (AUTOINCREMENT), which shows rows that are missing at the end.
"""

import errno
import json
import os
import shutil
import sqlite3
import threading
import zlib
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple, TypeAlias, TypeVar

from suffice.errors import SufficeError, UnreadableFile, UnusableFile
from suffice.store.files import FilePath, from_json

DELAY = 0.1  # seconds from the first write to its flush: what a power cut may cost
PATIENCE = 60.0  # seconds to wait while another program writes; a transaction takes milliseconds
LONGEST = 2**28  # bytes of a row, of a value that SQLite computes, and of what it sorts by: far more than any of ours
LOGS = ("-wal", "-journal")  # what SQLite has beside a file in use; the second one while the file is being made

Found = TypeVar("Found")


class Flusher:
    """Flushes a file soon after `wrote` was called, once for all that came meanwhile."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._written, self._closed = threading.Event(), threading.Event()
        self._thread: threading.Thread | None = None

    def wrote(self) -> None:
        """There is something to flush."""
        if self._thread is None:  # one for all: to start a thread takes longer than to write
            arguments = (self._path, self._written, self._closed)
            self._thread = threading.Thread(target=_flush, args=arguments, name="suffice-flusher", daemon=True)
            self._thread.start()
        self._written.set()

    def close(self) -> None:
        """What is not flushed yet is left to whoever closes the file."""
        self._closed.set()
        self._written.set()


def _flush(path: Path, written: threading.Event, closed: threading.Event) -> None:
    while written.wait() and not closed.wait(DELAY):
        written.clear()
        with suppress(OSError):  # gone meanwhile, or a file system that cannot
            descriptor = os.open(path, os.O_RDWR)
            try:
                os.fsync(descriptor)
            finally:
                os.close(descriptor)


@dataclass(frozen=True)
class Kind:
    """What a file is for, and how its tables came to be."""

    name: str  # what it holds, in the plural: "results"
    application: int  # 32 bits of one's own
    migrations: tuple[tuple[str, ...], ...]  # statements that lead from version 0, an empty file, to 1, to 2, …
    remedy: str = "name another file"  # what to do about a damaged one; {path} stands for its name

    @property
    def version(self) -> int:
        return len(self.migrations)


class Database:
    """The file, made with its folder if there is none: `with Database(path, kind) as db: …`.

    threads    whether several threads use it, one at a time; the caller sees to that
    called     how messages name the file, if it is a copy of another
    at_once    whether a transaction is on the disk when it is over, for which one waits; else a moment later, so that
               a power cut, but no end of a program, may cost the last ones
    """

    def __init__(
        self,
        path: FilePath,
        kind: Kind,
        *,
        threads: bool = False,
        at_once: bool = True,
        called: FilePath | None = None,
    ) -> None:
        self.path, self.kind = Path(path if called is None else called), kind
        self._flusher = None if at_once else Flusher(Path(f"{os.path.abspath(path)}-wal"))
        Path(path).parent.mkdir(parents=True, exist_ok=True)
        self._refuse_other_names(path)
        self._connect(os.path.abspath(path), threads)  # else ":memory:" and "file:…" are no names of files to SQLite
        try:
            self._prepare()
        except BaseException:
            self._connection.close()
            raise

    def _refuse_other_names(self, path: FilePath) -> None:
        """SQLite keeps its journal beside the name: writers under two names of a file do not see each other's."""
        names = os.stat(path).st_nlink if os.path.isfile(path) else 1
        if names > 1:
            raise UnusableFile(
                f"{self.path} has {names} names (hard links), and writing under two of them would damage it: "
                "write to a copy of the file"
            )

    @classmethod
    def unprepared(cls, path: Path, kind: Kind, how: str, patience: float | None = None) -> "Database":
        """The file as it is, for reading; `how` are words of SQLite's URIs."""
        database = cls.__new__(cls)
        database.path, database.kind, database._flusher = path, kind, None
        database._connect(f"{path.resolve().as_uri()}?{how}", uri=True, patience=patience)
        return database

    def __enter__(self) -> "Database":
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def close(self) -> None:
        """Let go of the file; everything written is in it already."""
        if self._flusher is not None:
            self._flusher.close()
        self._connection.close()

    @contextmanager
    def reading(self) -> Iterator[sqlite3.Connection]:
        """One state of the file, whatever others write meanwhile."""
        with self._transaction("DEFERRED") as connection:
            yield connection

    @contextmanager
    def writing(self) -> Iterator[sqlite3.Connection]:
        """All of it or nothing: committed at the end, rolled back on an exception."""
        with self._transaction("IMMEDIATE") as connection:
            yield connection
        if self._flusher is not None:
            self._flusher.wrote()

    def damaged(self, what: str, remedy: str | None = None) -> UnreadableFile:
        """The error that says what is wrong with the content."""
        return UnreadableFile(f"{self.path} is damaged: {what}; {remedy or self._remedy}")

    @property
    def _remedy(self) -> str:
        return self.kind.remedy.format(path=self.path)

    def _connect(
        self, target: FilePath, threads: bool = False, uri: bool = False, patience: float | None = None
    ) -> None:
        patience = PATIENCE if patience is None else patience
        with self._named():
            self._connection = sqlite3.connect(
                target, timeout=patience, isolation_level=None, check_same_thread=not threads, uri=uri
            )  # BEGIN is ours
            self.refuse_longer(LONGEST)  # before anything is read: a file may have its reader compute gigabytes

    def refuse_longer(self, letters: int) -> None:
        """Have a row with a longer text raise UnreadableFile, before it takes memory."""
        self._connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, letters)

    def version(self) -> int:
        """Which version its tables have."""
        with self.reading() as connection:
            version: int = connection.execute("PRAGMA user_version").fetchone()[0]
            return version

    def check(self) -> None:
        """Look before anything is written: a file of another kind stays as it is."""
        kind = self.kind
        with self.reading() as connection:
            application, version, tables = (
                connection.execute(query).fetchone()[0]
                for query in ("PRAGMA application_id", "PRAGMA user_version", "SELECT count(*) FROM sqlite_master")
            )
            # Only the beginning of each: a file with other tables may have any number of them, of any length.
            found = connection.execute(SCHEMA).fetchmany(1000)  # ours have four at most
        if application != kind.application and (application or version or tables):
            raise UnreadableFile(f"{self.path} is an SQLite file, but not one of {kind.name}: name another file")
        if version < 0 or (version <= kind.version and set(found) != _made(kind.migrations[:version])):
            raise UnreadableFile(
                f"{self.path} has tables, checks, views, triggers or computed columns that do not belong to a file of "
                f"{kind.name}: it was changed; {self._remedy}"
            )
        if version > kind.version:
            raise UnreadableFile(
                f"{self.path} has version {version}, this suffice uses version {kind.version}; "
                "upgrade with pip install -U, or name another file"
            )

    def _prepare(self) -> None:
        self.check()
        self._connection.execute("PRAGMA foreign_keys = ON")
        if self.version() < self.kind.version:
            self._migrate()
        with suppress(sqlite3.OperationalError):  # in use, or a disk that cannot: just as safe, but readers wait
            (mode,) = self._connection.execute("PRAGMA journal_mode = WAL").fetchone()
            if self._flusher is not None and mode == "wal":  # else a power cut could damage the file
                self._connection.execute("PRAGMA synchronous = NORMAL")

    def _migrate(self) -> None:
        """Bring the tables to the present version, unless another program was faster."""
        with self._transaction("EXCLUSIVE") as connection:
            (version,) = connection.execute("PRAGMA user_version").fetchone()
            for statements in self.kind.migrations[version:]:
                for statement in statements:
                    connection.execute(statement)
            connection.execute(f"PRAGMA application_id = {self.kind.application}")
            connection.execute(f"PRAGMA user_version = {self.kind.version}")

    @contextmanager
    def _transaction(self, kind: str) -> Iterator[sqlite3.Connection]:
        with self._named(), self._connection:
            self._connection.execute(f"BEGIN {kind}")
            yield self._connection

    @contextmanager
    def _named(self) -> Iterator[None]:
        """Errors of SQLite as errors that name the file."""
        try:
            yield
        except UnicodeDecodeError as error:  # even the names of tables and the words of SQLite may be damaged
            raise self.damaged(str(error)) from error
        except sqlite3.OperationalError as error:
            if str(error).startswith("Could not decode to UTF-8"):  # damaged text, and no passing trouble
                raise self.damaged(str(error)) from error
            raise UnusableFile(f"{self.path} cannot be used: {error}; what was added before is safe") from error
        except sqlite3.DataError as error:  # longer than LONGEST
            raise self.damaged(str(error)) from error
        except sqlite3.DatabaseError as error:
            if type(error) is not sqlite3.DatabaseError:  # a wrong use of this module, not a fault of the file
                raise
            raise UnreadableFile(
                f"{self.path} is no file of {self.kind.name}, or damaged: {error}; {self._remedy}"
            ) from error


# Views, triggers, computed columns, indexes and checks make whoever reads or writes the file compute, without end or
# with all of the machine's memory. Ours has none of them, so its schema is compared as a whole, word for word. What
# ANALYZE adds is SQLite's own.
SCHEMA = "SELECT type, name, substr(sql, 1, 10000) FROM sqlite_master WHERE name NOT LIKE 'sqlite@_stat%' ESCAPE '@'"


@cache
def _made(migrations: tuple[tuple[str, ...], ...]) -> frozenset[tuple[Any, ...]]:
    """The schema that statements lead to, as SQLite keeps it."""
    with closing(sqlite3.connect(":memory:")) as connection:
        for statement in (statement for statements in migrations for statement in statements):
            connection.execute(statement)
        return frozenset(connection.execute(SCHEMA).fetchall())


def is_database(path: FilePath) -> bool:
    """Whether there is an SQLite file, of whatever kind: SQLite itself looks, since nobody else may open one in use."""
    file = Path(path)
    if not file.is_file() or not file.stat().st_size:
        return False
    # The header alone is looked at, so without a lock: with one, SQLite would leave files beside it.
    connection = sqlite3.connect(f"{file.resolve().as_uri()}?immutable=1", timeout=PATIENCE, uri=True)
    try:
        connection.execute("PRAGMA schema_version").fetchone()
    except sqlite3.OperationalError:  # it is one, and cannot be read now; who reads it says why
        return True
    except sqlite3.DatabaseError as error:
        return "not a database" not in str(error)
    finally:
        connection.close()
    return True


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


Plain: TypeAlias = Any  # None, bool, int, float, str, and lists and dicts of them: what JSON has

# ---------------------------------------------------------------------- rows with checksums

# Each row has the checksum of the one before, so that a gap is noticed.
TABLE = (
    "CREATE TABLE events (number INTEGER PRIMARY KEY AUTOINCREMENT, kind TEXT NOT NULL, data TEXT NOT NULL, "
    "before INTEGER NOT NULL, crc INTEGER NOT NULL)"
)
# The rows after a number, so many of them; −1: all.
SELECT = "SELECT number, kind, data, before, crc FROM events WHERE number > ? ORDER BY number LIMIT ?"


class Fact(NamedTuple):
    """What a row says."""

    kind: str
    data: Plain


class Row(NamedTuple):
    """A row as it is stored."""

    number: int
    kind: str
    data: str
    before: int
    crc: int

    @property
    def whole(self) -> bool:
        """Whether it has the checksum that was made of it."""
        return self.crc == checksum(self.number, self.kind, self.data, self.before)

    @property
    def fact(self) -> Fact:
        """What it says."""
        return Fact(self.kind, from_json(self.data))


def checksum(number: int, kind: str, data: str, before: int) -> int:
    """The crc of a row that follows the one with the crc `before`."""
    return zlib.crc32(f"{number}\n{kind}\n{data}".encode(), before)


def rows_of(facts: Iterable[Fact], number: int, crc: int) -> Iterator[Row]:
    """The rows that follow row `number`."""
    for kind, content in facts:
        number += 1
        data = json.dumps(content, allow_nan=False, separators=(",", ":"))
        before, crc = crc, checksum(number, kind, data, crc)
        yield Row(number, kind, data, before, crc)


class Book:
    """The facts of a file. It remembers how far it was read or written, so that others' rows are never overwritten.

    reached    number and crc of the last row that is known already: those after it are read
    """

    def __init__(self, database: Database, reached: tuple[int, int] = (0, 0)) -> None:
        self.database = database
        self._number, self._crc = reached  # of the last row that was read or written

    @property
    def reached(self) -> tuple[int, int]:
        """Number and crc of the last row that was read or written."""
        return self._number, self._crc

    def read(
        self, limit: int = -1, facts: list[Fact] | None = None, decoded: Callable[[str], Plain] = from_json
    ) -> list[Fact]:
        """The facts that were not read yet, all or so many, checked one by one; UnreadableFile if one is not whole.

        facts     a list to add them to, which then has those that came before the one that is not whole
        decoded   what makes data of JSON, for who does not need all of it
        """
        facts = [] if facts is None else facts
        with closing(self._rows(limit)) as rows:
            for row in rows:
                try:
                    facts.append(Fact(row.kind, decoded(row.data)))
                except ValueError as error:
                    raise self.database.damaged(f"event {row.number} is no JSON ({error})") from error
                self._number, self._crc = row.number, row.crc
        return facts

    def check(self) -> None:
        """UnreadableFile if one of the rows that were not read yet is not whole; what they say is not looked at."""
        with closing(self._rows(-1)) as rows:
            for row in rows:
                self._number, self._crc = row.number, row.crc

    def goes_on(self) -> bool:
        """Whether the last row that was read is there as it was: else this is another file."""
        if not self._number:
            return True
        with self.database.reading() as connection:
            found = connection.execute("SELECT crc FROM events WHERE number = ?", (self._number,)).fetchone()
        return found is not None and found[0] == self._crc

    def _rows(self, limit: int) -> Generator[Row, None, None]:
        """The rows that were not read yet, each if it is whole and follows the one that was read before."""
        start = self._number
        with self.database.reading() as connection:
            for found in connection.execute(SELECT, (self._number, limit)):
                row = Row(*found)
                if row.number != self._number + 1 or row.before != self._crc:
                    raise self.database.damaged(f"event {self._number + 1} is missing or was replaced")
                if not row.whole:
                    raise self.database.damaged(f"event {row.number} does not match its checksum")
                yield row
            counted = "SELECT coalesce(max(seq), 0) FROM sqlite_sequence WHERE name = 'events'"
            (ever,) = connection.execute(counted).fetchone()
        if (limit < 0 or self._number < start + limit) and ever != self._number:
            raise self.database.damaged(f"it had {ever} events, and {self._number} are left")

    @property
    def last(self) -> int:
        """The number of the last row of the file; 0 if there is none."""
        with self.database.reading() as connection:
            return _last(connection)

    def append(self, facts: Sequence[Fact]) -> None:
        """Write them in one transaction; facts that an interrupted call has written already are not written again."""
        rows = list(rows_of(facts, self._number, self._crc))
        if not rows:
            return
        with self.database.writing() as connection:
            last = _last(connection)
            there = [Row(*found) for found in connection.execute(SELECT, (self._number, -1))] if last else []
            if last < self._number or there != rows[: len(there)]:
                raise UnusableFile(
                    f"{self.database.path} was changed by another program: it has {last} events, "
                    f"{self._number} were known; open it again"
                )
            insert = "INSERT INTO events (number, kind, data, before, crc) VALUES (?, ?, ?, ?, ?)"
            connection.executemany(insert, rows[len(there) :])
        self._number, self._crc = rows[-1].number, rows[-1].crc

    def close(self) -> None:
        """Let go of the file."""
        self.database.close()


def _last(connection: sqlite3.Connection) -> int:
    found: int = connection.execute("SELECT coalesce(max(number), 0) FROM events").fetchone()[0]
    return found
