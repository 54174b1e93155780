"""A finished run in one file: plain JSON, written at once or not at all, read without running anything in it.

    {"format": "suffice result", "version": 2, "crc32": …, "content": {"settings": …, "events": […], …}}

The events are the record (events.py), so that nothing that was known at any step is lost. Parts are stored as specs
(spec.py); a part whose class is not the library's only as text. A point is the list of its values; its place in the
cube follows from them. Files of version 1 are read as well (migration.py). The checksum is that of the content as this
module writes it.
"""

import json
import zlib
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any, get_args

import numpy as np

from suffice.accuracy.bounds import Premises
from suffice.accuracy.report import Binding, SolveReport
from suffice.accuracy.series import Accuracy
from suffice.errors import UnreadableFile
from suffice.gp.fit import Hyper
from suffice.gp.outcome import Outcome
from suffice.space import Choice, Space
from suffice.store.files import FilePath, replace_file
from suffice.study.events import Asked, Cancelled, Event, Started, Told, asked, failed
from suffice.study.history import History
from suffice.study.migration import from_version_1
from suffice.study.options import Sense
from suffice.study.remedies import remedies
from suffice.study.settings import Opaque, Settings
from suffice.study.spec import Codec, Plain, UnknownPart, from_spec, named, parts, to_spec
from suffice.study.trial import Cause, Origin
from suffice.types import Status

FORMAT, VERSION = "suffice result", 2
PARTS = ("model", "acquisition", "solver")
IN_EVENTS = ("reports", "outputs", "evaluation_seconds")  # fields of Accuracy that follow from the history


@dataclass(frozen=True)
class Record:
    """What a file holds."""

    events: tuple[Event, ...]  # the first of them is the start
    message: str
    accuracy: Accuracy


def write(record: Record, path: FilePath) -> None:
    """Replace the file at once: whatever happens on the way, there is the old one or the new one."""
    content = _encoded(record)
    text = json.dumps(
        {"format": FORMAT, "version": VERSION, "crc32": _checksum(content), "content": content}, allow_nan=False
    )
    replace_file(path, text + "\n")


def read(path: FilePath) -> Record:
    """What `write` wrote; UnreadableFile if the file holds no result that this version understands."""
    try:
        data = json.loads(Path(path).read_text(encoding="utf-8"), parse_constant=_no_constant)
    except (ValueError, RecursionError) as error:
        raise UnreadableFile(f"{path} is no result file, or damaged: it is not JSON in UTF-8 ({error})") from error
    if not isinstance(data, dict) or data.get("format") != FORMAT:
        raise UnreadableFile(f'{path} is JSON, but not a {FORMAT}: wanted "format": "{FORMAT}"')
    version = data.get("version")
    if type(version) is not int or version < 1:
        raise UnreadableFile(f"{path} is damaged: its version is {version!r}, wanted a number from 1 to {VERSION}")
    if version > VERSION:
        raise UnreadableFile(
            f"{path} has version {version}, this suffice reads versions up to {VERSION}; upgrade with pip install -U"
        )
    content: Plain = data.get("content")
    try:
        if "crc32" in data and data["crc32"] != _checksum(content):
            raise ValueError("its content does not match its checksum; if you edited it, remove the entry crc32")
        return _decoded(from_version_1(content) if version == 1 else content)
    except (ValueError, TypeError, LookupError, AttributeError, ArithmeticError, RecursionError) as error:
        missing = f"{error} is missing" if isinstance(error, KeyError) else error
        raise UnreadableFile(f"{path} is damaged: {missing}") from error


def _checksum(content: Plain) -> int:
    return zlib.crc32(json.dumps(content, allow_nan=False).encode())


def _no_constant(name: str) -> None:
    raise ValueError(f"JSON has no {name}")


def _codec() -> Codec:
    return Codec(parts() | named(SolveReport, Binding, Hyper, Outcome, Status, Premises))


# ---------------------------------------------------------------------- to plain data


def _encoded(record: Record) -> dict[str, Plain]:
    start, *events = record.events
    assert isinstance(start, Started)
    settings, codec = start.settings, _codec()
    accuracy, lost = _encoded_accuracy(record.accuracy, codec)
    return {
        "settings": {
            "space": to_spec(settings.space),
            "objectives": dict(settings.objectives),
            "seed": settings.seed,
            "n_initial": settings.n_initial,
            **{word: _spec_or_text(getattr(settings, word)) for word in PARTS},
            "x0": [codec.encode(_values(point, settings.space)) for point in settings.x0],
            "repeat": settings.repeat,
            "certify": settings.certify,
            "certify_share": settings.certify_share,
            "resolution": settings.resolution,
            "audit": settings.audit,
        },
        "notes": [*start.notes, *lost],
        "events": [_encoded_event(event, settings.space, codec) for event in events],
        "message": record.message,
        "accuracy": accuracy,
    }


def _spec_or_text(part: object) -> dict[str, Plain]:
    if isinstance(part, Opaque):
        return {"text": part.text}
    try:
        return to_spec(part)
    except TypeError:
        return {"text": repr(part)}


def _encoded_accuracy(accuracy: Accuracy, codec: Codec) -> tuple[dict[str, Plain], list[str]]:
    """All but what the events have, and a sentence about each field that no file can hold."""
    stored, lost = {}, []
    for name in (field.name for field in fields(accuracy) if field.name not in IN_EVENTS):
        try:
            stored[name] = codec.encode(getattr(accuracy, name))
        except TypeError as error:
            lost.append(f"accuracy.{name} was not saved, so that the regret bound is missing: {error}")
    return stored, lost


