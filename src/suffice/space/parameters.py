"""Parameters: what one of them may be, and its columns in the unit cube.

v, i  float, int   a value in the user's units          u   (width,)     its columns, in [0, 1]
L     int          number of integers                   U   (m, width)   many of them
k     int          a value's place in its order, from 0  W  float        log(high/low)
m     int          number of options

A parameter does not know its name: `Space` puts the name in front of every message. A constant takes no columns.
"""

import difflib
import inspect
import math
import numbers
from abc import ABC, abstractmethod
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, ClassVar, TypeAlias, TypeGuard

import numpy as np

from suffice.checks import as_bool, as_float, as_inside, as_int, check_inside, check_order, nearly_whole, short
from suffice.space.domain import Border
from suffice.space.lattice import FINEST, Lattice, Steps, cell_of, check_not_too_wide, off_step
from suffice.space.options import Embedding, as_when, embedding, find, is_hashable, keys_of
from suffice.text import SHOWN
from suffice.types import Array, Indices, Kind

LARGEST_LOG_INT = 10**300  # edges and their ratios stay inside float64


@dataclass(frozen=True, repr=False)
class Range(ABC):
    """What Float and Int share: bounds, a scale, and steps."""

    low: float
    high: float
    log: bool = False
    step: float | None = None
    when: Mapping[str, Any] | None = field(default=None, kw_only=True)

    def __post_init__(self) -> None:
        check_order(self.low, self.high)
        if self.log and self.step is not None:
            raise ValueError(
                f"a step cannot be combined with log=True: got step={self.step!r} and log=True; drop one of them"
            )

    def __repr__(self) -> str:
        fields = {"low": self.low, "high": self.high, "log": self.log, "step": self.step, "when": self.when}
        words = ", ".join(f"{name}={value!r}" for name, value in fields.items() if value is not None)
        return f"{type(self).__name__}({words})"

    @property
    def constant(self) -> bool:
        return self.low == self.high

    @property
    def width(self) -> int:
        return 0 if self.constant else 1

    @property
    @abstractmethod
    def levels(self) -> Lattice | None:
        """Where its numbers lie in the unit interval; None: it is smooth."""

    @property
    def size(self) -> float:
        if self.constant:
            return 1
        return math.inf if self.levels is None else self.levels.cells

    def place(self, u: Array) -> Array:
        """The members whose cells hold u, (n,), or u itself, (n, width)."""
        return self.snap(u[:, None])

    def snap(self, U: Array) -> Array:
        """The nearest members, (m, width): nearest in v, also with log."""
        inside: Array = np.clip(U, 0.0, 1.0)
        return inside if self.levels is None else self.levels.snap(inside)

    def members(self, k: Indices) -> Array:
        """Number k of the range for each k, (n,), from 0, (n, width)."""
        assert self.levels is not None  # what is smooth has no numbers
        return self.levels.at(k)[:, None]

    @abstractmethod
    def from_unit(self, columns: Array) -> float:
        """The value at the columns (width,), never outside the bounds."""

    def values(self, U: Array) -> list[Any]:
        """The values at the rows of U, (m, width): as `from_unit` has them, but each of them only once."""
        if self.constant:
            return [self.low] * len(U)
        different, which = np.unique(U[:, 0], return_inverse=True)
        taken = [self.from_unit(np.array([u])) for u in different.tolist()]
        return [taken[k] for k in which.tolist()]


def _as_log(log: object) -> bool:
    """Whether a range is logarithmic; a number in this place was meant as a step."""
    if isinstance(log, numbers.Real) and not isinstance(log, bool):
        raise TypeError(f"log must be True or False: got {short(log)}; a step is written step={short(log)}")
    return as_bool(log, "log")


