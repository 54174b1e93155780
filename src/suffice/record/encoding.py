"""Settings and events as plain data and back, for every file that holds a study. Nothing that a file names is run.

A part is a spec, made of what JSON has: `Grid(size=Fixed(20))` is {"is": "Grid", "size": {"is": "Fixed", "n": 20}, …}.
A frozen dataclass is a dict of its fields, "is" its class; a function is its name alone. Tuples are lists. What JSON
lacks has a dict of its own: {"float": "nan"}, {"numpy": "float64", "value": 0.5}, and {"dict": …} for a mapping that is
no part. Names are looked up in a closed dictionary, made of the registries, of the parts below and of what a room
above registers when it is imported; they are never imported. A part whose class is not there is stored as text.

A point is the list of its values; its place in the cube follows from them. Of a large pool, and of a custom space, a
file has the description alone (AbsentSpace): the trials can be read without the space, and to resume it is given again.
"""

import inspect
import json
import math
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, fields, is_dataclass
from enum import Enum
from functools import cache
from types import FunctionType, NoneType, UnionType
from typing import Any, Literal, TypeAlias, Union, get_args, get_origin, get_type_hints

import numpy as np

from suffice.accuracy.regret import Premises
from suffice.accuracy.report import Binding, Diagnostics, SolveReport
from suffice.acquisition import ACQUISITIONS, FRONT_ACQUISITIONS, Constant, SqrtLog, Theory, Widening
from suffice.candidates import CANDIDATES
from suffice.gp import GP, KERNELS, LogNormal, Prior, Refit
from suffice.gp.ensemble import Chains
from suffice.gp.fit import Hyper
from suffice.gp.transform import Outcome
from suffice.pruning import Halving, Median, Race
from suffice.record.arguments import as_fixed, as_given, from_plain, to_plain
from suffice.record.options import Direction
from suffice.record.outputs import AtLeast, AtMost, as_constraints, as_reference, is_violated
from suffice.record.settings import PARTS, Opaque, Settings, is_model
from suffice.record.trial import (
    LONGEST,
    Asked,
    Basis,
    Cancelled,
    Cause,
    Claimed,
    Defined,
    Event,
    Noted,
    Origin,
    Reported,
    Started,
    Stopped,
    Told,
    asked,
    failed,
    noted,
)
from suffice.solvers import SOLVERS, Fixed, Linear, Power
from suffice.space import (
    AbsentSpace,
    Choice,
    Float,
    Int,
    Listed,
    OpenSpace,
    Ordinal,
    OwnPoints,
    Pool,
    SearchSpace,
    Space,
)
from suffice.space.constraints import restored, text
from suffice.text import visible
from suffice.types import Status

Plain: TypeAlias = Any  # None, bool, int, float, str, and lists and dicts of them: what JSON has
RESULT_FORMAT = "suffice result"  # how a file of `Result.save` names itself

