"""A journal: facts are appended, and read again in the same order. They are never changed and never removed."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Generic, Protocol, TypeVar

Fact = TypeVar("Fact")


class Journal(Protocol[Fact]):
    """What keeps the record of a study."""

    def append(self, fact: Fact, /) -> None:
        """Keep a fact: when the call returns it is durable, and if the call is interrupted it is kept or not at all."""

    def read(self, since: int = 0) -> Iterator[Fact]:
        """The facts in the order they were appended, without the first `since` of them."""

    def __len__(self) -> int:
        """How many facts there are."""


@dataclass(frozen=True)
class Memory(Generic[Fact]):
    """A journal that lasts as long as the process."""

    facts: list[Fact] = field(default_factory=list)

    def append(self, fact: Fact, /) -> None:
        self.facts.append(fact)  # one operation of the interpreter: no interruption finds it half done

    def read(self, since: int = 0) -> Iterator[Fact]:
        return iter(self.facts[since:])

    def __len__(self) -> int:
        return len(self.facts)
