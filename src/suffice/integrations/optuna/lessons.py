"""What each trial of Optuna teaches a search for one number: a value, that it failed, or that it is under way.

A trial that violates a constraint has no value: what it says about where points are allowed is in allowed.py. Until
one is feasible, the amount of violation is minimized instead of the objective, and that is the value of a trial then.

A pruned trial was given up because it did badly. Its last intermediate value counts, but as no better than the median
of the completed ones: a value of an early step must not be taken for a good final one. If it reported none, it failed.

Several objectives are made one, with other weights for each proposal (Knowles 2006, ParEGO):

    f   (n, k)  the objectives, smaller being better, the front's best being 0 and its worst 1 in each column
    λ   (k,)    weights, uniform on the simplex
    s   (n,)    max_j λ_j f_j + AUGMENTED Σ_j λ_j f_j, whose minimizers are efficient points, in every part of a front
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.random import Generator
from optuna.study import StudyDirection
from optuna.trial import FrozenTrial, TrialState

from suffice.accuracy.report import SolveReport
from suffice.integrations.optuna.attributes import REPORT, Fit, fit_of, origin_of, report_from_plain
from suffice.study.trial import Cause, Origin, State
from suffice.types import Array

AUGMENTED = 0.05  # the weight of the sum, as in ParEGO: it tells weakly efficient points from efficient ones

Target: TypeAlias = Literal["objective", "violation", "weighted"]


@dataclass(frozen=True)
class Lesson:
    """What became of a trial, for the study that is searched."""

    state: State
    value: float | None = None  # smaller being better
    cause: Cause | None = None


PENDING, BROKEN, NOT_ALLOWED = Lesson("pending"), Lesson("failed", cause="failed"), Lesson("cancelled")


@dataclass(frozen=True, eq=False)
class Read:
    """What a trial says, read once; a finished trial never changes."""

    trial: FrozenTrial
    number: int
    under_way: bool
    values: tuple[float, ...] | None  # finite, smaller being better
    last: float | None  # intermediate value of a pruned trial, smaller being better
    violations: Mapping[str, float]  # of constraints, by name; > 0 is violated
    feasible: bool
    origin: Origin
    report: SolveReport | None
    fit: Fit | None

    @classmethod
    def of(cls, trial: FrozenTrial, directions: Sequence[StudyDirection]) -> "Read":
        attributes, violations = trial.system_attrs, _constraints(trial)
        signs = [-1.0 if direction == StudyDirection.MAXIMIZE else 1.0 for direction in directions]
        values = None
        if trial.state == TrialState.COMPLETE and all(map(math.isfinite, trial.values)):
            values = tuple(sign * value for sign, value in zip(signs, trial.values, strict=True))
        last = None
        if trial.state == TrialState.PRUNED and trial.intermediate_values and len(signs) == 1:
            reported = signs[0] * trial.intermediate_values[max(trial.intermediate_values)]
            last = reported if math.isfinite(reported) else None
        return cls(
            trial=trial,
            number=trial.number,
            under_way=not trial.state.is_finished(),
            values=values,
            last=last,
            violations=violations,
            feasible=all(violation <= 0.0 for violation in violations.values()),
            origin=origin_of(attributes),
            report=report_from_plain(attributes.get(REPORT)),
            fit=fit_of(attributes),
        )

    @cached_property
    def alone(self) -> Lesson | None:
        """What it teaches whatever the others say; None if that depends on them."""
        if self.under_way:
            return PENDING
        if not self.feasible:
            return NOT_ALLOWED if all(map(math.isfinite, self.violations.values())) else BROKEN
        if self.values is not None:
            return Lesson("done", self.values[0]) if len(self.values) == 1 else None
        return BROKEN if self.last is None else None


def _constraints(trial: FrozenTrial) -> Mapping[str, float]:
    """Its constraints by name; before Optuna 5 a trial has only what `constraints_func` returned, in its attributes."""
    if hasattr(trial, "constraints"):
        return trial.constraints
    return {str(i): float(c) for i, c in enumerate(trial.system_attrs.get("constraints") or ())}


def lessons(reads: Sequence[Read], rng: Generator) -> tuple[list[Lesson], Target]:
    """What each trial teaches, and what the values are those of.

    rng    in which the weights of several objectives are drawn
    """
    measured = [read for read in reads if read.values is not None]
    feasible = [read for read in measured if read.feasible]
    if measured and not feasible:
        return _violations(reads), "violation"
    if any(len(read.values or ()) > 1 for read in feasible):
        sums = weighted(np.array([read.values for read in feasible]), rng).tolist()
        found = {read.number: Lesson("done", s) for read, s in zip(feasible, sums, strict=True)}
        return [read.alone or found.get(read.number, BROKEN) for read in reads], "weighted"
    middle = _middle([read.values[0] for read in feasible if read.values is not None])
    return [read.alone or _pruned(read, middle) for read in reads], "objective"


def _middle(values: Sequence[float]) -> float:
    return float(np.median(values)) if values else math.inf


def _pruned(read: Read, middle: float) -> Lesson:
    """No better than the middle of the completed ones; without any of these it says nothing yet."""
    if read.last is None or not math.isfinite(middle):
        return BROKEN
    return Lesson("done", max(read.last, middle))


def _violations(reads: Sequence[Read]) -> list[Lesson]:
    """The sum of the violations, each in units of its median, so that none drowns the others."""
    amounts: dict[str, list[float]] = {}
    for read in reads:
        for name, amount in read.violations.items():
            if 0.0 < amount < math.inf:
                amounts.setdefault(name, []).append(amount)
    units = {name: float(np.median(found)) for name, found in amounts.items()}
    found = []
    for read in reads:
        total = sum(max(0.0, amount) / units.get(name, 1.0) for name, amount in read.violations.items())
        known = not read.under_way and bool(read.violations) and math.isfinite(total)
        found.append(PENDING if read.under_way else Lesson("done", total) if known else BROKEN)
    return found


def weighted(F: Array, rng: Generator) -> Array:
    """One number for each row of objectives, (n, k): the augmented Chebyshev norm with random weights, (n,)."""
    front = F[efficient(F)]
    low, high = front.min(axis=0), front.max(axis=0)
    width = np.where(high > low, high - low, np.ptp(F, axis=0))  # a front of one point has no width of its own
    f = (F - low) / np.where(width > 0, width, 1.0)
    weights: Array = rng.dirichlet(np.ones(F.shape[1]))
    s: Array = np.max(weights * f, axis=1) + AUGMENTED * (f @ weights)
    return s


def efficient(F: Array) -> Any:
    """Which rows no other row is at least as good as everywhere and better somewhere, (n,)."""
    order = np.lexsort(F.T[::-1])
    front, n, mask = np.empty(F.shape), 0, np.zeros(len(F), dtype=np.bool_)
    for i in order.tolist():  # only a row before it in this order can dominate it
        better = np.all(front[:n] <= F[i], axis=1) & np.any(front[:n] < F[i], axis=1)
        if not better.any():
            front[n], mask[i], n = F[i], True, n + 1
    return mask
