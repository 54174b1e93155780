"""What a batch of local searches climbs, and where its runs ended.

m     int     runs, one for each start        p     int     smooth columns: the only ones that move
Z     (a, p)  smooth columns of trial points  rows  (a,)    the run that each of them belongs to

In a domain that is no product a run may have smooth columns that it cannot move, and trial points may be no members.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from suffice.solvers.record import Work, late
from suffice.types import Array, Indices, Score

Mask: TypeAlias = NDArray[np.bool_]
Rows: TypeAlias = NDArray[np.intp]


# Times the rise that its next step promises: a run that is farther below the best one does not get there. A step at the
# foot of a narrow peak promises little: on scores with such peaks 14 of 144 searches missed the maximum with 10, 8 with
# 100, and 7 where all runs went to the end.
LATE = 100.0


@dataclass(frozen=True)
class Surface:
    """A score as a function of the smooth columns, every run keeping the lattice columns of its start."""

    alpha: Score
    starts: Array  # (m, d)
    smooth: Mask  # (d,)
    deadline: float | None = None  # time.monotonic() from which the runs stop where they are
    held: Mask | None = None  # (m, p): columns that stay where they are in a run; None: all may move
    inside: Callable[[Array], Mask] | None = None  # which points are members; None: all of them
    known: float | None = None  # a value found before, in a race: runs that cannot win stop; None: all go to the end

    @cached_property
    def whole(self) -> bool:
        """No column stays fixed."""
        return bool(self.smooth.all())

    @property
    def late(self) -> bool:
        """Whether the deadline has passed: asked between rounds."""
        return late(self.deadline)

    def lost(self, v: Array, promise: Array, ended: Array) -> Mask:
        """Which runs, at v with a next step that promises so much, cannot beat the best known value any more, (a,)."""
        if self.known is None:
            return np.zeros(len(v), dtype=np.bool_)
        best = max(self.known, v.max(initial=-math.inf), ended.max(initial=-math.inf))
        lost: Mask = v + LATE * promise < best
        return lost

    @cached_property
    def origin(self) -> Array:
        """Where the runs start, (m, p)."""
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
    """Where m local runs ended: the best point each of them saw."""

    points: Array  # (m, d)
    values: Array  # (m,): −inf where no value was a number
    initial: Array  # (m,): the values of the starts
    cut: Mask  # (m,): stopped by the limit on iterations, or by the deadline
    work: Work

    def head(self, m: int | None) -> "Ascent":
        """The first m runs, or all; the work is that of all."""
        return Ascent(self.points[:m], self.values[:m], self.initial[:m], self.cut[:m], self.work)

    @property
    def improved(self) -> Mask:
        """Which runs ended higher than they started, (m,)."""
        return self.values > self.initial


class LocalSearch(Protocol):
    """A batch of local runs."""

    def __call__(self, surface: Surface, max_iter: int | None, tol: float, leaders: int = 0) -> Ascent:
        """The share tol of the way to the maximum may be left after max_iter rounds, None being the method's own limit;
        the best `leaders` runs may go on beyond max_iter."""


#| -- solvers.search.hills: Which ends of local runs lie on one hill.
#|
#| X       (m, d)  ends of local runs                    v    (m,)   alpha there
#| smooth  (d,)    columns in which there is a way       dip  float  what two ends on one hill may have between them
#|
#| Runs are cut long before they arrive, and on a ridge in many columns no two of them end near each other. Two ends
#| are on
#| one hill if the straight way between them does not dip: a run that went on would not have to stop before the other
#| one.
#| Between cells of the columns that do not move there is no way.

# Points of a way that are looked at, as shares of it: a valley as wide as an eighth does not hide. They are looked at
# in turn, since most ways between two hills dip in the middle, and one dip is enough.
WAY = tuple(np.array(shares) / 9 for shares in ((5,), (1, 2, 3, 4, 6, 7, 8)))
MET = 1e-2  # of a length-scale: no score of a model has a valley between ends that are this near
BETWEEN = sum(map(len, WAY))


def hills(
    alpha: Callable[[Array], Array],
    X: Array,
    v: Array,
    smooth: NDArray[np.bool_],
    *,
    dip: float,
    scales: Array | None = None,
    deadline: float | None = None,
) -> tuple[Indices, int]:
    """The hill of each end, (m,), 0 being the highest and each joining the highest it can, and the rows of alpha that
    it took; after the deadline every end has a hill of its own."""
    order = np.argsort(-v, kind="stable")
    near = MET * (np.ones(X.shape[1]) if scales is None else scales)
    hill, rows, count = np.full(len(v), -1, dtype=np.intp), 0, 0
    for top in order.tolist():
        if hill[top] >= 0:
            continue
        hill[top] = count
        others = np.flatnonzero((hill < 0) & (X[:, ~smooth] == X[top, ~smooth]).all(axis=1))
        met = (np.abs(X[others] - X[top]) <= near).all(axis=1) & (v[others] >= v[top] - dip)
        hill[others[met]] = count  # runs that have arrived at one peak need no look at the way between them
        others = others[~met]
        for shares in WAY:
            if late(deadline) or not len(others):
                others = others[:0]
                break
            way = X[others] + shares[:, None, None] * (X[top] - X[others])
            lowest = alpha(way.reshape(-1, X.shape[1])).reshape(len(shares), len(others)).min(axis=0)
            rows += len(shares) * len(others)
            others = others[lowest >= v[others] - dip]
        hill[others] = count
        count += 1
    return hill, rows
