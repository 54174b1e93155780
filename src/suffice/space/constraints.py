"""Known constraints: the members of a domain that satisfy the user's predicates, as a domain.

X      (m, d)   rows of the unit cube          points   the user's points at these rows, a list
share  float    of the domain that satisfies all predicates, estimated from draws
λ      (m,)     how far a row has moved on the way to a member, which it has reached at 1

A predicate is a function of a point and says nothing about where it would be satisfied. So members are found by
rejection: draws of the domain are kept if they satisfy it. A predicate that is written as text, an `Inequality`, is
stored with the space; of a function only a description can be stored.
"""

import ast
import inspect
import math
import operator
import re
import types
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.random import Generator

from suffice.checks import short
from suffice.errors import NoFeasiblePoint, SpaceAbsent
from suffice.space.conditions import Conditional
from suffice.space.domain import Mask, blocks
from suffice.space.parameters import Choice, Ordinal, Parameter
from suffice.space.product import Product
from suffice.streams import Streams
from suffice.types import Array, Coordinate, Indices

Predicate: TypeAlias = Callable[[Any], bool]
Number: TypeAlias = Callable[[Mapping[str, Any]], Any]  # a part of an expression, given a point

ASKED = 100_000  # points that the predicates are asked about to find members: a tenth of a second or two
BLOCK = 1000  # draws at a time while too few members are known
KNOWN = 256  # members that are kept to find the way to from elsewhere
AGAIN = 4  # times that a step that left the domain is drawn again
LOOKS = 8  # parts of the way to a member at whose ends is looked, then half as many: halving has more rounds
AROUND = (0.3, 0.1, 0.03, 0.01)  # steps from known members, where draws are too rarely members


@dataclass(frozen=True)
class Missing:
    """A predicate of which only a description is left, because a file cannot hold a function."""

    text: str

    def __call__(self, point: Any) -> bool:  # noqa: ARG002
        raise SpaceAbsent(self.advice)

    @property
    def advice(self) -> str:
        """What to do about it."""
        return (
            f"the space was saved with the constraint {self.text!r}, but a file cannot hold a function: pass the "
            "space again, sf.Optimizer.resume(path, space=…), whose result() is complete. Until then you can record "
            'values, but not ask for points. An inequality as text, where="x + y <= 1", is stored with the study'
        )


OPERATIONS: dict[type, Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
}
LONGEST = 500  # letters of an expression


