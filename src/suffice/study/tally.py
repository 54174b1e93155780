"""What a study knows of its trials as columns: one row for each trial, in the order of asking.

n     int     trials                              d     int    columns of the cube
q     int     outputs                             row   int    the place of a trial among all trials

An ask looks at all trials a dozen times: in columns these are a dozen calls of NumPy, of a few microseconds each.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import compress, islice
from typing import Any, get_args

import numpy as np
from numpy.typing import NDArray

from suffice.study.settings import Settings
from suffice.study.trial import Origin, State, Trial, noise_of
from suffice.types import Array, Indices

STATES = {state: code for code, state in enumerate(get_args(State))}
ORIGINS = {origin: code for code, origin in enumerate(get_args(Origin))}
FIRST_ROOM = 64  # rows; it doubles


@dataclass(frozen=True, eq=False)
class Tally:
    """The columns at one moment; they do not change any more."""

    outputs: tuple[str, ...]
    table: NDArray[np.void]  # (n,), a record for each trial: see `_record`
    unit: Array  # (n, d), places in the cube
    keys: Sequence[bytes]  # the same as bytes; it may be longer than n, for it is shared with later moments
    done: Indices  # rows of those with values, in the order they were told

    @classmethod
    def of(cls, trials: Sequence[Trial], done: Iterable[Trial], settings: Settings) -> "Tally":
        """From the trials themselves."""
        growing, rows = Growing(settings), {trial.number: row for row, trial in enumerate(trials)}
        for row, trial in enumerate(trials):
            growing.put(row, trial)
        for trial in done:
            growing.finish(rows[trial.number])
        return growing.tally()

    def states(self, *states: State) -> NDArray[np.bool_]:
        """Which trials are in one of these states, (n,)."""
        state = self.table["state"]
        found: NDArray[np.bool_] = state == STATES[states[0]]
        for other in states[1:]:
            found = found | (state == STATES[other])
        return found

    def origins(self, origin: Origin) -> NDArray[np.bool_]:
        """Which trials have their point from there, (n,)."""
        found: NDArray[np.bool_] = self.table["origin"] == ORIGINS[origin]
        return found

    def value(self, name: str) -> Array:
        """An output of each trial in the user's sense, (n,): measured, or expected of a stopped one; else nan."""
        found: Array = self.table["values"][:, self.outputs.index(name)]
        return found

    def noise(self, name: str) -> Array:
        """The known variance of the noise in it, (n,); nan where it is not known."""
        found: Array = self.table["noise"][:, self.outputs.index(name)]
        return found

    @property
    def feasible(self) -> Indices:
        """The rows of done trials that satisfy every constraint, in the order of asking."""
        return np.flatnonzero(self.states("done") & self.table["feasible"])

    def keys_of(self, which: NDArray[np.bool_]) -> Iterable[bytes]:
        """The places of some trials as bytes."""
        return islice(self.keys, len(self.table)) if which.all() else compress(self.keys, which.tolist())


class Growing:
    """The columns of a study that goes on: a trial is put in its row, and again when more is known of it."""

    def __init__(self, settings: Settings) -> None:
        self.outputs = tuple(settings.outputs)
        self.count = self.finished = 0
        dtype = _record(len(self.outputs))
        self.table = np.zeros(FIRST_ROOM, dtype)
        self.unit = np.zeros((FIRST_ROOM, settings.space.dim))
        self.done = np.zeros(FIRST_ROOM, np.intp)
        self.keys: list[bytes] = []

    def put(self, row: int, trial: Trial) -> None:
        """What is known of a trial now; a new one is put after all others."""
        if row == self.count:
            if row == len(self.table):
                self.table, self.unit = _roomier(self.table), _roomier(self.unit)
            self.unit[row] = trial.unit
            self.keys.append(trial.unit.tobytes())
            self.count += 1
        values, solve = self._values(trial), trial.solve
        self.table[row] = (
            STATES[trial.state],
            ORIGINS[trial.origin],
            -1 if trial.told is None else trial.told,
            bool(trial.feasible),
            math.nan if trial.seconds is None else trial.seconds,
            solve is not None,
            0.0 if solve is None else solve.missed or 0.0,
            0.0 if solve is None else solve.width or 0.0,
            values,
            tuple(noise_of(trial, name) for name in self.outputs),
        )

    def finish(self, row: int) -> None:
        """The trial in this row was told its values."""
        if self.finished == len(self.done):
            self.done = _roomier(self.done)
        self.done[self.finished] = row
        self.finished += 1

    def tally(self) -> Tally:
        """The columns as they are: what may still change is copied, what only grows is shared."""
        n = self.count
        # `copy` would go field by field, which takes ten times as long
        table = np.ndarray(n, self.table.dtype, self.table[:n].tobytes())
        unit, done = self.unit[:n], self.done[: self.finished]
        unit.flags.writeable = done.flags.writeable = False
        return Tally(self.outputs, table, unit, self.keys, done)

    def _values(self, trial: Trial) -> tuple[float, ...]:
        if trial.state == "stopped":
            expected = math.nan if trial.expected is None else trial.expected
            return tuple(expected if name == trial.objectives[0] else math.nan for name in self.outputs)
        values = trial.values or {}
        return tuple(values.get(name, math.nan) for name in self.outputs)


def as_keys(X: Array) -> list[bytes]:
    """Rows of floats, (n, d), as bytes that can be compared and looked up."""
    n, d = X.shape
    return np.ascontiguousarray(X).view(f"V{X.itemsize * d}")[:, 0].tolist() if d else [b""] * n


def _record(q: int) -> np.dtype[np.void]:
    return np.dtype(
        [
            ("state", np.int8),  # its place in STATES
            ("origin", np.int8),  # its place in ORIGINS
            ("told", np.int64),  # its place in the order of tellings; −1 while it is pending
            ("feasible", np.bool_),  # whether every limit is known to be kept
            ("seconds", np.float64),  # of the evaluation; nan where not known
            ("solved", np.bool_),  # whether it has a report
            ("missed", np.float64),  # of the report; 0 where there is none
            ("width", np.float64),
            ("values", np.float64, (q,)),
            ("noise", np.float64, (q,)),
        ],
        align=True,
    )


def _roomier(rows: NDArray[Any]) -> NDArray[Any]:
    """A copy with room for twice as many rows: earlier moments keep the old one."""
    larger = np.zeros((2 * len(rows), *rows.shape[1:]), rows.dtype)
    larger[: len(rows)] = rows
    return larger