def _encoded_event(event: Event, space: Space, codec: Codec) -> dict[str, Plain]:
    kind = type(event).__name__.lower()
    stored = {field.name: getattr(event, field.name) for field in fields(event) if field.name != "unit"}
    if isinstance(event, Asked):
        stored["point"] = _values(event.point, space)
    if isinstance(event, Told):
        return {"event": kind, **stored, "values": dict(event.values)}
    return {"event": kind} | {name: codec.encode(value) for name, value in stored.items()}


def _values(point: Any, space: Space) -> tuple[Any, ...]:
    """A point as the values of its parameters, in order."""
    return tuple(point[name] for name in space.names) if space.named else tuple(np.asarray(point).tolist())


# ---------------------------------------------------------------------- and back


def _decoded(content: Mapping[str, Plain]) -> Record:
    codec, space = _codec(), from_spec(content["settings"]["space"])
    settings = _decoded_settings(content["settings"], _of(Space, space, "space"), codec)
    notes = tuple(_of(str, note, "note") for note in content["notes"])
    events = (Started(settings, notes), *(_decoded_event(data, settings, codec) for data in content["events"]))
    accuracy = {name: codec.decode(value) for name, value in content["accuracy"].items()}
    record = Record(events, _of(str, content["message"], "message"), Accuracy((), **accuracy))
    history = _checked(events)
    whole = replace(
        record.accuracy,
        reports=history.reports,
        outputs=history.outputs,
        evaluation_seconds=history.seconds_evaluating,
    )
    _ = whole.verdict, remedies(settings, whole)  # what cannot be judged is refused here, not when it is printed
    return replace(record, accuracy=whole)


def _decoded_settings(data: Mapping[str, Plain], space: Space, codec: Codec) -> Settings:
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
        x0=tuple(_x0(codec.decode(values), space) for values in data["x0"]),
        repeat=_of(bool, data["repeat"], "repeat"),
        certify=certify,
        certify_share=share,
        resolution=resolution,
        audit=audit,
    )


def _number(value: Plain) -> float | None:
    """A number, or None where a file of an earlier version does not have it."""
    found = _of((int, float, type(None)), value, "number")
    return None if found is None else float(found)


def _part_or_opaque(data: Mapping[str, Plain]) -> Any:
    if "text" in data:
        return Opaque(_of(str, data["text"], "text"))
    try:
        return from_spec(data)
    except UnknownPart:  # of a room that is not imported: the trials are worth having without it
        return Opaque(json.dumps(data))


def _x0(values: tuple[Any, ...], space: Space) -> Any:
    point = _point(values, space)
    return point if isinstance(point, dict) else tuple(point.tolist())


def _decoded_event(data: Mapping[str, Plain], settings: Settings, codec: Codec) -> Event:
    words = dict(data)
    kind, number = words.pop("event"), _of(int, words.pop("number"), "number")
    for name in ("noise_var", "seconds"):
        _of((int, float, type(None)), words.get(name), f"{name} of trial {number}")
    if kind == "told":
        values = {name: float(_of((int, float), v, "value")) for name, v in words.pop("values").items()}
        if set(values) != set(settings.objectives):
            raise ValueError(f"trial {number} has values of {', '.join(values)}")
        return Told(number, values, **{word: _number(value) for word, value in words.items()})
    plain = {name: codec.decode(value) for name, value in words.items()}
    if kind == "asked":
        point = _point(plain["point"], settings.space)
        if isinstance(point, np.ndarray):
            point.flags.writeable = False
        origin = _one_of(Origin, plain["origin"], "origin")
        report = _of((SolveReport, type(None)), plain["report"], f"report of trial {number}")
        return asked(number, point, origin, settings.space, report)
    _of(str, plain["reason"], f"reason of trial {number}")
    if kind == "failed":
        _one_of(Cause, plain["cause"], "cause")
        _of((str, type(None)), plain.get("traceback"), f"traceback of trial {number}")  # earlier files have none
        return failed(number, **plain)
    if kind == "cancelled":
        return Cancelled(number, **plain)
    raise ValueError(f"there is no event {kind!r}")


def _checked(events: tuple[Event, ...]) -> History:
    """The history of the events, if they can have happened in this order."""
    asks = 0
    for event in events[1:]:
        assert not isinstance(event, Started)
        if isinstance(event, Asked) and event.number != asks:
            raise ValueError(f"trial {asks} has the number {event.number!r}")
        asks += isinstance(event, Asked)
        if not 0 <= event.number < asks:
            raise ValueError(f"trial {event.number} was settled before it was asked for")
    return History.of(events)


def _point(values: tuple[Any, ...], space: Space) -> Any:
    """A point as the space has it: an option is the space's own object."""
    if not space.named:
        return np.array(values, dtype=float)
    point = {}
    for (name, parameter), value in zip(space.params.items(), values, strict=True):
        is_choice = isinstance(parameter, Choice)
        point[name] = parameter.from_unit(parameter.to_unit(value)) if is_choice else value
    return point


def _of(kind: Any, value: Any, what: str) -> Any:
    if not isinstance(value, kind) or (isinstance(value, bool) and kind is not bool):
        raise ValueError(f"{what} is {value!r}")
    return value


def _one_of(literal: Any, value: Any, what: str) -> Any:
    if value not in get_args(literal):
        raise ValueError(f"{what} is {value!r}, wanted one of {', '.join(get_args(literal))}")
    return value
