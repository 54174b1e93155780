"""What a solve did and what it answers, built the same way by every solver.

Work counts rows: evaluations = value rows + (smooth columns + 1) · gradient rows, the price of a gradient by
differences. The row that re-evaluates the winner is the record of the search, no part of it, and is not counted.
"""

import time
from dataclasses import dataclass

import numpy as np

from suffice.types import Array, Domain, Draws, Score, Solution, Starts, Status, smooth_columns


def late(deadline: float | None) -> bool:
    """Whether a deadline, a time.monotonic(), has passed; None never does."""
    return deadline is not None and time.monotonic() >= deadline


@dataclass(frozen=True)
class Work:
    """Rows a score was asked for."""

    values: int = 0
    grads: int = 0

    def __add__(self, other: "Work") -> "Work":
        return Work(self.values + other.values, self.grads + other.grads)

    def evals(self, domain: Domain) -> int:
        """value rows + (smooth columns + 1) · gradient rows."""
        return self.values + (int(np.count_nonzero(smooth_columns(domain))) + 1) * self.grads


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
        n_grads=work.grads,
        status=status,
        draws=draws,
        starts=starts,
    )