@dataclass(frozen=True, init=False, repr=False)
class Float(Range):
    """A parameter that takes any real value from low to high.

    Parameters
    ----------
    low, high : float
        The bounds, both included. Equal bounds make a constant.
    log : bool, default: False
        True if the order of magnitude matters, as for a learning rate from 1e-5 to 1: half of the points then lie below
        3e-3 instead of below 0.5. It needs low > 0.
    step : float or None, default: None
        With 0.05 it takes only low, low + 0.05, low + 0.1, …, as decimal numbers: 0.15, not 0.15000000000000002. The
        last one is at most high. A step cannot be combined with log.
    when : mapping or None, default: None
        With {"kernel": ("rbf", "poly")} it is in a point only with these values of the parameter `kernel`.

    Notes
    -----
    In the unit cube it is u = (v − low)/(high − low). With log, u = log(v/low)/log(high/low). With a step, number k of
    L is the centre of one of L equal cells, u = (k + 0.5)/L. A constant takes no columns.
    """

    kind: ClassVar[Kind] = "float"

    def __init__(
        self,
        low: float,
        high: float,
        log: bool = False,
        step: float | None = None,
        *,
        when: Mapping[str, Any] | None = None,
    ) -> None:
        by = None if step is None else as_float(step, "step")
        super().__init__(as_float(low, "low"), as_float(high, "high"), _as_log(log), by, when=as_when(when))
        if self.log and self.low <= 0:
            raise ValueError(f"log=True needs low > 0: got low={self.low!r}; raise low or drop log")
        _ = self._steps  # refuses a step that is none

    @cached_property
    def _steps(self) -> Steps | None:
        return None if self.step is None else Steps.of(self.low, self.high, self.step)

    @property
    def smooth(self) -> bool:
        """Whether it takes every value, or steps finer than the model can see."""
        return not self.constant and (self._steps is None or self._steps.count > FINEST)

    @property
    def levels(self) -> Lattice | None:
        return None if self._steps is None or self.smooth else Lattice(0, self._steps.count, log=False)

    def as_value(self, value: object) -> float:
        """A user's value as a plain float of the range: one a rounding error outside, or beside a step, is on it."""
        v = as_inside(as_float(value, "the value"), self.low, self.high, self.log)
        return v if self._steps is None else self._steps.value(self._steps.place(v))

    def to_unit(self, value: object) -> Array:
        """The columns of a user's value, (width,)."""
        v = self.as_value(value)
        if self.constant:
            return np.empty(0)
        if self._steps is not None:
            return np.array([(2 * self._steps.place(v) + 1) / (2 * self._steps.count)])
        if self.log:
            return np.array([_log_ratio(self.low, v) / _log_ratio(self.low, self.high)])
        half = _half_if_wide(self.low, self.high)
        return np.array([(half * v - half * self.low) / (half * self.high - half * self.low)])

    def from_unit(self, columns: Array) -> float:
        """The value at the columns (width,), never outside the bounds and exactly a bound at 0 and 1."""
        if self.constant or columns[0] <= 0:
            return self.low
        if self._steps is not None:
            return self._steps.value(cell_of(float(columns[0]), self._steps.count))
        return self.values(columns[None])[0]

    def values(self, U: Array) -> list[float]:
        if self.constant or self._steps is not None:
            return super().values(U)
        u = U[:, 0]
        inside = np.clip(u, 0.0, 1.0)
        if self.log:  # one by one: numpy may round an exponential differently
            v = np.array([self._log_value(w) for w in inside.tolist()])
        else:
            half = _half_if_wide(self.low, self.high)
            v = (half * self.low + inside * (half * self.high - half * self.low)) / half
        v = np.clip(v, self.low, self.high)  # rounding may step over a bound
        found: list[float] = np.where(u <= 0, self.low, np.where(u >= 1, self.high, v)).tolist()
        return found

    def _log_value(self, u: float) -> float:
        W = _log_ratio(self.low, self.high)
        if self.high < 2 * self.low:  # relative to low, so that a narrow range keeps its digits
            return self.low * math.exp(u * W)
        return math.exp(min(math.log(self.low) + u * W, math.log(self.high)))


def _half_if_wide(low: float, high: float) -> float:
    """A factor that keeps high − low finite: 0.5 where the bounds span more than float64 holds, else 1."""
    return 0.5 if math.isinf(high - low) else 1.0


def _log_ratio(a: float, b: float) -> float:
    """log(b/a) for 0 < a ≤ b, with full relative precision when b is close to a, and without overflow."""
    return math.log1p((b - a) / a) if b < 2 * a else math.log(b) - math.log(a)


