"""Random search: uniform points."""

from __future__ import annotations

import math
from typing import Any

import numpy as np


class Peer:
    """It learns nothing."""

    def __init__(self, space: list[dict[str, Any]], points: Any, values: Any, seed: int) -> None:  # noqa: ARG002
        self.space = space
        self.rng = np.random.default_rng(seed)

    def ask(self) -> Any:
        return [drawn(self.rng, **parameter) for parameter in self.space]

    def tell(self, point: Any, value: float) -> None:
        """Nothing to do."""


def drawn(rng: Any, kind: str, low: float = 0, high: float = 0, log: bool = False, options: Any = ()) -> Any:
    """A uniform value; on a log scale a uniform logarithm, of an integer the one whose cell i ± ½ is met."""
    if kind == "choice":
        return rng.integers(len(options))
    if kind == "int" and not log:
        return rng.integers(low, high + 1)
    edge = 0.5 if kind == "int" else 0.0
    if not log:
        return rng.uniform(low, high)
    value = math.exp(rng.uniform(math.log(low - edge), math.log(high + edge)))
    return min(max(round(value) if kind == "int" else value, low), high)
