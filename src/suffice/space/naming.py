"""Names of parameters in messages."""

import difflib
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager


@contextmanager
def about(name: str) -> Iterator[None]:
    """Put the parameter's name in front of a message."""
    try:
        yield
    except (TypeError, ValueError) as error:
        kind = TypeError if isinstance(error, TypeError) else ValueError
        raise kind(f"parameter {name!r}: {error}") from None


def listed(names: Sequence[object]) -> str:
    """A few names, and how many there are."""
    more = f", … ({len(names)} names)" if len(names) > 8 else ""
    return ", ".join(map(repr, names[:8])) + more


def nearest_name(word: object, known: Iterable[str]) -> str:
    """What may have been meant by a name that is not known."""
    names = list(known)
    near = difflib.get_close_matches(word, names, 1) if isinstance(word, str) else []
    return "".join(f"did you mean {name!r}? " for name in near) + f"the names are {listed(names)}"
