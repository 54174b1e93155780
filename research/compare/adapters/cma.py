# mypy: disable-error-code="import-not-found,import-untyped"
"""CMA-ES in the unit cube, from the best point of the initial design."""

from __future__ import annotations

from typing import Any

import cma
import numpy as np

SIGMA = 0.25  # of the side of the cube: a quarter of it, as the documentation advises


class Peer:
    """Generations, asked for point by point; a search that has converged begins again, at a random point."""

    def __init__(self, bounds: list[list[float]], points: list[list[float]], values: list[float], seed: int) -> None:
        self.low, self.high = np.array(bounds).T
        self.rng = np.random.default_rng(seed)
        best = np.array(points[int(np.argmin(values))])
        self.search = self._begin((best - self.low) / (self.high - self.low))
        self.generation: list[Any] = []
        self.values: list[float] = []

    def ask(self) -> Any:
        if len(self.values) == len(self.generation):
            self._next_generation()
        return self.low + (self.high - self.low) * self.generation[len(self.values)]

    def tell(self, point: list[float], value: float) -> None:  # noqa: ARG002  the point just asked for
        self.values.append(value)

    def _next_generation(self) -> None:
        if self.values:
            self.search.tell(self.generation, self.values)
        if self.search.stop():
            self.search = self._begin(self.rng.random(len(self.low)))
        self.generation, self.values = self.search.ask(), []

    def _begin(self, start: Any) -> Any:
        seed = int(self.rng.integers(1, 2**31))  # 0 would mean the clock
        return cma.CMAEvolutionStrategy(start, SIGMA, {"bounds": [0.0, 1.0], "seed": seed, "verbose": -9})
