"""What is whole in a damaged study: every event whose checksum is right, wherever in the file it is found."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from pathlib import Path

from suffice.errors import UnreadableFile, UnusableFile
from suffice.record.encoding import EventCodec
from suffice.record.events import (
    Asked,
    Event,
    Started,
    Told,
)
from suffice.record.history import History
from suffice.record.settings import Settings
from suffice.record.study_file import MEANINGLESS
from suffice.record.trial import Trial
from suffice.store.files import FilePath
from suffice.store.journal import Row, as_row
from suffice.store.lock import is_claimed
from suffice.store.pages import Found, found_rows


@dataclass(frozen=True)
class Salvaged:
    """What came out of a damaged file."""

    settings: Settings
    trials: tuple[Trial, ...]  # those whose points are whole, under their old numbers; there may be gaps
    lost: tuple[str, ...]  # sentences about what is missing; none: all that was found fits together
    events: int  # how many are whole


def salvage(path: FilePath) -> Salvaged:
    """All whole events of a study, also where SQLite can no longer read the file, which stays as it is.

    UnreadableFile if not even the start of the study is there: without its space the points mean nothing.
    """
    file = Path(path)
    if is_claimed(file):
        raise UnusableFile(f"{path} is open in this process: close it first, by optimizer.close()")
    found = list(found_rows(file))
    rows = in_order(found)
    codec, events, lost = EventCodec(), list[Event](), list(_gaps(rows, _ever(found)))
    for row in rows:
        try:
            event = codec.decode({"event": row.kind, **row.fact.data})
        except MEANINGLESS as error:
            if not events:
                break
            lost.append(f"event {row.number}, {row.kind}, cannot be read: {error}")
        else:
            events.append(event)
    if not events or not isinstance(events[0], Started):
        raise UnreadableFile(
            f"{path} has no whole start of a study, and without its space the points mean nothing: {len(rows)} events "
            "are whole; restore the file from a copy"
        )
    trials, orphans = _trials(events)
    return Salvaged(events[0].settings, trials, (*lost, *orphans), len(rows))


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


def _trials(events: Sequence[Event]) -> tuple[tuple[Trial, ...], list[str]]:
    """The trials whose points are there, and a sentence about each event of the others."""
    numbers: dict[int, int] = {}  # old number -> place among those that are there
    kept, lost = [events[0]], []
    for event in events[1:]:
        if isinstance(event, Started):
            continue
        if isinstance(event, Asked):
            numbers[event.number] = len(numbers)
        elif event.number not in numbers:
            value = f", {dict(event.values)}," if isinstance(event, Told) else ""
            lost.append(f"what became of trial {event.number}{value} is there, but its point is lost")
            continue
        kept.append(replace(event, number=numbers[event.number]))
    trials = History.of(kept).trials
    return tuple(replace(trial, number=old) for old, trial in zip(numbers, trials, strict=True)), lost
