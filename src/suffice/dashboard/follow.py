"""Followed studies: their data, the problems of their files, and the thread that checks them.

Checking a file takes two system calls. Only changed files are read, one portion at a time, so a large file does not
delay the others.

The dashboard reads files, so the events of a study on a server are copied into one, unchanged (`mirrored`).
"""

import hashlib
import logging
import os
import tempfile
import threading
import time
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Literal

from suffice.dashboard.files import LARGEST, STUDIES, Exchanged, Folder, Sort, Stamp, Tail, sort_of
from suffice.dashboard.table import Columns
from suffice.errors import SufficeError, UnreadableFile
from suffice.record.study_file import KIND, MEANINGLESS
from suffice.result.saved import read_by
from suffice.store.files import has_writer
from suffice.store.postgres import Address, SharedBook
from suffice.store.sqlite import Book, Database, Fact, Plain
from suffice.text import READABLE, visible

PAUSE = 0.5  # seconds between two checks, and for reading one study before it is another one's turn
RECENT = 60.0  # a study counts as running for so many seconds after the last write
# Seconds until an unreadable file is tried again, and between checks for its writer. Some file systems have a
# resolution of two seconds, so a second write within this time may not change the time of the file.
AGAIN = 3.0
AT_ONCE = 500  # events to read for the model before the file is checked again
FORGET = 3600.0  # seconds until a study without its file is removed

# loading   not read to the end yet
# whole     everything is read
# damaged   everything before the damage is read; the file may be repaired
# stuck     at an invalid event, until the file is replaced
Reading = Literal["loading", "whole", "damaged", "stuck"]


