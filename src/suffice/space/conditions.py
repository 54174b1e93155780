"""Parameters that are active only for some values of others, as a domain: a part of the product of them all.

P       int      parameters                      active  (m, P)   which of them a row has
parent  int      a parameter that others need    rest    (d,)     where the columns of inactive parameters lie
K       int      combinations of the parents' values that differ, inactive parents counting once

The columns of an inactive parameter always lie at one place, which is a member of the parameter: two rows in which it
is inactive differ by nothing there, so that every kernel, its gradients and its bounds over boxes are right as they
are. A parameter whose parent is inactive is inactive too.

Where an objective asks for its parameters itself, nobody declares the conditions: `inferred` reads them off the trials.

n       int     trials that have parameters
codes   (n, P)  which of its values a parameter with few values has in a trial; ABSENT, or UNKNOWN: there, any value
A, B            the trials that have a parameter p; those that were evaluated and do not have it

A parent q explains p if every evaluated trial of A has q, and no value of q is found both in A and in B. Then p is
active with the values of q in A. If no parent alone explains p, two together may: then no trial of B has both of their
values. What nothing explains has no condition: it is always proposed, and modelled in its middle where it is absent.

A trial that failed or is running may not have asked for p yet. So only evaluated trials show absence.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import Any, TypeAlias

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from suffice.space.domain import LISTED, Mask, same_rows
from suffice.space.parameters import Choice, Options, Parameter, about
from suffice.space.product import LARGEST_ENUMERATION, Product, check_listable, steps
from suffice.types import Array, Coordinate, smooth_columns

ABSENT, UNKNOWN = -1, -2  # no codes of values, which count from 0
MOST_VALUES = 64  # values of a parent at most: of more, each is seen too rarely to be told from chance

Codes: TypeAlias = NDArray[np.intp]
Whens: TypeAlias = dict[str, dict[str, tuple[Any, ...]]]


@dataclass(frozen=True)
class Need:
    """One condition of a parameter: the parent, and where the values with which the parameter is active lie."""

    parent: int
    columns: slice
    places: Array  # (values, width of the parent)

    def met(self, X: Array) -> Mask:
        """Which rows of the product have one of the values, (m,)."""
        each = np.all(X[:, None, self.columns] == self.places, axis=2)
        met: Mask = np.logical_or.reduce(each, axis=1)
        return met

    def possible(self, lower: Array, upper: Array) -> Mask:
        """Which boxes hold one of the values, (m,)."""
        low, high = lower[:, None, self.columns], upper[:, None, self.columns]
        each = np.all((low <= self.places) & (self.places <= high), axis=2)
        held: Mask = np.logical_or.reduce(each, axis=1)
        return held


@dataclass(frozen=True, eq=False)
class Conditional:
    """The rows of a product with inactive parameters at rest."""

    parts: Product

    @cached_property
    def order(self) -> tuple[int, ...]:
        """The parameters, parents before children."""
        place = {name: i for i, name in enumerate(self.parts.names)}
        return tuple(place[name] for name in ordered(dict(zip(self.parts.names, self.parts.parameters, strict=True))))

    @cached_property
    def needs(self) -> Mapping[int, tuple[Need, ...]]:
        """The conditions of each parameter that has some, parents before children."""
        place = {name: i for i, name in enumerate(self.parts.names)}
        whens = ((i, self.parts.parameters[i].when or {}) for i in self.order)
        return {i: tuple(self._need(place[name], values) for name, values in when.items()) for i, when in whens if when}

    def _need(self, i: int, values: tuple[Any, ...]) -> Need:
        parameter = self.parts.parameters[i]
        places = [parameter.to_unit(value) for value in values if takes(parameter, value)]
        return Need(i, self.parts.columns[i], np.array(places).reshape(len(places), parameter.width))

    @cached_property
    def rest(self) -> Array:
        """The middle of every parameter, (d,): of a choice the option there."""
        middle: Array = self.parts.place(np.full((1, len(self.parts.coordinates)), 0.5))[0]
        return middle

    @property
    def dim(self) -> int:
        return self.parts.dim

    @property
    def columns(self) -> tuple[slice, ...]:
        return self.parts.columns

    @property
    def coordinates(self) -> tuple[Coordinate, ...]:
        return self.parts.coordinates

    @property
    def product(self) -> bool:
        return False

    @property
    def constrained(self) -> bool:
        return False

    def active(self, X: Array) -> Mask:
        """Which parameters the rows of the product have, (m, P)."""
        active = np.ones((len(X), len(self.parts.names)), dtype=np.bool_)
        for i, needs in self.needs.items():
            for need in needs:
                active[:, i] &= active[:, need.parent] & need.met(X)
        return active

    def by_column(self, active: Mask) -> Mask:
        """The same for each column, (m, d)."""
        return np.repeat(active, [parameter.width for parameter in self.parts.parameters], axis=1)

    def at_rest(self, X: Array) -> Array:
        """Rows of the product with the columns of inactive parameters where they belong, (m, d)."""
        return np.where(self.by_column(self.active(X)), X, self.rest)

    def sample(self, n: int, rng: Generator) -> Array:
        """Parents are uniform, and so are children given their parents, (n, d)."""
        return self.at_rest(self.parts.sample(n, rng))

    def place(self, U: Array) -> Array:
        return self.at_rest(self.parts.place(U))

    def snap(self, X: Array) -> Array:
        return self.at_rest(self.parts.snap(X))

    def contains(self, X: Array) -> Mask:
        return same_rows(self.snap(X), X)

    def near(self, x: Array, n: int, rng: Generator, scales: tuple[float, ...]) -> Array:
        """Steps in the active parameters of x; where one brings others up, these are drawn, (n, d)."""
        active = self.active(x[None])
        live = np.array([here for here, p in zip(active[0], self.parts.parameters, strict=True) if not p.constant])
        X = self.parts.sample(n, rng) if not live.any() else steps(x, n, rng, scales, self.parts, live)
        return self.at_rest(np.where(self.by_column(active), X, self.parts.sample(n, rng)))

    def free(self, X: Array) -> Mask:
        return smooth_columns(self.parts) & self.by_column(self.active(X))

    def towards(self, X: Array, members: Array) -> Array:  # noqa: ARG002
        return self.snap(X)

    def cut(self, lower: Array, upper: Array) -> tuple[Array, Array, Mask]:
        """What is inactive in all of a box is at rest there; a box without that place holds no member."""
        possible = np.ones((len(lower), len(self.parts.names)), dtype=np.bool_)
        for i, needs in self.needs.items():
            for need in needs:
                possible[:, i] &= possible[:, need.parent] & need.possible(lower, upper)
        kept = self.by_column(possible)
        holds: Mask = np.all(kept | ((lower <= self.rest) & (self.rest <= upper)), axis=1)
        return np.where(kept, lower, self.rest), np.where(kept, upper, self.rest), holds

    # ------------------------------------------------------------------ points

    def to_unit(self, point: Mapping[str, Any]) -> Array:
        """The place of a user's point, (d,); refuses what is missing, and what is there although it is inactive."""
        x, active = self._read(point)
        for i in self.order:
            name, needed = self.parts.names[i], self.parts.parameters[i].when
            if active[i] and name not in point:
                because = f", which is active with {needed!r}" if needed else ""
                raise ValueError(f"the point is missing {name!r}{because}")
            if not active[i] and not is_nothing(point.get(name)):
                raise ValueError(
                    f"parameter {name!r}: it is inactive here, because it needs {needed!r}; leave it out, as "
                    "space.only_active(point) does"
                )
        return x + 0.0  # −0.0 is 0.0

    def only_active(self, point: Mapping[str, Any]) -> dict[str, Any]:
        """A point without the values that its other values make inactive."""
        _, active = self._read(point)
        kept = [name for name, here in zip(self.parts.names, active.tolist(), strict=True) if here]
        return {name: point[name] for name in kept if name in point}

    def _read(self, point: Mapping[str, Any]) -> tuple[Array, Mask]:
        """The place of what is active, (d,), and which parameters are, (P,)."""
        x, active = self.rest.copy(), np.ones(len(self.parts.names), dtype=np.bool_)
        for i in self.order:
            name, parameter = self.parts.names[i], self.parts.parameters[i]
            active[i] = all(active[need.parent] and need.met(x[None])[0] for need in self.needs.get(i, ()))
            if active[i] and name in point:
                with about(name):
                    x[self.parts.columns[i]] = parameter.to_unit(point[name])
        return x, active

    # ------------------------------------------------------------------ finite spaces

    @cached_property
    def _parents(self) -> tuple[int, ...]:
        return tuple(sorted({need.parent for needs in self.needs.values() for need in needs}))

    @cached_property
    def combinations(self) -> Array | None:
        """The parents' values that differ, as rows with everything else at rest, (K, d); None: too many to list."""
        parameters = self.parts.parameters
        many = math.prod(float(parameters[i].size) for i in self._parents)
        if many > LARGEST_ENUMERATION or (self.parts.size > LARGEST_ENUMERATION and many * self.dim > LISTED):
            return None
        X, places = self.rest[None], np.zeros((1, len(parameters)), dtype=np.intp)
        for i in (i for i in self.order if i in self._parents and parameters[i].size > 1):
            active = self.active(X)[:, i]
            count = np.where(active, int(parameters[i].size), 1)
            X, places = np.repeat(X, count, axis=0), np.repeat(places, count, axis=0)
            places[:, i] = np.arange(len(X)) - np.repeat(np.cumsum(count) - count, count)
            active = np.repeat(active, count)
            X[active, self.parts.columns[i]] = parameters[i].members(places[active, i])
        return X[np.lexsort(places[:, ::-1].T)]

    @cached_property
    def _counts(self) -> tuple[Array, Array]:
        """How many values each parameter takes with each combination of parents, which have one, (K, P); and points
        up to each combination, (K + 1,)."""
        assert self.combinations is not None
        sizes = np.array([float(p.size) for p in self.parts.parameters])  # inf where it is smooth
        sizes[list(self._parents)] = 1.0
        each = np.where(self.active(self.combinations), sizes, 1.0)
        return each, np.concatenate([[0.0], np.cumsum(np.prod(each, axis=1))])

    @property
    def size(self) -> float:
        """Number of distinct points; with more combinations of parents than are listed no less than it."""
        return self.parts.size if self.combinations is None else float(self._counts[1][-1])

    def enumerate(self, start: int = 0, stop: int | None = None) -> Array:
        """The combinations of parents one after the other, each with all that its active children take."""
        check_listable(self.size)
        assert self.combinations is not None
        each, total = self._counts
        rows = np.arange(int(self.size))[start:stop]
        k = np.searchsorted(total, rows, side="right") - 1
        X, rows = self.combinations[k], rows - total[k].astype(np.intp)
        for i in reversed(range(len(self.parts.parameters))):
            parameter, count = self.parts.parameters[i], each[k, i].astype(np.intp)
            rows, digit = np.divmod(rows, count)
            several = np.flatnonzero(count > 1)
            if len(several):
                X[several, self.parts.columns[i]] = parameter.members(digit[several])
        return X


