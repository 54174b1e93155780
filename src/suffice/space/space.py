"""The space of all parameters: the border between the user's points and the unit cube.

point   dict name → value for a named space; for a list of parameters a list, and a 1-D array where all are floats
x       (d,)     its place in the unit cube; a constant parameter takes no column, a choice several
X       (m, d)   many of them
"""

import keyword
import logging
import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType
from typing import Any, TypeAlias

import numpy as np
from numpy.random import Generator
from scipy.optimize import Bounds

from suffice.checks import short
from suffice.space.conditions import ABSENT, Conditional, check_conditions, code_of, inferred, is_nothing, takes
from suffice.space.constraints import (
    Constrained,
    Missing,
    Predicate,
    as_predicates,
    check_inequalities,
    named,
    text,
    violated,
)
from suffice.space.domain import Border, Mask, SearchSpace
from suffice.space.parameters import (
    Float,
    Int,
    Listed,
    Parameter,
    Range,
    about,
    constant,
    is_pair,
    is_whole,
    listed,
    nearest_name,
    with_when,
)
from suffice.space.product import Product
from suffice.space.slice import Slice
from suffice.streams import Streams
from suffice.text import ROWS, SHOWN, block, table, visible
from suffice.types import Array, Coordinate

Point: TypeAlias = Mapping[str, Any] | Sequence[float] | Array
Where: TypeAlias = Predicate | str | Sequence[Predicate | str]

log = logging.getLogger("suffice")


@dataclass(frozen=True)
class Contents:
    """What a space is made of."""

    names: tuple[str, ...]
    parameters: tuple[Parameter, ...]
    named: bool  # True: points are dicts; False: lists, or arrays
    where: tuple[Predicate, ...]


