"""What a solve did and what it answers, built the same way by every solver.

Work counts rows in evaluations: a gradient row is p + 1 of them, p being the smooth columns, the price of a gradient by
differences, and a Hessian row (p + 1)(p + 2)/2. The row that re-evaluates the winner is the record of the search, no
part of it, and is not counted.
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
