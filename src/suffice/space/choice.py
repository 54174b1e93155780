"""Options without an order.

m   int   number of options        u   (width,)   the columns of one of them        U   (n, width)   of many
"""

from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from suffice.space.embedding import Embedding, embedding
from suffice.space.options import find, keys_of
from suffice.space.when import as_when
from suffice.types import Array, Indices, Kind


@dataclass(frozen=True, init=False, repr=False)
class Choice:
    """A parameter that takes one of several options without an order, such as Choice("adam", "sgd").

    Where options have an order, take Ordinal, and where the distances between them mean something, Int or Float: the
    model then learns from neighbours.

    Parameters
    ----------
    *options : hashable
        What it may be, at least one. Strings and numbers, and tuples of them, can be saved. They are told apart by type
        and value (True is not 1), and NaN equals NaN.
    when : mapping or None, default: None
        With {"kernel": ("rbf", "poly")} it is in a point only with these values of the parameter `kernel`.

    Notes
    -----
    The model also learns from what options have in common, if they are tuples of one length: from what stands at each
    position, numbers by their rank, as in Choice((64, 32), (128, 32), (128, 64)), so that numbers which are mere names
    are better written as strings; and where all options are arrangements of the same items, as all permutations of
    "abcde", from which item comes before which, which stands where and which follows which. Words of the same letters
    are arrangements too.

    In the unit cube it is a one-hot block with one column for each option, and what options have in common is columns
    of its own (suffice/space/embedding.py), unless that takes more than 100 columns and more than there are options.
    """

    options: tuple[Hashable, ...] = field(compare=False)
    keys: tuple[Hashable, ...]  # what tells the options apart
    when: Mapping[str, Any] | None
    kind: ClassVar[Kind] = "choice"
    smooth: ClassVar[bool] = False
    levels: ClassVar[None] = None  # without an order

    def __init__(self, *options: Hashable, when: Mapping[str, Any] | None = None) -> None:
        object.__setattr__(self, "keys", keys_of(options, "Choice"))
        object.__setattr__(self, "options", options)
        object.__setattr__(self, "when", as_when(when))

    def __repr__(self) -> str:
        when = () if self.when is None else (f"when={self.when!r}",)
        return f"Choice({', '.join((*map(repr, self.options), *when))})"

    @property
    def constant(self) -> bool:
        return len(self.options) == 1

    @cached_property
    def embedding(self) -> Embedding | None:
        """Where options that are sequences lie; None: a one-hot block."""
        return embedding(self.options)

    @property
    def width(self) -> int:
        if self.embedding is not None:
            return len(self.embedding.groups)
        return 0 if self.constant else len(self.options)

    @property
    def size(self) -> float:
        return len(self.options)

    def as_value(self, value: object) -> Hashable:
        """A user's value as the option that it is."""
        return self.options[find(value, self.options, self._places)]

    def to_unit(self, value: object) -> Array:
        """The columns of a user's value, (width,)."""
        return self.members(np.array([find(value, self.options, self._places)]))[0, : self.width]

    def from_unit(self, columns: Array) -> Hashable:
        """The option nearest to the columns (width,): the object that the user gave."""
        return self.options[0 if self.constant else int(self.nearest(columns[None])[0])]

    def place(self, u: Array) -> Array:
        """Option ⌊u m⌋ of m for each u, (n,); the last one at u = 1, (n, width)."""
        m = len(self.options)
        return self.members(np.minimum(u * m, m - 1).astype(np.intp))

    def snap(self, U: Array) -> Array:
        """The nearest members, (m, width); ties go to the first option."""
        return self.members(self.nearest(U))

    def members(self, k: Indices) -> Array:
        """Option k for each k, (n,), from 0, (n, width)."""
        if self.embedding is not None:
            return self.embedding.points[k]
        hot = np.zeros((len(k), len(self.options)))
        hot[np.arange(len(k)), k] = 1.0
        return hot

    def nearest(self, U: Array) -> Indices:
        """Which option is nearest to each row of U, (n, width), from 0; ties go to the first, (n,)."""
        return np.argmax(U, axis=1) if self.embedding is None else self.embedding.nearest(U)

    @cached_property
    def _places(self) -> dict[Hashable, int]:
        return {key: j for j, key in enumerate(self.keys)}
