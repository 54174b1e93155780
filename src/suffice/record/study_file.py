"""The journal of a study in a file: one SQLite database, written by one process at a time, read by all.

All events are in memory too, as with every study. What cannot be written now stays there and goes into the file before
the next event does, so that the file always holds the first events of the study and nothing else.
"""

import logging
import os
import re
import threading
import time
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import Any, Protocol, TypeVar

from suffice.belief import VALUE
from suffice.errors import DifferentStudy, NotStored, UnreadableFile, UnusableFile
from suffice.record.arguments import as_given, from_plain, to_plain
from suffice.record.encoding import RESULT_FORMAT, EventCodec, space_to_spec, to_spec
from suffice.record.settings import PARTS, Opaque, Settings, as_part
from suffice.record.trial import Asked, Event, Started, in_order, stamped
from suffice.space import AbsentSpace, SearchSpace, Space, is_constrained
from suffice.space.space import advice_about
from suffice.store.files import Claim, FilePath, as_path, check_is_file
from suffice.store.journal import Journal, kept
from suffice.store.postgres import Address, is_address
from suffice.store.sqlite import TABLE, Book, Database, Fact, Kind, is_database, read_from

# The file of a study: one table, of its events.
KIND = Kind(
    "studies",
    0x53465354,  # "SFST"
    ((TABLE,),),
    "recover what is intact with: suffice export {path} --salvage; or name another file",
)
PAUSE = 0.05  # seconds before the first new attempt to write; each further pause is twice as long

log = logging.getLogger("suffice")

# What a file that was changed by hand may raise where it is decoded.
MEANINGLESS = (ValueError, TypeError, LookupError, AttributeError, ArithmeticError, RecursionError)


class Recorded:
    """The events of a study that outlasts the process: all of them are in memory, too."""

    def __init__(self) -> None:
        self._codec = EventCodec()
        self._lock = threading.RLock()
        self._facts: list[Event] = []

    @property
    def settings(self) -> Settings:
        """The settings of the study, as stored or as completed."""
        return self._codec.settings

    def complete(self, settings: Settings) -> None:
        """Continue with the stored settings, completed by parts that the file only describes."""
        start = self._facts[0]
        assert isinstance(start, Started)
        described = isinstance(self.settings.space, AbsentSpace)
        self._facts[0] = replace(start, settings=settings)
        self._codec.complete(settings)
        if described and not isinstance(settings.space, AbsentSpace):  # now the points themselves are available
            for i, event in enumerate(self._facts):
                if isinstance(event, Asked):
                    self._facts[i] = replace(event, point=settings.space.from_unit(event.unit))

    def read(self, since: int = 0) -> Iterator[Event]:
        return iter(self._facts[since:])

    def __len__(self) -> int:
        return len(self._facts)


class FileJournal(Recorded):
    """Events in a file, and in memory."""

    shared = False

    def __init__(self, path: FilePath) -> None:
        """Open the file for writing, or make it; what it holds is read and checked."""
        super().__init__()
        self.path = Path(path)
        self.patience = 0.0
        self._failing = False  # whether the last attempt to write has failed: patience is for the first one only
        self._gathering = 0  # blocks of `together` that we are in
        self._pid = os.getpid()
        self._state = "open"
        self._claim = Claim(self.path, self._lose)
        try:
            if self.path.exists() and _has_log(self.path):  # somebody was killed, and to close the file empties it
                read_from(self.path, KIND, _check_log)
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

    def append(self, *facts: Event, hold: bool = True) -> None:
        """Keep events, in the file when the call returns; NotStored if they are kept in memory only."""
        with self._lock:
            self._check()
            facts = tuple(map(stamped, facts))
            rows, kept = [as_fact(self._codec, event) for event in facts], len(self._facts)
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
                f"{self.path} belongs to process {self._pid}, and this process, {os.getpid()}, is its fork: record "
                "values in the parent, or open another file here"
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
            self._waiting = [as_fact(self._codec, event) for event in self._facts[self._written :]]
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
            raise UnusableFile(f"{self.path} no longer exists: {error.strerror}") from error
        if not same:
            raise UnusableFile(f"{self.path} was replaced by another file while it was in use")

    def _not_stored(self, error: Exception) -> NotStored:
        held = len(self._facts) - self._written
        what = f"{held} event{'s are' if held != 1 else ' is'} held in memory" if held else "nothing was changed"
        return NotStored(
            f"{error}; {what}: free some space, or make the file writable, and continue; the events held in memory "
            "are written first, or by close()"
        )


def read_events(path: FilePath) -> list[Event]:
    """The events of a study, whoever is writing it meanwhile."""
    if is_address(path):
        found: list[Event] = import_module("suffice.record.shared").read_shared(path)
        return found
    events = read_from(path, KIND, _all_of)
    if not events:
        raise UnreadableFile(
            f"{path} holds no study yet: the program that created it ended before the first event was written"
        )
    return events


def stored_settings(path: FilePath) -> Settings | None:
    """What the study in a file was made with, without reading the rest; None if it has not begun."""

    def first(database: Database) -> Settings | None:
        codec = EventCodec()
        return codec.settings if _read(Book(database), codec, 1) else None

    return read_from(path, KIND, first)


