"""Walking uphill from neighbour to neighbour, in a space in which no column can be changed by itself.

m       int     runs                          X     (m, d)  where they stand, v (m,) how high
LOOKED  int     neighbours that a run looks at in a round

Each run goes to the best of the neighbours it looked at, if that is higher, until it has looked in vain; the highest
run looks longer than the others before it gives up.
"""

import numpy as np
from numpy.random import Generator

from suffice.solvers.record import Work, late
from suffice.solvers.search.surface import Ascent, Mask, numbers
from suffice.types import Array, Domain, Indices, Score

LOOKED = 8
IN_VAIN = 2  # rounds without a higher neighbour before a run gives up,
LEADER_IN_VAIN = 8  # and before the highest one does
ROUNDS = 50  # at most


def walk(alpha: Score, domain: Domain, starts: Array, rng: Generator, deadline: float | None = None) -> Ascent:
    """Where walks from the starts, (m, d), end, none of them lower than it began."""
    X, v = starts.copy(), numbers(alpha(starts))
    initial, vain, work = v.copy(), np.zeros(len(X), dtype=np.intp), Work(values=len(X))
    for _ in range(ROUNDS):
        live = np.flatnonzero(_going(v, vain))
        if not len(live) or late(deadline):
            break
        others = np.concatenate([domain.near(x, LOOKED, rng, ()) for x in X[live]])
        values = numbers(alpha(others)).reshape(len(live), LOOKED)
        work += Work(values=len(others))
        best = values.argmax(axis=1)
        height = values[np.arange(len(live)), best]
        up = height > v[live]
        vain[live] += 1
        vain[live[up]] = 0
        X[live[up]] = others.reshape(len(live), LOOKED, -1)[up, best[up]]
        v[live[up]] = height[up]
    return Ascent(X, v, initial, _going(v, vain), work)


def _going(v: Array, vain: Indices) -> Mask:
    """Which runs have not given up, (m,)."""
    patience = np.where(v == v.max(initial=-np.inf), LEADER_IN_VAIN, IN_VAIN)
    return (vain < patience) & np.isfinite(v)
