"""What a study searches: a domain, and the border between its rows and the user's points.

point   whatever the user's objective takes: a dict, an array, a row of a table, a permutation, a graph
x       (d,)   its place in the unit cube, which is all that models, acquisitions and solvers see
"""

from collections.abc import Mapping
from typing import Any, Protocol, TypeGuard, runtime_checkable

from suffice.space.parameters import Parameter
from suffice.types import Array, Domain


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
    def params(self) -> Mapping[str, Parameter]:
        """The parameters by name, read-only; empty where points are not made of parameters."""

    def to_unit(self, point: Any) -> Array:
        """The place of a user's point, (d,); refuses what is no point of the space."""

    def from_unit(self, x: Array) -> Any:
        """The user's point at x, (d,)."""


@runtime_checkable
class OwnPoints(SearchSpace, Protocol):
    """A space whose points are not made of parameters, so that it says itself what a file holds of them."""

    def to_plain(self, point: Any) -> Any:
        """A point as numbers, strings, tuples and dicts of them."""

    def from_plain(self, plain: Any) -> Any:
        """The point again."""


def owns_points(space: SearchSpace) -> TypeGuard[OwnPoints]:
    """Whether a space says itself what a file holds of a point. (To ask by isinstance takes a third of a millisecond,
    which counts where a hundred thousand trials are read.)"""
    return hasattr(space, "to_plain")
