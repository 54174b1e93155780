"""Facts in an SQLite table, one row each, with checksums that tell a missing, moved or changed row.

    number  kind  data  before  crc

`data` is JSON; `before` is the crc of the row before, 0 in the first one, and crc that of the row's number, kind and
data, continued from `before`. So a row can be judged by itself, and rows that follow each other belong together. SQLite
counts the rows ever added (AUTOINCREMENT), which shows rows that are missing at the end.
"""

import json
import sqlite3
import zlib
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import closing
from typing import Any, NamedTuple, TypeAlias

from suffice.errors import UnusableFile
from suffice.store.files import from_json
from suffice.store.sqlite import Database

Plain: TypeAlias = Any  # None, bool, int, float, str, and lists and dicts of them: what JSON has

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
