# mypy: disable-error-code="import-not-found,import-untyped"
"""scikit-optimize's Optimizer with a Gaussian process; it is fitted when a value is told."""

from __future__ import annotations

from typing import Any

from skopt import Optimizer


class Peer:
    """All defaults, but no random points of its own."""

    def __init__(self, bounds: list[list[float]], points: list[list[float]], values: list[float], seed: int) -> None:
        dimensions = [(float(low), float(high)) for low, high in bounds]
        self.optimizer = Optimizer(dimensions, base_estimator="GP", n_initial_points=0, random_state=seed)
        self.optimizer.tell(points, values)

    def ask(self) -> Any:
        return self.optimizer.ask()

    def tell(self, point: list[float], value: float) -> None:
        self.optimizer.tell(point, value)
