"""One parameter: its values, and its columns of the unit cube.

v       a value in the user's units         u   (width,)     its columns, each in [0, 1]
L       int    number of integers, high − low + 1            U   (m, width)   many of them
k       int    an integer's place, i − low: 0 … L − 1

A parameter does not know its name; `Space` puts the name in front of every message raised here.
"""

import math
from collections.abc import Hashable
from dataclasses import dataclass, field
from functools import cached_property
from typing import ClassVar, TypeAlias

import numpy as np

from suffice.checks import as_bool, as_float, as_int, check_inside, check_order, short
from suffice.space.embedding import Embedding, embedding
from suffice.space.lattice import FINEST, Lattice
from suffice.space.sameness import equal, is_hashable, key
from suffice.types import Array, Indices, Kind

LARGEST_LOG_INT = 10**300  # edges and their ratios stay inside float64


@dataclass(frozen=True)
class Float:
    """A parameter that takes any real value from low to high.

    Choose log=True where the order of magnitude matters, as for a learning rate from 1e-5 to 1: half of the points then
    lie below 3e-3 and not below 0.5. It needs low > 0.

    In the unit cube it is u = (v − low)/(high − low). With log, u = log(v/low)/log(high/low). Equal bounds make a
    constant, which takes no columns.
    """

    low: float
    high: float
    log: bool = False
    kind: ClassVar[Kind] = "float"

    def __post_init__(self) -> None:
        # Whatever number types came in, plain Python floats are kept.
        object.__setattr__(self, "low", as_float(self.low, "low"))
        object.__setattr__(self, "high", as_float(self.high, "high"))
        object.__setattr__(self, "log", as_bool(self.log, "log"))
        check_order(self.low, self.high)
        if self.log and self.low <= 0:
            raise ValueError(f"log=True needs low > 0: got low={self.low!r}; raise low or drop log")

    @property
    def constant(self) -> bool:
        return self.low == self.high

    @property
    def smooth(self) -> bool:
        return not self.constant

    @property
    def width(self) -> int:
        return 0 if self.constant else 1

    @property
    def size(self) -> float:
        return 1 if self.constant else math.inf

    def to_unit(self, value: object) -> Array:
        """The columns of a user's value, (width,)."""
        v = as_float(value, "the value")
        check_inside(v, self.low, self.high)
        if self.constant:
            return np.empty(0)
        if self.log:
            return np.array([_log_ratio(self.low, v) / _log_ratio(self.low, self.high)])
        half = _half_if_wide(self.low, self.high)
        return np.array([(half * v - half * self.low) / (half * self.high - half * self.low)])

    def from_unit(self, columns: Array) -> float:
        """The value at the columns (width,), never outside the bounds and exactly a bound at 0 and 1."""
        if self.constant or columns[0] <= 0:
            return self.low
        if columns[0] >= 1:
            return self.high
        u = float(columns[0])
        v = self._log_value(u) if self.log else self._linear_value(u)
        return min(max(v, self.low), self.high)  # rounding may step over a bound

    def place(self, u: Array) -> Array:
        """The members at u, (n,): u itself, (n, width)."""
        return u[:, None]

    def snap(self, U: Array) -> Array:
        """The nearest members, (m, width)."""
        return np.clip(U, 0.0, 1.0)

    def _linear_value(self, u: float) -> float:
        half = _half_if_wide(self.low, self.high)
        return (half * self.low + u * (half * self.high - half * self.low)) / half

    def _log_value(self, u: float) -> float:
        W = _log_ratio(self.low, self.high)
        if self.high < 2 * self.low:  # relative to low, so that a narrow range keeps its digits
            return self.low * math.exp(u * W)
        return math.exp(min(math.log(self.low) + u * W, math.log(self.high)))


