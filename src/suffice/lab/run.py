"""A finished run as it is read back: columns, one value for each iteration."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from suffice.types import Array


@dataclass(frozen=True)
class Run:
    """What `trace.run_job` left, by columns."""

    plan: str
    problem: str
    method: str
    seed: int
    initial: float  # regret of the best point of the initial design
    seconds: float  # fit + bind + solve + report, all iterations
    columns: Mapping[str, Array] = field(repr=False)  # the fields of `trace.Row`, (T,) each
    points: tuple[tuple[Any, ...], ...] = field(default=(), repr=False)  # x_t, the problem's units
    notes: tuple[str, ...] = ()
    version: str = ""  # of suffice

    @property
    def key(self) -> str:
        """The name of the run in the results, as of its job."""
        return f"{self.plan}/{self.problem}/{self.method}/{self.seed}"

    @property
    def cumulative(self) -> Array:
        """R_t = Σ_{s ≤ t} r_s, (T,)."""
        total: Array = np.cumsum(self.columns["regret"])
        return total

    @property
    def simple(self) -> Array:
        """The best regret so far, the initial design included, (T,)."""
        best: Array = np.minimum(np.minimum.accumulate(self.columns["regret"]), self.initial)
        return best