def _all_of(database: Database) -> list[Event]:
    events = _read(Book(database), EventCodec())
    if _has_log(database.path):
        _check_log(database)
    return events


def _has_log(path: Path) -> bool:
    return os.path.exists(f"{path}-wal")


def _check_log(database: Database) -> None:
    """UnreadableFile if the log next to the file is damaged: needed where somebody writes, or was killed, alone."""
    from suffice.record.recovery import check_log  # reads pages without SQLite, which is for damaged files

    check_log(database)


def as_fact(codec: EventCodec, event: Event) -> Fact:
    """The row that holds an event."""
    data = codec.encode(event)
    return Fact(data.pop("event"), data)


def _read(book: Book, codec: EventCodec, limit: int = -1) -> list[Event]:
    """Everything in the file, or so many events."""
    facts, events = list[Fact](), list[Event]()
    try:
        with kept():
            book.read(limit, facts)
            for event in in_order(codec.decode({"event": kind, **data}) for kind, data in facts):
                events.append(event)
    except MEANINGLESS as error:
        what = f"{error} is missing" if isinstance(error, KeyError) else str(error)
        n = len(events)
        where = f"event {n + 1}, {facts[n].kind}, cannot be read: " if n < len(facts) else ""
        raise book.database.damaged(where + what) from error
    return events


# ---------------------------------------------------------------------- the same settings


def continued(stored: Settings, given: Settings, words: Collection[str], path: object) -> Settings:
    """The stored settings, with those parts that the file could only describe as they were given.

    words    what the caller gave; the rest of `given` are defaults, which do not matter. DifferentStudy if something
             is another one now.
    """
    kept = {"direction": "objectives", "aim": "acquisition"}  # where a word is kept, if not under its own name
    names = dict.fromkeys(kept.get(word, word) for word in words if word not in ("space", "storage"))
    found = _of_spaces(stored.space, given.space) if "space" in words else []
    for name in names:
        old, new = getattr(stored, name), getattr(given, name)
        if not same(old, new):
            found.append(_difference(name, old, new))
    if found:
        value = "trial.value" if len(stored.outputs) == 1 else "trial.values"
        raise DifferentStudy(
            f"{path} was made with other settings (stored -> given):\n  " + "\n  ".join(found) + f"\nGive the same "
            "ones, or leave out all but the space; for a new study name another file, and pass the old values to it "
            f"with optimizer.tell(trial.point, {value}), for the trials of sf.load(path)"
        )
    opaque = {name: getattr(given, name) for name in names if isinstance(getattr(stored, name), Opaque)}
    if "space" in words and isinstance(stored.space, AbsentSpace):
        x0 = (from_plain(to_plain(point, stored.space), given.space) for point in stored.x0)
        opaque |= {"space": given.space, "x0": tuple(as_given(point, given.space) for point in x0)}
    elif "space" in words and isinstance(stored.space, Space) and stored.space.where:
        opaque["space"] = given.space  # of a constraint a file has the text only
    return replace(stored, **opaque)


def same(old: Any, new: Any) -> bool:
    """Whether two settings are the same, as far as a file can tell."""
    if isinstance(old, Opaque):
        address = r" at 0x[0-9a-fA-F]+"  # in the repr of a function: another one each time
        return re.sub(address, "", old.text) == re.sub(address, "", repr(new))
    try:
        return bool(to_spec(old) == to_spec(new))  # nan is an option like any other there
    except TypeError:
        return bool(old == new)


def _of_spaces(old: SearchSpace, new: SearchSpace) -> list[str]:
    """Parameter by parameter, where the spaces differ."""
    if space_to_spec(old) == space_to_spec(new):
        return []
    names = dict.fromkeys((*old.params, *new.params))
    pairs = {name: (old.params.get(name), new.params.get(name)) for name in names}
    found = [
        f"space, {name}: {_there(was)} -> {_there(now)}" for name, (was, now) in pairs.items() if not same(was, now)
    ]
    if not found and tuple(old.params) != tuple(new.params):
        found = [f"space, order: {', '.join(old.params)} -> {', '.join(new.params)}"]
    return found or [f"space: {old!r} -> {new!r}"]


def _there(parameter: Any) -> str:
    return "(none)" if parameter is None else repr(parameter)


def _difference(name: str, old: Any, new: Any) -> str:
    """One setting that is another one now; of a study with one unnamed objective that is its sense."""
    if name == "objectives" and list(old) == list(new) == [VALUE]:
        return f"sense: {old[VALUE]!r} -> {new[VALUE]!r}"
    return f"{name}: {_shown(old)} -> {_shown(new)}"


def _shown(value: Any) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{name} {_of(part)}" for name, part in value.items()) or "(none)"
    return value.text if isinstance(value, Opaque) else repr(value)


def _of(part: Any) -> str:
    """A limit, a sense or a number, in words."""
    return f"{part:g}" if isinstance(part, float) else str(part)


# ---------------------------------------------------------------------- opening