@dataclass(frozen=True, init=False, repr=False)
class Space(Contents, Border):
    """A search space of named parameters.

    The points of a space are dicts, {"lr": 0.01, "depth": 3}. Parameters need no names: the points of a list such as
    [Float(0, 1), Int(1, 10)] are lists, and those of a list of pairs or Floats are arrays of real numbers.

    Parameters
    ----------
    mapping : dict or None, default: None
        Parameters by name, for names that are not identifiers: Space({"learning rate": (0.0, 1.0)}).
    where : callable, str, sequence of them or None, default: None
        Constraints on the parameters: a function of a point that returns True if it is allowed, an inequality such as
        "x * y <= 8", or a list of them. Only an inequality is stored in a file.
    **params : Float, Int, Choice, Ordinal, pair or value
        Parameters by name. A pair (low, high) of two ints is an Int, any other pair a Float, and a single value such as
        3 or "adam" a constant. A parameter with `when` is conditional.

    Examples
    --------
    >>> import suffice as sf
    >>> space = sf.Space(lr=sf.Float(1e-5, 1, log=True), depth=sf.Int(1, 10))
    >>> list(space.params), space.size
    (['lr', 'depth'], inf)
    """

    def __init__(
        self, mapping: Mapping[str, Any] | None = None, /, *, where: Where | None = None, **params: Any
    ) -> None:
        given = {} if mapping is None else mapping
        if not isinstance(given, Mapping):
            raise TypeError(
                f"a space is made of a dict of parameters: got {short(given)} of type "
                f"{type(given).__name__}; parameters without names are a list, such as minimize(f, [(0, 1), (0, 1)])"
            )
        twice = [name for name in params if name in given]
        if twice:
            raise ValueError(f"duplicate names: {listed(twice)} came both in the dict and as keywords")
        self._fill({**given, **params}, True, where)

    @classmethod
    def positional(cls, *parameters: Any, where: Where | None = None) -> "Space":
        """Parameters by position, called x[0], x[1], …: points are lists, or 1-D arrays where all are floats."""
        whole = any(isinstance(given, Parameter) and not isinstance(given, Float) for given in parameters)
        space = cls.__new__(cls)
        space._fill({f"x[{j}]": _unnamed(f"x[{j}]", given, whole) for j, given in enumerate(parameters)}, False, where)
        return space

    def _fill(self, given: Mapping[Any, Any], named: bool, where: Where | None) -> None:
        """Called once, by a constructor: the fields never change afterwards."""
        if not given:
            raise ValueError("the space is empty: give at least one parameter, for instance Space(x=Float(0, 1))")
        names = tuple(_as_name(name) for name in given)
        super().__init__(names, tuple(_as_parameter(*item) for item in given.items()), named, as_predicates(where))
        check_inequalities(self.where, self.params)
        if isinstance(self._parts, Conditional):
            if not named:
                raise ValueError("when= needs parameters with names: give them in a dict, or as Space(name=...)")
            check_conditions(self._parts)
        for remark in _taken_as(given, self.parameters):
            log.warning("%s", remark)

    def with_where(self, where: Where | None) -> "Space":
        """The same space with other constraints."""
        found = as_predicates(where)
        check_inequalities(found, self.params)
        return self._with(self.parameters, found)

    def with_parameters(self, parameters: tuple[Parameter, ...]) -> "Space":
        """The same space with other parameters under the same names."""
        return self._with(parameters, self.where)

    def _with(self, parameters: tuple[Parameter, ...], where: tuple[Predicate, ...]) -> "Space":
        space = type(self).__new__(type(self))
        super(Space, space).__init__(self.names, parameters, self.named, where)
        return space

    @property
    def params(self) -> Mapping[str, Parameter]:
        """Name → parameter, read-only."""
        return MappingProxyType(dict(zip(self.names, self.parameters, strict=True)))

    @cached_property
    def _parts(self) -> Product | Conditional:
        """The rows that are places of points, but for known constraints."""
        parts = Product(self.names, self.parameters)
        return Conditional(parts) if any(parameter.when for parameter in self.parameters) else parts

    @cached_property
    def _domain(self) -> Product | Conditional | Constrained:
        """The rows of the cube that are places of points."""
        return Constrained(self._parts, self.where, self.points) if self.where else self._parts

    @property
    def dim(self) -> int:
        """Number of columns of the unit cube, d: one for a number, one for each option of a choice."""
        return self._domain.dim

    @property
    def coordinates(self) -> tuple[Coordinate, ...]:
        """The parameters that are not constant, in column order."""
        return self._domain.coordinates

    @cached_property
    def arrays(self) -> bool:
        """Whether points are 1-D float arrays."""
        return not self.named and all(isinstance(parameter, Float) for parameter in self.parameters)

    @property
    def product(self) -> bool:
        return self._domain.product

    @property
    def size(self) -> float:
        """Number of distinct points; `math.inf` as soon as one parameter is smooth."""
        return self._domain.size

    def sample(self, n: int, rng: Generator) -> Array:
        """Draw points at random, as rows of the unit cube.

        Parameters
        ----------
        n : int
            How many.
        rng : numpy.random.Generator
            The source of randomness.

        Returns
        -------
        ndarray
            Independent uniform rows, (n, d); `from_unit` converts a row to a point.
        """
        return self._domain.sample(n, rng)

    # ------------------------------------------------------------------ the rest of a domain: see Domain and Shaped

    def place(self, U: Array) -> Array:
        return self._domain.place(U)

    def contains(self, X: Array) -> Mask:
        return self._domain.contains(X)

    def near(self, x: Array, n: int, rng: Generator, scales: tuple[float, ...]) -> Array:
        return self._domain.near(x, n, rng, scales)

    def snap(self, X: Array) -> Array:
        return self._domain.snap(X)

    def enumerate(self, start: int = 0, stop: int | None = None) -> Array:
        return self._domain.enumerate(start, stop)

    @property
    def constrained(self) -> bool:
        return self._domain.constrained

    def free(self, X: Array) -> Mask:
        return self._domain.free(X)

    def towards(self, X: Array, members: Array) -> Array:
        return self._domain.towards(X, members)

    def cut(self, lower: Array, upper: Array) -> tuple[Array, Array, Mask]:
        return self._domain.cut(lower, upper)

    def active(self, X: Array) -> Mask:
        return self._parts.active(X)[:, [not parameter.constant for parameter in self.parameters]]

    def names_at(self, x: Array) -> list[str]:
        """The names of the active parameters at x, (d,)."""
        return [name for name, here in zip(self.names, self._parts.active(x[None])[0].tolist(), strict=True) if here]

    def only_active(self, point: Mapping[str, Any]) -> dict[str, Any]:
        """Remove the values of inactive parameters from a point.

        Parameters
        ----------
        point : dict
            A value for each parameter.

        Returns
        -------
        dict
            The point as the objective gets it.
        """
        return self._parts.only_active(point)

    def to_unit(self, point: Point) -> Array:
        """Map a point to the unit cube.

        Parameters
        ----------
        point : mapping, sequence or ndarray
            A point as the objective takes it; a value outside the space raises an error that names the parameter.

        Returns
        -------
        ndarray
            Its row, (d,).
        """
        x = self._encoded(point)
        if self.where:
            self._check_where(self.from_unit(x), point)
        return x

    def _encoded(self, point: Point) -> Array:
        needed = [name for name, parameter in self.params.items() if not parameter.when]
        values = by_name(point, self.names, needed) if self.named else by_position(point, self.names)
        return self._parts.to_unit(values)

    def _check_where(self, decoded: Any, given: Any) -> None:
        if (broken := violated(self.where, decoded)) is not None:
            raise ValueError(f"the point {given!r} does not satisfy the constraint {text(broken)}")

    def from_unit(self, x: Array) -> Any:
        """Map a row of the unit cube to a point.

        Parameters
        ----------
        x : ndarray
            A row, (d,).

        Returns
        -------
        dict, list or ndarray
            Plain Python values by name, or in order, or a float array.
        """
        x = np.asarray(x, dtype=np.float64)
        if x.shape != (self.dim,) or not np.all(np.isfinite(x)):
            raise ValueError(f"x must be {self.dim} finite numbers: got {x!r}")
        return self.points(self._parts.snap(x[None]))[0]

    def canonical(self, x: Array) -> tuple[Any, Array]:
        point = self.from_unit(x)
        if self.where:
            self._check_where(point, point)
        return point, self._encoded(point)

    def points(self, X: Array) -> list[Any]:
        """The user's points at the rows, (m, d)."""
        parts = zip(self.parameters, self._parts.columns, strict=True)
        values = zip(*(parameter.values(X[:, columns]) for parameter, columns in parts), strict=True)
        if not self.named:
            return [np.array(row, dtype=np.float64) if self.arrays else list(row) for row in values]
        if isinstance(self._parts, Product):
            return [dict(zip(self.names, row, strict=True)) for row in values]
        pairs = zip(values, self._parts.active(X).tolist(), strict=True)
        return [
            {name: v for name, v, here in zip(self.names, row, active, strict=True) if here} for row, active in pairs
        ]

    def _repr_html_(self) -> str:
        """For notebooks: a table of the parameters."""
        return space_html(self)

    def __repr__(self) -> str:
        where = [f"where={named(self.where)}"] if self.where else []
        if not self.named:
            return f"Space.positional({', '.join([*map(repr, self.parameters), *where])})"
        if all(name.isidentifier() and not keyword.iskeyword(name) for name in self.names):
            return (
                f"Space({', '.join([*(f'{name}={parameter!r}' for name, parameter in self.params.items()), *where])})"
            )
        return f"Space({', '.join([repr(dict(self.params)), *where])})"