def check_conditions(domain: Conditional) -> None:
    """Refuse, by name, conditions that make no sense."""
    parameters = dict(zip(domain.parts.names, domain.parts.parameters, strict=True))
    for name, parameter in parameters.items():
        _check(name, parameter, parameters)
    if domain.combinations is not None:
        lives: Mask = np.logical_or.reduce(domain.active(domain.combinations), axis=0)
        for i, name in enumerate(domain.parts.names):
            if not lives[i]:
                raise ValueError(f"parameter {name!r}: it is never active, because its conditions exclude each other")


def ordered(parameters: Mapping[str, Parameter]) -> tuple[str, ...]:
    """The names, parents before children, otherwise in the order given; refuses a circle."""
    done: dict[str, None] = {}
    while len(done) < len(parameters):
        ready = [n for n, p in parameters.items() if n not in done and all(parent in done for parent in p.when or ())]
        if not ready:
            left = ", ".join(repr(name) for name in parameters if name not in done)
            raise ValueError(f"when: {left} depend on each other in a cycle; one of them must be unconditional")
        done |= dict.fromkeys(ready)
    return tuple(done)


def takes(parameter: Parameter, value: object) -> bool:
    """Whether it is a value of the parameter; one that was fixed takes no others any more."""
    try:
        parameter.to_unit(value)
    except (TypeError, ValueError):
        return False
    return True