@dataclass(frozen=True, init=False, repr=False)
class Int(Range):
    """A parameter that takes whole numbers from low to high, both included.

    Use Choice if the order of the numbers means nothing.

    Parameters
    ----------
    low, high : int
        The bounds, both included. Equal bounds make a constant.
    log : bool, default: False
        True if the order of magnitude matters, as for a batch size from 1 to 1024; it needs low ≥ 1.
    step : int or None, default: None
        With 16 it takes only low, low + 16, low + 32, …, up to at most high. A step cannot be combined with log.
    when : mapping or None, default: None
        With {"kernel": ("rbf", "poly")} it is in a point only with these values of the parameter `kernel`.

    Notes
    -----
    In the unit cube it is the centre of one of L equal cells, u = ((i − low)/step + 0.5)/L.
    With log, the cells lie between log(low − 0.5) and log(high + 0.5) and the point of i is at log(i):
    u = log1p(o/e)/W, W = log1p(L/e), with e = low − 0.5 and o = i − e. A uniform u then falls into the cell of i
    with probability 1/L, with log with probability log((i + 0.5)/(i − 0.5))/W.
    """

    low: int  # exact at any size
    high: int
    step: int | None = None
    kind: ClassVar[Kind] = "int"

    def __init__(
        self,
        low: int,
        high: int,
        log: bool = False,
        step: int | None = None,
        *,
        when: Mapping[str, Any] | None = None,
    ) -> None:
        by = None if step is None else as_int(step, "step")
        super().__init__(as_int(low, "low"), as_int(high, "high"), _as_log(log), by, when=as_when(when))
        if self.log and not 1 <= self.low <= self.high <= LARGEST_LOG_INT:
            raise ValueError(
                f"log=True needs bounds between 1 and 1e300: got low={short(self.low)}, high={short(self.high)}; "
                "change the bounds or drop log"
            )
        if self._by < 1:
            raise ValueError(f"step must be ≥ 1: got {short(self._by)}")
        check_not_too_wide(self.low, self.high, self._by, self.count)

    @property
    def count(self) -> int:
        """How many integers the bounds hold, L."""
        return (self.high - self.low) // self._by + 1

    @property
    def _by(self) -> int:
        return 1 if self.step is None else self.step

    @property
    def smooth(self) -> bool:
        """Whether all cells are finer than the model can see."""
        return self.cells.widest < 1 / FINEST

    @property
    def cells(self) -> Lattice:
        """Where the integers lie in the unit interval."""
        return Lattice(self.low, self.count, self.log)

    @property
    def levels(self) -> Lattice | None:
        return None if self.smooth else self.cells

    def as_value(self, value: object) -> int:
        """A user's value as a plain integer of the range: a float a rounding error beside one is it."""
        i = as_int(nearly_whole(value), "the value")
        check_inside(i, self.low, self.high)
        k, beside = divmod(i - self.low, self._by)
        if beside or k >= self.count:
            near = sorted({min(j, self.count - 1) for j in (k, k + 1)})
            raise off_step(i, self.low, self._by, (self.low + j * self._by for j in near))
        return i

    def to_unit(self, value: object) -> Array:
        """The columns of a user's value, (width,)."""
        i = self.as_value(value)
        if self.constant:
            return np.empty(0)
        k = (i - self.low) // self._by
        if self.log:
            return self.cells.at(np.array([float(k)]))
        return np.array([(2 * k + 1) / (2 * self.count)])  # integers: correctly rounded at any size

    def from_unit(self, columns: Array) -> int:
        """The integer whose cell holds the columns (width,), never outside the bounds."""
        if self.constant or columns[0] <= 0:
            return self.low
        u = float(columns[0])
        k = cell_of(u, self.count) if u >= 1 or (self.smooth and not self.log) else int(self.cells.cell(columns)[0])
        return self.low + min(k, self.count - 1) * self._by