@dataclass(frozen=True, init=False, repr=False)
class OpenSpace(Space):
    """The parameters that an objective has asked for so far: none at first.

    A point may lack any of them, since an earlier trial had not met it. What it lacks is at rest, as what is inactive.
    """

    def __init__(self, params: Mapping[str, Parameter] | None = None) -> None:
        given = params or {}
        super(Space, self).__init__(tuple(given), tuple(given.values()), True, ())
        if isinstance(self._parts, Conditional):
            check_conditions(self._parts)

    @classmethod
    def of(cls, params: Mapping[str, Parameter], points: Sequence[Mapping[str, Any]]) -> "OpenSpace":
        """These parameters, with the conditions under which the points have them, where these make sense together."""
        plain = {name: with_when(parameter, None) for name, parameter in params.items()}
        codes = [
            [code_of(p, point[name]) if name in point else ABSENT for name, p in plain.items()] for point in points
        ]
        shape = len(points), len(plain)
        whens = inferred(plain, np.array(codes, dtype=np.intp).reshape(shape), np.ones(len(points), dtype=np.bool_))
        try:
            return cls({name: with_when(parameter, whens.get(name)) for name, parameter in plain.items()})
        except ValueError:
            return cls(plain)

    @cached_property
    def rest(self) -> Array:
        """The middle of every parameter, (d,)."""
        parts = self._parts
        return (parts if isinstance(parts, Conditional) else Conditional(parts)).rest

    def _encoded(self, point: Point) -> Array:
        x = self.rest.copy()
        for name, value in by_name(point, self.names, ()).items():
            parameter, columns = self.params[name], self._parts.columns[self.names.index(name)]
            if not is_nothing(value) or takes(parameter, value):
                with about(name):
                    x[columns] = parameter.to_unit(value)
        there: Array = self._parts.at_rest(x[None])[0] if isinstance(self._parts, Conditional) else x
        return there + 0.0


