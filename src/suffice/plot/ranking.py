"""Which parameters matter most, for figures that have no room for all of them."""

from collections.abc import Sequence

from suffice.errors import SufficeError
from suffice.study.result import Result


def most_important(result: Result, names: Sequence[str]) -> tuple[list[str], bool]:
    """The names, the most important first, and whether that is known: without a model they are in the space's order."""
    try:
        found = result.importance()
    except SufficeError:
        return list(names), False
    total = dict(zip(found.names, found.total, strict=True))
    order = {name: i for i, name in enumerate(names)}
    return sorted(names, key=lambda name: (-total.get(name, 0.0), order[name])), True
