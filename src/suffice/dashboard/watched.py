"""One file that is followed: what is known of its study, and what is wrong with it.

A look costs two calls of the operating system. Only what changed is read, a portion at a time, so that a large file
does not keep the others waiting.
"""

import hashlib
import os
import threading
import time
from pathlib import Path
from typing import Any

from suffice.dashboard.columns import Columns
from suffice.dashboard.folder import Sort, Stamp, sort_of
from suffice.dashboard.summary import counted
from suffice.dashboard.tail import Exchanged, Tail
from suffice.errors import UnreadableFile
from suffice.markup import visible
from suffice.store.book import Fact
from suffice.store.claim import has_writer
from suffice.study.file_journal import MEANINGLESS
from suffice.study.saving import read_by
from suffice.study.spec import Plain

PORTION = 500  # events that are read at once: some ten milliseconds
RECENT = 60.0  # seconds since the last write in which a study counts as running
COARSE = 2.5  # seconds: some file systems keep times no finer, so that a second write may leave them as they are
AGAIN = 3.0  # seconds till a file that could not be read is tried again
ALIVE = 2.0  # seconds for which an answer about the writer is good
LARGEST = 50_000_000  # bytes of a saved result or a damaged file, which are read as a whole: some 30 000 trials
SENTENCE = 600  # letters of a problem


