"""What a search has to know of a domain with smooth columns in which not every combination of values is a member.

X      (m, d)   rows of the unit cube        free   (m, d)   columns that may move alone, row by row
"""

from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from suffice.types import Array, Domain, smooth_columns


@runtime_checkable
class Shaped(Protocol):
    """A domain that says what a local search and a proof may do where it is no product."""

    @property
    def constrained(self) -> bool:
        """Whether a step in free columns may leave the domain, so that each has to be checked."""

    def free(self, X: Array) -> NDArray[np.bool_]:
        """Smooth columns that a local search may move, for each member of X, (m, d)."""

    def towards(self, X: Array, members: Array) -> Array:
        """The members nearest to X, (m, d), on the ways to the members given, (m, d), at the latest these."""

    def cut(self, lower: Array, upper: Array) -> tuple[Array, Array, NDArray[np.bool_]]:
        """Smaller boxes, (m, d) each, that still hold the members which these boxes hold, and which of them may hold
        any, (m,)."""


@runtime_checkable
class Conditioned(Protocol):
    """A domain in which a member may lack a coordinate."""

    @property
    def product(self) -> bool:
        """Whether every combination of the coordinates' values is a member."""

    def active(self, X: Array) -> NDArray[np.bool_]:
        """Which coordinates the members have, (m, number of coordinates)."""


def free_columns(domain: Domain, X: Array) -> NDArray[np.bool_]:
    """Columns that a local search may move from each member, (m, d)."""
    if not domain.product and isinstance(domain, Shaped):
        return domain.free(X)
    return np.broadcast_to(smooth_columns(domain), X.shape)


def is_constrained(domain: Domain) -> bool:
    """Whether a step in free columns may leave the domain."""
    return not domain.product and isinstance(domain, Shaped) and domain.constrained


def active_coordinates(domain: Domain, X: Array) -> NDArray[np.bool_]:
    """Which coordinates the members have, (m, number of coordinates): where there are no conditions, all."""
    if not domain.product and isinstance(domain, Conditioned):
        return domain.active(X)
    return np.ones((len(X), len(domain.coordinates)), dtype=np.bool_)


def exchangeable(domain: Domain) -> bool:
    """Whether a discrete value of a member can be replaced by another: by itself, or with what depends on it."""
    return domain.product or isinstance(domain, Shaped)
