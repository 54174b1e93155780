"""Parts as plain data and back: `Grid(size=Fixed(20))` is {"is": "Grid", "size": {"is": "Fixed", "n": 20}, …}.

A spec is made of what JSON has. A frozen dataclass is a dict of its fields, "is" its class; a function is its name
alone. Tuples are lists. What JSON lacks has a dict of its own: {"float": "nan"}, {"numpy": "float64", "value": 0.5},
and {"dict": …}, which tells a mapping from a part.

Reading a spec runs nothing that it names: names are looked up in a closed dictionary, made of the registries,
of the small parts below and of what a room above registers when it is imported; they are never imported.
"""

import inspect
import math
from collections.abc import Mapping
from dataclasses import dataclass, fields, is_dataclass
from enum import Enum
from typing import Any, TypeAlias

import numpy as np

from suffice.acquisition import ACQUISITIONS, FRONT_ACQUISITIONS, Constant, SqrtLog, Theory, Widening
from suffice.candidates import CANDIDATES
from suffice.gp import GP, KERNELS, LogNormal, Prior, Refit
from suffice.solvers import SOLVERS, Fixed, Linear, Power
from suffice.space import AbsentSpace, Choice, Float, Int, Listed, Ordinal, Pool, Space
from suffice.space.predicates import Missing, text
from suffice.study.early.halving import Halving
from suffice.study.early.median import Median
from suffice.study.early.race import Race
from suffice.study.limit import AtLeast, AtMost

Plain: TypeAlias = Any  # None, bool, int, float, str, and lists and dicts of them: what JSON has

SMALL = (
    *(GP, Prior, LogNormal, Refit),
    *(SqrtLog, Widening, Constant, Theory),
    *(Fixed, Linear, Power),
    *(Space, Float, Int, Choice, Ordinal, Pool, AbsentSpace),
    *(AtMost, AtLeast),
    *(Median, Halving, Race),
)
REGISTERED: list[Any] = []  # classes and functions of rooms above this one, in the order in which they came
JSON_HAS = (type(None), bool, int, str)
NUMPY: dict[str, Any] = {
    "float64": np.float64,
    "float32": np.float32,
    "int64": np.int64,
    "int32": np.int32,
    "bool": np.bool_,
    "str": np.str_,
}


class UnknownPart(ValueError):
    """A spec names a part that is not in the dictionary: of a room that was not imported, or of the user's own."""


def to_spec(part: object) -> dict[str, Plain]:
    """The spec of a part of the library; TypeError if it is, or holds, something else."""
    spec = Codec(parts()).encode(part)
    if not isinstance(spec, dict) or "is" not in spec:
        raise TypeError(f"a spec is made of a part, such as UCB() or Grid(): got {part!r}")
    return spec


def from_spec(spec: Mapping[str, Plain]) -> Any:
    """The part that a spec describes; ValueError if it describes none."""
    if not isinstance(spec, Mapping) or "is" not in spec:
        raise ValueError(f'a spec is a dict whose "is" names a part: got {_short(spec)}')
    return Codec(parts()).decode(spec)


def parts() -> dict[str, Any]:
    """Name -> class or function: all that a spec may name. A name of the library is never taken by a newcomer."""
    made = [make() for registry in (KERNELS, ACQUISITIONS, FRONT_ACQUISITIONS, SOLVERS) for make in registry.values()]
    registered = [*made, *CANDIDATES.values()]
    return named(*(part if inspect.isfunction(part) else type(part) for part in registered), *REGISTERED, *SMALL)


def register(*newcomers: Any) -> None:
    """Let specs name these classes and functions too; ValueError if one has the name of another part."""
    for part in newcomers:
        known = parts().get(part.__name__)
        if known is None:
            REGISTERED.append(part)
        elif known is not part:
            raise ValueError(f"{part.__name__} is a part already: {known!r}; give {part!r} another name")


def named(*known: Any) -> dict[str, Any]:
    """Classes and functions by their names."""
    return {part.__name__: part for part in known}