def is_unknown(space: SearchSpace) -> bool:
    """Whether the objective is still to say what is searched."""
    return isinstance(space, OpenSpace) and not space.names


def drawn_alone(name: str, parameter: Parameter, seed: int, number: int) -> Any:
    """A value for a parameter that a trial asks for and that was not proposed: uniform, from a stream of its own."""
    space, rng = Space({name: parameter}), Streams(seed)("independent", (number + 1) << 32 | zlib.crc32(name.encode()))
    return space.from_unit(space.sample(1, rng)[0])[name]


def as_space(bounds: object) -> SearchSpace:
    """A space from what a user passes as bounds.

    A Space, or any other SearchSpace, is itself; a dict of parameters or pairs is a named space; a list or tuple of
    pairs, an iterator of them such as zip(lows, highs), an array (d, 2) or `scipy.optimize.Bounds` is a positional one.
    """
    if isinstance(bounds, SearchSpace) and not isinstance(bounds, type):
        return bounds
    if isinstance(bounds, Mapping):
        return Space(bounds)
    if isinstance(bounds, Bounds):
        return Space.positional(*zip(bounds.lb, bounds.ub, strict=True))
    if isinstance(bounds, list | tuple | Iterator) or (isinstance(bounds, np.ndarray) and bounds.ndim):
        return Space.positional(*bounds)
    raise TypeError(
        "space must be a Space, a dict, a list of pairs (low, high), an array (d, 2) or scipy.optimize.Bounds: "
        f"got {type(bounds).__name__}"
    )


def sliced(space: SearchSpace, fixed: Mapping[str, Any] | None) -> SearchSpace:
    """The part of a space with these values; the space itself if nothing is fixed."""
    if not fixed:
        return space
    if not isinstance(space, Space):
        raise TypeError(f"fixed= needs a space made of parameters: got {type(space).__name__}; ask without it")
    for name in fixed:
        loose = [parent for parent in space.params[name].when or () if parent not in fixed]
        if loose:
            raise ValueError(
                f"fixed: {name!r} is active only with {space.params[name].when!r}; fix {listed(loose)} as well"
            )
    active = space.only_active(fixed)
    for name in fixed:
        if name not in active:
            raise ValueError(f"fixed: {name!r} is inactive here, because it needs {space.params[name].when!r}")
    return Slice(space, fixed)


def _as_name(name: object) -> str:
    if not isinstance(name, str):
        raise TypeError(f"names must be strings: got {name!r} of type {type(name).__name__}")
    if not name:
        raise ValueError("names must not be empty: got ''")
    return str(name)  # a plain string, also for numpy's


def _as_parameter(name: str, given: object) -> Parameter:
    """Of a named space: a parameter, a pair of bounds, or a constant."""
    if isinstance(given, Parameter):
        return given
    with about(name):
        if is_pair(given):
            return Int(*given) if all(map(is_whole, given)) else Float(*given)
        return constant(given)


def _taken_as(given: Mapping[str, Any], parameters: Sequence[Parameter]) -> Iterator[str]:
    """How pairs of whole numbers were read, where something else may be meant and nothing shows that the rule is known.

    A space with a Float, or with a pair such as (0.0, 1.0), was written by somebody who tells the two apart.
    """
    pairs = {name: pair for name, pair in given.items() if is_pair(pair) and all(map(is_whole, pair))}
    lists = [name for name in pairs if isinstance(pairs[name], list)]
    if lists:
        low, high = pairs[lists[0]]
        yield (
            f"{listed(lists)}: a list of two numbers is a range here: [{low}, {high}] means all whole numbers from "
            f"{low} to {high}; write ({low}, {high}) for the range, or sf.Choice({low}, {high}) for two options"
        )
    whole = [name for name in pairs if name not in lists]
    if whole and not any(isinstance(parameter, Float) for parameter in parameters):
        low, high = pairs[whole[0]]
        yield (
            f"{listed(whole)}: a pair of whole numbers is an integer range; write sf.Int({low}, {high}) if that is "
            f"intended, or ({low}.0, {high}.0) for real numbers"
        )