class Watched:
    """A study in a file. One thread looks at it and reads it; others read `columns`, holding `lock`."""

    def __init__(self, path: Path, name: str) -> None:
        self.path, self.name = path, name
        self.id = hashlib.sha256(name.encode(errors="surrogateescape")).hexdigest()[:16]
        self.lock = threading.RLock()
        self.reading = threading.Lock()  # one at a time reads the file: SQLite's locks are those of the process
        self.columns = Columns()
        self.problem: str | None = None
        self.version, self.summary = 0, dict[str, Any]()  # of what was published last
        self.gone_since: float | None = None
        self.wanted = False  # whether somebody waits for it
        self._said: tuple[object, ...] = ()  # what the summary depends on
        self._sort: Sort | None = None
        self._tail = Tail(path)
        self._stamp: Stamp | None = None
        self._behind = self._fresh = True  # whether there may be more to read; whether something is known to be new
        self._loaded = self._faulty = self._stuck = False  # stuck: at an event that means nothing
        self._retry, self._asked_writer, self._writer = 0.0, 0.0, False

    # ------------------------------------------------------------------ following the file

    def look(self) -> None:
        """See whether there may be more to read."""
        stamp = Stamp.of(self.path)
        if stamp is not None and stamp != self._stamp and not self._is_inside():
            stamp = None
        if stamp is None:
            self.gone_since = self.gone_since or time.monotonic()
            self._stamp, self._behind = None, False
            return
        if stamp != self._stamp:
            self.gone_since, self._retry = None, 0.0
            self._behind = self._fresh = True
        elif time.time() - stamp.changed < COARSE or 0.0 < self._retry <= time.monotonic():
            self._behind = True
        self._stamp = stamp

    def _is_inside(self) -> bool:
        """Whether no folder on the way became a link to another place since the file was found."""
        root = self.path.parents[len(Path(self.name).parents) - 1]
        return Path(os.path.realpath(self.path)) == Path(os.path.realpath(root), self.name)

    @property
    def behind(self) -> bool:
        """Whether there is work to do."""
        return self._behind

    def work(self) -> None:
        """Read a portion of what is new."""
        try:
            with self.reading:
                if not self._loaded and not self.columns.touched:
                    self._sort = sort_of(self.path)
                more = self._read_saved() if self._sort == "saved" else self._read_store()
            self._behind, self._retry = more, 0.0
        except FileNotFoundError:
            self._behind = False  # the next look tells
        except OSError as error:  # locked, or not ours to read
            self._behind, self._retry = False, time.monotonic() + AGAIN
            self.problem = visible(f"it cannot be read now and is tried again: {error}", SENTENCE)

    def _read_store(self) -> bool:
        """The next portion of a store; whether there may be more."""
        try:
            portion = self._tail.read(0 if self._stuck else PORTION)
        except Exchanged:
            self._begin_anew()
            return True
        if self._stuck:
            return False
        facts, fault = portion.facts, portion.fault
        if fault is not None and not facts and not self.columns.touched and self._fresh:
            facts = self._tail.before_damage() if self._is_small() else []
        fault = self._take(facts) or fault
        if fault is None and portion.more:
            return True
        if fault is None and (not self._loaded or (self._fresh and (self._faulty or not facts))):
            self._judge(self._tail.fault(rows=self._loaded))  # at first they have just been looked at
        elif fault is not None:
            self._judge(fault)
        elif not self._faulty:
            self.problem = None
        self._loaded, self._fresh = True, False
        if self._faulty and sort_of(self.path) == "saved":
            self._begin_anew()
            return True
        return False

    def _read_saved(self) -> bool:
        """A saved result, as a whole: it is replaced at once where it changes."""
        if self._loaded and not self._fresh:
            return False
        columns, fault = Columns(), None
        try:
            if not self._is_small():
                raise UnreadableFile(f"{self.path} has more than {LARGEST:,} bytes: look at it with suffice report")
            read_by(self.path, lambda content: _add_saved(columns, content))
        except UnreadableFile as error:
            fault = error
            if sort_of(self.path) == "store":
                self._begin_anew()
                return True
        with self.lock:
            if fault is None or not self._loaded:
                self.columns = columns
        self._loaded, self._fresh = True, False
        self._judge(fault)
        return False

    def facts(self, places: list[int]) -> list[Fact]:
        """Some events as the file has them, by their places from 0 on; for other threads, too."""
        with self.reading:
            if self._sort == "saved":
                return read_by(self.path, lambda content: [_saved(content, place) for place in places])
            return self._tail.at(places)

    def _take(self, facts: list[Fact]) -> UnreadableFile | None:
        """Fold events; what is wrong with the first that means nothing."""
        with self.lock:
            for fact in facts:
                try:
                    self.columns.add(fact)
                except MEANINGLESS as error:
                    self._stuck = True  # till there is another file
                    event = len(self.columns.touched) + 1
                    return UnreadableFile(
                        f"{self.path} is damaged: event {event} means nothing ({error}); bring out what is whole with: "
                        f"suffice export {self.path} --salvage"
                    )
        return None

    def _judge(self, fault: UnreadableFile | None) -> None:
        self._faulty = fault is not None
        self.problem = None if fault is None else visible(str(fault), SENTENCE)

    def give_up(self, problem: str) -> None:
        """Show what is known, with a sentence about it, till there is another file."""
        self.problem, self._faulty, self._loaded, self._behind, self._stuck = problem, True, True, False, True

    def _begin_anew(self) -> None:
        with self.lock:
            self.columns = Columns()
        self._tail, self._sort = Tail(self.path), None
        self._loaded, self._fresh, self._faulty, self._stuck = False, True, False, False

    def _is_small(self) -> bool:
        """Whether the file can be read as a whole."""
        return self._stamp is None or self._stamp.file[2] <= LARGEST

    # ------------------------------------------------------------------ what a list shows

    def publish(self) -> bool:
        """Make the summary anew if it would say something else than before; whether it does."""
        state, changed = self._state(), None if self._stamp is None else round(self._stamp.changed, 3)
        said = (self.columns.revision, state, self.problem, changed)
        if said == self._said:
            return False
        with self.lock:
            facts = {"id": self.id, "name": visible(self.name, 300), "state": state, "problem": self.problem}
            self.summary, self._said = {**facts, **counted(self.columns), "changed": changed}, said
        return True

    def _state(self) -> str:
        if self.gone_since is not None:
            return "gone"
        if self._faulty:
            return "damaged"
        if not self._loaded:
            return "loading"
        if not len(self.columns):
            return "empty"
        return "running" if self._sort == "store" and self._is_running() else "quiet"

    def _is_running(self) -> bool:
        if self._stamp is not None and abs(time.time() - self._stamp.changed) < RECENT:
            return True
        if time.monotonic() - self._asked_writer > ALIVE:
            self._asked_writer, self._writer = time.monotonic(), has_writer(self.path)
        return self._writer


def _add_saved(columns: Columns, content: Plain) -> None:
    for place in range(len(content["events"]) + 1):
        columns.add(_saved(content, place))


def _saved(content: Plain, place: int) -> Fact:
    """An event of a saved result; the first of them is the start."""
    if not place:
        return Fact("started", {"settings": content["settings"], "notes": content["notes"]})
    event = content["events"][place - 1]
    return Fact(event["event"], event)
