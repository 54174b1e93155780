"""What is whole in a damaged study: every event whose checksum is right, wherever in the file it is found.

SQLite gives up a file with a damaged page, and takes a damaged place in its log for the end of it. Only here are its
pages read without it, as far as https://www.sqlite.org/fileformat2.html is needed for that: leaves of tables, payloads
that continue in overflow pages, and the frames of a write-ahead log. The checksum of a row decides whether it is whole,
so that anything that looks like a row is good enough.

page     bytes of one page, from a multiple of the page size on; the first one begins with a header of 100 bytes
cell     payload size, row number, payload, and, where that is too long, the number of the page where it continues
record   the sizes of its columns, then the columns
frame    a page in the log, behind its number, the size of the file if a transaction ends here, salts and checksums
"""

import json
import sqlite3
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass, replace
from itertools import groupby
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from suffice.errors import UnreadableFile, UnusableFile
from suffice.record.encoding import EventCodec
from suffice.record.history import History
from suffice.record.settings import Settings
from suffice.record.study_file import MEANINGLESS, is_saved_result
from suffice.record.trial import Asked, Event, OpenPoints, Started, Told, Trial
from suffice.store.files import FilePath, is_claimed
from suffice.store.sqlite import Book, Database, Row

Value: TypeAlias = int | float | str | bytes | None
Found: TypeAlias = tuple[int, list[Value]]  # the row number, the columns

HEADER = 100  # bytes before the content of the first page
LEAF = 0x0D  # the first byte of a page that is a leaf of a table


@dataclass(frozen=True)
class Salvaged:
    """What came out of a damaged file."""

    settings: Settings
    trials: tuple[Trial, ...]  # those whose points are whole, under their old numbers; there may be gaps
    lost: tuple[str, ...]  # sentences about what is missing; none: all that was found fits together
    events: int  # how many are whole


def salvage(path: FilePath) -> Salvaged:
    """All whole events of a study or a saved result, also where SQLite can no longer read it; the file stays as it is.

    UnreadableFile if not even the start of the study is there: without its space the points mean nothing.
    """
    file = Path(path)
    if is_claimed(file):
        raise UnusableFile(f"{path} is open in this process: close it first, by optimizer.close()")
    if is_saved_result(file):
        rows, lost = _saved(file)
    else:
        found = list(found_rows(file))
        rows = in_order(found)
        lost = list(_gaps(rows, _ever(found)))
    codec, points, events = EventCodec(), OpenPoints(), list[Event]()
    for row in rows:
        try:
            event = codec.decode({"event": row.kind, **row.fact.data})
            points.take(event)
        except MEANINGLESS as error:
            if not events:
                break
            lost.append(f"event {row.number}, {row.kind}, cannot be read: {error}")
        else:
            events.append(event)
    if not events or not isinstance(events[0], Started):
        raise UnreadableFile(
            f"{path} has lost the start of the study, without which its points cannot be interpreted: {len(rows)} "
            "events are whole; restore the file from a copy"
        )
    settings, trials, orphans = _trials(events)
    return Salvaged(settings, trials, (*lost, *orphans), len(rows))


def _saved(file: Path) -> tuple[list[Row], list[str]]:
    """The events of a saved result as rows, those with numbers that JSON does not have too; and what else is wrong."""
    try:
        data = json.loads(file.read_text(encoding="utf-8"))
        content = data["content"]
        whole = data.get("crc32") == zlib.crc32(json.dumps(content).encode())
        start = {"event": "started", "settings": content["settings"], "notes": content["notes"]}
        kinds = [(str(event["event"]), {**event}) for event in (start, *content["events"])]
    except MEANINGLESS as error:
        raise UnreadableFile(f"{file} has no events that could be recovered: {error}") from error
    rows = [Row(number, kind, json.dumps(event), 0, 0) for number, (kind, event) in enumerate(kinds, 1)]
    return rows, [] if whole else ["the content does not match its checksum: any of its values may be wrong"]


def _ever(found: Iterable[Found]) -> int:
    """How many events SQLite has counted, as far as that is to be found."""
    counts = [columns[1] for _, columns in found if len(columns) == 2 and columns[0] == "events"]
    return max((count for count in counts if isinstance(count, int)), default=0)