class Watched:
    """A study in a file. One thread checks and reads it. Other threads read `columns` while they hold `lock`."""

    def __init__(self, path: Path, name: str) -> None:
        self.path, self.name = path, name
        self.id = hashlib.sha256(name.encode(errors="surrogateescape")).hexdigest()[:16]
        self.lock = threading.RLock()
        self.reading = threading.Lock()  # one thread at a time reads: SQLite's locks belong to the process
        self.columns = Columns()
        self.problem: str | None = None
        self.version, self.summary = 0, dict[str, Any]()  # of the last published summary
        self.gone_since: float | None = None
        self.wanted = False  # whether a reader waits for it
        self.behind = True  # whether there may be more to read
        self._reading: Reading = "loading"
        self._sort: Sort | None = None
        self._tail = Tail(path)
        self._stamp: Stamp | None = None  # of the file at the last check
        self._judged: Stamp | None = None  # and when it was last read to the end
        self._published: tuple[object, ...] = ()  # what the summary depends on
        self._retry, self._asked_writer, self._writer = 0.0, 0.0, False

    # ------------------------------------------------------------------ following the file

    def look(self) -> None:
        """Check whether there may be more to read."""
        stamp = Stamp.of(self.path)
        if stamp is not None and stamp != self._stamp and not self._is_inside():
            stamp = None
        if stamp is None:
            self.gone_since = self.gone_since or time.monotonic()
            self._stamp, self.behind = None, False
            return
        if stamp != self._stamp:
            self.gone_since, self._retry = None, 0.0
            self.behind = True
        elif time.time() - stamp.changed < AGAIN or 0.0 < self._retry <= time.monotonic():
            self.behind = True
        self._stamp = stamp

    def _is_inside(self) -> bool:
        """Whether no folder in its path became a link to another place since the file was found."""
        root = self.path.parents[len(Path(self.name).parents) - 1]
        return Path(os.path.realpath(self.path)) == Path(os.path.realpath(root), self.name)

    @property
    def _is_changed(self) -> bool:
        """Whether the file has changed since it was read to the end, as far as is known."""
        return self._judged is None or self._judged != self._stamp

    def work(self) -> None:
        """Read the next portion."""
        try:
            with self.reading:
                if self._reading == "loading" and not self.columns.touched:
                    self._sort = sort_of(self.path)
                self.behind = self._read_saved() if self._sort == "saved" else self._read_store()
            self._retry = 0.0
        except FileNotFoundError:
            self.behind = False  # the next check reports it
        except OSError as error:  # locked, or not ours to read
            self.behind, self._retry = False, time.monotonic() + AGAIN
            self.problem = visible(f"it cannot be read now; retrying: {error}", READABLE)

    def _read_store(self) -> bool:
        """Read the next portion of a stored study; whether there may be more."""
        stuck = self._reading == "stuck"
        try:
            portion = self._tail.read(0) if stuck else self._tail.read()
        except Exchanged:
            self._begin_anew()
            return True
        if stuck:
            return False
        facts, fault = portion.facts, portion.fault
        if fault is not None and not facts and not self.columns.touched and self._is_changed and self._is_small():
            facts = self._tail.before_damage()
        fault = self._take(facts) or fault
        if fault is None and portion.more:
            return True
        if fault is None and self._is_doubtful(facts):
            fault = self._tail.fault(rows=self._reading != "loading")  # at first they have just been checked
            self._judge(fault)
        elif fault is not None:
            self._judge(fault)
        elif self._reading == "whole":
            self.problem = None
        self._judged = self._stamp
        if fault is not None and sort_of(self.path) == "saved":
            self._begin_anew()
            return True
        return False

    def _is_doubtful(self, facts: list[Fact]) -> bool:
        """Whether earlier rows or the log may be damaged: the file has changed, but nothing was appended."""
        if self._reading == "loading":
            return True
        return self._is_changed and (self._reading == "damaged" or not facts)

    def _read_saved(self) -> bool:
        """Read a saved result as a whole, because a change replaces the file at once."""
        if self._reading != "loading" and not self._is_changed:
            return False
        columns, fault = Columns(), None
        try:
            if not self._is_small():
                raise UnreadableFile(f"{self.path} has over {LARGEST:,} bytes: read it with suffice report")
            read_by(self.path, lambda content: _add_saved(columns, content))
        except UnreadableFile as error:
            fault = error
            if sort_of(self.path) == "storage":
                self._begin_anew()
                return True
        if fault is None or self._reading == "loading":
            with self.lock:
                self.columns = columns
        self._judge(fault)
        self._judged = self._stamp
        return False

    def facts(self, places: list[int]) -> list[Fact]:
        """Some events from the file, by their places from 0; other threads may call it."""
        with self.reading:
            if self._sort == "saved":
                return read_by(self.path, lambda content: [_saved(content, place) for place in places])
            return self._tail.at(places)

    def all_facts(self, count: int) -> Iterator[Fact]:
        """The first so many events, read in portions, so that the thread of the watcher waits only for one."""
        step = max(count, 1) if self._sort == "saved" else AT_ONCE
        for i in range(0, count, step):
            yield from self.facts(list(range(i, min(i + step, count))))

    def _take(self, facts: list[Fact]) -> UnreadableFile | None:
        """Fold events; the problem of the first invalid one."""
        with self.lock:
            for fact in facts:
                try:
                    self.columns.add(fact)
                except MEANINGLESS as error:
                    self._reading = "stuck"
                    event = len(self.columns.touched) + 1
                    return UnreadableFile(
                        f"{self.path} is damaged: event {event} is invalid ({error}); recover what is intact with: "
                        f"suffice export {self.path} --salvage"
                    )
        return None

    def _judge(self, fault: UnreadableFile | None) -> None:
        if self._reading != "stuck":
            self._reading = "whole" if fault is None else "damaged"
        self.problem = None if fault is None else visible(str(fault), READABLE)

    def give_up(self, problem: str) -> None:
        """Show the known data with a message, until the file is replaced."""
        self.problem, self._reading, self.behind = problem, "stuck", False

    def _begin_anew(self) -> None:
        with self.lock:
            self.columns = Columns()
        self._tail, self._sort, self._reading, self._judged = Tail(self.path), None, "loading", None

    def _is_small(self) -> bool:
        """Whether the file can be read as a whole."""
        return self._stamp is None or self._stamp.file[2] <= LARGEST

    # ------------------------------------------------------------------ what a list shows

    def publish(self) -> bool:
        """Update the summary if it has changed; whether it has."""
        state, changed = self._state(), None if self._stamp is None else round(self._stamp.changed, 3)
        published = (self.columns.revision, state, self.problem, changed)
        if published == self._published:
            return False
        with self.lock:
            facts = {"id": self.id, "name": visible(self.name, READABLE), "state": state, "problem": self.problem}
            self.summary = {**facts, **self.columns.summary(), "changed": changed}
        self._published = published
        return True

    def _state(self) -> str:
        if self.gone_since is not None:
            return "gone"
        if self._reading in ("damaged", "stuck"):
            return "damaged"
        if self._reading == "loading":
            return "loading"
        if not len(self.columns):
            return "empty"
        return "running" if self._sort == "storage" and self._is_running() else "quiet"

    def _is_running(self) -> bool:
        if self._stamp is not None and abs(time.time() - self._stamp.changed) < RECENT:
            return True
        if time.monotonic() - self._asked_writer > AGAIN:
            self._asked_writer, self._writer = time.monotonic(), has_writer(self.path)
        return self._writer


def _add_saved(columns: Columns, content: Plain) -> None:
    for place in range(len(content["events"]) + 1):
        columns.add(_saved(content, place))