@dataclass(frozen=True)
class Int:
    """A parameter that takes whole numbers from low to high, both included.

    Choose log=True where the order of magnitude matters, as for a batch size from 1 to 1024; it needs low ≥ 1. Take
    Choice instead where the order of the numbers means nothing.

    In the unit cube it is the centre of one of L equal cells, u = (i − low + 0.5)/L.
    With log, the cells lie between log(low − 0.5) and log(high + 0.5) and the point of i is at log(i):
    u = log1p(o/e)/W, W = log1p(L/e), with e = low − 0.5 and o = i − e. A uniform u then falls into the cell of i
    with probability 1/L, with log with probability log((i + 0.5)/(i − 0.5))/W.
    """

    low: int
    high: int
    log: bool = False
    kind: ClassVar[Kind] = "int"

    def __post_init__(self) -> None:
        # Whatever number types came in, plain Python integers are kept: exact at any size.
        object.__setattr__(self, "low", as_int(self.low, "low"))
        object.__setattr__(self, "high", as_int(self.high, "high"))
        object.__setattr__(self, "log", as_bool(self.log, "log"))
        check_order(self.low, self.high)
        if self.log and not 1 <= self.low <= self.high <= LARGEST_LOG_INT:
            raise ValueError(
                f"log=True needs bounds between 1 and 1e300: got low={short(self.low)}, high={short(self.high)}; "
                "change the bounds or drop log"
            )

    @property
    def count(self) -> int:
        """How many integers the bounds hold, L."""
        return self.high - self.low + 1

    @property
    def constant(self) -> bool:
        return self.count == 1

    @property
    def smooth(self) -> bool:
        """Whether all cells are finer than the model can see."""
        return self.cells.widest < 1 / FINEST

    @property
    def cells(self) -> Lattice:
        """Where the integers lie in the unit interval."""
        return Lattice(self.low, self.count, self.log)

    @property
    def width(self) -> int:
        return 0 if self.constant else 1

    @property
    def size(self) -> float:
        return math.inf if self.smooth else self.count

    def to_unit(self, value: object) -> Array:
        """The columns of a user's value, (width,)."""
        i = as_int(value, "the value")
        check_inside(i, self.low, self.high)
        if self.constant:
            return np.empty(0)
        k = i - self.low
        if self.log:
            return self.cells.at(np.array([float(k)]))
        return np.array([(2 * k + 1) / (2 * self.count)])  # integers: correctly rounded at any size

    def from_unit(self, columns: Array) -> int:
        """The integer whose cell holds the columns (width,), never outside the bounds."""
        if self.constant or columns[0] <= 0:
            return self.low
        if columns[0] >= 1:
            return self.high
        if self.smooth and not self.log:  # u is a fraction p/q, so that the cell is exact at any size
            p, q = float(columns[0]).as_integer_ratio()
            k = p * self.count // q
        else:
            k = int(self.cells.cell(columns)[0])
        return min(self.low + k, self.high)

    def place(self, u: Array) -> Array:
        """The members whose cells hold u, (n,), (n, width)."""
        return self.snap(u[:, None])

    def snap(self, U: Array) -> Array:
        """The nearest members, (m, width): nearest in v, also with log."""
        inside = np.clip(U, 0.0, 1.0)
        return inside if self.smooth else self.cells.snap(inside)

    def members(self, k: Indices) -> Array:
        """Member k of the range for each k, (n,), from 0, (n, width)."""
        return self.cells.at(k)[:, None]


@dataclass(frozen=True, init=False, repr=False)
class Choice:
    """A parameter that takes one of several options without an order, such as Choice("adam", "sgd").

    An option may be of any hashable kind; strings and numbers, and tuples of them, can be saved. Where options have an
    order and the distances between them mean something, take Int or Float: the model then learns from neighbours.

    The model also learns from what options have in common, if they are tuples of one length: from what stands at each
    position, numbers by their rank, as in Choice((64, 32), (128, 32), (128, 64)), so that numbers which are mere names
    are better written as strings; and where all options are arrangements of the same items, as in
    Choice(*itertools.permutations("abcde")), from which item comes before which, which stands where and which follows
    which. Words of the same letters are arrangements too.

    In the unit cube it is a one-hot block with one column for each option, and what options have in common is columns
    of its own (suffice/space/embedding.py), unless that takes more than 100 columns and more than there are options.
    Options are told apart by type and value (True is not 1), and NaN equals NaN.
    """

    options: tuple[Hashable, ...] = field(compare=False)
    keys: tuple[Hashable, ...]  # what tells the options apart
    kind: ClassVar[Kind] = "choice"
    smooth: ClassVar[bool] = False

    def __init__(self, *options: Hashable) -> None:
        if not options:
            raise ValueError("a choice needs at least one option: got none; write Choice('a', 'b')")
        for option in options:
            if not is_hashable(option):
                raise TypeError(
                    f"options must be hashable: got {short(option)} of type {type(option).__name__}; "
                    "write Choice('a', 'b') or Choice(*options)"
                )
        keys = tuple(map(key, options))
        if len(set(keys)) < len(keys):
            twice = next(option for j, option in enumerate(options) if keys[j] in keys[:j])
            raise ValueError(f"options must differ: got {short(twice)} more than once; drop the repetition")
        object.__setattr__(self, "options", options)
        object.__setattr__(self, "keys", keys)

    def __repr__(self) -> str:
        return f"Choice({', '.join(map(repr, self.options))})"

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

    def to_unit(self, value: object) -> Array:
        """The columns of a user's value, (width,)."""
        return self.members(np.array([self._find(value)]))[0, : self.width]

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

    def _find(self, value: object) -> int:
        """The place of a user's value: the same type and value, else the only option that equals it."""
        if is_hashable(value) and (exact := self._places.get(key(value))) is not None:
            return exact
        matching = [j for j, option in enumerate(self.options) if equal(option, value)]
        if len(matching) == 1:
            return matching[0]
        fault = "equals several of" if matching else "is none of"
        shown = ", ".join(short(option) for option in self.options[:8])
        more = f", … ({len(self.options)} options)" if len(self.options) > 8 else ""
        raise ValueError(f"{short(value)} of type {type(value).__name__} {fault} the options {shown}{more}")


Parameter: TypeAlias = Float | Int | Choice


def _half_if_wide(low: float, high: float) -> float:
    """A factor that keeps high − low finite: 0.5 where the bounds span more than float64 holds, else 1."""
    return 0.5 if math.isinf(high - low) else 1.0


def _log_ratio(a: float, b: float) -> float:
    """log(b/a) for 0 < a ≤ b, with full relative precision when b is close to a, and without overflow."""
    return math.log1p((b - a) / a) if b < 2 * a else math.log(b) - math.log(a)
