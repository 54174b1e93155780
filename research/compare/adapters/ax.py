# mypy: disable-error-code="import-not-found,import-untyped"
"""Ax's client with its default generation strategy."""

from __future__ import annotations

import torch
from ax.api.client import Client
from ax.api.configs import RangeParameterConfig


class Peer:
    """The initial design is attached as finished trials, which take the place of Ax's own initialization.

    The default strategy begins with the centre of the box; without it, it sees at once that it is initialized.
    """

    def __init__(self, bounds: list[list[float]], points: list[list[float]], values: list[float], seed: int) -> None:
        torch.set_num_threads(1)
        self.names = [f"x{i}" for i in range(len(bounds))]
        self.client = Client(random_seed=seed)
        self.client.configure_experiment(
            parameters=[
                RangeParameterConfig(name=self.names[i], parameter_type="float", bounds=(low, high))
                for i, (low, high) in enumerate(bounds)
            ]
        )
        self.client.configure_optimization(objective="-value")
        self.client.configure_generation_strategy(initialize_with_center=False)
        for i, point in enumerate(points):
            number = self.client.attach_trial({self.names[j]: x for j, x in enumerate(point)})
            self.client.complete_trial(number, raw_data={"value": values[i]})
        self.number = -1

    def ask(self) -> list[float]:
        ((self.number, parameters),) = self.client.get_next_trials(max_trials=1).items()
        return [parameters[name] for name in self.names]

    def tell(self, point: list[float], value: float) -> None:  # noqa: ARG002  the point just asked for
        self.client.complete_trial(self.number, raw_data={"value": value})