def _unnamed(name: str, given: object, whole: bool) -> Parameter:
    """Of a list: pairs are real numbers, unless there are parameters beside them that are none."""
    with about(name):
        if isinstance(given, Parameter):
            return given
        if is_pair(given):
            return Int(*given) if whole and all(map(is_whole, given)) else Float(*given)
        raise TypeError(
            f"a list has a parameter or a pair (low, high) for each dimension: got {short(given)}; a single interval "
            "is [(0, 1)], and options are written Choice('a', 'b')"
        )


def advice_about(space: SearchSpace) -> str | None:
    """What to do about the constraints of a space that came from a file; None: they are all there."""
    where = space.where if isinstance(space, Space) else ()
    return next((predicate.advice for predicate in where if isinstance(predicate, Missing)), None)


def by_name(point: object, names: Sequence[str], needed: Sequence[str]) -> dict[str, Any]:
    """The values of a dict that has all the names that are needed, and no others than these."""
    if not isinstance(point, Mapping):
        raise TypeError(f"a point of this space is a dict of {listed(names)}: got {type(point).__name__}")
    known = set(names)
    missing, unknown = [name for name in needed if name not in point], [name for name in point if name not in known]
    if unknown:
        raise ValueError(f"the point has unknown {listed(unknown)}: {nearest_name(unknown[0], names)}")
    if missing:
        raise ValueError(f"the point is missing {listed(missing)}; a point has a value for {listed(names)}")
    return {name: point[name] for name in names if name in point}


def by_position(point: Any, names: Sequence[str]) -> dict[str, Any]:
    """The values of a list or 1-D array of as many, by the names of their positions."""
    wanted = f"a point of this space is a list or 1-D array of length {len(names)}"
    values = np.asarray(point) if hasattr(point, "__array__") else point  # arrays, and what converts itself to one
    if isinstance(values, str | bytes) or not isinstance(values, np.ndarray | Sequence):
        raise TypeError(f"{wanted}: got {type(point).__name__}")
    if isinstance(values, np.ndarray) and values.ndim != 1:
        raise ValueError(f"{wanted}: got shape {values.shape}")
    if len(values) != len(names):
        raise ValueError(f"{wanted}: got length {len(values)}")
    return dict(zip(names, values, strict=True))


def space_html(space: "Space") -> str:
    """The parameters, what they take and when they are there, and the constraints."""
    n = len(space.names)
    conditional = any(parameter.when for parameter in space.parameters)
    heads = ("parameter", "kind", "values", *(("active with",) if conditional else ()))
    rows = [
        (name, _kind(parameter), _values_shown(parameter), *_when(parameter, conditional))
        for name, parameter in list(space.params.items())[: ROWS + 1]
    ]
    rows += [rows[-1]] * (n - len(rows))  # to be counted, not shown
    where = [table((), [("where", text(predicate))]) for predicate in space.where[:5]]
    return block(f"Space of {n} {'parameter' if n == 1 else 'parameters'}", table(heads, rows), *where)


def _kind(parameter: Parameter) -> str:
    log = ", log" if isinstance(parameter, Range) and parameter.log else ""
    return "constant" if parameter.constant else f"{parameter.kind}{log}"


def _values_shown(parameter: Parameter) -> str:
    if isinstance(parameter, Listed):
        options, n = parameter.options, len(parameter.options)
        first = ", ".join(visible(repr(option), 24) for option in options[:SHOWN])
        return f"{n} options: {first}, …" if n > SHOWN else first
    low, high, step = parameter.low, parameter.high, parameter.step
    if low == high:
        return repr(low)
    return f"{low!r} to {high!r}" + ("" if step is None else f" in steps of {step!r}")


def _when(parameter: Parameter, conditional: bool) -> tuple[str, ...]:
    if not conditional:
        return ()
    needs = (parameter.when or {}).items()
    return (" and ".join(f"{name} = {' or '.join(map(repr, values))}" for name, values in needs),)
