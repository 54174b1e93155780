"""Gradients by forward differences, as SciPy takes them where it gets none: p + 1 value rows for each point.

U  (m, p)  points      h  float  the step, in the units of U      moved  (m, p)  U + h, or U − h where that is outside
"""

from collections.abc import Callable

import numpy as np

from suffice.types import Array


def forward(f: Callable[[Array], Array], U: Array, h: float, upper: Array | float = np.inf) -> tuple[Array, Array]:
    """f (m,) and its slopes (m, p), from one call with (p + 1)·m rows: U itself, then each column moved in turn.

    Where U + h is above `upper` the column moves back instead. The slope is over the step that was really made.
    """
    m, p = U.shape
    moved = np.where(U + h > upper, U - h, U + h)
    Z = np.repeat(U[None], p + 1, axis=0)
    columns = np.arange(p)
    Z[columns + 1, :, columns] = moved.T
    values = f(Z.reshape(-1, p)).reshape(p + 1, m)
    return values[0], (values[1:] - values[0]).T / (moved - U)