def in_order(found: Iterable[Found]) -> list[Row]:
    """The whole rows by number; of several with one number, that which the next one follows."""
    known: dict[int, list[Row]] = {}
    for number, columns in found:
        row = as_row(number, columns)
        if row is not None and row not in known.setdefault(number, []):
            known[number].append(row)
    rows: list[Row] = []
    for number in sorted(known, reverse=True):
        following = rows[-1].before if rows else None
        same = known[number]
        rows.append(next((row for row in same if row.crc == following), same[0]))
    return rows[::-1]


def _gaps(rows: Sequence[Row], ever: int) -> Iterator[str]:
    """A sentence for each series of events that are missing."""
    there = {row.number for row in rows}
    missing = [number for number in range(1, max(ever, *there, 0) + 1) if number not in there]
    for _, series in groupby(enumerate(missing), lambda pair: pair[1] - pair[0]):
        numbers = [number for _, number in series]
        one = len(numbers) == 1
        yield f"event {numbers[0]} is lost" if one else f"events {numbers[0]} to {numbers[-1]} are lost"


def _trials(events: Sequence[Event]) -> tuple[Settings, tuple[Trial, ...], list[str]]:
    """The settings, the trials whose points are there, and a sentence about each event of the others."""
    numbers: dict[int, int] = {}  # old number -> place among those that are there
    kept, lost = [events[0]], []
    for event in events[1:]:
        if isinstance(event, Started):
            continue
        if isinstance(event, Asked):
            numbers[event.number] = len(numbers)
        elif event.number not in numbers:
            value = f", {dict(event.values)}," if isinstance(event, Told) else ""
            lost.append(f"the outcome of trial {event.number}{value} is intact, but its point is lost")
            continue
        kept.append(replace(event, number=numbers[event.number]))
    history = History.of(kept)
    trials = tuple(replace(trial, number=old) for old, trial in zip(numbers, history.trials, strict=True))
    return history.settings, trials, lost


# ---------------------------------------------------------------------- the log


def check_log(database: Database) -> None:
    """UnreadableFile if the log has whole events behind a damaged place, where it ends for SQLite.

    To open such a file for writing would empty the log, and the events would be lost.
    """
    book = Book(database)
    reached = book.last
    later = [number for number, columns in logged_rows(database.path, reached) if as_row(number, columns)]
    if later and max(later) > (reached := book.last):  # else somebody has written meanwhile
        raise database.damaged(f"its log has event {max(later)}, and cannot be read beyond event {reached}")


def logged_rows(path: Path, after: int) -> Iterator[Found]:
    """What looks like a row with a later number in the log next to the file, in transactions that were completed.

    The last of them is left out: a power cut may have torn it, and that is no damage.
    """
    log = _log(path)
    frames = _frames(log, _page_size(b"", log))
    frames = frames[frames["salts"] == int.from_bytes(log[16:24], "big")]  # the others are of an earlier use
    ends = np.flatnonzero(frames["size"])
    pages = {int(frame["page"]): bytes(frame["data"]) for frame in frames}
    for frame in frames[: ends[-2] + 1] if len(ends) > 1 else ():
        yield from _rows(int(frame["page"]), bytes(frame["data"]), pages, after)


def _log(path: Path) -> bytes:
    log = Path(f"{path}-wal")
    return log.read_bytes() if log.exists() else b""


