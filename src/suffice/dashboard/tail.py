"""What was appended to the store of a study since it was read last: row by row, checked as `store.book` does.

The file is opened for each portion and closed again, a millisecond or ten later. Whoever writes it can close it at any
time; only if that happens within these does SQLite leave its log beside the file, which the next writer removes.
"""

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from suffice.errors import UnreadableFile
from suffice.store.book import SELECT_SOME, Book, Fact, Plain, Row
from suffice.store.claim import is_claimed
from suffice.store.pages import found_rows
from suffice.store.reading import read_from
from suffice.store.sqlite import Database
from suffice.study.file_journal import KIND
from suffice.study.salvage import in_order

PATIENCE = 1.0  # seconds that a lock is waited for: the other studies wait meanwhile
LONGEST = 30_000_000  # bytes of an event: one that is longer is not read, since decoded it takes ten times as much
TOGETHER = 5_000_000  # letters after which a portion ends: points of one's own may be large

# What rebuilds a score is half of a report, and not looked at here. It cannot be mistaken: within a text a quote has a
# backslash before it, and what users name is in a dict of its own.
BINDING, AFTER = ',"binding":{"is":"Binding",', ',"allowance":'


def light(data: str) -> Plain:
    """An event without what rebuilds the score of its search."""
    start = data.find(BINDING)
    end = data.find(AFTER, start)
    return json.loads(data if start < 0 or end < 0 else data[:start] + data[end:])


def _light_until(letters: int) -> Callable[[str], Plain]:
    """The same, event by event till there were so many letters; then Filled, except in place of the first one."""
    left = letters

    def limited(data: str) -> Plain:
        nonlocal left
        if left < letters and len(data) > left:
            raise Filled
        left -= len(data)
        return light(data)

    return limited


class Filled(Exception):
    """The events that were read are as much as memory should hold at once."""


class Exchanged(Exception):
    """The file is another one than the one that was read."""


@dataclass(frozen=True)
class Portion:
    """What was read: the next events, what is wrong with the one after them, and whether there may be more."""

    facts: list[Fact]
    fault: UnreadableFile | None
    more: bool


class Tail:
    """The events of a file that were not read yet."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.reached = (0, 0)

    def read(self, limit: int) -> Portion:
        """At most so many of them. Exchanged if those that were read are not there any more; OSError if it cannot be
        read now."""
        facts: list[Fact] = []
        reached = [self.reached]

        def next_ones(database: Database) -> bool:
            facts.clear()  # the file may be read in two ways
            database.refuse_longer(LONGEST)
            book = Book(database, self.reached)
            if not book.goes_on():
                raise Exchanged
            try:
                book.read(limit, facts, _light_until(TOGETHER))
            except Filled:
                return True
            finally:
                reached[0] = book.reached
            return len(facts) == limit > 0

        fault, more = None, False
        try:
            more = read_from(self.path, KIND, next_ones, PATIENCE)
        except UnreadableFile as error:
            fault = error
        self.reached = reached[0]
        return Portion(facts, fault, more)

    def before_damage(self) -> list[Fact]:
        """The events up to the damage of a file that SQLite cannot read: those that follow each other in its pages."""
        facts: list[Fact] = []
        if is_claimed(self.path):  # to open it here would drop the locks of who writes it in this process
            return facts
        for row in in_order(found_rows(self.path)):
            if (row.number, row.before) != (self.reached[0] + 1, self.reached[1]):
                break
            facts.append(row.fact)
            self.reached = row.number, row.crc
        return facts

    def at(self, places: list[int]) -> list[Fact]:
        """Some events that were read before, by their places from 0 on; UnreadableFile if one is not whole now."""

        def these(database: Database) -> list[Fact]:
            database.refuse_longer(LONGEST)
            with database.reading() as connection:
                rows = [Row(*found) for i in places for found in connection.execute(SELECT_SOME, (i, 1))]
            if [row.number for row in rows] != [i + 1 for i in places] or not all(row.whole for row in rows):
                raise database.damaged("what was read before is not there any more")
            return [row.fact for row in rows]

        return read_from(self.path, KIND, these, PATIENCE)

    def fault(self, rows: bool) -> UnreadableFile | None:
        """What is wrong with the log beside the file and, if `rows`, with rows that were whole when they were read."""

        def checked(database: Database) -> None:
            book = Book(database)
            if rows:
                book.check()
            book.check_log()

        try:
            read_from(self.path, KIND, checked, PATIENCE)
        except UnreadableFile as error:
            return error
        return None
