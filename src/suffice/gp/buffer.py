"""Room for a matrix that grows by rows, shared by all that grow from it, without a lock."""

from dataclasses import dataclass, field

import numpy as np

from suffice.types import Array


@dataclass(frozen=True)
class Buffer:
    """Rows for R, shared by a factor and those grown from it; each row is written once, by who claims it first."""

    rows: Array  # (capacity, capacity), zero until written
    claims: dict[int, object] = field(default_factory=dict)

    def claim(self, start: int, stop: int) -> bool:
        """Whether rows start … stop − 1 are now the caller's to write."""
        token = object()
        # dict.setdefault is atomic, so two threads that grow one posterior cannot both get the rows.
        return stop <= len(self.rows) and self.claims.setdefault(start, token) is token


def room(n: int) -> Buffer:
    """A buffer for n rows and a tenth more, at least 32, before R has to move to a new one."""
    capacity = n + max(32, n // 10)
    return Buffer(np.zeros((capacity, capacity)))
