"""Options in an order.

m   int   number of options        u   (width,)   the column of one of them        U   (n, width)   of many
k   int   the place of an option in the order, 0 … m − 1
"""

from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from suffice.space.lattice import Lattice
from suffice.space.options import find, keys_of
from suffice.space.when import as_when
from suffice.types import Array, Indices, Kind


@dataclass(frozen=True, init=False, repr=False)
class Ordinal:
    """A parameter that takes one of several options in an order, such as Ordinal("small", "medium", "large").

    The model learns that neighbours are alike. Take Choice where the order means nothing, and Int or Float where the
    distances between the options do, as for 1, 10 and 100.

    Parameters
    ----------
    *options : hashable
        What it may be, from the first to the last; what tells two of them apart is as for Choice.
    when : mapping or None, default: None
        With {"kernel": ("rbf", "poly")} it is in a point only with these values of the parameter `kernel`.

    Notes
    -----
    In the unit cube it is one column, and option k the centre of one of m equal cells, u = (k + 0.5)/m.
    """

    options: tuple[Hashable, ...] = field(compare=False)
    keys: tuple[Hashable, ...]  # what tells the options apart
    when: Mapping[str, Any] | None
    kind: ClassVar[Kind] = "ordinal"
    smooth: ClassVar[bool] = False

    def __init__(self, *options: Hashable, when: Mapping[str, Any] | None = None) -> None:
        object.__setattr__(self, "keys", keys_of(options, "Ordinal"))
        object.__setattr__(self, "options", options)
        object.__setattr__(self, "when", as_when(when))

    def __repr__(self) -> str:
        when = () if self.when is None else (f"when={self.when!r}",)
        return f"Ordinal({', '.join((*map(repr, self.options), *when))})"

    @property
    def constant(self) -> bool:
        return len(self.options) == 1

    @property
    def width(self) -> int:
        return 0 if self.constant else 1

    @property
    def size(self) -> float:
        return len(self.options)

    @property
    def levels(self) -> Lattice:
        """Where the options lie in the unit interval."""
        return Lattice(0, len(self.options), log=False)

    def as_value(self, value: object) -> Hashable:
        """A user's value as the option that it is."""
        return self.options[find(value, self.options, self._places)]

    def to_unit(self, value: object) -> Array:
        """The columns of a user's value, (width,)."""
        return self.members(np.array([find(value, self.options, self._places)]))[0, : self.width]

    def from_unit(self, columns: Array) -> Hashable:
        """The option whose cell holds the columns (width,): the object that the user gave."""
        return self.options[0 if self.constant else int(self.nearest(columns[None])[0])]

    def place(self, u: Array) -> Array:
        """The members whose cells hold u, (n,), (n, width)."""
        return self.snap(u[:, None])

    def snap(self, U: Array) -> Array:
        """The nearest members, (m, width)."""
        return self.levels.snap(np.clip(U, 0.0, 1.0))

    def members(self, k: Indices) -> Array:
        """Option k for each k, (n,), from 0, (n, 1)."""
        return self.levels.at(k)[:, None]

    def nearest(self, U: Array) -> Indices:
        """Which option is nearest to each row of U, (n, width), from 0, (n,)."""
        return self.levels.index(np.clip(U[:, 0], 0.0, 1.0))

    @cached_property
    def _places(self) -> dict[Hashable, int]:
        return {key: j for j, key in enumerate(self.keys)}
