"""The surface that a batch of local searches climbs, its rounds, and the ends of its runs.

m     int     runs, one for each start        p     int     smooth columns: the only ones that move
Z     (a, p)  smooth columns of trial points  rows  (a,)    the run that each of them belongs to

In a domain that is no product, some smooth columns of a run may be fixed, and trial points may lie outside.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from suffice.solvers.record import Work, late
from suffice.types import Array, Score, largest

Mask: TypeAlias = NDArray[np.bool_]
Rows: TypeAlias = NDArray[np.intp]

# Times the predicted rise of its next step: a run that is farther below the best one cannot win. At the foot of a
# narrow peak the predicted rise is small: on scores with such peaks 14 of 144 searches missed the maximum with 10, 8
# with 100, and 7 if all runs went to the end.
LATE = 100.0
MAX_ITER = 200  # trials of a run with L-BFGS; half as many with second derivatives, twice as many with conjugacy
FIRST_STEP = 0.1  # of the cube: the length of a step while the curvature is unknown
ROUNDING = 16 * np.finfo(np.float64).eps  # relative: a gain below it cannot be seen


@dataclass(frozen=True)
class Surface:
    """A score as a function of the smooth columns, every run keeping the lattice columns of its start."""

    alpha: Score
    starts: Array  # (m, d)
    smooth: Mask  # (d,)
    deadline: float | None = None  # time.monotonic() at which the runs stop
    held: Mask | None = None  # (m, p): fixed columns of each run; None: all may move
    inside: Callable[[Array], Mask] | None = None  # which points are members; None: all of them
    known: float | None = None  # a value found before, in a race: runs that cannot win stop; None: all go to the end

    @cached_property
    def whole(self) -> bool:
        """No column stays fixed."""
        return bool(self.smooth.all())

    @property
    def late(self) -> bool:
        """Whether the deadline has passed; checked between rounds."""
        return late(self.deadline)

    def lost(self, v: Array, promise: Array, ended: Array) -> Mask:
        """Which runs, at v with such a predicted rise, cannot beat the best known value any more, (a,)."""
        if self.known is None:
            return np.zeros(len(v), dtype=np.bool_)
        best = max(self.known, v.max(initial=-math.inf), ended.max(initial=-math.inf))
        lost: Mask = v + LATE * promise < best
        return lost

    @cached_property
    def origin(self) -> Array:
        """The starts of the runs, (m, p)."""
        return self.starts[:, self.smooth]

    def points(self, Z: Array, rows: Rows) -> Array:
        """Trial points with all their columns, (a, d)."""
        if self.held is not None:
            Z = np.where(self.held[rows], self.origin[rows], Z)
        if self.whole:
            return Z
        X = self.starts[rows]
        X[:, self.smooth] = Z
        return X

    def values(self, Z: Array, rows: Rows) -> Array:
        """alpha, (a,); −inf where it is NaN or outside the domain, so that no run goes there."""
        X = self.points(Z, rows)
        return self._members(numbers(self.alpha(X)), X)

    def values_and_grads(self, Z: Array, rows: Rows) -> tuple[Array, Array]:
        """alpha, (a,), and its gradient in the smooth columns, (a, p)."""
        X = self.points(Z, rows)
        values, gradients = self.alpha.value_and_grad(X)
        gradients = gradients if self.whole else gradients[:, self.smooth]
        gradients = gradients if self.held is None else np.where(self.held[rows], 0.0, gradients)
        return self._members(numbers(values), X), gradients

    def with_hessian(self, Z: Array, rows: Rows) -> tuple[Array, Array, Array]:
        """alpha, (a,), its gradient, (a, p), and its Hessian, (a, p, p), in the smooth columns."""
        X = self.points(Z, rows)
        values, gradients, H = self.alpha.with_hessian(X, np.flatnonzero(self.smooth))
        if self.held is not None:
            still = self.held[rows]
            gradients = np.where(still, 0.0, gradients)
            H = np.where(still[:, :, None] | still[:, None], 0.0, H)
        return self._members(numbers(values), X), gradients, H

    def _members(self, values: Array, X: Array) -> Array:
        return values if self.inside is None else np.where(self.inside(X), values, -np.inf)


def numbers(values: Array) -> Array:
    """−inf for NaN, (a,)."""
    return np.where(np.isnan(values), -np.inf, values)


@dataclass(frozen=True)
class Ascent:
    """The ends of m local runs: the best point of each."""

    points: Array  # (m, d)
    values: Array  # (m,): −inf if all values were NaN
    initial: Array  # (m,): the values of the starts
    cut: Mask  # (m,): stopped by the limit on iterations, or by the deadline
    work: Work

    @property
    def improved(self) -> Mask:
        """Which runs ended higher than they started, (m,)."""
        return self.values > self.initial


class LocalSearch(Protocol):
    """A batch of local runs."""

    def __call__(self, surface: Surface, max_iter: int | None, tol: float, leaders: int = 0) -> Ascent:
        """Search until the fraction tol of the way to the maximum is left, for at most max_iter rounds (None: the
        method's own limit); the best `leaders` runs may go on beyond max_iter."""


class Runs(Protocol):
    """The remaining runs, `rows` among those of a surface, with the values v."""

    rows: Rows
    v: Array
    end_v: Array

    def round(self) -> None:
        """One trial of every run."""

    def drop(self, runs: Mask, /) -> None:
        """These runs stop."""


def in_rounds(runs: Runs, surface: Surface, *, limit: int, max_iter: int | None, leaders: int) -> Mask:
    """Advance all runs for `max_iter` rounds and the best `leaders` up to the limit; which were cut off, (m,)."""
    together = limit if max_iter is None else max_iter
    cut = np.zeros(len(runs.end_v), dtype=np.bool_)
    for i in range(max(limit, together) if leaders else together):
        if i == together:
            behind = np.ones(len(runs.rows), dtype=np.bool_)
            behind[largest(runs.v, leaders)] = False
            cut[runs.rows[behind]] = True
            runs.drop(behind)
        if not len(runs.rows) or surface.late:
            break
        runs.round()
    cut[runs.rows] = True
    runs.drop(np.ones(len(runs.rows), dtype=np.bool_))
    return cut
