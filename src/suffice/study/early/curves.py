"""Learning curves: what an evaluation reports on its way, and the curves of all trials of a study.

step   int    an epoch, a number of trees, a fold        value  float  what was reported there, larger is better
final  float  the value that was told at the end         level  what the reports up to a step come to: the last, the
                                                                best or the mean of them
"""

import math
from bisect import bisect_right
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

import numpy as np

from suffice.types import Array

Reports: TypeAlias = tuple[tuple[int, float], ...]
Level: TypeAlias = Callable[[Sequence[float]], float]


def last(values: Sequence[float]) -> float:
    """The report of the step itself."""
    return values[-1]


def best(values: Sequence[float]) -> float:
    """The best report so far."""
    return max(values)


def mean(values: Sequence[float]) -> float:
    """The mean of the reports so far: of folds, or of repetitions."""
    return math.fsum(values) / len(values)


@dataclass(frozen=True, slots=True)
class Curve:
    """The reports of one trial, larger being better, in the order of their steps."""

    steps: tuple[int, ...]
    values: tuple[float, ...]
    final: float | None = None  # None: the trial has no value, now or for good

    @classmethod
    def of(cls, reports: Reports, sign: float, final: float | None = None) -> "Curve":
        """From the user's sense; what is not finite is worse than every number."""
        inside = (sign * value for _, value in reports)
        values = tuple(value if math.isfinite(value) else -math.inf for value in inside)
        return cls(tuple(step for step, _ in reports), values, None if final is None else sign * final)

    def upto(self, step: int) -> tuple[float, ...]:
        """The reports up to a step; none if the first came later."""
        return self.values[: bisect_right(self.steps, step)]


@dataclass(eq=False)
class Field:
    """The curves of all trials of a study, as they grow; what is asked of the finished ones is remembered by step."""

    curves: dict[int, Curve] = field(default_factory=dict)  # by the number of the trial, finished or not
    finished: list[Curve] = field(default_factory=list)  # those with a value, in the order they were told
    _columns: dict[tuple[Level, int], tuple[list[float], list[float], int]] = field(default_factory=dict, repr=False)

    def put(self, number: int, curve: Curve) -> None:
        """The curve of a trial as it is now; one with a value will not change any more."""
        self.curves[number] = curve
        if curve.final is not None:
            self.finished.append(curve)

    def drop(self, number: int) -> None:
        """A trial that failed or was cancelled is no measure for others."""
        self.curves.pop(number, None)

    def column(self, level: Level, step: int) -> tuple[Array, Array]:
        """Levels at a step and final values of the finished trials that had a report by then, (m,) each."""
        levels, finals, count = self._columns.get((level, step), ([], [], 0))
        for curve in self.finished[count:]:
            reported = curve.upto(step)
            if reported and curve.final is not None and math.isfinite(found := level(reported)):
                levels.append(found)
                finals.append(curve.final)
        self._columns[level, step] = levels, finals, len(self.finished)
        return np.array(levels), np.array(finals)

    @property
    def best(self) -> float:
        """The best final value; −inf without any."""
        return max((curve.final for curve in self.finished if curve.final is not None), default=-math.inf)

    @property
    def longest(self) -> int:
        """The last step of any finished trial; −1 if none has reported."""
        return max((curve.steps[-1] for curve in self.finished if curve.steps), default=-1)

    def others(self, number: int) -> Iterable[Curve]:
        """The curves of all other trials."""
        return (curve for other, curve in self.curves.items() if other != number)


def grown(reports: Reports, step: int, value: float) -> Reports:
    """The reports with one more. A step that was reported before begins anew from there: so does an evaluation that is
    made again after its worker, or the whole run, was killed."""
    kept = reports
    while kept and kept[-1][0] >= step:
        kept = kept[:-1]
    return (*kept, (step, value))
