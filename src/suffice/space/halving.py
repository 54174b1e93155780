"""Rows of a table that are spread as evenly over it as numbers are over the cube.

V   (m, D)  one number for each row and coordinate        U   (n, D)  numbers in [0, 1]

The rows are halved at the median of the coordinate with the largest variance, either half at that of the next one, and
so on until one row is left; u says which half, as a digit in base two does. So uniform U give every row the same
chance, and where U has one point in each half, quarter and eighth of the cube, the rows have one in each of the table.
(The row nearest to a place in the cube is another matter: a row with much empty space around it is nearest to most.)
"""

import numpy as np

from suffice.types import Array, Indices

SAMPLED = 10_000  # rows that tell the variances


def halved(V: Array, U: Array) -> Indices:
    """The row of the table for each row of U, (n,)."""
    found = np.empty(len(U), dtype=np.intp)
    order = np.argsort(-V[:: max(1, len(V) // SAMPLED)].var(axis=0), kind="stable")
    left = [(np.arange(len(V)), np.arange(len(U)), U.astype(np.float64), 0)]
    while left:
        rows, wanted, u, depth = left.pop()
        if len(rows) == 1 or not len(wanted):
            found[wanted] = rows[0]
            continue
        column, half = order[depth % len(order)], len(rows) // 2
        rows = rows[np.argpartition(V[rows, column], half)]
        share = half / len(rows)
        below = u[:, column] < share
        for part, here, low, width in ((rows[:half], below, 0.0, share), (rows[half:], ~below, share, 1.0 - share)):
            inside = u[here]
            inside[:, column] = (inside[:, column] - low) / width
            left.append((part, wanted[here], inside, depth + 1))
    return found