@dataclass(frozen=True, repr=False)
class Options(ABC):
    """What Choice and Ordinal share: it takes one of the options that were given."""

    options: tuple[Hashable, ...] = field(compare=False)
    keys: tuple[Hashable, ...]  # what tells the options apart
    when: Mapping[str, Any] | None
    smooth: ClassVar[bool] = False

    def __post_init__(self) -> None:
        for option in self.options:
            if isinstance(option, Range | Options | Border):
                raise TypeError(
                    f"options are values: got {short(option)}; a parameter that depends on an option stands beside "
                    "the choice, with when=, as in Space(kernel=Choice('rbf', 'linear'), width=Float(0, 1, "
                    "when={'kernel': 'rbf'}))"
                )

    def __repr__(self) -> str:
        when = () if self.when is None else (f"when={self.when!r}",)
        return f"{type(self).__name__}({', '.join((*map(repr, self.options), *when))})"

    @property
    def constant(self) -> bool:
        return len(self.options) == 1

    @property
    def size(self) -> float:
        return len(self.options)

    @cached_property
    def _places(self) -> dict[Hashable, int]:
        return {key: j for j, key in enumerate(self.keys)}

    def index(self, value: object) -> int:
        """Which option a user's value is, from 0."""
        return find(value, self.options, self._places)

    def as_value(self, value: object) -> Hashable:
        """A user's value as the option that it is."""
        return self.options[self.index(value)]

    def to_unit(self, value: object) -> Array:
        """The columns of a user's value, (width,)."""
        return self.members(np.array([self.index(value)]))[0, : self.width]

    def from_unit(self, columns: Array) -> Hashable:
        """The option nearest to the columns (width,): the object that the user gave."""
        return self.values(columns[None])[0]

    def values(self, U: Array) -> list[Hashable]:
        """The options nearest to the rows of U, (m, width)."""
        return [self.options[k] for k in ([0] * len(U) if self.constant else self.nearest(U).tolist())]

    @property
    @abstractmethod
    def width(self) -> int:
        """How many columns it takes."""

    @abstractmethod
    def members(self, k: Indices) -> Array:
        """Option k for each k, (n,), from 0, (n, width)."""

    @abstractmethod
    def nearest(self, U: Array) -> Indices:
        """Which option is nearest to each row of U, (n, width), from 0; ties go to the first, (n,)."""


@dataclass(frozen=True, init=False, repr=False)
class Choice(Options):
    """A parameter that takes one of several options without an order, such as Choice("adam", "sgd").

    If the options have an order, use Ordinal, and if their distances mean something, Int or Float: the model then
    learns from neighbours.

    Parameters
    ----------
    *options : hashable
        The options, at least one. Strings, numbers and tuples of them can be saved. Options are distinguished by type
        and value (True is not 1), and NaN equals NaN.
    when : mapping or None, default: None
        With {"kernel": ("rbf", "poly")} it is in a point only with these values of the parameter `kernel`.

    Notes
    -----
    The model also learns from what options have in common, if they are tuples of one length: from the item
    at each position, numbers by their rank, as in Choice((64, 32), (128, 32), (128, 64)), so write numbers that are
    mere names as strings; and where all options are arrangements of the same items, as all permutations of "abcde",
    from which item comes before which, which stands where and which follows which. Words of the same letters are
    arrangements too.

    In the unit cube it is a one-hot block with one column for each option, and what options have in common is columns
    of its own (suffice/space/options.py), unless that takes more than 100 columns and more than there are options.
    """

    kind: ClassVar[Kind] = "choice"
    levels: ClassVar[None] = None  # without an order

    def __init__(self, *options: Hashable, when: Mapping[str, Any] | None = None) -> None:
        super().__init__(options, keys_of(options, "Choice"), as_when(when))

    @cached_property
    def embedding(self) -> Embedding | None:
        """Where options that are sequences lie; None: a one-hot block."""
        return embedding(self.options)

    @property
    def width(self) -> int:
        if self.embedding is not None:
            return len(self.embedding.groups)
        return 0 if self.constant else len(self.options)

    def place(self, u: Array) -> Array:
        """Option ⌊u m⌋ of m for each u, (n,); the last one at u = 1, (n, width)."""
        m = len(self.options)
        return self.members(np.minimum(u * m, m - 1).astype(np.intp))

    def snap(self, U: Array) -> Array:
        """The nearest members, (m, width); ties go to the first option."""
        return self.members(self.nearest(U))

    def members(self, k: Indices) -> Array:
        if self.embedding is not None:
            return self.embedding.points[k]
        hot = np.zeros((len(k), len(self.options)))
        hot[np.arange(len(k)), k] = 1.0
        return hot

    def nearest(self, U: Array) -> Indices:
        return np.argmax(U, axis=1) if self.embedding is None else self.embedding.nearest(U)


