"""A proven upper limit of the maximum of a frozen score: branch and bound over anything that offers `bound`.

lower, upper  (m, d)  boxes of the unit cube that cover the domain;     bound  (m,)  no value in a box is above it

The box with the largest bound is split until the bounds of all boxes are below a value that was attained, or the
budget is spent. At any moment the largest bound of a box limits the maximum, and it only falls, since a part keeps the
bound of the whole where its own is worse. Boxes are handled many at a time, so that `bound` can work on whole arrays.

A box relaxes the discrete coordinates: an integer is the interval between two of its values, a choice is [0, 1] for
each option that is left, or where options have places of their own, the smallest box around those that are left. It
still contains the members of the domain that are in it, which is all that is needed. So it does where the domain has
known constraints: the proof is then of all points that the parameters allow, and may lie above the maximum of those
that satisfy the constraints. Inactive parameters of a conditional space are cut off.
"""

import math
import time
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from suffice.space import Scattered, Shaped, blocks, held
from suffice.types import Array, Domain, Levels, Score, as_score

NODES = 50_000  # boxes, unless the caller says otherwise; about a second for a hundred observations
MOST_NODES = 2_000_000  # with a limit in seconds
OPEN = 2**26  # numbers, half a gigabyte: half of the boxes may be open, and each has 2d + 1 of them
ENUMERATED = 100_000  # points of a finite domain that are scored one by one rather than boxed
BATCH, MOST, SHARE = 128, 4096, 8  # one in SHARE of the boxes that matter are split at a time, within these limits
CENTRES = 64  # of the most promising new boxes, scored in search of a larger value
RESOLUTION = 2.0**-30  # a box this narrow in every column is as good as a point


@dataclass(frozen=True)
class Certificate:
    """What branch and bound has proved: value ≤ max alpha ≤ upper."""

    upper: float  # no point of the domain has a larger value
    value: float  # the largest value known to be attained
    x: Array | None  # (d,): where; None if it is the caller's `value`
    nodes: int  # boxes bounded, or points scored
    open_boxes: int  # boxes left whose bound is above `value`
    seconds: float
    finished: bool  # the tolerance is met, or as far as the bound of a single point allows


class Boxes(NamedTuple):
    """Boxes with their bounds."""

    lower: Array
    upper: Array
    bound: Array

    def take(self, rows: NDArray[np.intp] | NDArray[np.bool_]) -> "Boxes":
        return Boxes(self.lower[rows], self.upper[rows], self.bound[rows])

    def join(self, other: "Boxes") -> "Boxes":
        return Boxes(*(np.concatenate(pair) for pair in zip(self, other, strict=True)))

    def highest(self) -> float:
        return float(self.bound.max(initial=-math.inf))


