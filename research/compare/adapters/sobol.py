"""A scrambled Sobol sequence: space-filling, and blind to the values."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.stats import qmc


class Peer:
    """SciPy's sequence, point by point; its scramble is not that of the initial design."""

    def __init__(self, bounds: list[list[float]], points: Any, values: Any, seed: int) -> None:  # noqa: ARG002
        self.low, self.high = np.array(bounds).T
        self.sequence = qmc.Sobol(len(bounds), scramble=True, seed=seed)

    def ask(self) -> Any:
        return self.low + (self.high - self.low) * self.sequence.random()[0]

    def tell(self, point: Any, value: float) -> None:
        """Nothing to do."""