@dataclass(frozen=True, init=False, repr=False)
class Ordinal(Options):
    """A parameter that takes one of several options in an order, such as Ordinal("small", "medium", "large").

    The model assumes that neighbours are alike. Use Choice if the order means nothing, and Int or Float if the
    distances between the options matter, as for 1, 10 and 100.

    Parameters
    ----------
    *options : hashable
        The options in order, distinguished as for Choice.
    when : mapping or None, default: None
        With {"kernel": ("rbf", "poly")} it is in a point only with these values of the parameter `kernel`.

    Notes
    -----
    In the unit cube it is one column, and option k the centre of one of m equal cells, u = (k + 0.5)/m.
    """

    kind: ClassVar[Kind] = "ordinal"

    def __init__(self, *options: Hashable, when: Mapping[str, Any] | None = None) -> None:
        super().__init__(options, keys_of(options, "Ordinal"), as_when(when))

    @property
    def width(self) -> int:
        return 0 if self.constant else 1

    @property
    def levels(self) -> Lattice:
        """Where the options lie in the unit interval."""
        return Lattice(0, len(self.options), log=False)

    def place(self, u: Array) -> Array:
        return self.snap(u[:, None])

    def snap(self, U: Array) -> Array:
        return self.levels.snap(np.clip(U, 0.0, 1.0))

    def members(self, k: Indices) -> Array:
        return self.levels.at(k)[:, None]

    def nearest(self, U: Array) -> Indices:
        return self.levels.index(np.clip(U[:, 0], 0.0, 1.0))


Parameter: TypeAlias = Float | Int | Choice | Ordinal
Listed: TypeAlias = Choice | Ordinal  # a parameter that takes one of the options that were given


def with_when(parameter: Parameter, when: Mapping[str, Any] | None) -> Parameter:
    """The same parameter with another condition, or with none."""
    if isinstance(parameter, Options):
        return type(parameter)(*parameter.options, when=when)
    return type(parameter)(parameter.low, parameter.high, parameter.log, parameter.step, when=when)  # type: ignore[arg-type]


class about:  # noqa: N801  # reads as a word: `with about(name):`
    """Put the parameter's name in front of a message. (A generator would take as long as what it is wrapped around.)"""

    __slots__ = ("name",)

    def __init__(self, name: str) -> None:
        self.name = name

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: object) -> None:
        if isinstance(error, TypeError | ValueError):
            named = TypeError if isinstance(error, TypeError) else ValueError
            raise named(f"parameter {self.name!r}: {error}") from None


def listed(names: Sequence[object]) -> str:
    """A few names, and how many there are."""
    more = f", … ({len(names)} names)" if len(names) > SHOWN else ""
    return ", ".join(map(repr, names[:SHOWN])) + more


def nearest_name(word: object, known: Iterable[str]) -> str:
    """What may have been meant by a name that is not known."""
    names = list(known)
    near = difflib.get_close_matches(word, names, 1) if isinstance(word, str) else []
    return "".join(f"did you mean {name!r}? " for name in near) + f"the names are {listed(names)}"


def is_pair(given: object) -> TypeGuard[Sequence[Any]]:
    """Two things that may be bounds; two strings were meant as options."""
    if isinstance(given, np.ndarray):
        return bool(given.shape == (2,))
    return isinstance(given, list | tuple) and len(given) == 2 and not any(isinstance(bound, str) for bound in given)


def is_whole(bound: object) -> bool:
    """Whether a bound is written as a whole number: 1, not 1.0."""
    return isinstance(bound, numbers.Integral) and not isinstance(bound, bool | np.bool_ | np.timedelta64)


def constant(given: Any) -> Choice:
    """A parameter with one value: a choice of one option, which takes no column."""
    if inspect.isroutine(given):
        raise TypeError(
            f"a function is not a constant: got {short(given)}; a constraint is written Space(parameters, "
            "where=function), a constant function Choice(function)"
        )
    if isinstance(given, list | tuple | set | frozenset | range | np.ndarray):
        raise TypeError(
            f"wanted a parameter, a pair (low, high) or a constant: got {short(given)}; options are written "
            "Choice('a', 'b'), those with an order Ordinal(1, 2, 5), whole numbers Int(low, high, step=2), a "
            "logarithmic range Float(low, high, log=True), a constant sequence Choice((1, 2, 3))"
        )
    plain = isinstance(given, numbers.Number | str | bytes | np.generic) or given is None
    # A range of another library is no constant: these are what they call its ends, a draw from it and its options.
    words = ("low", "high", "rvs", "choices", "categories", "dtype", "sample")
    foreign = not plain and any(hasattr(given, word) for word in words)
    if isinstance(given, type) or foreign or not is_hashable(given):
        raise TypeError(
            f"wanted Float, Int, Choice, Ordinal, a pair (low, high) or a constant: got {short(given)} of type "
            f"{type(given).__name__}; write it as one of these, such as Float(0, 1) or Choice('a', 'b')"
        )
    return Choice(given)
