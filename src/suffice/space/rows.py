"""Rows of any domain: how many to hold at once, which domains to list, and what tells two rows apart.

A choice of m options has m columns, so a list of its options is m² numbers: what counts is entries, rows × columns.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterator
from typing import Any

from suffice.types import Array, Domain

HELD = 2**20  # entries of an array: 8 MB, and a score makes a handful of arrays of that shape
LISTED = 4 * HELD  # entries of a whole domain that are still quick to score: 2000 options of one choice


def held(domain: Domain) -> int:
    """Rows of the domain to hold at once."""
    return max(1, HELD // max(1, domain.dim))


def listable(domain: Domain, most: int) -> bool:
    """Whether a domain has at most so many points, in few enough columns that all can be looked at on the way."""
    return domain.size <= most and domain.size * domain.dim <= LISTED


def blocks(domain: Domain) -> Iterator[Array]:
    """Every point of a finite domain, in order, as many at a time as are held at once."""
    step, size = held(domain), int(domain.size)
    return (domain.enumerate(start, min(start + step, size)) for start in range(0, size, step))


def row_keys(X: Array) -> list[bytes]:
    """One hashable key for each row of X, (m, d): rows of equal numbers have equal keys, and −0.0 is 0.0."""
    return [row.tobytes() for row in X + 0.0]


class Border(ABC):
    """Between the user's points and the rows of the unit cube."""

    @abstractmethod
    def to_unit(self, point: Any) -> Array:
        """The place of a user's point, (d,); refuses what is no point of the space."""

    @abstractmethod
    def from_unit(self, x: Array) -> Any:
        """The user's point at x, (d,)."""

    def canonical(self, x: Array) -> tuple[Any, Array]:
        """The user's point at x, (d,), and the row that encodes this point, (d,).

        Rounding may move the row away from x, to where every other way to the same point leads.
        """
        point = self.from_unit(x)
        return point, self.to_unit(point)
