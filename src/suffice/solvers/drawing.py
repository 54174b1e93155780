"""Ranking drawn points, and the record of what was drawn.

X       (n, d)  drawn points          values  (n,)  alpha(X), NaN where alpha has no value
k       int     how many are kept     rows    (k,)  of the k largest values, largest first, ties by first index
"""

import numpy as np
from numpy.typing import NDArray

from suffice.solvers.record import Work, late, record
from suffice.space import blocks
from suffice.types import Array, Domain, Draws, Score, Solution, Step, largest

KEEP = 10  # the tail estimate looks at about this many of the largest values
MEDIAN_ROWS = 100  # the median of 100 uniform draws is a quantile between 0.4 and 0.6 in 95 of 100 cases
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


def enumerated(alpha: Score, domain: Domain, keep: int = KEEP) -> Solution:
    """The best of all points of a finite domain: `draws.n` is the size of the domain, its median is exact."""
    values = np.concatenate([alpha(X) for X in blocks(domain)])
    rows = largest(values, keep)
    points = np.concatenate([domain.enumerate(row, row + 1) for row in rows.tolist()])
    draws = Draws(len(values), False, points, values[rows], median(values))
    return record(alpha, domain, points[0], Work(values=len(values)), draws=draws)