def _check(name: str, parameter: Parameter, parameters: Mapping[str, Parameter]) -> None:
    """Refuse, by name, parents that are not there or never take the value."""
    for parent, values in (parameter.when or {}).items():
        fault = f"parameter {name!r}: when: "
        if parent == name:
            raise ValueError(f"{fault}it cannot depend on itself; name another parameter")
        if parent not in parameters:
            known = ", ".join(repr(other) for other in parameters if other != name)
            raise ValueError(f"{fault}there is no parameter {parent!r}; the others are {known or 'none'}")
        if parameters[parent].smooth:
            raise ValueError(
                f"{fault}{parent!r} is continuous, so hardly any point has exactly this value; let it depend on a "
                "Choice, an Int, or a number with step="
            )
        for value in values:
            try:
                parameters[parent].to_unit(value)
            except (TypeError, ValueError) as error:
                raise ValueError(f"{fault}{parent!r} never takes {value!r}: {error}") from None


def is_nothing(value: Any) -> bool:
    """What stands for a value that is not there: None in files, nan in tables of pandas."""
    return value is None or (isinstance(value, float) and math.isnan(value))


# ---------------------------------------------------------------------- conditions that nobody declared


def countable(parameters: Mapping[str, Parameter]) -> dict[str, int]:
    """How many values each parameter has that may be a parent."""
    return {name: int(p.size) for name, p in parameters.items() if p.size <= MOST_VALUES}