def _frames(log: bytes, size: int) -> NDArray[Any]:
    """The frames of a log of pages of this size, behind its header of eight numbers."""
    frame = np.dtype([("page", ">u4"), ("size", ">u4"), ("salts", ">u8"), ("checksums", "V8"), ("data", f"V{size}")])
    start = 8 * frame["page"].itemsize
    return np.frombuffer(log, frame, max(0, len(log) - start) // frame.itemsize, start if len(log) > start else 0)


# ---------------------------------------------------------------------- pages


def found_rows(path: Path) -> Iterator[Found]:
    """Everything that looks like a row, in the log first and the latest first, since the file may be behind it."""
    data, log = path.read_bytes(), _log(path)
    size = _page_size(data, log)
    pages = {1 + i // size: data[i : i + size] for i in range(0, len(data), size)}
    logged = [(int(frame["page"]), bytes(frame["data"])) for frame in _frames(log, size)]
    latest = pages | dict(logged)
    for number, page in [*reversed(logged), *pages.items()]:
        yield from _rows(number, page, latest)


def as_row(number: int, columns: Sequence[Value]) -> Row | None:
    """A row of events, if it is one and whole."""
    if len(columns) != 5:
        return None
    _, kind, data, before, crc = columns
    if not (isinstance(kind, str) and isinstance(data, str) and isinstance(before, int) and isinstance(crc, int)):
        return None
    row = Row(number, kind, data, before, crc)
    return row if row.whole else None


def _page_size(data: bytes, log: bytes) -> int:
    """A power of two from 512 to 65536, which the header of the file writes as 1; by default SQLite's usual one."""
    told = (int.from_bytes(data[16:18], "big"), int.from_bytes(log[8:12], "big"))
    sizes = (65536 if size == 1 else size for size in told)
    with closing(sqlite3.connect(":memory:")) as fresh:
        (usual,) = fresh.execute("PRAGMA page_size").fetchone()
    return next((size for size in sizes if size in {2**k for k in range(9, 17)}), int(usual))


def _rows(number: int, page: bytes, pages: Mapping[int, bytes], after: int = -1) -> Iterator[Found]:
    """The rows of a page, if it is a leaf of a table, with numbers beyond `after`."""
    start = HEADER if number == 1 else 0
    if len(page) < start + 8 or page[start] != LEAF:
        return
    count = int.from_bytes(page[start + 3 : start + 5], "big")
    for i in range(count):
        at = start + 8 + 2 * i
        with suppress(LookupError, ValueError):
            cell = int.from_bytes(page[at : at + 2], "big")
            if _varint(page, _varint(page, cell)[1])[0] > after:
                yield _cell(page, cell, pages)


def _cell(page: bytes, at: int, pages: Mapping[int, bytes]) -> Found:
    length, at = _varint(page, at)
    number, at = _varint(page, at)
    usable = len(page)
    inside = length
    if length > usable - 35:
        least = (usable - 12) * 32 // 255 - 23
        inside = least + (length - least) % (usable - 4)
        inside = inside if inside <= usable - 35 else least
    payload = page[at : at + inside]
    if inside < length:
        payload += _overflow(int.from_bytes(page[at + inside : at + inside + 4], "big"), length - inside, pages)
    return number, list(_columns(payload))


def _overflow(number: int, length: int, pages: Mapping[int, bytes]) -> bytes:
    parts: list[bytes] = []
    for _ in range(len(pages)):  # a damaged chain may lead in circles
        if length <= 0:
            break
        page = pages[number]
        parts.append(page[4 : 4 + length])
        length -= len(parts[-1])
        number = int.from_bytes(page[:4], "big")
    return b"".join(parts)


def _columns(payload: bytes) -> Iterator[Value]:
    end, at = _varint(payload, 0)
    body = end
    while at < end:
        kind, at = _varint(payload, at)
        value, body = _column(payload, body, kind)
        yield value


def _column(payload: bytes, at: int, kind: int) -> tuple[Value, int]:
    if kind == 0:
        return None, at
    if kind in (8, 9):
        return kind - 8, at
    integer = kind < 7  # of 1, 2, 3, 4, 6 or 8 bytes; the other kinds are even for bytes and odd for text
    size = (kind if kind < 5 else 2 * kind - 4) if integer else (kind - 12) // 2
    raw = payload[at : at + size]
    if 7 <= kind < 12 or len(raw) < size:
        raise ValueError("an unknown column, or a truncated one")
    if integer:
        return int.from_bytes(raw, "big", signed=True), at + size
    return (raw.decode() if kind % 2 else raw), at + size


def _varint(data: bytes, at: int) -> tuple[int, int]:
    """A number of one to nine bytes, and where it ends."""
    value = 0
    for i in range(8):
        byte = data[at + i]
        value = value << 7 | byte & 0x7F
        if byte < 0x80:
            return value, at + i + 1
    return value << 8 | data[at + 8], at + 9
