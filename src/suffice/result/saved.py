"""A finished run in one file: plain JSON, written at once or not at all, read without running anything in it.

    {"format": "suffice result", "version": 2, "crc32": …, "content": {"settings": …, "events": […], …}}

The events are the record (record/trial.py), so that nothing that was known at any step is lost; record/encoding.py says
how they are written. The checksum is that of the content as this module writes it.
"""

import json
import os
import zlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import TypeVar

from suffice.accuracy.series import Accuracy
from suffice.errors import UnreadableFile
from suffice.record.encoding import RESULT_FORMAT, Codec, EventCodec, Plain
from suffice.record.history import History
from suffice.record.trial import Event, Started, in_order
from suffice.result.findings import remedies
from suffice.store.files import FilePath, check_is_file, from_json, replace_file

Read = TypeVar("Read")

VERSION = 2  # of the format; earlier ones are not read any more
# Fields of Accuracy that follow from the history.
IN_EVENTS = ("reports", "outputs", "evaluation_seconds", "objective", "others")


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
        {"format": RESULT_FORMAT, "version": VERSION, "crc32": _checksum(content), "content": content}, allow_nan=False
    )
    replace_file(path, text + "\n")


def read(path: FilePath) -> Record:
    """What `write` wrote; UnreadableFile if the file holds no result that this version understands."""
    return read_by(path, _decoded)


def read_by(path: FilePath, decoded: Callable[[Mapping[str, Plain]], Read]) -> Read:
    """What `decoded` makes of the content of the file, once that has the checksum it was written with."""
    check_is_file(path)  # a device can be read for ever
    try:
        data = from_json(Path(path).read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise FileNotFoundError(f"there is no file {path}: wanted a study (storage=) or a saved result") from None
    except (ValueError, RecursionError) as error:
        if not os.path.getsize(path):
            raise UnreadableFile(
                f"{path} is empty: the program that created it ended before anything was written"
            ) from None
        raise UnreadableFile(
            f"{path} is no result file, or damaged: it is not JSON in UTF-8 ({error}); {_remedy(path)}"
        ) from error
    if not isinstance(data, dict) or data.get("format") != RESULT_FORMAT:
        raise UnreadableFile(f'{path} is JSON, but not a {RESULT_FORMAT}: wanted "format": "{RESULT_FORMAT}"')
    version = data.get("version")
    if type(version) is not int or version < 1:
        raise UnreadableFile(f"{path} is damaged: its version is {version!r}, wanted a number from 1 to {VERSION}")
    if version > VERSION:
        raise UnreadableFile(
            f"{path} has version {version}, this suffice reads versions up to {VERSION}; upgrade with pip install -U"
        )
    if version < VERSION:
        raise UnreadableFile(f"{path} has version {version}, which predates suffice 0.1.0, and cannot be read")
    content: Plain = data.get("content")
    try:
        if "crc32" in data and data["crc32"] != _checksum(content):
            raise ValueError("its content does not match its checksum; if you edited it, remove the entry crc32")
        return decoded(content)
    except (ValueError, TypeError, LookupError, AttributeError, ArithmeticError, RecursionError) as error:
        missing = f"{error} is missing" if isinstance(error, KeyError) else error
        raise UnreadableFile(f"{path} is damaged: {missing}; {_remedy(path)}") from error


def _remedy(path: FilePath) -> str:
    return f"recover what is intact with: suffice export {path} --salvage"


def _checksum(content: Plain) -> int:
    return zlib.crc32(json.dumps(content, allow_nan=False).encode())


# ---------------------------------------------------------------------- to plain data


def _encoded(record: Record) -> dict[str, Plain]:
    start, *events = record.events
    assert isinstance(start, Started)
    codec = EventCodec()
    accuracy, lost = _encoded_accuracy(record.accuracy, codec.codec)
    return {
        "settings": codec.encode(start)["settings"],
        "notes": [*start.notes, *lost],
        "events": [codec.encode(event) for event in events],
        "message": record.message,
        "accuracy": accuracy,
    }


def _encoded_accuracy(accuracy: Accuracy, codec: Codec) -> tuple[dict[str, Plain], list[str]]:
    """All but what the events have, and a sentence about each field that no file can hold."""
    stored, lost = {}, []
    for name in (field.name for field in fields(accuracy) if field.name not in IN_EVENTS):
        try:
            stored[name] = codec.encode(getattr(accuracy, name))
        except TypeError as error:
            lost.append(f"accuracy.{name} was not saved, so the regret bound is missing: {error}")
    return stored, lost


# ---------------------------------------------------------------------- and back


def _decoded(content: Mapping[str, Plain]) -> Record:
    codec = EventCodec()
    start = {"event": "started", "settings": content["settings"], "notes": content["notes"]}
    events = tuple(in_order([codec.decode(start), *(codec.decode(data) for data in content["events"])]))
    if not isinstance(content["message"], str):
        raise ValueError(f"message is {content['message']!r}")
    accuracy = {name: codec.codec.decode(value) for name, value in content["accuracy"].items()}
    history = History.of(events)
    whole = replace(history.accuracy, **{name: value for name, value in accuracy.items() if name not in IN_EVENTS})
    _ = whole.verdict, remedies(history.settings, whole)  # what cannot be judged is refused here, not in print
    return Record(events, content["message"], whole)