def code_of(parameter: Parameter, value: Any) -> int:
    """Which of the values of a parameter it is, from 0; UNKNOWN of those that are too many."""
    if parameter.size > MOST_VALUES:
        return UNKNOWN
    if isinstance(parameter, Options):
        return parameter.index(value)
    column = parameter.to_unit(value)
    return 0 if parameter.constant or parameter.levels is None else int(parameter.levels.index(column)[0])


def inferred(parameters: Mapping[str, Parameter], codes: Codes, evaluated: Mask) -> Whens:
    """The conditions that explain which trials have which parameters.

    evaluated   (n,)   the trials that have come so far that what they lack is absent
    """
    names, found = list(parameters), Whens()
    for p in np.flatnonzero((codes[evaluated] == ABSENT).any(axis=0)).tolist():
        when = _condition(p, codes, evaluated, parameters, names)
        if when:
            found[names[p]] = when
    return found


def _condition(
    p: int, codes: Codes, evaluated: Mask, parameters: Mapping[str, Parameter], names: list[str]
) -> dict[str, Any]:
    """The parents of parameter p, each with the values that p needs; {} if nothing explains it."""
    here, counts = codes[:, p] != ABSENT, countable(parameters)
    A, B, sure = codes[here], codes[evaluated & ~here], codes[evaluated & here]
    if not len(sure):
        return {}
    parents = [q for q in range(len(names)) if q != p and names[q] in counts]
    parents = [q for q in parents if _before(q, p, codes[evaluated]) and not (sure[:, q] < 0).any()]
    meets = {q: np.isin(B[:, q], A[A[:, q] >= 0, q]) for q in parents}
    alone = [q for q in parents if not meets[q].any()]
    if alone:
        best: tuple[int, ...] = (max(alone, key=lambda q: _support(codes[:, q])),)
    else:
        likely = sorted(parents, key=lambda q: int(meets[q].sum()))[:12]  # so many are tried in pairs
        pairs = [pair for pair in combinations(likely, 2) if not (meets[pair[0]] & meets[pair[1]]).any()]
        best = max(pairs, key=lambda pair: sum(_support(codes[:, q]) for q in pair), default=())
    return {names[q]: _values(A[:, q], B[:, q], parameters[names[q]]) for q in best}


def _before(q: int, p: int, codes: Codes) -> bool:
    """Whether q may be a parent of p: more trials have it, or as many, and it was met first. So no circle can arise."""
    has_q, has_p = (int((codes[:, i] != ABSENT).sum()) for i in (q, p))
    return has_q > has_p or (has_q == has_p and q < p)


def _support(column: Codes) -> int:
    """How often a value came again: each time, a condition on it could have been refuted."""
    counts = np.bincount(column[column >= 0])
    return int(np.maximum(counts - 1, 0).sum())


def _values(with_p: Codes, without: Codes, parent: Parameter) -> tuple[Any, ...]:
    """The values of the parent with which p is active: those seen with it, and where they have an order also those
    between and beyond, where the nearest one that was seen decides."""
    active = set(np.unique(with_p[with_p >= 0]).tolist())
    chosen = set(active)
    if not isinstance(parent, Choice):
        seen = active | {int(code) for code in np.unique(without) if code >= 0}
        for code in set(range(int(parent.size))) - seen:
            distance = min(abs(code - other) for other in seen)
            if {code - distance, code + distance} & active:
                chosen.add(code)
    return tuple(parent.from_unit(parent.members(np.array([code]))[0]) for code in sorted(chosen))
