"""Where the trials of a study are: which of them a row without a number is about.

X   (n, d)   the places of trials in the unit cube        y   (n,)   their values of one output, nan without any
"""

import math
from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from suffice.exchange.cells import DIGITS
from suffice.exchange.rows import Failure, Measured, Open, Outcome
from suffice.study.history import rows
from suffice.study.trial import Trial
from suffice.types import Array

# Of a parameter's range: points that are closer are the same one. A spreadsheet may keep six digits of a number.
SAME = 1e-5


class Places:
    """The trials that no numbered row speaks of; each is found once, so that equal rows are equal measurements."""

    def __init__(self, trials: Sequence[Trial], dim: int) -> None:
        self._settled = [trial for trial in trials if trial.state in ("done", "failed")]
        self._pending = [trial for trial in trials if trial.state == "pending"]
        self._found: set[int] = set()
        self._known: dict[str, Array] = {}  # values by output
        self._dim = dim

    def known(self, unit: Array, outcome: Outcome) -> Trial | None:
        """A trial at this place, (d,), of which the study knows what the row says."""
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
        near = (self._pending[j] for j in np.argsort(distance, kind="stable") if distance[j] <= SAME)
        if isinstance(outcome, Open):
            return next(near, None)
        return self._take(near)

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
        return np.array(sorted(self._tree.query_ball_point(unit, SAME, p=math.inf)), dtype=np.intp)

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
