"""Settings and events as plain data and back, for every file that holds a study.

Parts are stored as specs (spec.py); a part whose class is not the library's only as text. A point is the list of its
values; its place in the cube follows from them. Nothing that a file names is run.
"""

import json
from collections.abc import Collection, Iterable, Mapping
from dataclasses import fields
from typing import Any, get_args

import numpy as np

from suffice.accuracy.bounds import Premises
from suffice.accuracy.report import Binding, SolveReport
from suffice.gp.fit import Hyper
from suffice.gp.outcome import Outcome
from suffice.space import AbsentSpace
from suffice.study.border import as_fixed, from_plain, to_plain
from suffice.study.events import Asked, Cancelled, Event, Reported, Started, Stopped, Told, asked, failed
from suffice.study.given import as_given
from suffice.study.limit import as_constraints
from suffice.study.options import Sense
from suffice.study.outputs import as_reference, is_violated
from suffice.study.settings import Opaque, Settings
from suffice.study.spaces import space_from_spec, space_to_spec
from suffice.study.spec import Codec, Plain, UnknownPart, from_spec, named, parts, to_spec
from suffice.study.trial import Cause, Origin
from suffice.types import Status

PARTS = ("model", "acquisition", "solver")


class EventCodec:
    """Events to plain data and back. The first event, Started, has the settings by which the others are read."""

    def __init__(self) -> None:
        self.codec = Codec(parts() | named(SolveReport, Binding, Hyper, Outcome, Status, Premises))
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
        stored = {field.name: getattr(event, field.name) for field in fields(event) if field.name != "unit"}
        if isinstance(event, Asked):
            stored["point"] = to_plain(event.point, self.settings.space)
            if not self.settings.space.params:  # where it is does not follow from what the file has of it
                stored["at"] = tuple(event.unit.tolist())
            if event.fixed is None:
                del stored["fixed"]
        if isinstance(event, Told):
            noise = dict(event.noise_var) if isinstance(event.noise_var, Mapping) else event.noise_var
            return {"event": kind, **stored, "values": dict(event.values), "noise_var": noise}
        return {"event": kind} | {name: self.codec.encode(value) for name, value in stored.items()}

    def decode(self, data: Mapping[str, Plain]) -> Event:
        """The event again; ValueError, LookupError or TypeError if there is none."""
        if data["event"] == "started":
            self._settings = self._decoded_settings(data["settings"])
            return Started(self._settings, tuple(_of(str, note, "note") for note in data["notes"]))
        words = dict(data)
        kind, number = words.pop("event"), _of(int, words.pop("number"), "number")
        _of((int, float, dict, type(None)), words.get("noise_var"), f"noise_var of trial {number}")
        _of((int, float, type(None)), words.get("seconds"), f"seconds of trial {number}")
        if kind == "told":
            return self._told(number, words)
        plain = {name: self.codec.decode(value) for name, value in words.items()}
        if kind == "asked":
            return self._asked(number, plain)
        if kind == "reported":
            step = _of(int, plain["step"], f"step of trial {number}")
            return Reported(number, step, float(_of((int, float), plain["value"], f"report of trial {number}")))
        if kind == "stopped":
            return Stopped(number, **{word: _number(value) for word, value in plain.items()})
        _of(str, plain["reason"], f"reason of trial {number}")
        if kind == "failed":
            _one_of(Cause, plain["cause"], "cause")
            _of((str, type(None)), plain.get("traceback"), f"traceback of trial {number}")  # earlier files have none
            return failed(number, **plain)
        if kind == "cancelled":
            return Cancelled(number, **plain)
        raise ValueError(f"there is no event {kind!r}")

    def _told(self, number: int, words: dict[str, Plain]) -> Told:
        values = {name: float(_of((int, float), v, "value")) for name, v in words.pop("values").items()}
        outputs, limits = set(self.settings.outputs), self.settings.constraints
        if not set(values) <= outputs or (set(values) != outputs and not is_violated(values, limits)):
            raise ValueError(f"trial {number} has values of {', '.join(values)}")
        noise = _noise(number, words.pop("noise_var", None), outputs)
        return Told(number, values, noise, **{word: _number(value) for word, value in words.items()})

    def _asked(self, number: int, words: dict[str, Any]) -> Asked:
        space = self.settings.space
        at = None if space.params else np.array(_of(tuple, words["at"], f"place of trial {number}"), dtype=float)
        known = None if isinstance(space, AbsentSpace) else at
        point = from_plain(words["point"], space) if known is None else space.from_unit(known)
        if isinstance(point, np.ndarray):
            point.flags.writeable = False
        origin = _one_of(Origin, words["origin"], "origin")
        report = _of((SolveReport, type(None)), words["report"], f"report of trial {number}")
        fixed = as_fixed(_of((dict, type(None)), words.get("fixed"), f"fixed of trial {number}"), space)
        return asked(number, point, origin, space, report, fixed, at)

    # ------------------------------------------------------------------ settings

    def _encoded_settings(self, settings: Settings) -> dict[str, Plain]:
        return {
            "space": space_to_spec(settings.space),
            "objectives": dict(settings.objectives),
            "seed": settings.seed,
            "n_initial": settings.n_initial,
            **{word: _spec_or_text(getattr(settings, word)) for word in PARTS},
            "x0": [self.codec.encode(to_plain(point, settings.space)) for point in settings.x0],
            "repeat": settings.repeat,
            "certify": settings.certify,
            "certify_share": settings.certify_share,
            "resolution": settings.resolution,
            "audit": settings.audit,
            "early_stop": None if settings.early_stop is None else _spec_or_text(settings.early_stop),
            "constraints": {name: to_spec(limit) for name, limit in settings.constraints.items()},
            "reference": settings.reference,
        }

    def _decoded_settings(self, data: Mapping[str, Plain]) -> Settings:
        space = space_from_spec(data["space"])
        model, acquisition, solver = (_part_or_opaque(data[word]) for word in PARTS)
        for part in (acquisition, solver):
            if not (callable(part) or isinstance(part, Opaque)):
                raise ValueError(f"{part!r} is neither an acquisition nor a solver")
        if not (isinstance(model, Opaque) or hasattr(model, "rebuild")):
            raise ValueError(f"model is {model!r}")
        senses = _of(dict, data["objectives"], "objectives")
        words = ("certify", "certify_share", "resolution", "audit")
        certify, share, resolution, audit = (_number(data.get(word)) for word in words)
        return Settings(
            space,
            objectives={_of(str, name, "objective"): _one_of(Sense, sense, "sense") for name, sense in senses.items()},
            seed=_of(int, data["seed"], "seed"),
            n_initial=_of(int, data["n_initial"], "n_initial"),
            model=model,
            acquisition=acquisition,
            solver=solver,
            x0=tuple(as_given(from_plain(self.codec.decode(plain), space), space) for plain in data["x0"]),
            repeat=_of(bool, data["repeat"], "repeat"),
            certify=certify,
            certify_share=share,
            resolution=resolution,
            audit=audit,
            early_stop=None if data.get("early_stop") is None else _part_or_opaque(data["early_stop"]),
            constraints=as_constraints({name: from_spec(spec) for name, spec in data.get("constraints", {}).items()}),
            reference=as_reference(data.get("reference"), senses),
        )


