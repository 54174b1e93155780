"""The user's predicates: functions of a point that say whether it may be evaluated."""

import ast
import inspect
import re
import types
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from suffice.checks import short
from suffice.errors import SpaceAbsent

Predicate: TypeAlias = Callable[[Any], bool]

EXAMPLE = 'where=lambda p: p["x"] + p["y"] <= 1'


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
            f"the space was saved with the constraint {self.text!r}, and a file cannot hold a function: give the space "
            "again, sf.Optimizer.resume(path, space=…), whose result() has it all. Until then values can be told, "
            "and no point can be asked for"
        )


def advice_about(space: object) -> str | None:
    """What to do about the constraints of a space that came from a file; None: they are all there."""
    return next((p.advice for p in getattr(space, "where", ()) if isinstance(p, Missing)), None)


def as_predicates(given: object) -> tuple[Predicate, ...]:
    """What a user passes as where=: one function of a point, a list of them, or None."""
    if given is None:
        return ()
    several = tuple(given) if isinstance(given, list | tuple) else (given,)
    for predicate in several:
        if isinstance(predicate, type) or not callable(predicate):
            raise TypeError(
                f"where must be a function of a point that returns True or False, or a list of them, as in {EXAMPLE}: "
                f"got {short(predicate)}; a parameter called where comes in a dict"
            )
    return several


def satisfied(predicates: Sequence[Predicate], points: Sequence[Any]) -> NDArray[np.bool_]:
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
    if isinstance(predicate, Missing):
        return predicate.text
    name = getattr(predicate, "__name__", None)
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
