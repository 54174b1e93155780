"""What a study learns from the rows of a file: events to be added to its record, all of them or none.

A row with the number of a trial is about that trial; its point, if it is given, must be the trial's. A row without one
is about the pending trial at its point, or else about a new point. What the study already contains is counted and
left alone, so that to read a file twice is to read it once.
"""

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from suffice.exchange.columns import DIGITS, WHOLE, Column, Columns, Fault, Written, by_name, read_remark, shows_remark
from suffice.exchange.rows import Failure, Measured, Open, Outcome, Row, Withdrawn
from suffice.record.arguments import as_point, to_plain
from suffice.record.history import History, rows
from suffice.record.trial import Cancelled, Event, Failed, Told, Trial, asked, failed, noted, told
from suffice.study.observations import withdrawn
from suffice.text import counted, visible
from suffice.types import Array

CORRECT = ", or replace a wrong value with suffice import --correct (read(…, correct=True))"


class Places:
    """The trials without a numbered row; each is found once, so that equal rows are equal measurements."""

    def __init__(self, trials: Sequence[Trial], dim: int) -> None:
        self._settled = [trial for trial in trials if trial.state in ("done", "failed")]
        self._pending = [trial for trial in trials if trial.state == "pending"]
        self._found: set[int] = set()
        self._known: dict[str, Array] = {}  # values by output
        self._dim = dim

    def known(self, unit: Array, outcome: Outcome) -> Trial | None:
        """A trial at this place, (d,), whose value is that of the row."""
        if isinstance(outcome, Measured):
            name = next(iter(outcome.cells))
            y, close = outcome.values[name], self._at(unit)
            if not math.isfinite(y):
                return None
            close = close[np.abs(self._y(name)[close] - y) <= 2 * DIGITS * abs(y)]
            fitting = (self._settled[j] for j in close if self._settled[j].state == "done")
            return self._take(t for t in fitting if outcome.shows(t.values))
        if isinstance(outcome, Failure):
            return self._take(t for j in self._at(unit) if (t := self._settled[j]).state == "failed")
        return None

    def pending(self, unit: Array, outcome: Outcome) -> Trial | None:
        """The pending trial at this place, (d,), the nearest of several."""
        distance = np.max(np.abs(self._pending_rows - unit), axis=1, initial=0.0)
        near = (self._pending[j] for j in np.argsort(distance, kind="stable") if distance[j] <= 2 * DIGITS)
        if isinstance(outcome, Open):
            return next(near, None)
        return self._take(near)

    def measured(self, unit: Array) -> int | None:
        """The number of a trial with a value at this place, (d,)."""
        return next((t.number for j in self._at(unit) if (t := self._settled[j]).state == "done"), None)

    def _take(self, fitting: Any) -> Trial | None:
        found: Trial | None = next((trial for trial in fitting if trial.number not in self._found), None)
        if found is not None:
            self._found.add(found.number)
        return found

    def _at(self, unit: Array) -> NDArray[np.intp]:
        """Which settled trials are at a place; where none is, those that a spreadsheet may have moved from there."""
        exact = self._exact.get(unit.tobytes())
        if exact is not None:
            return exact
        if not self._settled or self._dim == 0:
            return np.empty(0, dtype=np.intp)
        return np.array(sorted(self._tree.query_ball_point(unit, 2 * DIGITS, p=math.inf)), dtype=np.intp)

    @cached_property
    def _exact(self) -> dict[bytes, NDArray[np.intp]]:
        places: dict[bytes, list[int]] = {}
        for j, trial in enumerate(self._settled):
            places.setdefault(trial.unit.tobytes(), []).append(j)
        return {place: np.array(numbers, dtype=np.intp) for place, numbers in places.items()}

    @cached_property
    def _tree(self) -> Any:
        from scipy.spatial import cKDTree

        return cKDTree(rows(self._settled, self._dim))

    @cached_property
    def _pending_rows(self) -> Array:
        return rows(self._pending, self._dim)

    def _y(self, name: str) -> Array:
        if name not in self._known:
            values = ((trial.values or {}).get(name, math.nan) for trial in self._settled)
            self._known[name] = np.array(list(values), dtype=float)
        return self._known[name]