def _saved(content: Plain, place: int) -> Fact:
    """An event of a saved result; the first one is the start."""
    if not place:
        return Fact("started", {"settings": content["settings"], "notes": content["notes"]})
    event = content["events"][place - 1]
    return Fact(event["event"], event)


class Watcher:
    """Studies by their ids, kept up to date by a thread from `start` to `stop`."""

    def __init__(self, path: Path) -> None:
        self.path = path.resolve()
        self.folder = Folder(self.path) if self.path.is_dir() else None
        self.studies: dict[str, Watched] = {}  # replaced as a whole, so that other threads can iterate over it
        self.searched = False  # whether the folder was searched once
        self._version = 0
        self._listeners: set[Callable[[], None]] = set()
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._run, name="suffice-watcher", daemon=True)
        self._next_search = 0.0

    def start(self) -> None:
        """Start; the thread ends with the process at the latest."""
        self._thread.start()

    def stop(self) -> None:
        """Stop within a moment."""
        self._stopped.set()
        self._thread.join(timeout=2.0)

    def listen(self, listener: Callable[[], None]) -> Callable[[], None]:
        """Call this function from the thread after each change; the returned function ends that."""
        self._listeners = {*self._listeners, listener}

        def end() -> None:
            self._listeners = self._listeners - {listener}

        return end

    @property
    def note(self) -> str | None:
        """A note for the reader of the list."""
        if self.folder is not None and self.folder.full:
            return (
                f"the folder is too large to be searched completely, and at most {STUDIES} studies are shown; name a "
                "folder inside it"
            )
        return None

    def present(self) -> list[dict[str, Any]]:
        """The summaries of the studies with existing files, by name."""
        found = [study.summary for study in self.studies.values() if study.summary]
        return sorted((each for each in found if each["state"] != "gone"), key=lambda each: str(each["name"]))

    # ------------------------------------------------------------------ the thread

    def _run(self) -> None:
        while not self._stopped.is_set():
            try:
                self.step()
            except Exception:  # a bug in one check must not end the others
                traceback.print_exc()
                self._stopped.wait(PAUSE)
            if not any(study.behind for study in self.studies.values()):
                self._stopped.wait(PAUSE)

    def step(self) -> None:
        """Check everything once, and read a portion of each changed file."""
        changed = self._search() if time.monotonic() >= self._next_search else False
        for study in sorted(self.studies.values(), key=lambda study: not study.wanted):
            changed = self._follow(study) or changed
        if changed:
            self._wake()

    def _search(self) -> bool:
        """Search the folder; whether the studies have changed."""
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
        self._next_search = time.monotonic() + 10 * (time.monotonic() - begun)  # use a tenth of the time for it
        return first or bool(new)

    def _is_forgotten(self, study: Watched) -> bool:
        return study.gone_since is not None and time.monotonic() - study.gone_since > FORGET

    def _follow(self, study: Watched) -> bool:
        """Check one file; whether there is news. An open study is read for a while longer."""
        end = time.monotonic() + PAUSE
        try:
            study.look()
            while study.behind:
                study.work()
                if not study.wanted or self._stopped.is_set() or time.monotonic() > end:
                    break
            study.wanted = study.wanted and study.behind
        except Exception as error:  # a bug in one study must not end the others
            study.give_up(visible(f"it could not be read: {type(error).__name__}: {error}", READABLE))
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


log = logging.getLogger("suffice")


# ---------------------------------------------------------------------- studies on a server


@contextmanager
def mirrored(place: str) -> Iterator[Path]:
    """The file, inside the block; FileNotFoundError if there is no such study."""
    address = Address.of(place)
    source = SharedBook(address)
    over = threading.Event()
    try:
        if not source.study:
            raise FileNotFoundError(f"there is no study {address.shown}")
        with tempfile.TemporaryDirectory(prefix="suffice-") as folder:
            file = Path(folder) / "".join(
                letter if letter.isalnum() or letter in "-_." else "_" for letter in address.study
            )
            with Database(file, KIND, threads=True) as database:
                copy = Book(database)
                _copy(source, copy)
                thread = threading.Thread(target=_follow, args=(source, copy, over), daemon=True)
                thread.start()
                try:
                    yield file
                finally:
                    over.set()
                    thread.join()
    finally:
        source.server.close()


def _copy(source: SharedBook, copy: Book) -> None:
    """Copy new events; their numbers are the same in both."""
    number, _ = copy.reached
    copy.append([fact for _, fact in source.read(number)])


def _follow(source: SharedBook, copy: Book, over: threading.Event) -> None:
    while not over.wait(PAUSE):
        try:
            _copy(source, copy)
        except SufficeError as error:
            log.warning("the dashboard cannot be updated: %s", error)
