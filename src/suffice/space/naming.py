"""Names of parameters in messages."""

import difflib
from collections.abc import Iterable, Sequence


class about:  # noqa: N801  # reads as a word: `with about(name):`
    """Put the parameter's name in front of a message. (A generator would take as long as what it is wrapped around.)"""

    __slots__ = ("name",)

    def __init__(self, name: str) -> None:
        self.name = name

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: object) -> None:
        if isinstance(error, TypeError | ValueError):
            named = TypeError if isinstance(error, TypeError) else ValueError
            raise named(f"parameter {self.name!r}: {error}") from None


def listed(names: Sequence[object]) -> str:
    """A few names, and how many there are."""
    more = f", … ({len(names)} names)" if len(names) > 8 else ""
    return ", ".join(map(repr, names[:8])) + more


def nearest_name(word: object, known: Iterable[str]) -> str:
    """What may have been meant by a name that is not known."""
    names = list(known)
    near = difflib.get_close_matches(word, names, 1) if isinstance(word, str) else []
    return "".join(f"did you mean {name!r}? " for name in near) + f"the names are {listed(names)}"