@dataclass(frozen=True)
class Summary:
    """The number of rows of a file by outcome: print it.

    Attributes
    ----------
    recorded : int
        Trials with a new value.
    added : int
        New points with a value.
    repeated : int
        Of these, rows that say the same as an earlier row: each counts as a measurement.
    corrected : int
        Trials whose value was withdrawn, and replaced if the row has another outcome.
    failed : int
        Trials recorded as failed.
    cancelled : int
        Trials recorded as cancelled.
    known : int
        Rows that the study already contained.
    pending : int
        Rows without a value.
    ignored : tuple of str
        Columns, or names in JSON lines, that were not read.
    """

    recorded: int = 0
    added: int = 0
    repeated: int = 0
    corrected: int = 0
    failed: int = 0
    cancelled: int = 0
    known: int = 0
    pending: int = 0
    ignored: tuple[str, ...] = ()

    def __str__(self) -> str:
        again = f" ({self.repeated} equal to earlier rows)" if self.repeated else ""
        words = {"new points": f"{self.added}{again}" if self.added else 0, "corrected": self.corrected}
        sometimes = {**words, "failed": self.failed, "cancelled": self.cancelled}.items()
        said = [f"recorded {self.recorded}", *(f"{word} {count}" for word, count in sometimes if count)]
        said += [f"already known {self.known}", f"still pending {self.pending}"]
        return ", ".join(said) + (f"; ignored columns: {', '.join(self.ignored)}" if self.ignored else "")


