"""What a solve did and what it answers, built the same way by every solver.

Work counts rows in evaluations: a gradient row is p + 1 of them, p being the smooth columns, the price of a gradient by
differences, and a Hessian row (p + 1)(p + 2)/2. The row that re-evaluates the winner is the record of the search, no
part of it, and is not counted.
"""

import time
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from suffice.space import blocks
from suffice.types import Array, Domain, Draws, Score, Solution, Starts, Status, Step, largest, smooth_columns


def late(deadline: float | None) -> bool:
    """Whether a deadline, a time.monotonic(), has passed; None never does."""
    return deadline is not None and time.monotonic() >= deadline


@dataclass(frozen=True)
class Work:
    """Rows a score was asked for."""

    values: int = 0
    grads: int = 0
    hessians: int = 0  # each with value and gradient

    def __add__(self, other: "Work") -> "Work":
        return Work(self.values + other.values, self.grads + other.grads, self.hessians + other.hessians)

    def evals(self, domain: Domain) -> int:
        """value rows + (p + 1) · gradient rows + (p + 1)(p + 2)/2 · Hessian rows."""
        p = int(np.count_nonzero(smooth_columns(domain)))
        return self.values + (p + 1) * self.grads + (p + 1) * (p + 2) // 2 * self.hessians


def record(
    alpha: Score,
    domain: Domain,
    x: Array,
    work: Work,
    *,
    status: Status = Status.DONE,
    draws: Draws | None = None,
    starts: Starts | None = None,
) -> Solution:
    """The solution x (d,), its value re-evaluated as one row: a batch may round differently."""
    return Solution(
        x=x.copy(),  # not a view that keeps a whole batch alive
        value=float(alpha(x[None])[0]),
        n_evals=work.evals(domain),
        n_grads=work.grads + work.hessians,
        status=status,
        draws=draws,
        starts=starts,
    )


#| -- solvers.drawing: Ranking drawn points, and the record of what was drawn.
#|
#| X       (n, d)  drawn points          values  (n,)  alpha(X), NaN where alpha has no value
#| k       int     how many are kept     rows    (k,)  of the k largest values, largest first, ties by first index

KEEP = 10  # the tail estimate looks at about this many of the largest values
MEDIAN_ROWS = 100  # the median of 100 uniform draws is a quantile between 0.4 and 0.6 in 95 of 100 cases
SIEVED = 20_000  # points of a domain, of more of which most are not scored in full
SIEVED_FIRST = 2000  # of them that are, to know what the others have to reach
BLOCK = 100  # rows between two looks at the clock: a tenth of a second for the slowest score of the library


def median(values: Array) -> float | None:
    """The median of the finite values; None if there is none."""
    finite = values[np.isfinite(values)]
    return float(np.median(finite)) if len(finite) else None


def valued(alpha: Score, X: Array, step: Step) -> Array:
    """alpha(X), (n,); where there is a deadline, of the first rows only if it passes on the way.

    When it is over says nothing about the values, so that the rows looked at are as random as all of them.
    """
    if step.deadline is None:
        return alpha(X)
    values = [alpha(X[:BLOCK])]
    for i in range(BLOCK, len(X), BLOCK):
        if late(step.deadline):
            break
        values.append(alpha(X[i : i + BLOCK]))
    return np.concatenate(values)


def top_in_time(alpha: Score, X: Array, k: int, step: Step) -> tuple[NDArray[np.intp], Array, int]:
    """Rows and values of the k largest alpha(X), largest first, and how many rows there was time for."""
    if alpha.ranks or step.deadline is None:
        return *alpha.top(X, k), len(X)
    values = valued(alpha, X, step)
    rows = largest(values, k)
    return rows, values[rows], len(values)


def ranked(X: Array, values: Array, *, iid: bool, keep: int = KEEP) -> Draws:
    """The record of n draws whose values are all known; the median only of i.i.d. draws."""
    rows = largest(values, keep)
    return Draws(len(X), iid, X[rows], values[rows], median(values[:MEDIAN_ROWS]) if iid else None)


def enumerated(alpha: Score, domain: Domain, keep: int = KEEP, deadline: float | None = None) -> Solution:
    """The best of all points of a finite domain: `draws.n` is the size of the domain, its median is exact.

    Of a large domain the median is that of some points; there a deadline leaves the best so far, and no record of it.
    """
    if domain.size > SIEVED:
        return _sieved(alpha, domain, keep, deadline)
    values = np.concatenate([alpha(X) for X in blocks(domain)])
    rows = largest(values, keep)
    points = np.concatenate([domain.enumerate(row, row + 1) for row in rows.tolist()])
    draws = Draws(len(values), False, points, values[rows], median(values))
    return record(alpha, domain, points[0], Work(values=len(values)), draws=draws)


def _sieved(alpha: Score, domain: Domain, keep: int, deadline: float | None) -> Solution:
    """`enumerated`, where only points that may be among the best are scored in full."""
    size = int(domain.size)
    some = np.concatenate([domain.enumerate(i, i + 1) for i in range(0, size, size // SIEVED_FIRST)])
    values = alpha(some)
    middle, floor = median(values), float(np.nan_to_num(values[largest(values, keep)[-1]], nan=-np.inf))
    rows, best, start, status = np.empty(0, dtype=np.intp), np.empty(0), 0, Status.DONE
    for X in blocks(domain):
        kept = alpha.reach(X, floor)
        rows, best = np.append(rows, start + kept), np.append(best, alpha(X[kept]))
        first = largest(best, keep)
        rows, best, start = rows[first], best[first], start + len(X)
        if len(best) == keep and best[-1] > floor:
            floor = float(best[-1])
        if start < size and late(deadline):
            status = Status.BUDGET
            break
    points = np.concatenate([domain.enumerate(row, row + 1) for row in rows.tolist()] or [some[:1]])
    draws = Draws(size, False, points, best, middle) if status is Status.DONE else None
    return record(alpha, domain, points[0], Work(values=start), status=status, draws=draws)