def certify(
    alpha: Score,
    domain: Domain,
    *,
    value: float = -math.inf,
    nodes: int | None = None,
    seconds: float | None = None,
    tolerance: float = 0.0,
) -> Certificate:
    """Limits of max alpha from below and above, at most `tolerance` apart unless `nodes` or `seconds` run out first.

    `value` is one that alpha attains, as found by a solver: the larger it is, the fewer boxes stay open. The answer
    depends on a clock only if `seconds` are given.
    """
    if not as_score(alpha).bounded:
        raise TypeError(
            f"certify needs an acquisition function with a method `bound`, such as UCB: got {type(alpha).__name__}"
        )
    if (nodes is not None and nodes < 1) or not tolerance >= 0:
        raise ValueError(f"certify needs nodes ≥ 1 and tolerance ≥ 0: got {nodes!r} and {tolerance!r}")
    start = time.perf_counter()
    budget = nodes if nodes is not None else NODES if seconds is None else MOST_NODES
    # Boxes of a cube say little about points that are scattered in it, of which most are ruled out one by one.
    listed = budget if isinstance(domain, Scattered) and alpha.sieves else min(budget, ENUMERATED)
    if domain.size <= listed:
        return _enumerated(alpha, domain, value, start)
    budget = min(budget, 2 * OPEN // (2 * domain.dim + 1))
    scales = np.ones(domain.dim) if alpha.scales is None else alpha.scales
    boxes = _root(domain)
    boxes = boxes._replace(bound=alpha.bound(boxes.lower, boxes.upper))
    settled, count = -math.inf, 1  # settled: the largest bound of a box too narrow to be split
    value, x, excess = _probe(alpha, domain, boxes, value, None)
    while live := int(np.count_nonzero(boxes.bound > max(value + max(tolerance, excess), settled))):
        k = min(live, max(BATCH, live // SHARE), MOST, held(domain), (budget - count) // 2)
        if seconds is not None:  # no more than the time left is enough for, at the pace so far
            elapsed = time.perf_counter() - start
            k = min(k, math.ceil(0.5 * count * (seconds / elapsed - 1.0)))
        if k < 1:
            break
        order = np.argpartition(-boxes.bound, k - 1)
        parts = _cut(domain, _split(domain, boxes.take(order[:k]), scales))
        if not len(parts.bound):
            boxes, count = boxes.take(order[k:]), count + 2 * k
            continue
        parts = parts._replace(bound=np.minimum(alpha.bound(parts.lower, parts.upper), parts.bound))
        count += len(parts.bound)
        value, x, excess = _probe(alpha, domain, parts, value, x)
        narrow = np.max(parts.upper - parts.lower, axis=1) <= RESOLUTION
        settled = max(settled, parts.take(narrow).highest())
        boxes = boxes.take(order[k:]).join(parts.take(~narrow))
        boxes = boxes.take(boxes.bound > value)
    upper = max(value, settled, boxes.highest())
    return Certificate(upper, value, x, count, len(boxes.bound), time.perf_counter() - start, not live)


def _enumerated(alpha: Score, domain: Domain, value: float, start: float) -> Certificate:
    """Every point of a finite domain is scored; the bound of the best one, as a box of width zero, covers rounding."""
    x, upper = None, -math.inf if math.isinf(value) else value
    for X in blocks(domain):
        rows = X if math.isinf(value) else X[alpha.reach(X, value)]
        if len(rows):
            value, x, excess = _best(alpha, rows, value, x)
            upper = max(upper, value + excess)
    return Certificate(upper, value, x, int(domain.size), 0, time.perf_counter() - start, True)


def _probe(
    alpha: Score, domain: Domain, boxes: Boxes, value: float, x: Array | None
) -> tuple[float, Array | None, float]:
    """`_best` of the centres of the boxes with the largest bounds."""
    rows = np.argsort(-boxes.bound, kind="stable")[:CENTRES]
    return _best(alpha, domain.snap(0.5 * (boxes.lower[rows] + boxes.upper[rows])), value, x)


def _best(alpha: Score, X: Array, value: float, x: Array | None) -> tuple[float, Array | None, float]:
    """The largest value among those of X and `value`, where it is, and how far the bound of the best row is above it.

    No partition can do better than that excess: where `value` is attained, some box has at least such a bound. The
    logarithm of a tiny value has a large excess, which says nothing about the largest: there it counts above `value`.
    """
    best = X[[np.argmax(alpha(X))]]
    found = float(alpha(best)[0])  # alone, as everywhere
    excess = float(alpha.bound(best, best)[0]) - (max(found, value) if alpha.logarithmic else found)
    return (found, best[0], excess) if found > value else (value, x, excess)


def _root(domain: Domain) -> Boxes:
    """One box that contains the domain."""
    lower, upper = np.zeros((1, domain.dim)), np.ones((1, domain.dim))
    for coordinate in domain.coordinates:
        lower[:, coordinate.columns], upper[:, coordinate.columns] = coordinate.ends
    return Boxes(lower, upper, np.full(1, math.inf))


def _split(domain: Domain, boxes: Boxes, scales: Array) -> Boxes:
    """Each box in two, across the coordinate in which it is widest; first all left parts, then all right ones."""
    widest = np.argmax((boxes.upper - boxes.lower) / scales, axis=1)
    left, right = (Boxes(boxes.lower.copy(), boxes.upper.copy(), boxes.bound) for _ in range(2))
    for coordinate in domain.coordinates:
        rows = np.flatnonzero((coordinate.start <= widest) & (widest < coordinate.stop))
        if not len(rows):
            continue
        block = np.ix_(rows, np.arange(coordinate.start, coordinate.stop))
        lower, upper = boxes.lower[block], boxes.upper[block]
        if coordinate.places is not None:
            parts = coordinate.places.split(lower, upper, widest[rows] - coordinate.start)
        elif coordinate.kind == "choice":
            parts = _by_options(lower, upper)
        elif coordinate.levels is not None:
            parts = _between_levels(coordinate.levels, lower, upper)
        else:
            middle = 0.5 * (lower + upper)
            parts = lower, middle, middle, upper
        left.lower[block], left.upper[block], right.lower[block], right.upper[block] = parts
    return left.join(right)


def _cut(domain: Domain, boxes: Boxes) -> Boxes:
    """The boxes as far as they hold members, where the domain knows; those that hold none are left out."""
    if domain.product or not isinstance(domain, Shaped):
        return boxes
    lower, upper, holds = domain.cut(boxes.lower, boxes.upper)
    return Boxes(lower, upper, boxes.bound).take(holds)


def _by_options(lower: Array, upper: Array) -> tuple[Array, Array, Array, Array]:
    """The first half of the options that are left, and the others; the last one left is chosen."""
    free = upper > lower
    first = free & (np.cumsum(free, axis=1) <= free.sum(axis=1, keepdims=True) // 2)
    parts = []
    for kept in (first, free & ~first):
        parts += [np.where(kept.sum(axis=1, keepdims=True) == 1, kept, False).astype(float), kept.astype(float)]
    return parts[0], parts[1], parts[2], parts[3]


def _between_levels(levels: Levels, lower: Array, upper: Array) -> tuple[Array, Array, Array, Array]:
    """Two intervals that end at neighbouring levels on both sides of the middle, or in it where it has no level."""
    middle = 0.5 * (lower + upper)
    k = levels.index(middle)
    nearest = levels.at(k)
    other = np.where(nearest < upper, k + 1, k - 1)
    separate, neighbour = np.maximum(k, other) < levels.count, levels.at(other)
    below = np.where(separate, np.minimum(nearest, neighbour), middle)
    above = np.where(separate, np.maximum(nearest, neighbour), middle)
    return lower, below, above, upper
