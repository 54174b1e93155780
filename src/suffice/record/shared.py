"""The journal of a study on a server. Many workers write the same events, in an order that the server decides.

Every worker has all events in memory up to a number. While it proposes points it reads no events, so events of other
workers come after its proposals here and may come before them on the server. That makes no difference: a proposal
records how many outcomes it knew (Basis), and trials and outcomes have the same order everywhere.
"""

from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager

from suffice.errors import UnreadableFile
from suffice.record.encoding import EventCodec
from suffice.record.settings import Settings
from suffice.record.study_file import MEANINGLESS, Recorded, as_fact, continued, opened
from suffice.record.trial import Asked, Cancelled, Claimed, Event, Failed, Started, Stopped, Told, in_order, stamped
from suffice.store.journal import kept
from suffice.store.postgres import PATIENCE, Address, Claim, Entry, SharedBook
from suffice.store.sqlite import Fact

STATES: dict[type, str] = {
    Asked: "pending",
    Told: "done",
    Failed: "failed",
    Stopped: "pruned",
    Cancelled: "cancelled",
}


class SharedJournal(Recorded):
    """Events on a server, and in memory."""

    path = None
    shared = True

    def __init__(self, address: str) -> None:
        super().__init__()
        self.address = Address.of(address)
        self.patience = PATIENCE
        self.hired = False  # whether this is a worker: any worker can claim its new trials
        self.book = SharedBook(self.address)
        self._number = 0  # the number of the last event up to which all are known
        self._ahead: set[int] = set()  # numbers of later events that this worker wrote

    def begin(self, given: Settings, words: Collection[str]) -> None:
        """Begin the study with these settings, or resume it if they are the same; otherwise nothing changes."""
        encoder = EventCodec()

        def started() -> Fact:
            return as_fact(encoder, Started(given))

        self.book.begin(started)
        self.book.server.listen(self.book.channel)
        self.sync()
        self.complete(continued(self.settings, given, words, self.address.shown))

    def resume(self, complete: Callable[[Settings], Settings]) -> None:
        """Resume the study; custom parts may have to be passed."""
        if not self.book.study:
            raise FileNotFoundError(f"there is no study {self.address.shown}: {_known(self.book)}")
        self.book.server.listen(self.book.channel)
        self.sync()
        self.complete(complete(self.settings))

    # ------------------------------------------------------------------ the journal

    def append(self, *facts: Event, hold: bool = True) -> None:  # noqa: ARG002
        """Add events; raises Overtaken without a change if another worker was faster.

        A new trial is added only if this worker knew all others. Adding an outcome also reads all earlier events.
        """
        with self._lock:
            facts = tuple(map(stamped, facts))
            entries = [self._entry(event) for event in facts]
            asks = any(isinstance(event, Asked) for event in facts)
            owner = None if self.hired else self.book.worker
            added = self.book.append(entries, None if asks else self._number, owner)
            if asks:
                self._facts.extend(facts)
                self._ahead.update(number for number, _ in added)
            else:
                self._take(added)

    def sync(self) -> None:
        """Read the events of the other workers."""
        with self._lock, kept():
            self._take(self.book.read(self._number))

    @contextmanager
    def together(self) -> Iterator[None]:
        """Inside this context, the others add no points, as far as they can wait."""
        with self._lock:
            while not self.book.proposes():
                self.book.server.hear(0.1, self.book.worker)
            try:
                self.sync()
                yield
            finally:
                self.book.yields()

    def close(self) -> None:
        """Close the connection; known events stay in memory."""
        self.book.server.close()

    def _take(self, rows: list[tuple[int, Fact]]) -> None:
        """Add events from the server, except those that are already known."""
        try:
            new = [
                self._codec.decode({"event": fact.kind, **fact.data})
                for number, fact in rows
                if number not in self._ahead
            ]
        except MEANINGLESS as error:
            raise UnreadableFile(f"{self.address.shown} has an invalid event: {error}") from error
        self._facts.extend(new)
        if rows:
            self._number = max(self._number, rows[-1][0])
            self._ahead = {number for number in self._ahead if number > self._number}

    def _entry(self, event: Event) -> Entry:
        number = None if isinstance(event, Started) else event.number
        return Entry(as_fact(self._codec, event), number, STATES.get(type(event)))  # type: ignore[arg-type]

    # ------------------------------------------------------------------ claims

    def claim(self, running: Collection[int], wanted: int) -> Claim | None:
        """Claim a trial and read all events about it; None if there is none, and then so many are wanted."""
        with self._lock:
            found = self.book.claim(running, wanted, self._number, self._claimed)
            if found is None:
                return None
            claim, facts = found
            self._take(facts)
            return claim

    def _claimed(self, number: int) -> Fact:
        return as_fact(self._codec, stamped(Claimed(number, self.book.worker)))


def open_shared(storage: str, given: Settings, words: Collection[str]) -> SharedJournal:
    """The journal of a study on a server. It begins with `given`, or resumes a study with the same settings."""
    return opened(SharedJournal(storage), lambda journal: journal.begin(given, words))


def resume_shared(storage: str, complete: Callable[[Settings], Settings]) -> SharedJournal:
    """The journal of the study at an address; parts that it can only describe are given."""
    return opened(SharedJournal(storage), lambda journal: journal.resume(complete))


def read_shared(storage: str) -> list[Event]:
    """The events of a study, even while others write it."""

    def look(journal: SharedJournal) -> None:
        if not journal.book.study:
            raise FileNotFoundError(f"there is no study {journal.address.shown}: {_known(journal.book)}")
        journal.sync()

    journal = opened(SharedJournal(storage), look)
    journal.close()
    try:
        return list(in_order(journal.read()))
    except ValueError as error:
        raise UnreadableFile(f"{journal.address.shown} is damaged: {error}") from error


def is_shared_begun(storage: str) -> bool:
    """Whether there is a study at an address."""
    book = SharedBook(Address.of(storage))
    book.server.close()
    return bool(book.study)


def _known(book: SharedBook) -> str:
    """The studies that exist instead, for a message."""
    names = book.names()
    return f"the database has {', '.join(names)}" if names else "the database has none yet"