@dataclass
class Plan:
    """Events as they are gathered, row by row."""

    history: History
    columns: Columns
    events: list[Event] = field(default_factory=list)
    faults: list[tuple[int, str]] = field(default_factory=list)
    counts: Counter[str] = field(default_factory=Counter)  # of the rows, by the words of `Summary`
    correct: bool = False  # whether rows replace what the study has
    study: str = ""  # the name of its file

    def __post_init__(self) -> None:
        self._now: dict[int, Trial] = {}  # trials that a row has settled
        self._lines: dict[int, int] = {}  # and on which line
        self._added = 0
        self._measured: set[tuple[Any, ...]] = set()  # places and values of new points
        self._withdrawn: set[int] = set()  # trials that lost their values to rows of this file

    def take(self, given: Iterable[Row]) -> None:
        """Gather what the rows say."""
        everything = tuple(given)
        told = [row for row in everything if row.number is not None]
        spoken_for = {row.number for row in told if not isinstance(row.outcome, Open) or self._done(row.number)}
        free = [trial for trial in self.history.trials if trial.number not in spoken_for]
        self._places = Places(free, self.history.settings.space.dim)
        for row in everything:
            try:
                trial, added = self._corrected(row, self._trial(row)), self._added
                self._settle(row, trial)
                self._note(row, trial, self._added > added)
            except Fault as fault:
                self.faults.append((row.line, str(fault)))

    # ------------------------------------------------------------------ whom a row is about

    def _done(self, number: int | None) -> bool:
        trials = self.history.trials
        return number is not None and number < len(trials) and trials[number].state == "done"

    def _trial(self, row: Row) -> Trial | None:
        """The trial that a row is about, as it is now; None: a new point."""
        if row.number is None:
            return self._trial_at(row)
        if self.study and row.study not in ("", self.study):
            raise Fault(
                f"trial {row.number} belongs to the study {visible(row.study)}, not {visible(self.study)}: name the "
                "other study, or empty the column study if its file was renamed"
            )
        trials = self.history.trials
        if row.number >= len(trials):
            raise Fault(
                f"the study has {counted(len(trials), 'trial')} and no trial {row.number}; leave the number empty to "
                "add a point of your own"
            )
        trial = trials[row.number]
        self._check_point(row, trial)
        return self._now.get(row.number, trial)

    def _check_point(self, row: Row, trial: Trial) -> None:
        """Refuse a point that is not the trial's, beyond what a spreadsheet rounds."""
        for name, value in row.given.items():
            own = self._part(trial.point, name)
            if not (own and self._same(name, value, own[0])):
                has = f"has {own[0]!r}" if own else "has none"
                raise Fault(
                    f"{name or 'the point'} is {value!r}, but trial {row.number} {has}; leave the number empty to add "
                    "a point of your own, or leave the cells of the point empty"
                )

    def _part(self, point: Any, name: str) -> tuple[Any, ...]:
        """What a point has under a name; nothing where it has no such part."""
        names, space = self.columns.by_name, self.history.settings.space
        if name == WHOLE:
            return (point,)
        if names and not isinstance(point, Mapping):
            return (point[list(names).index(name)],)
        parts = point if names else by_name(to_plain(point, space), space.names) or {}
        return (parts[name],) if name in parts else ()

    def _same(self, name: str, value: Any, own: Any) -> bool:
        """Whether a row has what a trial has."""
        if name == WHOLE:
            space = self.history.settings.space
            return repr(to_plain(value, space)) == repr(to_plain(own, space))
        return value.shows(own) if isinstance(value, Written) else _same(self.columns.by_name[name], value, own)

    def _trial_at(self, row: Row) -> Trial | None:
        """The trial with the point of a row: a known one with what the row says, a pending one, or None."""
        if not row.given:
            raise Fault("it has neither the number of a trial nor a point")
        unit = self._unit(row)
        known = self._places.known(unit, row.outcome)
        found = self._places.pending(unit, row.outcome) if known is None else known
        if found is None and isinstance(row.outcome, Failure) and (number := self._places.measured(unit)) is not None:
            raise Fault(
                f"its point has a value already, trial {number}: to withdraw a wrong value, write the number of its "
                "trial and use suffice import --correct; otherwise leave out the row"
            )
        return found

    def _point(self, row: Row) -> Any:
        space = self.history.settings.space
        if WHOLE in row.given:
            return row.given[WHOLE]
        if not self.columns.parameters:
            return self._own_point(row)
        if space.named:
            return dict(row.given)
        missing = [name for name in space.names if name not in row.given]
        if missing:
            raise Fault(f"the point is missing {', '.join(missing[:8])}")
        return [row.given[name] for name in space.names]

    def _own_point(self, row: Row) -> Any:
        """A row of a pool, or the like, from what is written there, read as the first trial's point would be."""
        space, trials = self.history.settings.space, self.history.trials
        known = by_name(to_plain(trials[0].point, space), space.names) if trials else None
        parts = {name: cell.like((known or {}).get(name)) for name, cell in row.given.items()}
        return parts if space.named else [parts.get(name) for name in space.names]

    def _unit(self, row: Row) -> Array:
        try:
            return self.history.settings.space.to_unit(self._point(row))
        except (ValueError, TypeError) as error:
            raise Fault(str(error)) from error

    # ------------------------------------------------------------------ what becomes of it

    def _settle(self, row: Row, trial: Trial | None) -> None:
        """Turn a row into events, or count it."""
        outcome = row.outcome
        if trial is None and isinstance(outcome, Open | Withdrawn):
            raise Fault(
                "it has a point but no value, and no trial is pending there: fill in the value, or leave out the row"
            )
        if isinstance(outcome, Open):
            self.counts["pending" if trial is None or trial.state == "pending" else "known"] += 1
        elif trial is None:
            self._add(row)
        elif isinstance(outcome, Measured):
            self._tell(row, outcome, trial)
        elif isinstance(outcome, Failure):
            self._fail(row, outcome, trial)
        elif trial.state == "pending":
            self._record(row, replace(trial, state="cancelled"), Cancelled(trial.number, outcome.reason))
            self.counts["cancelled"] += 1
        elif trial.number not in self._withdrawn:
            self.counts["known"] += 1

    def _corrected(self, row: Row, trial: Trial | None) -> Trial | None:
        """The trial without its value, if the row has another outcome and is to replace it."""
        if not self.correct or trial is None or trial.state != "done" or trial.number in self._lines:
            return trial
        outcome = row.outcome
        same = isinstance(outcome, Measured) and outcome.shows(trial.values)
        if isinstance(outcome, Open) or same or (isinstance(outcome, Failure) and outcome.by_state):
            return trial
        reason = outcome.reason if isinstance(outcome, Withdrawn) else "corrected"
        self.events.append(withdrawn(trial, reason))
        self.counts["corrected"] += 1
        self._withdrawn.add(trial.number)
        return replace(trial, state="cancelled", values=None)

    def _note(self, row: Row, trial: Trial | None, added: bool) -> None:
        """Take over the note and the attributes of a row that the trial does not have."""
        if trial is None and not added:
            return
        number = len(self.history.trials) + self._added - 1 if trial is None else trial.number
        note = row.note if row.note and (trial is None or row.note != trial.note) else None
        attributes = _new_attributes(row.attributes, {} if trial is None else trial.attributes)
        if note or attributes:
            self.events.append(noted(number, note, attributes))

    def _tell(self, row: Row, outcome: Measured, trial: Trial) -> None:
        if trial.state == "done":
            if not outcome.shows(trial.values):
                where = f" on line {self._lines[trial.number]}" if trial.number in self._lines else ""
                known, got = self._shown(trial.values), self._shown(outcome.written)
                raise Fault(
                    f"trial {trial.number} already has {known}{where}: got {got}; add a second measurement "
                    f"as a row without a number{CORRECT}"
                )
            self.counts["known"] += 1
            return
        if trial.state == "pruned":
            raise Fault(
                f"trial {trial.number} was pruned: got {self._shown(outcome.written)}; add a complete measurement of "
                "its point as a row without a number"
            )
        event = self._told(trial.number, outcome)
        if isinstance(event, Told):
            self._record(row, replace(trial, state="done", values=dict(event.values)), event)
            self.counts["recorded"] += 1
        elif trial.state == "failed":
            self.counts["known"] += 1
        else:
            self._record(row, replace(trial, state="failed"), event)
            self.counts["failed"] += 1

    def _fail(self, row: Row, outcome: Failure, trial: Trial) -> None:
        if trial.state in ("failed", "pruned") or (trial.state == "done" and outcome.by_state):
            self.counts["known"] += 1
        elif trial.state == "done":
            raise Fault(f"trial {trial.number} already has {self._shown(trial.values)} and can no longer fail{CORRECT}")
        else:
            event = failed(trial.number, outcome.reason, outcome.cause, outcome.seconds)
            self._record(row, replace(trial, state="failed"), event)
            self.counts["failed"] += 1

    def _add(self, row: Row) -> None:
        """A new point, with its outcome."""
        space, number = self.history.settings.space, len(self.history.trials) + self._added
        outcome: Any = row.outcome
        settled: Told | Failed | None = None
        if isinstance(outcome, Measured):
            settled = self._told(number, outcome)
            same = (self._unit(row).tobytes(), *outcome.cells.items())
            self.counts["repeated"] += same in self._measured
            self._measured.add(same)
        elif isinstance(outcome, Failure):
            settled = failed(number, outcome.reason, outcome.cause, outcome.seconds)
        assert settled is not None
        point = as_point(self._point(row), space)
        if isinstance(point, np.ndarray):
            point.flags.writeable = False
        self.events += [asked(number, point, "foreign", space), settled]
        self._added += 1
        self.counts["failed" if isinstance(settled, Failed) else "added"] += 1

    def _told(self, number: int, outcome: Measured) -> Told | Failed:
        limits = self.history.settings.constraints
        return told(number, outcome.values, outcome.noise_var, outcome.seconds, limits)

    def _record(self, row: Row, trial: Trial, event: Event) -> None:
        self.events.append(event)
        self._now[trial.number], self._lines[trial.number] = trial, row.line

    def _shown(self, values: Mapping[str, float]) -> str:
        if len(self.columns.outputs) == 1:
            return repr(next(iter(values.values())))
        return ", ".join(f"{visible(name)} {value!r}" for name, value in values.items())


def _new_attributes(given: Mapping[str, Any], known: Mapping[str, Any]) -> dict[str, Any]:
    """Those that are not known, or have another value."""
    found = {}
    for name, value in given.items():
        written = isinstance(value, Written)
        if name not in known or not (shows_remark(value, known[name]) if written else value == known[name]):
            found[name] = read_remark(value) if written else value
    return found


def _same(column: Column, value: Any, own: Any) -> bool:
    if column.labels is None and value == own:
        return True
    if column.labels is not None:
        return value is own or column.parameter.as_value(value) is column.parameter.as_value(own)
    try:
        there, here = column.parameter.to_unit(value), column.parameter.to_unit(own)
    except (ValueError, TypeError) as error:
        raise Fault(f"parameter {column.name!r}: {error}") from error
    return bool(np.max(np.abs(there - here), initial=0.0) <= 2 * DIGITS)
