"""A finished run in one file: plain JSON, written at once or not at all, read without running anything in it.

    {"format": "suffice result", "version": 1, "crc32": …, "content": {"settings": …, "trials": […], …}}

Parts are stored as specs (spec.py); a part whose class is not the library's only as text. A trial's point is the list
of its values; its place in the cube follows from them. The checksum is that of the content as this module writes it.
"""

import json
import os
import secrets
import zlib
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, TypeAlias, get_args

import numpy as np

from suffice.accuracy.bounds import Setting
from suffice.accuracy.report import Binding, SolveReport
from suffice.accuracy.series import Accuracy
from suffice.errors import SufficeError
from suffice.gp.fit import Hyper
from suffice.gp.outcome import Outcome
from suffice.space import Choice, Space
from suffice.study.options import Sense
from suffice.study.settings import Opaque, Settings
from suffice.study.spec import Codec, Plain, from_spec, named, parts, to_spec
from suffice.study.trial import Origin, State, Trial
from suffice.types import Status

FORMAT, VERSION = "suffice result", 1
DERIVED = {"point", "x"}  # fields of a trial that are not stored as they are

FilePath: TypeAlias = str | os.PathLike[str]


class UnreadableFile(SufficeError):
    """A file that holds no result: something else, damaged, or of a newer version."""


@dataclass(frozen=True)
class Record:
    """What a file holds."""

    settings: Settings
    trials: tuple[Trial, ...]
    message: str
    notes: tuple[str, ...]
    accuracy: Accuracy


def write(record: Record, path: FilePath) -> None:
    """Replace the file at once: whatever happens on the way, there is the old one or the new one."""
    content = _encoded(record)
    text = json.dumps(
        {"format": FORMAT, "version": VERSION, "crc32": _checksum(content), "content": content}, allow_nan=False
    )
    target = Path(path).resolve()  # where a link leads: the link stays
    draft = target.with_name(f".{target.name}.{secrets.token_hex(4)}.tmp")
    try:
        with open(draft, "x", encoding="utf-8") as file:
            file.write(text + "\n")
            file.flush()
            os.fsync(file.fileno())
        os.replace(draft, target)
    except BaseException:
        draft.unlink(missing_ok=True)
        raise


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
        return _decoded(_migrated(content))
    except (ValueError, TypeError, KeyError, AttributeError, OverflowError, RecursionError) as error:
        missing = f"{error} is missing" if isinstance(error, KeyError) else error
        raise UnreadableFile(f"{path} is damaged: {missing}") from error


def _checksum(content: Plain) -> int:
    return zlib.crc32(json.dumps(content, allow_nan=False).encode())


def _no_constant(name: str) -> None:
    raise ValueError(f"JSON has no {name}")


def _codec() -> Codec:
    return Codec(parts() | named(SolveReport, Binding, Hyper, Outcome, Status, Setting))


# ---------------------------------------------------------------------- to plain data


def _encoded(record: Record) -> dict[str, Plain]:
    settings, codec = record.settings, _codec()
    return {
        "settings": {
            "space": to_spec(settings.space),
            "sense": settings.sense,
            "seed": settings.seed,
            "n_initial": settings.n_initial,
            "model": _spec_or_text(settings.model),
            "acquisition": _spec_or_text(settings.acquisition),
            "solver": _spec_or_text(settings.solver),
            "repeat": bool(settings.repeat),
        },
        "trials": [_encoded_trial(trial, settings.space, codec) for trial in record.trials],
        "message": record.message,
        "notes": list(record.notes),
        "accuracy": _encoded_accuracy(record.accuracy, codec),
    }


def _spec_or_text(part: object) -> dict[str, Plain]:
    if isinstance(part, Opaque):
        return {"text": part.text}
    try:
        return to_spec(part)
    except TypeError:
        return {"text": repr(part)}


def _encoded_accuracy(accuracy: Accuracy, codec: Codec) -> dict[str, Plain]:
    """All but the reports, which the trials have; a kernel that is not the library's leaves no bound to speak of."""
    stored = {}
    for name in (field.name for field in fields(accuracy) if field.name != "reports"):
        with suppress(TypeError):
            stored[name] = codec.encode(getattr(accuracy, name))
    return stored


