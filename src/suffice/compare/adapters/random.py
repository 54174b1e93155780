"""Random search: uniform points."""

from __future__ import annotations

from typing import Any

import numpy as np


class Peer:
    """It learns nothing."""

    def __init__(self, bounds: list[list[float]], points: Any, values: Any, seed: int) -> None:  # noqa: ARG002
        self.low, self.high = np.array(bounds).T
        self.rng = np.random.default_rng(seed)

    def ask(self) -> Any:
        return self.rng.uniform(self.low, self.high)

    def tell(self, point: Any, value: float) -> None:
        """Nothing to do."""
