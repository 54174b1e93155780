"""Rows of a damaged SQLite file, read from its pages without SQLite, as far as they are there.

Only what is needed of https://www.sqlite.org/fileformat2.html: leaves of tables, payloads that go on in overflow pages,
and the frames of a write-ahead log. Whoever calls judges by a checksum whether a row is whole, so that here anything
that looks like one is good enough.

page     bytes of one page, from a multiple of the page size on; the first one begins with a header of 100 bytes
cell     payload size, row number, payload, and, where that is too long, the number of the page where it goes on
record   the sizes of its columns, then the columns
"""

from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import TypeAlias

Value: TypeAlias = int | float | str | bytes | None
Found: TypeAlias = tuple[int, list[Value]]  # the row number, the columns

HEADER, LEAF = 100, 0x0D
LOG_HEADER, FRAME_HEADER = 32, 24
USUAL = 4096  # bytes of a page, if nothing tells
SIZES = {2**k for k in range(9, 17)}
INTEGERS = {1: 1, 2: 2, 3: 3, 4: 4, 5: 6, 6: 8}  # bytes of the integer types
BROKEN = (IndexError, ValueError, UnicodeDecodeError, KeyError)  # what reading nonsense raises


def found_rows(path: Path) -> Iterator[Found]:
    """Everything that looks like a row, in the log first and the latest first, since the file may be behind it."""
    data = path.read_bytes()
    log = Path(f"{path}-wal")
    frames = log.read_bytes() if log.exists() else b""
    size = _page_size(data, frames)
    pages = {1 + i // size: data[i : i + size] for i in range(0, len(data), size)}
    logged = list(_frames(frames, size))
    latest = pages | dict(logged)
    for number, page in [*reversed(logged), *pages.items()]:
        yield from _rows(page, HEADER if number == 1 else 0, latest)


def logged_rows(path: Path, after: int) -> Iterator[Found]:
    """What looks like a row with a later number in the log beside the file, in transactions that were completed.

    The last of them is left out: a power cut may have torn it, and that is no damage.
    """
    log = Path(f"{path}-wal")
    data = log.read_bytes() if log.exists() else b""
    size = _page_size(b"", data)
    salts = data[16:24]  # frames of an earlier use of the log have others
    frames = [
        (bool(any(data[at + 4 : at + 8])), frame)  # whether a transaction ends here
        for at, frame in zip(_starts(data, size), _frames(data, size), strict=True)
        if data[at + 8 : at + 16] == salts
    ]
    ends = [i for i, (end, _) in enumerate(frames) if end]
    pages = dict(frame for _, frame in frames)
    for _, (number, page) in frames[: ends[-2] + 1] if len(ends) > 1 else ():
        yield from _rows(page, HEADER if number == 1 else 0, pages, after)


def _page_size(data: bytes, frames: bytes) -> int:
    told = (int.from_bytes(data[16:18], "big"), int.from_bytes(frames[8:12], "big"))
    return next((65536 if size == 1 else size for size in told if size == 1 or size in SIZES), USUAL)


def _frames(log: bytes, size: int) -> Iterator[tuple[int, bytes]]:
    for start in _starts(log, size):
        body = start + FRAME_HEADER
        yield int.from_bytes(log[start : start + 4], "big"), log[body : body + size]


def _starts(log: bytes, size: int) -> range:
    return range(LOG_HEADER, len(log) - FRAME_HEADER - size + 1, FRAME_HEADER + size)


def _rows(page: bytes, start: int, pages: Mapping[int, bytes], after: int = -1) -> Iterator[Found]:
    """The rows of a page, if it is a leaf of a table, with numbers beyond `after`."""
    if len(page) < start + 8 or page[start] != LEAF:
        return
    count = int.from_bytes(page[start + 3 : start + 5], "big")
    for i in range(count):
        at = start + 8 + 2 * i
        with suppress(*BROKEN):
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
    size = INTEGERS[kind] if kind in INTEGERS else (kind - 12) // 2
    raw = payload[at : at + size]
    if (kind < 12 and kind not in INTEGERS) or len(raw) < size:
        raise ValueError("no column of ours, or one that is cut off")
    if kind in INTEGERS:
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
