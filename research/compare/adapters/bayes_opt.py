# mypy: disable-error-code="import-not-found,import-untyped"
"""bayesian-optimization with its default acquisition function; it maximizes."""

from __future__ import annotations

from bayes_opt import BayesianOptimization


class Peer:
    """All defaults, but a point may come twice, where it would raise an error."""

    def __init__(self, bounds: list[list[float]], points: list[list[float]], values: list[float], seed: int) -> None:
        self.names = [f"x{i:03}" for i in range(len(bounds))]
        box = {self.names[i]: (low, high) for i, (low, high) in enumerate(bounds)}
        self.optimizer = BayesianOptimization(
            f=None, pbounds=box, random_state=seed, verbose=0, allow_duplicate_points=True
        )
        for i, point in enumerate(points):
            self.tell(point, values[i])

    def ask(self) -> list[float]:
        found = self.optimizer.suggest()
        return [float(found[name]) for name in self.names]

    def tell(self, point: list[float], value: float) -> None:
        self.optimizer.register(params={self.names[j]: x for j, x in enumerate(point)}, target=-value)
