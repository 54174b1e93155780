"""A journal: facts are appended, and read again in the same order. They are never changed and never removed."""

import json
import zlib
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, closing, nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Generic, NamedTuple, Protocol, TypeAlias, TypeVar

from suffice.errors import UnreadableFile, UnusableFile
from suffice.store.pages import Value, logged_rows
from suffice.store.sqlite import Database

Fact = TypeVar("Fact")


class Journal(Protocol[Fact]):
    """What keeps the record of a study."""

    @property
    def path(self) -> Path | None:
        """The file that it is kept in; None if it is in memory."""

    patience: float  # seconds to try again for, where facts cannot be written, before an error is raised

    def append(self, *facts: Fact, hold: bool = True) -> None:
        """Keep facts, all of them or none: when the call returns they are durable.

        hold    keep them in memory if they cannot be written now: they are written before the next ones. Without it
                nothing has happened when the call raises.
        """

    def read(self, since: int = 0) -> Iterator[Fact]:
        """The facts in the order they were appended, without the first `since` of them."""

    def __len__(self) -> int:
        """How many facts there are."""

    def sync(self) -> None:
        """Write what could not be written before, or raise."""

    def together(self) -> AbstractContextManager[None]:
        """Inside, what is appended becomes durable at the end, all of it or nothing."""

    def close(self) -> None:
        """Let go of what it is kept in: nothing can be appended any more."""


@dataclass
class Memory(Generic[Fact]):
    """A journal that lasts as long as the process."""

    facts: list[Fact] = field(default_factory=list)
    path: None = None
    patience: float = 0.0

    def append(self, *facts: Fact, hold: bool = True) -> None:  # noqa: ARG002
        self.facts.extend(facts)  # one operation of the interpreter: no interruption finds it half done

    def read(self, since: int = 0) -> Iterator[Fact]:
        return iter(self.facts[since:])

    def __len__(self) -> int:
        return len(self.facts)

    def sync(self) -> None:
        """There is nothing to write."""

    def together(self) -> AbstractContextManager[None]:
        return nullcontext()

    def close(self) -> None:
        """There is nothing to let go of."""


#| -- store.book: Facts in an SQLite table, one row each, with checksums that tell a missing, moved or changed row.
#|
#|     number  kind  data  before  crc
#|
#| `data` is JSON; `before` is the crc of the row before, 0 in the first one, and crc that of the row's number, kind
#| and
#| data, continued from `before`. So a row can be judged by itself, and rows that follow each other belong together.
#| SQLite
#| counts the rows ever added (AUTOINCREMENT), which tells rows that are missing at the end.

Plain: TypeAlias = Any  # None, bool, int, float, str, and lists and dicts of them: what JSON has

TABLE = (
    "CREATE TABLE events (number INTEGER PRIMARY KEY AUTOINCREMENT, kind TEXT NOT NULL, data TEXT NOT NULL, "
    "before INTEGER NOT NULL, crc INTEGER NOT NULL)"
)
INSERT = "INSERT INTO events (number, kind, data, before, crc) VALUES (?, ?, ?, ?, ?)"
SELECT = "SELECT number, kind, data, before, crc FROM events WHERE number > ? ORDER BY number"
SELECT_SOME = f"{SELECT} LIMIT ?"
CRC = "SELECT crc FROM events WHERE number = ?"
LAST = "SELECT coalesce(max(number), 0) FROM events"
EVER = "SELECT coalesce(max(seq), 0) FROM sqlite_sequence WHERE name = 'events'"


class FactBook(NamedTuple):
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
    def fact(self) -> FactBook:
        """What it says."""
        return FactBook(self.kind, json.loads(self.data))


def checksum(number: int, kind: str, data: str, before: int) -> int:
    """The crc of a row that follows the one with the crc `before`."""
    return zlib.crc32(f"{number}\n{kind}\n{data}".encode(), before)


def rows_of(facts: Iterable[FactBook], number: int, crc: int) -> Iterator[Row]:
    """The rows that follow row `number`."""
    for kind, content in facts:
        number += 1
        data = json.dumps(content, allow_nan=False, separators=(",", ":"))
        before, crc = crc, checksum(number, kind, data, crc)
        yield Row(number, kind, data, before, crc)


def as_row(number: int, columns: Sequence[Value]) -> Row | None:
    """A row that was found without SQLite, if it is whole."""
    if len(columns) != 5:
        return None
    _, kind, data, before, crc = columns
    if not (isinstance(kind, str) and isinstance(data, str) and isinstance(before, int) and isinstance(crc, int)):
        return None
    row = Row(number, kind, data, before, crc)
    return row if row.whole else None


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
        self, limit: int = -1, facts: list[FactBook] | None = None, decoded: Callable[[str], Plain] = json.loads
    ) -> list[FactBook]:
        """The facts that were not read yet, all or so many, checked one by one; UnreadableFile if one is not whole.

        facts     a list to add them to, which then has those that came before the one that is not whole
        decoded   what makes data of JSON, for who does not need all of it
        """
        facts = [] if facts is None else facts
        with closing(self._rows(limit)) as rows:
            for row in rows:
                try:
                    facts.append(FactBook(row.kind, decoded(row.data)))
                except ValueError as error:
                    raise self._damaged(f"event {row.number} is no JSON ({error})") from error
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
            found = connection.execute(CRC, (self._number,)).fetchone()
        return found is not None and found[0] == self._crc

    def _rows(self, limit: int) -> Generator[Row, None, None]:
        """The rows that were not read yet, each if it is whole and follows the one that was read before."""
        start = self._number
        with self.database.reading() as connection:
            for found in connection.execute(SELECT_SOME, (self._number, limit)):
                row = Row(*found)
                if row.number != self._number + 1 or row.before != self._crc:
                    raise self._damaged(f"event {self._number + 1} is missing or was exchanged")
                if not row.whole:
                    raise self._damaged(f"event {row.number} does not match its checksum")
                yield row
            (ever,) = connection.execute(EVER).fetchone()
        if (limit < 0 or self._number < start + limit) and ever != self._number:
            raise self._damaged(f"it had {ever} events, and {self._number} are there")

    def check_log(self) -> None:
        """UnreadableFile if SQLite's log has events behind a damaged place: SQLite takes that place for its end."""
        reached = self._last()
        later = [number for number, columns in logged_rows(self.database.path, reached) if as_row(number, columns)]
        if later and max(later) > (reached := self._last()):  # else somebody has written meanwhile
            raise self._damaged(f"its log has event {max(later)}, and cannot be read beyond event {reached}")

    def _last(self) -> int:
        with self.database.reading() as connection:
            last: int = connection.execute(LAST).fetchone()[0]
            return last

    def append(self, facts: Sequence[FactBook]) -> None:
        """Write them in one transaction; facts that an interrupted call has written already are not written again."""
        rows = list(rows_of(facts, self._number, self._crc))
        if not rows:
            return
        with self.database.writing() as connection:
            (last,) = connection.execute(LAST).fetchone()
            there = [Row(*found) for found in connection.execute(SELECT, (self._number,))] if last else []
            if last < self._number or there != rows[: len(there)]:
                raise UnusableFile(
                    f"{self.database.path} was changed by another program: it has {last} events, "
                    f"{self._number} were known; open it again"
                )
            connection.executemany(INSERT, rows[len(there) :])
        self._number, self._crc = rows[-1].number, rows[-1].crc

    def close(self) -> None:
        """Let go of the file."""
        self.database.close()

    def _damaged(self, what: str) -> UnreadableFile:
        return self.database.damaged(what)
