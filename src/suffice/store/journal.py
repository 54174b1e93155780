"""A journal: facts are appended, and read again in the same order. They are never changed and never removed."""

import gc
import logging
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Generic, Protocol, TypeVar

from suffice.errors import NotStored

log = logging.getLogger("suffice")

Fact = TypeVar("Fact")


class Journal(Protocol[Fact]):
    """What keeps the record of a study."""

    @property
    def path(self) -> Path | None:
        """The file that it is kept in; None if it is in memory."""

    patience: float  # seconds to try again for, where facts cannot be written, before an error is raised
    shared: bool  # whether others add facts as well: `sync` takes them in

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
    shared: bool = False

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


def let_go(journal: Journal[Any]) -> None:
    """Close the journal of an optimizer that nobody holds any more."""
    try:
        journal.close()
    except NotStored as error:
        with suppress(Exception):
            log.error("%s; the optimizer that held them no longer exists", error)


@contextmanager
def kept() -> Iterator[None]:
    """Inside, Python does not search for garbage: what is read of a record stays in memory.

    Of ten thousand trials it would look through millions of objects several times over, which takes half of the time.
    """
    running = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if running:
            gc.enable()