def _encoded_trial(trial: Trial, space: Space, codec: Codec) -> dict[str, Plain]:
    values = [trial.point[name] for name in space.names] if space.named else trial.point.tolist()
    stored = [field.name for field in fields(trial) if field.name not in DERIVED]
    return {"point": codec.encode(tuple(values))} | {name: codec.encode(getattr(trial, name)) for name in stored}


# ---------------------------------------------------------------------- and back


def _migrated(content: Plain) -> Plain:
    """Content as this version writes it, from that of the versions before."""
    if isinstance(content, list):
        return [_migrated(item) for item in content]
    if not isinstance(content, dict):
        return content
    spec = {name: _migrated(value) for name, value in content.items()}
    match spec:
        case {"is": "Outcome", "sign": _}:  # outputs are turned to larger-is-better before they reach it
            del spec["sign"]
        case {"is": "Widening", "wide": _}:  # a step knows the one before it, and the schedule no longer remembers
            del spec["wide"]
        case {"is": "Binding", "n_fit": n_refit}:  # another name
            del spec["n_fit"]
            spec["n_refit"] = n_refit
        case {"is": "GP", "sides": None, "refit": {"memory": True}}:
            del spec["sides"], spec["refit"]["memory"]
            spec["kernel"].pop("lengthscale", None)  # it was not looked at
        case {"is": "GP", "sides": _}:  # the paper's surrogate, a model of its own by now
            return {"text": _described(content)}
    return spec


def _described(spec: Plain) -> str:
    """What the repr of the part was."""
    if isinstance(spec, list):
        return f"({', '.join(map(_described, spec))})"
    if not isinstance(spec, dict):
        return repr(spec)
    words = ", ".join(f"{name}={_described(value)}" for name, value in spec.items() if name != "is")
    return f"{spec.get('is', '')}({words})"


def _decoded(content: Mapping[str, Plain]) -> Record:
    codec, space = _codec(), from_spec(content["settings"]["space"])
    settings = _decoded_settings(content["settings"], _of(Space, space, "space"))
    trials = tuple(_decoded_trial(i, data, space, codec) for i, data in enumerate(content["trials"]))
    reports = tuple(trial.solve for trial in trials if trial.solve is not None and trial.state != "cancelled")
    accuracy = {name: codec.decode(value) for name, value in content["accuracy"].items()}
    return Record(
        settings,
        trials,
        message=_of(str, content["message"], "message"),
        notes=tuple(_of(str, note, "note") for note in content["notes"]),
        accuracy=Accuracy(reports, **accuracy),
    )


def _decoded_settings(data: Mapping[str, Plain], space: Space) -> Settings:
    model, acquisition, solver = (_part_or_opaque(data[word]) for word in ("model", "acquisition", "solver"))
    if not (hasattr(model, "rebuild") or isinstance(model, Opaque)):
        raise ValueError(f"{model!r} is no model")
    for part in (acquisition, solver):
        if not (callable(part) or isinstance(part, Opaque)):
            raise ValueError(f"{part!r} is neither an acquisition nor a solver")
    return Settings(
        space,
        _one_of(Sense, data["sense"], "sense"),
        seed=_of(int, data["seed"], "seed"),
        n_initial=_of(int, data["n_initial"], "n_initial"),
        model=model,
        acquisition=acquisition,
        solver=solver,
        repeat=_of(bool, data["repeat"], "repeat"),
    )


def _part_or_opaque(data: Mapping[str, Plain]) -> Any:
    return Opaque(_of(str, data["text"], "text")) if "text" in data else from_spec(data)


def _decoded_trial(index: int, data: Mapping[str, Plain], space: Space, codec: Codec) -> Trial:
    words = {name: codec.decode(value) for name, value in data.items()}
    point = _point(words.pop("point"), space)
    x = space.to_unit(point)
    for array in (x, point):
        if isinstance(array, np.ndarray):
            array.flags.writeable = False
    trial = Trial(**words, point=point, x=x)
    if trial.number != index:
        raise ValueError(f"trial {index} has the number {trial.number!r}")
    _one_of(State, trial.state, "state")
    _one_of(Origin, trial.origin, "origin")
    for word, kind in (("solve", SolveReport), ("value", float), ("told", int), ("reason", str)):
        _of((kind, type(None)), getattr(trial, word), f"{word} of trial {index}")
    if (trial.value is None) == (trial.state == "done") or (trial.told is None) != (trial.state == "pending"):
        raise ValueError(f"trial {index} is {trial.state}, with the value {trial.value!r} and told={trial.told!r}")
    return trial


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