@dataclass(frozen=True)
class Codec:
    """Values to plain data and back, for the classes and functions of a dictionary."""

    known: Mapping[str, Any]

    def encode(self, value: object) -> Plain:
        """Plain data; TypeError, naming what was got, if the value is or holds something unknown."""
        kind = type(value)
        if kind in JSON_HAS:
            return value
        if isinstance(value, float) and kind is float:
            return value if math.isfinite(value) else {"float": repr(value)}
        if kind is tuple and isinstance(value, tuple):
            return [self.encode(item) for item in value]
        if kind is dict and isinstance(value, dict):
            return {"dict": {_name(key): self.encode(item) for key, item in value.items()}}
        for name, scalar in NUMPY.items():
            if isinstance(value, np.generic) and kind is scalar:
                return {"numpy": name, "value": self.encode(value.item())}
        return self._encode_part(value)

    def _encode_part(self, value: object) -> Plain:
        kind, name = type(value), getattr(value, "__name__", None)
        if inspect.isfunction(value) and self.known.get(str(name)) is value:
            return {"is": name}
        if self.known.get(kind.__name__) is kind:
            if isinstance(value, Enum):
                return {"is": kind.__name__, "name": value.name}
            if isinstance(value, Pool):
                words = value.to_words() or {}
                return {"is": kind.__name__} | {name: self.encode(word) for name, word in words.items()}
            if is_dataclass(value):
                names = ["options", "when"] if isinstance(value, Listed) else [field.name for field in fields(value)]
                stored = {name: getattr(value, name) for name in names}
                return {"is": kind.__name__} | {name: self.encode(v) for name, v in _told(stored).items()}
        raise TypeError(
            f"{_short(value)} of type {kind.__module__}.{kind.__qualname__} cannot be stored: "
            "it is neither a plain value nor a part of the library"
        )

    def decode(self, data: Plain) -> Any:
        """The value again; ValueError, naming what was got and what is known, if there is none."""
        if isinstance(data, list):
            return tuple(self.decode(item) for item in data)
        if not isinstance(data, Mapping):
            return data
        match dict(data):
            case {"is": str(name), **rest}:
                return self._decode_part(name, rest)
            case {"float": "nan" | "inf" | "-inf" as text, **rest} if not rest:
                return float(text)
            case {"numpy": str(name), "value": value, **rest} if name in NUMPY and not rest:
                return NUMPY[name](self.decode(value))
            case {"dict": dict(items), **rest} if not rest:
                return {key: self.decode(item) for key, item in items.items()}
        raise ValueError(f'wanted a value, or a dict whose "is" names a part: got {_short(data)}')

    def _decode_part(self, name: str, rest: Mapping[str, Plain]) -> Any:
        known = self.known.get(name)
        if known is None:
            raise UnknownPart(f"unknown part {_short(name)}; known are {', '.join(sorted(self.known))}")
        words = {key: self.decode(item) for key, item in rest.items()}
        if not inspect.isclass(known):
            if words:
                raise ValueError(f"{name} is a function and has no settings: got {_short(words)}")
            return known
        try:
            if issubclass(known, Enum):
                return known[words["name"]]
            return MAKERS.get(known, known)(**words)
        except (TypeError, KeyError, AttributeError, OverflowError) as error:
            raise ValueError(f"{name} cannot be made of {_short(words)}: {error}") from error


def _told(stored: Mapping[str, Any]) -> dict[str, Any]:
    """What a file holds of the fields of a part: no conditions where there are none, and of constraints their text."""
    told = {name: v for name, v in stored.items() if not (name in ("when", "where") and not v)}
    if "where" in told:
        told["where"] = tuple(map(text, told["where"]))
    return told | ({"when": dict(told["when"])} if "when" in told else {})


def _space(names: tuple[str, ...], parameters: tuple[Any, ...], named: bool, where: tuple[str, ...] = ()) -> Space:
    by_name, missing = dict(zip(names, parameters, strict=True)), tuple(map(Missing, where))
    return Space(by_name, where=missing) if named else Space.positional(*parameters, where=missing)


def _choice(options: tuple[Any, ...], when: Mapping[str, Any] | None = None) -> Choice:
    return Choice(*options, when=when)


def _ordinal(options: tuple[Any, ...], when: Mapping[str, Any] | None = None) -> Ordinal:
    return Ordinal(*options, when=when)


MAKERS: dict[type, Any] = {Space: _space, Choice: _choice, Ordinal: _ordinal}  # those that are not made of their fields


def _name(key: object) -> str:
    if type(key) is not str:
        raise TypeError(f"the names in a stored dict must be strings: got {key!r} of type {type(key).__name__}")
    return key


def _short(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 200 else text[:197] + "..."
