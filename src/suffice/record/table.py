"""The trials of a study as columns: what is read of all of them takes a few calls of NumPy.

n     int     trials                              d     int    columns of the cube
q     int     outputs                             row   int    the place of a trial among all trials
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import compress, islice
from typing import Any, get_args

import numpy as np
from numpy.typing import NDArray

from suffice.accuracy.series import z_score
from suffice.record.settings import Settings
from suffice.record.trial import Origin, State, Trial, noise_of
from suffice.types import Array, Indices

# A trial's state and origin as the numbers that a column holds.
CODES = {word: code for words in (State, Origin) for code, word in enumerate(get_args(words))}
EXPLORING = ("explore", "look elsewhere")  # kinds of steps that leave the best place; the second is of version 0.1.0


@dataclass(frozen=True, eq=False)
class TrialTable:
    """The trials of a study as columns, at one moment: one row for each trial, in the order of asking.

    An ask looks at all trials a dozen times: in columns these are a dozen calls of NumPy, of a few microseconds each.
    `History.table` has it; `TrialTable.of` makes one of trials alone.
    """

    outputs: tuple[str, ...]
    columns: NDArray[np.void]  # (n,), a record for each trial: see `_record`
    unit: Array  # (n, d), places in the cube
    keys: Sequence[bytes]  # the same as bytes; it may be longer than n, for it is shared with later moments
    done: Indices  # rows of those with values, in the order they were observed

    @classmethod
    def of(cls, trials: Sequence[Trial], done: Iterable[Trial], settings: Settings) -> "TrialTable":
        """From the trials themselves."""
        rows = {trial.number: row for row, trial in enumerate(trials)}
        return GrowingTable.of(settings, trials, (rows[trial.number] for trial in done)).table()

    def __len__(self) -> int:
        return len(self.columns)

    def __getitem__(self, word: str) -> NDArray[Any]:
        """One column, (n,) or (n, q): `table["seconds"]`; `_record` names them all."""
        return self.columns[word]

    def states(self, *states: State) -> NDArray[np.bool_]:
        """Which trials are in one of these states, (n,)."""
        state = self["state"]
        found: NDArray[np.bool_] = state == CODES[states[0]]
        for other in states[1:]:
            found = found | (state == CODES[other])
        return found

    def origins(self, origin: Origin) -> NDArray[np.bool_]:
        """Which trials have their point from there, (n,)."""
        found: NDArray[np.bool_] = self["origin"] == CODES[origin]
        return found

    def value(self, name: str) -> Array:
        """An output of each trial in the user's sense, (n,): measured, or expected of a stopped one; else nan."""
        found: Array = self["values"][:, self.outputs.index(name)]
        return found

    def noise(self, name: str) -> Array:
        """The known variance of the noise in it, (n,); nan where it is not known."""
        found: Array = self["noise"][:, self.outputs.index(name)]
        return found

    @property
    def feasible(self) -> Indices:
        """The rows of done trials that satisfy every constraint, in the order of asking."""
        return np.flatnonzero(self.states("done") & self["feasible"])

    def keys_of(self, which: NDArray[np.bool_]) -> Iterable[bytes]:
        """The places of some trials as bytes."""
        return islice(self.keys, len(self)) if which.all() else compress(self.keys, which.tolist())


class GrowingTable:
    """The table of a study that goes on: a trial is put in its row, and again when more is known of it."""

    def __init__(self, settings: Settings) -> None:
        self.outputs = tuple(settings.outputs)
        self.signs = tuple(settings.sign(name) for name in self.outputs)
        self.count = self.finished = 0
        self.columns = np.zeros(1, _record(len(self.outputs)))  # room for more rows than there are: it doubles
        self.unit = np.zeros((1, settings.space.dim))
        self.done = np.zeros(1, np.intp)
        self.keys: list[bytes] = []

    @classmethod
    def of(cls, settings: Settings, trials: Iterable[Trial], done: Iterable[int]) -> "GrowingTable":
        """From the trials, and the rows of those that have values in the order in which they were told."""
        growing = cls(settings)
        for row, trial in enumerate(trials):
            growing.put(row, trial)
        for row in done:
            growing.finish(row)
        return growing

    def put(self, row: int, trial: Trial) -> None:
        """What is known of a trial now; a new one is put after all others."""
        if row == self.count:
            if row == len(self.columns):
                self.columns, self.unit = _roomier(self.columns), _roomier(self.unit)
            self.unit[row] = trial.unit
            self.keys.append(trial.unit.tobytes())
            self.count += 1
        values, solve = self._values(trial), trial.solve
        self.columns[row] = (
            CODES[trial.state],
            CODES[trial.origin],
            -1 if trial.order is None else trial.order,
            bool(trial.feasible),
            math.nan if trial.seconds is None else trial.seconds,
            solve is not None,
            solve is not None and solve.kind in EXPLORING,
            0.0 if solve is None else solve.missed or 0.0,
            0.0 if solve is None else solve.width or 0.0,
            values,
            tuple(noise_of(trial, name) for name in self.outputs),
            tuple(self._z(trial, i) for i in range(len(self.outputs))),
        )

    def _z(self, trial: Trial, i: int) -> float:
        """How far the value of an output is from its prediction before that was rescaled; nan where that is unknown."""
        name, solve = self.outputs[i], trial.solve
        if trial.state != "done" or solve is None or name not in trial.values:
            return math.nan
        z = z_score(solve, self.signs[i] * trial.values[name], name if i else None)
        return math.nan if z is None else z * (solve.rescaled or {}).get(name, 1.0)

    def finish(self, row: int) -> None:
        """The trial in this row has its values."""
        if self.finished == len(self.done):
            self.done = _roomier(self.done)
        self.done[self.finished] = row
        self.finished += 1

    def table(self) -> TrialTable:
        """The table as it is: what may still change is copied, what only grows is shared."""
        n = self.count
        # `copy` would go field by field, which takes ten times as long
        columns = np.ndarray(n, self.columns.dtype, self.columns[:n].tobytes())
        unit, done = self.unit[:n], self.done[: self.finished]
        unit.flags.writeable = done.flags.writeable = False
        return TrialTable(self.outputs, columns, unit, self.keys, done)

    def _values(self, trial: Trial) -> tuple[float, ...]:
        if trial.state == "pruned":
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
            ("state", np.int8),  # in CODES
            ("origin", np.int8),  # in CODES
            ("order", np.int64),  # its place in the order of outcomes; −1 while it is pending
            ("feasible", np.bool_),  # whether every limit is known to be kept
            ("seconds", np.float64),  # of the evaluation; nan where not known
            ("solved", np.bool_),  # whether it has a report
            ("explores", np.bool_),  # whether it left the best place on purpose
            ("missed", np.float64),  # of the report; 0 where there is none
            ("width", np.float64),
            ("values", np.float64, (q,)),
            ("noise", np.float64, (q,)),
            ("z", np.float64, (q,)),  # z-scores of predictions as they were before they were rescaled; else nan
        ],
        align=True,
    )


def _roomier(rows: NDArray[Any]) -> NDArray[Any]:
    """A copy with room for twice as many rows: earlier moments keep the old one."""
    larger = np.zeros((2 * len(rows), *rows.shape[1:]), rows.dtype)
    larger[: len(rows)] = rows
    return larger
