"""Which observations a model uses, where there are more than it can: a pure function of the data.

X  (n, d)  observed points, in the order they were told       y  (n,)  their values, larger is better
m  int     how many are used                                   r  float how far apart distinct places are, in the cube

A posterior of a subset is valid by itself: it leaves out what is known, and its deviation is never smaller for that. So
the subset decides only how much is given away. Where the next points will lie, which is near the best places so far, it
is to be next to nothing: so these have all their neighbours, the bad ones too.
"""

import math

import numpy as np

from suffice.types import Array, Indices

APART = 0.1  # of the cube's diagonal: the distance of places that count as distinct
PLACES = 5  # distinct places whose neighbours are used
BEST, NEAR = 0.25, 0.5  # shares of m: the best values, and the neighbours; what is left is spread over the history


def chosen(X: Array, y: Array, m: int) -> Indices:
    """m rows that matter, in the order they were told."""
    n = len(y)
    if n <= m:
        return np.arange(n)
    taken = np.zeros(n, dtype=np.bool_)
    taken[np.argsort(-y, kind="stable")[: int(BEST * m)]] = True
    around = centres(X, y, PLACES)
    for centre in around:
        free = np.flatnonzero(~taken)
        taken[free[neighbours(X[free], X[centre], int(NEAR * m) // len(around))]] = True
    rest = np.flatnonzero(~taken)
    taken[rest[spread(len(rest), m - int(np.count_nonzero(taken)))]] = True
    return np.flatnonzero(taken)


def by_history(y: Array, m: int) -> Indices:
    """m rows: the best half, and the rest evenly over the history; in the order they were told."""
    order = np.argsort(-y, kind="stable")
    best, rest = order[: m // 2], np.sort(order[m // 2 :])
    return np.sort(np.concatenate([best, rest[spread(len(rest), m - len(best))]]))


def spread(n: int, k: int) -> Indices:
    """k of n, evenly."""
    return np.linspace(0, n - 1, k).astype(np.intp)


def centres(X: Array, y: Array, k: int) -> Indices:
    """The rows of the best points of which none is near another, at most k: the best first."""
    r2, left, found = APART**2 * X.shape[1], np.ones(len(y), dtype=np.bool_), []
    for _ in range(k):
        if not left.any():
            break
        best = int(np.argmax(np.where(left, y, -math.inf)))
        found.append(best)
        left &= ((X - X[best]) ** 2).sum(axis=1) > r2
    return np.array(found, dtype=np.intp)


def neighbours(X: Array, centre: Array, k: int) -> Indices:
    """The k rows nearest to a point, the first of equals."""
    return np.argsort(((X - centre) ** 2).sum(axis=1), kind="stable")[:k]
