"""Why a random grid is good enough in few dimensions only: its holes.

n  int    points of the grid of the last step        h  float  fill distance, the radius of the largest hole
"""

import numpy as np

from suffice.lab.plan import Plan
from suffice.paper.fill import fill_bracket, fill_distance
from suffice.problems import find
from suffice.solvers import Grid

LARGEST_EXACT = 4  # dimensions; thousands of points in six take minutes


def fill_distances(plan: Plan, seed: int = 0) -> list[tuple[int, int, float]]:
    """(d, n, h) of each task: the fill distance, in the unit cube, of n = 100 T uniform points.

    Exact up to four dimensions, beyond that the largest hole that a search finds, a lower bound.
    """
    rows = []
    for task in plan.tasks:
        d = find(task.problem).dim
        n = Grid().size(task.iterations, d)
        rng = np.random.default_rng([seed, d])
        X = rng.random((n, d))
        rows.append((d, n, fill_distance(X) if d <= LARGEST_EXACT else fill_bracket(X, rng).lower))
    return rows
