"""Ranking drawn points, and the record of what was drawn.

X       (n, d)  drawn points          values  (n,)  alpha(X), NaN where alpha has no value
k       int     how many are kept     rows    (k,)  of the k largest values, largest first, ties by first index
"""

import numpy as np

from suffice.solvers.record import Work, record
from suffice.space import blocks
from suffice.types import Array, Domain, Draws, Score, Solution, largest

KEEP = 10  # the tail estimate looks at about this many of the largest values
MEDIAN_ROWS = 100  # the median of 100 uniform draws is a quantile between 0.4 and 0.6 in 95 of 100 cases


def median(values: Array) -> float | None:
    """The median of the finite values; None if there is none."""
    finite = values[np.isfinite(values)]
    return float(np.median(finite)) if len(finite) else None


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