@dataclass(frozen=True)
class Inequality:
    """A constraint as text, such as "x * y <= 8": numbers and parameters with + - * / and parentheses, compared.

    It is satisfied where a parameter in it is inactive, and violated where it divides by zero.
    """

    text: str

    def __post_init__(self) -> None:
        self._sides  # noqa: B018  # a text that is no inequality is refused at once

    def __reduce__(self) -> tuple[Any, ...]:
        return Inequality, (self.text,)

    def __call__(self, point: Mapping[str, Any]) -> bool:
        if any(name not in point for name in self.names):
            return True
        operators, sides = self._sides
        try:
            values = [side(point) for side in sides]
        except (ZeroDivisionError, OverflowError):
            return False
        return all(map(lambda holds, a, b: bool(holds(a, b)), operators, values, values[1:]))

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The parameters in it."""
        return tuple(dict.fromkeys(node.id for node in ast.walk(self._tree) if isinstance(node, ast.Name)))

    @cached_property
    def _tree(self) -> ast.expr:
        try:
            return ast.parse(self.text[: LONGEST + 1].strip(), mode="eval").body
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            raise self._unread() from None

    @cached_property
    def _sides(self) -> tuple[list[Callable[[Any, Any], Any]], list[Number]]:
        """What is compared, and how."""
        tree = self._tree
        if not isinstance(tree, ast.Compare) or len(self.text) > LONGEST or not self.names:
            raise self._unread()
        if any(type(sign) not in OPERATIONS for sign in tree.ops):
            raise self._unread()
        sides = [self._number(side) for side in (tree.left, *tree.comparators)]
        return [OPERATIONS[type(sign)] for sign in tree.ops], sides

    def _number(self, node: ast.expr) -> Number:
        """A part of it as a function of a point."""
        match node:
            case ast.Constant(int() | float() as value) if math.isfinite(constant := _as_float(value)):
                return lambda point: constant  # noqa: ARG005
            case ast.Name(id=name):
                return operator.itemgetter(name)
            case ast.UnaryOp(op=ast.USub() | ast.UAdd() as sign, operand=inner):
                part, factor = self._number(inner), -1.0 if isinstance(sign, ast.USub) else 1.0
                return lambda point: factor * part(point)
            case ast.BinOp(left=left, op=sign, right=right) if type(sign) in OPERATIONS:
                first, second, made = self._number(left), self._number(right), OPERATIONS[type(sign)]
                return lambda point: made(first(point), second(point))
        raise self._unread()

    def _unread(self) -> ValueError:
        return ValueError(
            f"where: wanted an inequality of parameters and numbers with + - * / and <= or >=, such as 'x * y <= 8': "
            f"got {short(self.text)}; for anything else, make the study in Python with a function, where=lambda p: …"
        )


def _as_float(value: float) -> float:
    """A number of an expression; nan or inf if it is none."""
    try:
        return math.nan if isinstance(value, bool) else float(value)
    except OverflowError:
        return math.inf


def check_inequalities(where: Iterable[Predicate], parameters: Mapping[str, Parameter]) -> None:
    """Refuse, by name, parameters that are not there or are no numbers."""
    for given in (one for one in where if isinstance(one, Inequality)):
        for name in given.names:
            parameter = parameters.get(name)
            if parameter is None:
                raise ValueError(f"where {given.text!r}: there is no parameter {name!r}: {', '.join(parameters)}")
            options = parameter.options if isinstance(parameter, Choice | Ordinal) else ()
            if any(isinstance(option, bool) or not isinstance(option, int | float) for option in options):
                raise ValueError(f"where {given.text!r}: the options of {name!r} are not all numbers")


def restored(text: str, parameters: Mapping[str, Parameter]) -> Predicate:
    """The constraint that a file has as text: an inequality, or the description of a function."""
    try:
        found = Inequality(text)
        check_inequalities((found,), parameters)
    except ValueError:
        return Missing(text)
    return found


def as_predicates(given: object) -> tuple[Predicate, ...]:
    """What a user passes as where=: one function of a point, or an inequality as text, a list of them, or None."""
    if given is None:
        return ()
    several = tuple(given) if isinstance(given, list | tuple) else (given,)
    several = tuple(Inequality(one) if isinstance(one, str) else one for one in several)
    for predicate in several:
        if isinstance(predicate, type) or not callable(predicate):
            raise TypeError(
                "where must be a function of a point that returns True or False, an inequality as text, or a list of "
                'them, as in where=lambda p: p["x"] + p["y"] <= 1 or where="x + y <= 1": got '
                f"{short(predicate)}; a parameter called where must be given in a dict"
            )
    return several


def satisfied(predicates: Sequence[Predicate], points: Sequence[Any]) -> Mask:
    """Which points satisfy all predicates, (m,); the later ones are not asked about what an earlier one refused."""
    met = np.ones(len(points), dtype=np.bool_)
    for predicate in predicates:
        for i in np.flatnonzero(met).tolist():
            met[i] = answer(predicate, points[i])
    return met


def answer(predicate: Predicate, point: Any) -> bool:
    """What a predicate says of a point; an error of its own comes out with the point."""
    if isinstance(predicate, Missing):
        return predicate(point)
    try:
        met = predicate(point)
    except Exception as error:
        absent = isinstance(error, KeyError) and isinstance(point, dict)
        hint = "; a point has no inactive parameters: read those by point.get(name, …)" if absent else ""
        raise ValueError(
            f"the constraint {text(predicate)} failed at the point {point!r}: {type(error).__name__}: {error}{hint}"
        ) from error
    if met is True or met is False or isinstance(met, np.bool_):
        return bool(met)
    raise TypeError(
        f"the constraint {text(predicate)} must return True or False: got {short(met)} of type {type(met).__name__} at "
        f"the point {point!r}"
    )


def violated(predicates: Sequence[Predicate], point: Any) -> Predicate | None:
    """The first predicate that a point does not satisfy; those that are missing cannot say."""
    known = (predicate for predicate in predicates if not isinstance(predicate, Missing))
    return next((predicate for predicate in known if not answer(predicate, point)), None)


def named(predicates: Sequence[Predicate]) -> str:
    """All of them, in a message."""
    return " and ".join(text(predicate) for predicate in predicates)


def text(predicate: Predicate) -> str:
    """What a predicate is called, or the source line of a function without a name."""
    if isinstance(predicate, Missing | Inequality):
        return predicate.text
    name = getattr(predicate, "__name__", None)  # an object that can be called need not have one
    if name not in (None, "<lambda>"):
        return str(name)
    try:
        source = inspect.getsource(predicate)
    except (OSError, TypeError):  # typed at a prompt, or an object
        return short(predicate) if name is None else "<lambda>"
    found = _lambda(source, predicate) or "<lambda>"
    return found if len(found) <= 100 else found[:97] + "..."


def _lambda(source: str, predicate: Any) -> str | None:
    """The part of the source that compiles to a function without a name; None if it is not found."""
    own = predicate.__code__
    for begin in (match.start() for match in re.finditer("lambda", source)):
        for end in range(len(source), begin, -1):
            try:
                tree = ast.parse(source[begin:end], mode="eval")
            except (SyntaxError, ValueError):
                continue
            made = compile(tree, "where", "eval").co_consts[0] if isinstance(tree.body, ast.Lambda) else None
            if isinstance(made, types.CodeType) and made.co_code == own.co_code and made.co_consts == own.co_consts:
                return " ".join(source[begin:end].split())
    return None


class Found(NamedTuple):
    """What the first draws found."""

    rows: Array  # (k, d): members
    share: float  # of the draws that are members


@dataclass(frozen=True, eq=False)
class Constrained:
    """The members of a product, or of a conditional space, whose points satisfy all predicates."""

    inner: Product | Conditional
    where: tuple[Predicate, ...]
    points: Callable[[Array], Sequence[Any]]

    @property
    def dim(self) -> int:
        return self.inner.dim

    @property
    def columns(self) -> tuple[slice, ...]:
        return self.inner.columns

    @property
    def coordinates(self) -> tuple[Coordinate, ...]:
        return self.inner.coordinates

    @property
    def product(self) -> bool:
        return False

    @property
    def constrained(self) -> bool:
        return True

    def satisfied(self, X: Array) -> Mask:
        """Which members of the inner domain satisfy the predicates, (m,)."""
        return satisfied(self.where, self.points(X))

    # ------------------------------------------------------------------ what there is

    @cached_property
    def listed(self) -> Indices | None:
        """Which points of a finite domain are members, as numbers of its list; None: too many to ask about.

        None also where a file had only the text of a constraint: its trials can be read without asking about a point.
        """
        if self.inner.size > ASKED or any(isinstance(predicate, Missing) for predicate in self.where):
            return None
        rows = np.flatnonzero(np.concatenate([self.satisfied(X) for X in blocks(self.inner)]))
        if not len(rows):
            raise NoFeasiblePoint(
                f"none of the {self.inner.size:.0f} points of the space satisfies {named(self.where)}; "
                "relax it, or widen the bounds"
            )
        return rows

    @cached_property
    def known(self) -> Found:
        """Some members; NoFeasiblePoint if there seem to be none."""
        if self.listed is not None:
            some = np.unique(np.linspace(0, len(self.listed) - 1, KNOWN).astype(np.intp))
            rows = np.concatenate([self.enumerate(i, i + 1) for i in some.tolist()])
            return Found(rows, len(self.listed) / self.inner.size)
        rng, tried, parts = Streams(0)("feasible"), 0, [np.empty((0, self.dim))]
        while sum(map(len, parts)) < KNOWN and tried < ASKED:
            X = self.inner.sample(BLOCK, rng)
            parts.append(X[self.satisfied(X)])
            tried += BLOCK
        rows = np.concatenate(parts)
        if not len(rows):
            limit = -math.expm1(math.log(0.05) / tried)  # with less than this share, 95 of 100 searches found none
            raise NoFeasiblePoint(
                f"none of {tried} random points of the space satisfies {named(self.where)}: with 95 % confidence less "
                f"than {limit:.1g} of the space does; relax it, or choose bounds that fit the feasible region more "
                "closely"
            )
        return Found(rows[:KNOWN], len(rows) / tried)

    @property
    def share(self) -> float:
        """The share of the domain that satisfies the predicates, estimated; exact where all points are listed."""
        return self.known.share

    @property
    def size(self) -> float:
        """Number of members; `math.inf` also for a finite domain that is too large to ask about every point."""
        return math.inf if self.listed is None else float(len(self.listed))

    def enumerate(self, start: int = 0, stop: int | None = None) -> Array:
        if self.listed is None:
            raise ValueError("the space has too many points to list those that satisfy where=; sample it instead")
        rows = self.listed[start:stop]
        if not len(rows):
            return np.empty((0, self.dim))
        found: Array = self.inner.enumerate(int(rows[0]), int(rows[-1]) + 1)[rows - rows[0]]
        return found

    # ------------------------------------------------------------------ members

    def sample(self, n: int, rng: Generator) -> Array:
        """n draws of the inner domain that are members; where these are too rare, steps from known members."""
        parts, count, tried = [np.empty((0, self.dim))], 0, 0
        while count < n and tried < ASKED:
            X = self.inner.sample(min(ASKED, math.ceil(1.1 * (n - count) / self.share) + 8), rng)
            parts.append(X[self.satisfied(X)])
            tried, count = tried + len(X), count + len(parts[-1])
        rows = np.concatenate(parts)[:n]
        return rows if len(rows) == n else np.concatenate([rows, self._around(n - len(rows), rng)])

    def _around(self, n: int, rng: Generator) -> Array:
        """n members beside known ones."""
        known = self.known.rows[rng.integers(len(self.known.rows), size=n)]
        X = np.concatenate([self.inner.near(x, 1, rng, (float(rng.choice(AROUND)),)) for x in known])
        return self.towards(X, known)

    def place(self, U: Array) -> Array:
        """The members at U, (n, number of coordinates); a number that is none goes on in a sequence that fills the
        cube (Roberts 2018), until it is one."""
        X = self.inner.place(U)
        left, tried, jump = np.flatnonzero(~self.satisfied(X)), len(U), _jump(U.shape[1])
        moved = U[left]
        while len(left) and tried < ASKED:
            moved = (moved + jump) % 1.0
            rows = self.inner.place(moved)
            met = self.satisfied(rows)
            X[left[met]] = rows[met]
            tried, left, moved = tried + len(left), left[~met], moved[~met]
        if len(left):
            X[left] = self.known.rows[np.arange(len(left)) % len(self.known.rows)]
        return X

    def contains(self, X: Array) -> Mask:
        inside = self.inner.contains(X)
        inside[inside] = self.satisfied(X[inside])
        return inside

    def snap(self, X: Array) -> Array:
        """Members of the inner domain that satisfy no predicate go towards the nearest member that is known."""
        X = self.inner.snap(X)
        off = np.flatnonzero(~self.satisfied(X))
        if len(off):
            rows = self.known.rows
            squares = np.einsum("ij,ij->i", rows, rows)
            nearest = np.argmax(X[off] @ rows.T - 0.5 * squares, axis=1)
            X[off] = self._on_the_way(X[off], rows[nearest])
        return X

    def near(self, x: Array, n: int, rng: Generator, scales: tuple[float, ...]) -> Array:
        """Steps from x; one that leaves the domain is drawn again, and at last goes back until it is inside."""
        X = self.inner.near(x, n, rng, scales)
        off = np.flatnonzero(~self.satisfied(X))
        for _ in range(AGAIN):
            if not len(off):
                return X
            X[off] = self.inner.near(x, n, rng, scales)[off]
            off = off[~self.satisfied(X[off])]
        X[off] = self._on_the_way(X[off], np.broadcast_to(x, (len(off), self.dim)))
        same = np.flatnonzero((X == x).all(axis=1))
        if len(same):
            others = np.concatenate([self.sample(len(same), rng), self.known.rows])
            others = others[(others != x).any(axis=1)]
            X[same] = others[np.arange(len(same)) % len(others)] if len(others) else x
        return X

    # ------------------------------------------------------------------ what a search has to know

    def free(self, X: Array) -> Mask:
        return self.inner.free(X)

    def towards(self, X: Array, members: Array) -> Array:
        X = self.inner.snap(X)
        off = np.flatnonzero(~self.satisfied(X))
        X[off] = self._on_the_way(X[off], members[off])
        return X

    def cut(self, lower: Array, upper: Array) -> tuple[Array, Array, Mask]:
        """What the predicates exclude stays inside: a proof is of more points than there are, which is a proof too."""
        return self.inner.cut(lower, upper)

    def _on_the_way(self, X: Array, members: Array) -> Array:
        """The first member found on the way from each row that is none to its member, (m, d): looked for at LOOKS
        places, and then more and more closely before the first of them that is one."""
        m, best = len(X), members.copy()
        near, far = np.zeros(m), np.ones(m)
        looks = LOOKS
        while m and np.max(far - near) > 1e-4:  # how closely the first member on the way is found
            share = near + (far - near) * (np.arange(1, looks) / looks)[:, None]  # (looks − 1, m)
            rows = self.inner.snap((X + share[:, :, None] * (members - X)).reshape(-1, self.dim))
            met = self.satisfied(rows).reshape(share.shape)
            first, found = met.argmax(axis=0), met.any(axis=0)
            best[found] = rows.reshape(*share.shape, self.dim)[first, np.arange(m)][found]
            step = (far - near) / looks
            far = np.where(found, share[first, np.arange(m)], far)
            near = far - step
            looks = LOOKS // 2
        return best


def _jump(D: int) -> Array:
    """The steps of a sequence that fills D columns: powers of 1/g, g the root of g^(D+1) = g + 1."""
    g = 2.0
    for _ in range(50):
        g = (1.0 + g) ** (1.0 / (D + 1))
    return g ** -np.arange(1.0, D + 1.0)
