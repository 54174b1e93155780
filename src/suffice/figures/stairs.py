"""Fronts of two objectives as stairs: what is on the worse side of them is dominated.

S      (n, 2)   outcomes, larger is better in both          e   (2,)   where the stairs end on both sides
"""

import numpy as np

from suffice.pareto.front import nondominated
from suffice.types import Array


def stairs(S: Array, e: Array) -> Array:
    """The corners of the edge of what the rows dominate above e, (k, 2), from the first objective's worse end.

    A row that is not above e in both objectives counts for nothing. Without rows it is e itself.
    """
    S = S[(S > e).all(axis=1)]
    F = S[nondominated(S, distinct=True)]
    F = F[np.argsort(F[:, 0])]
    if not len(F):
        return np.array([e])
    x = np.concatenate([[e[0]], np.repeat(F[:, 0], 2)])
    y = np.concatenate([np.repeat(F[:, 1], 2), [e[1]]])
    return np.column_stack([x, y])


def between(better: Array, worse: Array) -> Array:
    """The outline of what lies between two stairs with the same ends, (k, 2)."""
    return np.concatenate([better, worse[::-1]])