class StudyJournal(Journal[Event], Protocol):
    """A journal that outlasts the process."""

    @property
    def settings(self) -> Settings:
        """Those of the study: as stored, or as completed."""


AnyJournal = TypeVar("AnyJournal", bound=StudyJournal)


def open_study(storage: Any, given: Settings, words: Collection[str]) -> StudyJournal:
    """The journal of a study with the settings `given`; it is resumed if the file has one with the same settings.

    words    the settings that the caller gave; the others are not compared. Whatever is refused, nothing was changed.
    """
    try:
        space_to_spec(given.space)
    except TypeError as error:
        raise TypeError(
            f"a study of this space cannot be stored: {error}; use strings or numbers as options, or leave out storage="
        ) from error
    if is_address(storage):
        return import_module("suffice.record.shared").open_shared(storage, given, words)  # type: ignore[no-any-return]
    path = as_store(storage)
    if path.exists():
        stored = stored_settings(path)
        if stored is not None:
            continued(stored, given, words, path)

    def begin(journal: FileJournal) -> None:
        if len(journal):
            journal.complete(continued(journal.settings, given, words, path))
        else:
            journal.append(Started(given), hold=False)

    return opened(FileJournal(path), begin)


def resume_study(storage: Any, space: Any = None, **parts: Any) -> StudyJournal:
    """The journal of the study that a file holds; parts that it can only describe are given."""

    def complete(stored: Settings) -> Settings:
        return _completed(stored, Address.of(storage).shown, space, parts)

    if is_address(storage):
        return import_module("suffice.record.shared").resume_shared(storage, complete)  # type: ignore[no-any-return]
    path = as_store(storage)
    if not path.exists():
        raise FileNotFoundError(f"there is no study {path}: create one with sf.Optimizer(space, storage={str(path)!r})")
    stored = stored_settings(path)
    if stored is None:
        raise UnreadableFile(
            f"{path} holds no study yet: the program that created it ended before the first event was written; start "
            f"with sf.Optimizer(space, storage={str(path)!r})"
        )
    settings = _completed(stored, path, space, parts)
    return opened(FileJournal(path), lambda journal: journal.complete(settings))


def _completed(stored: Settings, path: object, space: Any, parts: Mapping[str, Any]) -> Settings:
    """The stored settings with the parts that are given."""
    given = {word: as_part(part, None, word) for word, part in parts.items() if part is not None}
    words = [*given]
    if space is not None:
        given["space"] = Settings.of(space).space
        words.append("space")
    settings = continued(stored, replace(stored, **given), words, path)
    if isinstance(settings.space, AbsentSpace):
        log.warning("%s", settings.space.advice)
    if is_constrained(settings.space) and (advice := advice_about(settings.space)) is not None:
        log.warning("%s", advice)
    for word in PARTS:
        part = getattr(settings, word)
        if isinstance(part, Opaque):
            log.warning("%s", unknown(word, part))
    return settings


def opened(journal: AnyJournal, begin: Callable[[AnyJournal], None]) -> AnyJournal:
    """The journal, begun or continued; it is closed if that fails."""
    try:
        begin(journal)
        return journal
    except BaseException:
        journal.close()
        raise


def unknown(word: str, part: Opaque) -> str:
    """What to do about a part that a file could only describe."""
    return (
        f"the {word} of this study is known only by its description: {part.text}; import the module that registers "
        f"it, or pass it: sf.Optimizer.resume(path, {word}=…). Until then you can record values, but not ask for points"
    )


def is_begun(storage: Any) -> bool:
    """Whether there is a study in the file, or at the address."""
    if is_address(storage):
        return bool(import_module("suffice.record.shared").is_shared_begun(storage))
    path = as_store(storage)
    return path.exists() and stored_settings(path) is not None


def as_store(storage: Any) -> Path:
    """The path of a file, as the user gave it."""
    if isinstance(storage, bytes) or not isinstance(storage, str | os.PathLike) or not os.fspath(storage):
        raise TypeError(f'storage must be the path of a file, such as "run.db": got {storage!r}')
    address = re.match(r"(\w{2,}):///?(.*)", str(os.fspath(storage)))  # as Optuna has it, sqlite:///run.db
    if address:
        raise UnusableFile(
            f"storage is the path of a file, or an address postgresql://…: got {storage!r}; write {address[2]!r}"
        )
    path = as_path(storage)
    if is_saved_result(path):
        raise UnusableFile(
            f"{path} is a saved result, which cannot be extended: sf.load({str(path)!r}) reads it; name another file "
            "for the study, such as 'run.db', and record the known values: optimizer.tell(trial.point, trial.value)"
        )
    if path.is_dir():
        raise UnusableFile(f"{path} is a folder: wanted the path of a file, such as {str(path / 'run.db')!r}")
    check_is_file(path)  # SQLite would write into a device for ever, and wait for a FIFO
    return path


def is_saved_result(path: Path) -> bool:
    """Whether a file is one of `Result.save`."""
    if not path.is_file() or is_database(path):  # nobody else may open one in use
        return False
    begin = f'{{"format": "{RESULT_FORMAT}"'.encode()
    with path.open("rb") as file:
        return file.read(len(begin)) == begin