# Classes and functions that a spec may name, besides those in the registries of their kinds; rooms above add theirs.
REGISTERED: list[Any] = [
    *(GP, Prior, LogNormal, Refit),
    *(SqrtLog, Widening, Constant, Theory),
    *(Fixed, Linear, Power),
    *(Space, OpenSpace, Float, Int, Choice, Ordinal, Pool, AbsentSpace),
    *(AtMost, AtLeast),
    *(Median, Halving, Race),
]
PLAIN = frozenset({NoneType, bool, int, float, str})  # types of values that are stored as they are
# Scalars that keep their type in a file.
NUMPY: dict[str, Any] = {
    "float64": np.float64,
    "float32": np.float32,
    "int64": np.int64,
    "int32": np.int32,
    "bool": np.bool_,
    "str": np.str_,
}
# Names that version 0.1.0 gave to parts and to their fields, where they are others today: a class with its present name
# and the present names of fields; "" for a field that is not needed any more.
FORMER: dict[str, tuple[str, dict[str, str]]] = {
    "Enough": ("Adaptive", {}),
    "Heavy": ("Exhaustive", {}),
    "Settings": (
        "Settings",
        {"early_stop": "pruner", "certify": "proof_seconds", "certify_share": "proof_fraction"},
    ),
    "LookAround": ("LookAround", {"patience": ""}),
    "SolveReport": ("SolveReport", {"hallucinated": "pending_information"}),
    "Premises": ("Premises", {"within": "feasible"}),
}
# Fields that parts of version 0.1.0 had not, with what these did: where all other fields are there, as in a file.
ABSENT: dict[str, dict[str, Any]] = {"GP": {"members": 1, "robust": False}}
# Parts that only records have: their fields must be of the types that their classes declare.
RECORDED = frozenset({SolveReport, Basis, Binding, Chains, Hyper, Outcome, Premises})
# The fields of events, and what their values are where a class of events does not look itself.
FIELDS: dict[str, Any] = {
    "at": tuple,
    "space": (OpenSpace, NoneType),
    "report": (SolveReport, NoneType),
    "fixed": (dict, NoneType),
    "basis": (Basis, NoneType),
    "step": int,
    "value": (int, float),
    "noise_var": (int, float, dict, NoneType),
    "seconds": (int, float, NoneType),
    "clock": (int, float),
    "reason": str,
    "note": (str, NoneType),
    "attributes": dict,
    "traceback": (str, NoneType),
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
    return named(*(part if inspect.isfunction(part) else type(part) for part in registered), *REGISTERED)


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
        if kind in (NoneType, bool, int, str):
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
        kind = type(value)
        if isinstance(value, FunctionType):
            name = value.__name__
            if self.known.get(name) is value:
                return {"is": name}
        elif self.known.get(kind.__name__) is kind:
            if isinstance(value, Enum):
                return {"is": kind.__name__, "name": value.name}
            if isinstance(value, Pool):
                words = value.to_words() or {}
                return {"is": kind.__name__} | {name: self.encode(word) for name, word in words.items()}
            if is_dataclass(value):
                names = ["options", "when"] if isinstance(value, Listed) else [field.name for field in fields(value)]
                stored = _stored({name: getattr(value, name) for name in names})
                return {"is": kind.__name__} | {name: self.encode(v) for name, v in stored.items()}
        raise TypeError(
            f"{_short(value)} of type {kind.__module__}.{kind.__qualname__} cannot be stored: "
            "it is neither a plain value nor a part of the library"
        )

    def decode(self, data: Plain) -> Any:
        """The value again; ValueError, naming what was got and what is known, if there is none."""
        if type(data) is list:  # a long record has a million values: those that are plain cost no call
            return tuple([item if type(item) in PLAIN else self.decode(item) for item in data])
        if type(data) is not dict and not isinstance(data, Mapping):
            return data
        name = data.get("is")
        if isinstance(name, str):
            return self._decode_part(name, data)
        if len(data) == 1 and isinstance(items := data.get("dict"), dict):
            return {key: item if type(item) in PLAIN else self.decode(item) for key, item in items.items()}
        match dict(data):
            case {"float": "nan" | "inf" | "-inf" as text, **rest} if not rest:
                return float(text)
            case {"numpy": str(name), "value": value, **rest} if name in NUMPY and not rest:
                return NUMPY[name](self.decode(value))
        raise ValueError(f'wanted a value, or a dict whose "is" names a part: got {_short(data)}')

    def _decode_part(self, name: str, data: Mapping[str, Plain]) -> Any:
        name, former = FORMER.get(name, (name, {}))
        known = self.known.get(name)
        if known is None:
            raise UnknownPart(f"unknown part {_short(name)}; known are {', '.join(sorted(self.known))}")
        if known in RECORDED:
            return self._recorded(known, former, data)
        words = {
            former.get(key, key): item if type(item) in PLAIN else self.decode(item)
            for key, item in data.items()
            if key != "is"
        }
        words.pop("", None)
        absent = ABSENT.get(name, {})
        if absent and not {field.name for field in fields(known)} - {*words, *absent}:
            words = absent | words
        if not inspect.isclass(known):
            if words:
                raise ValueError(f"{name} is a function and has no settings: got {_short(words)}")
            return known
        try:
            if issubclass(known, Enum):
                return known[words["name"]]
            if known is Space:
                return _space(**words)
            if known is OpenSpace:
                return OpenSpace(dict(zip(words["names"], words["parameters"], strict=True)))
            if issubclass(known, Listed):
                return known(*words.pop("options"), **words)
            return known(**words)
        except (TypeError, KeyError, AttributeError, OverflowError) as error:
            raise ValueError(f"{name} cannot be made of {_short(words)}: {error}") from error

    def _recorded(self, kind: Any, former: Mapping[str, str], data: Mapping[str, Plain]) -> Any:
        """A part of a record, if its fields have the types that they should; there are many, so they are read once."""
        simple, accepts = _declared(kind)
        if not former.keys().isdisjoint(data):
            data = {former.get(key, key): value for key, value in data.items() if former.get(key) != ""}
        words = dict(data)
        del words["is"]
        for name, value in data.items():
            if name not in simple:
                raise ValueError(f"{kind.__name__} has no {_short(name)}")
            if type(value) not in simple[name]:
                words[name] = found = value if type(value) in PLAIN else self.decode(value)
                if not accepts[name](found):
                    raise ValueError(f"{name} of {kind.__name__} is {_short(found)}")
        try:
            return kind(**words)
        except TypeError as error:  # one is missing
            raise ValueError(f"{kind.__name__} cannot be made of {_short(words)}: {error}") from error


@cache
def _declared(kind: Any) -> tuple[dict[str, frozenset[type]], dict[str, Callable[[Any], bool]]]:
    """By the fields of a dataclass: the types that need no further look, and whether a value of another one will do."""
    hints = get_type_hints(kind)
    names = [field.name for field in fields(kind)]
    simple = {name: PLAIN.intersection(_options(hints[name])) - {int} for name in names}
    return simple | {"is": PLAIN}, {name: _acceptance(hints[name]) for name in names}


def _options(hint: Any) -> tuple[Any, ...]:
    return get_args(hint) if get_origin(hint) in (Union, UnionType) else (hint,)


def _acceptance(hint: Any) -> Callable[[Any], bool]:
    """Whether a value is of a type as it is written in an annotation; numbers fit into 64 bits."""
    origin, inner = get_origin(hint), get_args(hint)
    if origin in (Union, UnionType):
        first, *others = (_acceptance(option) for option in inner if option is not NoneType)
        optional = NoneType in inner
        return lambda value: first(value) or (value is None and optional) or any(one(value) for one in others)
    if origin is Literal:
        return lambda value: value in inner
    if origin is tuple and inner[-1] is ...:
        item, simple = _acceptance(inner[0]), PLAIN.intersection(inner[:1]) - {int}
        return lambda value: isinstance(value, tuple) and (simple.issuperset(map(type, value)) or all(map(item, value)))
    if origin is tuple:
        items = [_acceptance(one) for one in inner]
        return lambda value: (
            isinstance(value, tuple)
            and len(value) == len(items)
            and all(accepts(one) for accepts, one in zip(items, value, strict=True))
        )
    if isinstance(origin, type) and issubclass(origin, Mapping):
        item, simple = _acceptance(inner[1]), PLAIN.intersection(inner[1:]) - {int}
        return lambda value: (
            isinstance(value, dict) and (simple.issuperset(map(type, value.values())) or all(map(item, value.values())))
        )
    if hint is int:
        return _is_int
    if hint is float:
        return lambda value: isinstance(value, float | np.floating) or _is_int(value)
    return lambda value: isinstance(value, hint)


def _is_int(value: Any) -> bool:
    whole = type(value) is int or isinstance(value, np.integer)
    return whole and -(2**63) <= value < 2**63


def _stored(values: dict[str, Any]) -> dict[str, Any]:
    """What a file holds of the fields of a part: no conditions where there are none, and of constraints their text."""
    for name, stored in (("when", dict), ("where", lambda constraints: tuple(map(text, constraints)))):
        given = values.pop(name, None)
        if given:
            values[name] = stored(given)
    return values


def _space(names: tuple[str, ...], parameters: tuple[Any, ...], named: bool, where: tuple[str, ...] = ()) -> Space:
    by_name = dict(zip(names, parameters, strict=True))
    found = tuple(restored(constraint, by_name if named else {}) for constraint in where)
    return Space(by_name, where=found) if named else Space.positional(*parameters, where=found)


def _name(key: object) -> str:
    if type(key) is not str:
        raise TypeError(f"the names in a stored dict must be strings: got {key!r} of type {type(key).__name__}")
    return key


def _short(value: object) -> str:
    return visible(repr(value), LONGEST)


# ---------------------------------------------------------------------- spaces


def space_to_spec(space: SearchSpace) -> dict[str, Plain]:
    """The spec of a space, or of its description; TypeError if a parameter holds what no file can."""
    if space.params or isinstance(space, OpenSpace):
        return to_spec(space)
    if isinstance(space, Pool) and space.to_words() is not None:
        try:
            return to_spec(space)
        except TypeError:  # the rows have values that no file can hold
            pass
    return to_spec(AbsentSpace.of(space))


def storage_notes(space: SearchSpace) -> tuple[str, ...]:
    """What the user should know at the start: a space with options that no file can hold cannot be saved later."""
    try:
        space_to_spec(space)
    except TypeError as error:
        return (f"this study cannot be saved: {error}; use strings or numbers as options",)
    return ()


# ---------------------------------------------------------------------- events


class EventCodec:
    """Events to plain data and back. The first event, Started, has the settings by which the others are read."""

    def __init__(self) -> None:
        self.codec = Codec(parts() | named(SolveReport, Basis, Binding, Chains, Hyper, Outcome, Status, Premises))
        self._settings: Settings | None = None

    @property
    def settings(self) -> Settings:
        """Those of the study; ValueError before its start was met."""
        if self._settings is None:
            raise ValueError("the first event must be the start of the study, which has its settings")
        return self._settings

    def complete(self, settings: Settings) -> None:
        """Go on with these settings, in which nothing is a description any more."""
        self._settings = settings

    def encode(self, event: Event) -> dict[str, Plain]:
        """Plain data; TypeError, naming what was got, if the event holds something that no file can."""
        if isinstance(event, Started):
            self._settings = event.settings
            return {
                "event": "started",
                "settings": self._encoded_settings(event.settings),
                "notes": list(event.notes),
            }
        kind = type(event).__name__.lower()
        if isinstance(event, Noted):  # plain as it is
            return {"event": kind, "number": event.number, "note": event.note, "attributes": dict(event.attributes)}
        stored = {field.name: getattr(event, field.name) for field in fields(event) if field.name != "unit"}
        if stored.get("clock") is None:  # which only files have
            stored.pop("clock", None)
        if isinstance(event, Defined):
            stored["point"] = dict(event.point)
        if isinstance(event, Asked):
            stored["point"] = to_plain(event.point, self.settings.space)
            if isinstance(self.settings.space, OwnPoints):  # where it is does not follow from what the file has of it
                stored["at"] = tuple(event.unit.tolist())
            for name in ("fixed", "basis"):
                if stored[name] is None:
                    del stored[name]
        if isinstance(event, Told):
            noise = dict(event.noise_var) if isinstance(event.noise_var, Mapping) else event.noise_var
            if event.repeats == 1:
                del stored["repeats"]
            return {"event": kind, **stored, "values": dict(event.values), "noise_var": noise}
        return {"event": kind} | {name: self.codec.encode(value) for name, value in stored.items()}

    def decode(self, data: Mapping[str, Plain]) -> Event:
        """The event again; ValueError, LookupError or TypeError if there is none."""
        if data["event"] == "started":
            self._settings = self._decoded_settings(data["settings"])
            return Started(self._settings, tuple(_of(str, note, "note") for note in data["notes"]))
        words = dict(data)
        kind, number = words.pop("event"), _of(int, words.pop("number"), "number")
        if kind not in ("told", "noted"):  # whose values are plain as they stand
            words = {name: self.codec.decode(value) for name, value in words.items()}
        for name, value in words.items():
            _of(FIELDS.get(name, object), value, f"{name} of trial {number}")
        match kind:
            case "told":
                return self._told(number, words)
            case "asked":
                return self._asked(number, words)
            case "defined":
                return Defined(number, _of(dict, words["point"], "point"), words["space"])
            case "claimed":
                return Claimed(number, _of(str, words["worker"], "worker"), words.get("clock"))
            case "reported":
                return Reported(number, words["step"], float(words["value"]))
            case "stopped":
                if (words.get("variance") or 0.0) < 0.0:
                    raise ValueError(f"variance of trial {number} is {words['variance']!r}")
                return Stopped(number, **{word: _number(value) for word, value in words.items()})
            case "failed":
                _one_of(Cause, words["cause"], "cause")
                return failed(number, **words)
            case "cancelled":
                return Cancelled(number, **words)
            case "noted":
                return noted(number, words["note"], words["attributes"])
        raise ValueError(f"there is no event {kind!r}")

    def _told(self, number: int, words: dict[str, Plain]) -> Told:
        values = {name: _finite(v, f"{name} of trial {number}") for name, v in words.pop("values").items()}
        outputs, limits = set(self.settings.outputs), self.settings.constraints
        if not set(values) <= outputs or (set(values) != outputs and not is_violated(values, limits)):
            raise ValueError(f"trial {number} has values of {', '.join(values)}")
        noise = _noise(number, words.pop("noise_var", None), outputs)
        repeats = _of(int, words.pop("repeats", 1), "repeats")
        return Told(number, values, noise, repeats=repeats, **{word: _number(v) for word, v in words.items()})

    def _asked(self, number: int, words: dict[str, Any]) -> Asked:
        space = self.settings.space
        at = np.array(words["at"], dtype=float) if isinstance(space, OwnPoints) else None
        known = None if isinstance(space, AbsentSpace) else at
        point = from_plain(words["point"], space) if known is None else space.from_unit(known)
        if isinstance(point, np.ndarray):
            point.flags.writeable = False
        origin, fixed = _one_of(Origin, words["origin"], "origin"), words.get("fixed")
        if isinstance(space, OpenSpace):  # the history knows what it was at the time
            at = np.empty(0)
        else:
            fixed = as_fixed(fixed, space)
        return asked(number, point, origin, space, words["report"], fixed, at, words.get("basis"), words.get("clock"))

    # ------------------------------------------------------------------ settings

    def _encoded_settings(self, settings: Settings) -> dict[str, Plain]:
        return {
            "space": space_to_spec(settings.space),
            **{word: getattr(settings, word) for word in ("objectives", "reference", "repeat", "seed", "n_initial")},
            "resolution": settings.resolution,
            **{field.name: getattr(settings.diagnostics, field.name) for field in fields(Diagnostics)},
            **{word: _spec_or_text(getattr(settings, word)) for word in PARTS},
            "x0": [self.codec.encode(to_plain(point, settings.space)) for point in settings.x0],
            "pruner": None if settings.pruner is None else _spec_or_text(settings.pruner),
            "constraints": {name: to_spec(limit) for name, limit in settings.constraints.items()},
        }

    def _decoded_settings(self, data: Mapping[str, Plain]) -> Settings:
        data = {FORMER["Settings"][1].get(word, word): value for word, value in data.items()}
        space = _of(SearchSpace, from_spec(data["space"]), "space")
        parts = {word: _part_or_opaque(data[word]) for word in PARTS}
        for word, part in parts.items():
            if not (isinstance(part, Opaque) or (is_model(part) if word == "model" else callable(part))):
                raise ValueError(f"{word} is {part!r}")
        directions = _of(dict, data["objectives"], "objectives")
        return Settings(
            space,
            objectives={
                _of(str, name, "objective"): _one_of(Direction, direction, "direction")
                for name, direction in directions.items()
            },
            seed=_of(int, data["seed"], "seed"),
            n_initial=_of(int, data["n_initial"], "n_initial"),
            **parts,
            x0=tuple(as_given(from_plain(self.codec.decode(plain), space), space) for plain in data["x0"]),
            repeat=_of(bool, data["repeat"], "repeat"),
            resolution=_number(data.get("resolution")),
            diagnostics=Diagnostics(**{field.name: data.get(field.name) for field in fields(Diagnostics)}),
            pruner=None if data.get("pruner") is None else _part_or_opaque(data["pruner"]),
            constraints=as_constraints({name: from_spec(spec) for name, spec in data.get("constraints", {}).items()}),
            reference=as_reference(data.get("reference"), directions),
        )


def _spec_or_text(part: object) -> dict[str, Plain]:
    if isinstance(part, Opaque):
        return {"text": part.text}
    try:
        return to_spec(part)
    except TypeError:
        return {"text": repr(part)}


def _part_or_opaque(data: Mapping[str, Plain]) -> Any:
    if "text" in data:
        return Opaque(_of(str, data["text"], "text"))
    try:
        return from_spec(data)
    except UnknownPart:  # of a room that is not imported: the trials are worth having without it
        return Opaque(json.dumps(data))


def _noise(number: int, noise: Plain, outputs: Collection[str]) -> float | dict[str, float] | None:
    """The known variance of the noise in a value, or of several outputs by name."""
    what = f"noise_var of trial {number}"
    single = not isinstance(noise, dict)
    known = {None: noise} if single else noise
    for name, value in known.items():
        if not (single or (name in outputs and value is not None)) or not (
            value is None or _finite(value, what) >= 0.0
        ):
            raise ValueError(f"{what} is {value!r}{'' if single else f' for {name!r}'}")
    return _number(noise) if single else {name: float(value) for name, value in noise.items()}


def _number(value: Plain) -> float | None:
    """A finite number, or None where a file of an earlier version does not have it."""
    return None if value is None else _finite(value, "number")


def _finite(value: Plain, what: str) -> float:
    found = float(_of((int, float), value, what))
    if not math.isfinite(found):  # a failed trial has no value; a value of nan would poison the model for good
        raise ValueError(f"{what} is {value!r}, wanted a finite number")
    return found


def _of(kind: Any, value: Any, what: str) -> Any:
    if not isinstance(value, kind) or (isinstance(value, bool) and kind is not bool):
        raise ValueError(f"{what} is {value!r}")
    return value


def _one_of(literal: Any, value: Any, what: str) -> Any:
    if value not in get_args(literal):
        raise ValueError(f"{what} is {value!r}, wanted one of {', '.join(get_args(literal))}")
    return value
