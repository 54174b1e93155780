"""suffice itself, as it comes."""

from __future__ import annotations

from typing import Any

from suffice import Optimizer


class Peer:
    """All defaults."""

    def __init__(self, bounds: list[list[float]], points: list[list[float]], values: list[float], seed: int) -> None:
        self.optimizer = Optimizer([(low, high) for low, high in bounds], seed=seed, n_initial=len(points))
        for i, point in enumerate(points):
            self.optimizer.tell(point, values[i])
        self.trial: Any = None

    def ask(self) -> Any:
        self.trial = self.optimizer.ask()
        return self.trial.point

    def tell(self, point: list[float], value: float) -> None:  # noqa: ARG002  the point just asked for
        self.optimizer.tell(self.trial, value)