def in_order(events: Iterable[Event]) -> Iterable[Event]:
    """The events, if they can have happened in this order; else ValueError at the first that cannot."""
    asks = 0
    for i, event in enumerate(events):
        if isinstance(event, Started) != (i == 0):
            raise ValueError("a study starts once, with its first event")
        if not isinstance(event, Started):
            if isinstance(event, Asked) and event.number != asks:
                raise ValueError(f"trial {asks} has the number {event.number!r}")
            asks += isinstance(event, Asked)
            if not 0 <= event.number < asks:
                raise ValueError(f"trial {event.number} was settled before it was asked for")
        yield event


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
    if not isinstance(noise, dict):
        return _number(noise)
    for name, value in noise.items():
        if name not in outputs or not _of((int, float), value, f"noise_var of trial {number}") >= 0.0:
            raise ValueError(f"noise_var of trial {number} is {value!r} for {name!r}")
    return {name: float(value) for name, value in noise.items()}


def _number(value: Plain) -> float | None:
    """A number, or None where a file of an earlier version does not have it."""
    found = _of((int, float, type(None)), value, "number")
    return None if found is None else float(found)


def _of(kind: Any, value: Any, what: str) -> Any:
    if not isinstance(value, kind) or (isinstance(value, bool) and kind is not bool):
        raise ValueError(f"{what} is {value!r}")
    return value


def _one_of(literal: Any, value: Any, what: str) -> Any:
    if value not in get_args(literal):
        raise ValueError(f"{what} is {value!r}, wanted one of {', '.join(get_args(literal))}")
    return value
