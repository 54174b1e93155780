"""The journal of a study in a file: one SQLite database, written by one process at a time, read by all.

All events are in memory too, as with every study. What cannot be written now stays there and goes into the file before
the next event does, so that the file always holds the first events of the study and nothing else.
"""

import os
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from suffice.errors import NotStored, UnreadableFile, UnusableFile
from suffice.space import AbsentSpace
from suffice.store.book import TABLE, Book, Fact
from suffice.store.claim import Claim
from suffice.store.files import FilePath
from suffice.store.reading import read_from
from suffice.store.sqlite import Database, Kind
from suffice.study.codec import EventCodec, in_order
from suffice.study.events import Asked, Event, Started
from suffice.study.settings import Settings

KIND = Kind(
    "studies",
    0x53465354,  # "SFST"
    ((TABLE,),),
    "bring out what is whole with: suffice export {path} --salvage; or name another file",
)
PAUSE = 0.05  # seconds before the first new attempt to write; each further pause is twice as long

# What a file that was changed by hand may raise where it is decoded.
MEANINGLESS = (ValueError, TypeError, LookupError, AttributeError, ArithmeticError, RecursionError)


class FileJournal:
    """Events in a file, and in memory."""

    def __init__(self, path: FilePath) -> None:
        """Open the file for writing, or make it; what it holds is read and checked."""
        self.path = Path(path)
        self.patience = 0.0
        self._failing = False  # whether the last attempt to write has failed: patience is for the first one only
        self._gathering = 0  # blocks of `together` that we are in
        self._lock = threading.RLock()
        self._pid = os.getpid()
        self._state = "open"
        self._codec = EventCodec()
        self._claim = Claim(self.path, self._lose)
        try:
            if self.path.exists() and os.path.exists(f"{self.path}-wal"):  # somebody was killed; to close it empties it
                read_from(self.path, KIND, lambda database: Book(database).check_log())
            self._book = Book(Database(self.path, KIND, threads=True, at_once=False))
            try:
                self._facts = _read(self._book, self._codec)
            except BaseException:
                self._book.close()
                raise
        except BaseException:
            self._claim.release()
            raise
        self._place = os.path.abspath(self.path)
        self._stat = os.stat(self._place)
        self._written = len(self._facts)
        self._waiting: list[Fact] = []  # those that are in memory only, as they will be written

    @property
    def settings(self) -> Settings:
        """Those that the study was made with."""
        return self._codec.settings

    @property
    def completed(self) -> Settings:
        """Those that it goes on with."""
        start = self._facts[0]
        assert isinstance(start, Started)
        return start.settings

    def complete(self, settings: Settings) -> None:
        """Go on with these settings, which are the stored ones with parts that the file could only describe."""
        start = self._facts[0]
        assert isinstance(start, Started)
        described = isinstance(self.settings.space, AbsentSpace)
        self._facts[0] = replace(start, settings=settings)
        self._codec.complete(settings)
        if described and not isinstance(settings.space, AbsentSpace):  # now the points themselves can be had
            for i, event in enumerate(self._facts):
                if isinstance(event, Asked):
                    self._facts[i] = replace(event, point=settings.space.from_unit(event.unit))

    def append(self, *facts: Event, hold: bool = True) -> None:
        """Keep events, in the file when the call returns; NotStored if they are kept in memory only."""
        with self._lock:
            self._check()
            rows, kept = [_row(self._codec, event) for event in facts], len(self._facts)
            waiting = self._rows()
            self._facts.extend(facts)
            waiting.extend(rows)
            if self._gathering:
                return
            try:
                self._write(waiting)
            except (UnusableFile, UnreadableFile) as error:
                if not hold:
                    del self._facts[kept:]
                    self._waiting = []
                raise self._not_stored(error) from error

    def read(self, since: int = 0) -> Iterator[Event]:
        return iter(self._facts[since:])

    def __len__(self) -> int:
        return len(self._facts)

    def sync(self) -> None:
        """Write what is held in memory only; NotStored if that is still not possible."""
        with self._lock:
            self._check()
            if not self._gathering:
                self._flush()

    def _flush(self) -> None:
        if self._written < len(self._facts):
            try:
                self._write(self._rows())
            except (UnusableFile, UnreadableFile) as error:
                raise self._not_stored(error) from error

    @contextmanager
    def together(self) -> Iterator[None]:
        """Inside, events are gathered in memory; they are written in one transaction at the end."""
        with self._lock:
            self._check()
            self._gathering += 1
            try:
                yield
            finally:
                self._gathering -= 1
                if not self._gathering and self._state == "open":  # else it was closed inside, and is written
                    self._flush()

    def close(self) -> None:
        """Write what is held, and let others write the file; what is known stays in memory."""
        self._claim.closing(self._close)

    def _close(self) -> None:
        with self._lock:
            if self._state == "open" and self._pid == os.getpid():  # else it is not ours to close
                self._flush()
                self._state = "closed"
                self._book.close()
                self._claim.release()

    def _lose(self) -> None:
        """Another optimizer in this process takes over."""
        with self._lock:
            self._flush()
            self._state = "lost"
            self._book.close()

    def _check(self) -> None:
        """Whether this object may write."""
        if self._pid != os.getpid():
            raise UnusableFile(
                f"{self.path} belongs to process {self._pid}, of which this process, {os.getpid()}, is a fork: tell "
                "there, or open another file here"
            )
        if self._state == "closed":
            raise UnusableFile(f"{self.path} was closed: open it again by sf.Optimizer.resume({str(self.path)!r})")
        if self._state == "lost":
            raise UnusableFile(
                f"{self.path} was opened again in this process by another optimizer, which has taken over: use that"
            )

    def _rows(self) -> list[Fact]:
        """What is in memory only, as it will be written."""
        if len(self._waiting) != len(self._facts) - self._written:  # an interruption came between
            self._waiting = [_row(self._codec, event) for event in self._facts[self._written :]]
        return self._waiting

    def _write(self, rows: list[Fact]) -> None:
        """All in one transaction; tried again while there is patience."""
        count, pause = len(self._facts), PAUSE
        end = time.monotonic() + (0.0 if self._failing else self.patience)
        while True:
            try:
                self._there()
                self._book.append(rows)
                break
            except UnusableFile:
                if time.monotonic() + pause > end:
                    self._failing = True
                    raise
                time.sleep(pause)
                pause *= 2
        self._written, self._failing, self._waiting = count, False, []

    def _there(self) -> None:
        """Whether the file is the one that was opened: what is written into one that was removed is gone."""
        try:
            same = os.path.samestat(os.stat(self._place), self._stat)
        except OSError as error:
            raise UnusableFile(f"{self.path} cannot be found any more: {error.strerror}") from error
        if not same:
            raise UnusableFile(f"{self.path} was exchanged for another file while it was in use")

    def _not_stored(self, error: Exception) -> NotStored:
        held = len(self._facts) - self._written
        what = f"{held} event{'s are' if held != 1 else ' is'} held in memory" if held else "nothing was changed"
        return NotStored(
            f"{error}; {what}: make room, or make the file writable, and go on; what is held is written before "
            "anything else, and by close()"
        )


def read_events(path: FilePath) -> list[Event]:
    """The events of a study, whoever is writing it meanwhile."""
    events = read_from(path, KIND, _all_of)
    if not events:
        raise UnreadableFile(f"{path} holds no study yet: what made it was ended before the first event was written")
    return events


def stored_settings(path: FilePath) -> Settings | None:
    """What the study in a file was made with, without reading the rest; None if it has not begun."""

    def first(database: Database) -> Settings | None:
        codec = EventCodec()
        return codec.settings if _read(Book(database), codec, 1) else None

    return read_from(path, KIND, first)


def _all_of(database: Database) -> list[Event]:
    book = Book(database)
    events = _read(book, EventCodec())
    book.check_log()
    return events


def _row(codec: EventCodec, event: Event) -> Fact:
    data = codec.encode(event)
    return Fact(data.pop("event"), data)


def _read(book: Book, codec: EventCodec, limit: int = -1) -> list[Event]:
    """Everything in the file, or so many events."""
    try:
        return list(in_order(codec.decode({"event": kind, **data}) for kind, data in book.read(limit)))
    except MEANINGLESS as error:
        what = f"{error} is missing" if isinstance(error, KeyError) else str(error)
        raise book.database.damaged(what) from error
