"""What a search may ask of any domain, and a study of any space.

X      (m, d)   rows of the unit cube        free   (m, d)   columns that may move alone, row by row
point  whatever the objective takes: a dict, an array, a row of a table, a permutation, a graph
x      (d,)     its place in the unit cube, which is all that models, acquisitions and solvers see

A choice of m options has m columns, so a list of its options is m² numbers: limits count entries, rows × columns.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from suffice.types import Array, Domain, smooth_columns

if TYPE_CHECKING:
    from suffice.space.parameters import Parameter

Mask: TypeAlias = NDArray[np.bool_]

CACHE = 2**17  # float64 entries that stay in a core's cache while they are worked on
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
    return (domain.enumerate(rows.start, rows.stop) for rows in in_blocks(int(domain.size), domain.dim))


def row_keys(X: Array) -> list[bytes]:
    """One hashable key for each row of X, (m, d): rows of equal numbers have equal keys, and −0.0 is 0.0."""
    return [row.tobytes() for row in X + 0.0]


def in_blocks(m: int, width: int) -> Iterator[slice]:
    """Slices of m rows of so many entries, as many at a time as are held at once."""
    step = max(1, HELD // max(1, width))
    return (slice(start, min(start + step, m)) for start in range(0, m, step))


def same_rows(X: Array, Y: Array) -> Mask:
    """Which rows of X equal those of Y, (m,)."""
    same: Mask = np.all(X == Y, axis=1)
    return same


@runtime_checkable
class Shaped(Protocol):
    """A domain that says what a local search and a proof may do where it is no product."""

    @property
    def constrained(self) -> bool:
        """Whether a step in free columns may leave the domain, so that each has to be checked."""

    def free(self, X: Array) -> Mask:
        """Smooth columns that a local search may move, for each member of X, (m, d)."""

    def towards(self, X: Array, members: Array) -> Array:
        """The members nearest to X, (m, d), on the ways to the members given, (m, d), at the latest these."""

    def cut(self, lower: Array, upper: Array) -> tuple[Array, Array, Mask]:
        """Smaller boxes, (m, d) each, that still hold the members which these boxes hold, and which of them may hold
        any, (m,)."""

    def active(self, X: Array) -> Mask:
        """Which coordinates the members have, (m, number of coordinates)."""


def free_columns(domain: Domain, X: Array) -> Mask:
    """Columns that a local search may move from each member, (m, d)."""
    if not domain.product and isinstance(domain, Shaped):
        return domain.free(X)
    return np.broadcast_to(smooth_columns(domain), X.shape)


def is_constrained(domain: Domain) -> bool:
    """Whether a step in free columns may leave the domain."""
    return not domain.product and isinstance(domain, Shaped) and domain.constrained


def active_coordinates(domain: Domain, X: Array) -> Mask:
    """Which coordinates the members have, (m, number of coordinates): where there are no conditions, all."""
    if not domain.product and isinstance(domain, Shaped):
        return domain.active(X)
    return np.ones((len(X), len(domain.coordinates)), dtype=np.bool_)


def exchangeable(domain: Domain) -> bool:
    """Whether a discrete value of a member can be replaced by another: by itself, or with what depends on it."""
    return domain.product or isinstance(domain, Shaped)


class Border(ABC):
    """The border between the user's points and the rows of the unit cube."""

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


class OwnPoints(Border):
    """The border of a space whose points are not made of parameters: it says itself what a file holds of a point."""

    @property
    def params(self) -> Mapping[str, "Parameter"]:
        """None: a point is taken as a whole."""
        return MappingProxyType({})

    @property
    def product(self) -> bool:
        return False

    @abstractmethod
    def to_plain(self, point: Any) -> Any:
        """A point as numbers, strings, tuples and dicts of them."""

    @abstractmethod
    def from_plain(self, plain: Any) -> Any:
        """The point again."""


@runtime_checkable
class SearchSpace(Domain, Protocol):
    """A domain whose members are the places of the user's points: two points that differ have places that differ."""

    @property
    def names(self) -> tuple[str, ...]:
        """What the parts of a point are called."""

    @property
    def named(self) -> bool:
        """Whether points are dicts by these names."""

    @property
    def params(self) -> Mapping[str, "Parameter"]:
        """The parameters by name, read-only; empty where points are not made of parameters."""

    def to_unit(self, point: Any) -> Array:
        """The place of a user's point, (d,); refuses what is no point of the space."""

    def from_unit(self, x: Array) -> Any:
        """The user's point at x, (d,)."""

    def canonical(self, x: Array) -> tuple[Any, Array]:
        """The user's point at x, (d,), and its place, (d,)."""
