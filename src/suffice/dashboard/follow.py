"""The thread that follows a folder of studies, or one file, and wakes whoever waits for news."""

import hashlib
import json
import os
import threading
import time
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from suffice.dashboard.folder import STUDIES, Folder, Sort, Stamp, sort_of
from suffice.dashboard.summary import counted
from suffice.dashboard.table import Columns
from suffice.errors import UnreadableFile
from suffice.record.recovery import check_log, found_rows, in_order
from suffice.record.study_file import KIND, MEANINGLESS
from suffice.result.saved import read_by
from suffice.store.book import (
    SELECT,
    Book,
    Fact,
    Plain,
    Row,
)
from suffice.store.lock import has_writer, is_claimed
from suffice.store.sqlite import Database, read_from
from suffice.text import visible

#| -- dashboard.tail: What was appended to the store of a study since it was read last: row by row, checked as
#| `store.book` does.
#|
#| The file is opened for each portion and closed again, a millisecond or ten later. Whoever writes it can close it at
#| any
#| time; only if that happens within these does SQLite leave its log beside the file, which the next writer removes.

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
                rows = [Row(*found) for i in places for found in connection.execute(SELECT, (i, 1))]
            if [row.number for row in rows] != [i + 1 for i in places] or not all(row.whole for row in rows):
                raise database.damaged("what was read before is not there any more")
            return [row.fact for row in rows]

        return read_from(self.path, KIND, these, PATIENCE)

    def fault(self, rows: bool) -> UnreadableFile | None:
        """What is wrong with the log beside the file and, if `rows`, with rows that were whole when they were read."""

        def checked(database: Database) -> None:
            if rows:
                Book(database).check()
            check_log(database)

        try:
            read_from(self.path, KIND, checked, PATIENCE)
        except UnreadableFile as error:
            return error
        return None


#| -- dashboard.watched: One file that is followed: what is known of its study, and what is wrong with it.
#|
#| A look costs two calls of the operating system. Only what changed is read, a portion at a time, so that a large
#| file
#| does not keep the others waiting.

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


PAUSE = 0.5  # seconds between two looks at the files that are followed
SEARCH = 1.0  # seconds between two looks through the folder, at least; a tenth of the time goes into it
TURN = 0.5  # seconds for which one that somebody looks at is read before the others have their turn, and it is told
FORGET = 3600.0  # seconds till a study whose file is gone is forgotten


class Watcher:
    """Studies by their ids, kept up to date by a thread from `start` to `stop`."""

    def __init__(self, path: Path) -> None:
        self.path = path.resolve()
        self.folder = Folder(self.path) if self.path.is_dir() else None
        self.studies: dict[str, Watched] = {}  # replaced as a whole, so that others can go through it
        self.searched = False  # whether the folder was looked through once
        self._version = 0
        self._listeners: set[Callable[[], None]] = set()
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._run, name="suffice-watcher", daemon=True)
        self._next_search = 0.0

    def start(self) -> None:
        """Begin; the thread ends with the process at the latest."""
        self._thread.start()

    def stop(self) -> None:
        """End, within a moment."""
        self._stopped.set()
        self._thread.join(timeout=2.0)

    def listen(self, listener: Callable[[], None]) -> Callable[[], None]:
        """Have this called, by the thread, after each change; what comes back ends it."""
        self._listeners = {*self._listeners, listener}

        def end() -> None:
            self._listeners = self._listeners - {listener}

        return end

    @property
    def note(self) -> str | None:
        """What the reader of the list should know."""
        if self.folder is not None and self.folder.full:
            return (
                f"the folder is large: not all of it is looked through, and at most {STUDIES} studies are shown; "
                "name a folder inside it"
            )
        return None

    def present(self) -> list[dict[str, Any]]:
        """The summaries of the studies whose files are there, by name."""
        found = [study.summary for study in self.studies.values() if study.summary]
        return sorted((each for each in found if each["state"] != "gone"), key=lambda each: str(each["name"]))

    # ------------------------------------------------------------------ the thread

    def _run(self) -> None:
        while not self._stopped.is_set():
            try:
                self.step()
            except Exception:  # a fault of ours in one look must not end the others
                traceback.print_exc()
                self._stopped.wait(PAUSE)
            if not any(study.behind for study in self.studies.values()):
                self._stopped.wait(PAUSE)

    def step(self) -> None:
        """Look at everything once, and read a portion of each file that has changed."""
        changed = self._search() if time.monotonic() >= self._next_search else False
        for study in sorted(self.studies.values(), key=lambda study: not study.wanted):
            changed = self._follow(study) or changed
        if changed:
            self._wake()

    def _search(self) -> bool:
        """Look through the folder; whether there are other studies than before."""
        begun = time.monotonic()
        names = [self.path.name] if self.folder is None else self.folder.studies()
        root = self.path.parent if self.folder is None else self.path
        known = {study.name: study for study in self.studies.values()}
        kept = [study for study in known.values() if study.name in names or not self._is_forgotten(study)]
        new = [Watched(root / name, name) for name in names if name not in known]
        self.studies = {study.id: study for study in (*kept, *new)}
        first, self.searched = not self.searched, True
        for study in new:
            self._publish(study)
        self._next_search = time.monotonic() + max(SEARCH, 10 * (time.monotonic() - begun))
        return first or bool(new)

    def _is_forgotten(self, study: Watched) -> bool:
        return study.gone_since is not None and time.monotonic() - study.gone_since > FORGET

    def _follow(self, study: Watched) -> bool:
        """Look at one file; whether there is news. What somebody looks at is read on for a while."""
        end = time.monotonic() + TURN
        try:
            study.look()
            while study.behind:
                study.work()
                if not study.wanted or self._stopped.is_set() or time.monotonic() > end:
                    break
            study.wanted = study.wanted and study.behind
        except Exception as error:  # a fault of ours in one study must not end the others
            study.give_up(visible(f"it could not be read: {type(error).__name__}: {error}", SENTENCE))
        return self._publish(study)

    def _publish(self, study: Watched) -> bool:
        if not study.publish():
            return False
        self._version += 1
        study.version = self._version
        return True

    def _wake(self) -> None:
        for listener in self._listeners:
            listener()
