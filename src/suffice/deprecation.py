"""Names that are to go: what warns about them, and the one list of all of them.

To deprecate something, give it an entry in DEPRECATED and call `warn("its name")` where it is used; a test fails in the
version that an entry names as its end. docs/reference/stability.md says what users are promised.
"""

import warnings
from dataclasses import dataclass


class SufficeDeprecationWarning(FutureWarning):
    """A public name, argument or option was used that will be gone in a later version; the message says which one.

    It is a FutureWarning, which Python shows to everybody: whoever runs a program that will break has to know.
    """


@dataclass(frozen=True)
class Deprecation:
    """Since which version something is deprecated, in which version it is gone, and what to use instead."""

    since: str
    until: str
    instead: str


DEPRECATED: dict[str, Deprecation] = {}  # by the name as users write it, such as "sf.minimize(n_calls=)": none now


def warn(name: str, depth: int = 2) -> None:
    """Say that a deprecated name was used, to the one who used it.

    depth    how many calls above this one the user's line is: 2 where the deprecated function itself warns
    """
    known = DEPRECATED[name]
    said = f"{name} is deprecated since suffice {known.since} and will be gone in {known.until}: {known.instead}"
    warnings.warn(said, SufficeDeprecationWarning, stacklevel=depth + 1)
