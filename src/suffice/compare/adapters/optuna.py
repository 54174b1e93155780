# mypy: disable-error-code="import-not-found,import-untyped"
"""Optuna's samplers, through `Study.ask` and `Study.tell`."""

from __future__ import annotations

from typing import Any

import optuna
from optuna.distributions import FloatDistribution

SAMPLERS = {"tpe": optuna.samplers.TPESampler, "gp": optuna.samplers.GPSampler}


class Peer:
    """A study with one of the samplers; it samples at random only as long as its initial design lasts."""

    def __init__(
        self, bounds: list[list[float]], points: list[list[float]], values: list[float], seed: int, sampler: str
    ) -> None:
        optuna.logging.set_verbosity(optuna.logging.WARNING)
        if sampler == "gp":  # it would be imported by the first suggestion, and count as its time
            import torch

            torch.set_num_threads(1)
        self.space = {f"x{i}": FloatDistribution(low, high) for i, (low, high) in enumerate(bounds)}
        chosen = SAMPLERS[sampler](seed=seed, n_startup_trials=min(10, len(points)))  # 10 is the default of both
        self.study = optuna.create_study(sampler=chosen, direction="minimize")
        for i, point in enumerate(points):
            params = {f"x{j}": x for j, x in enumerate(point)}
            trial = optuna.trial.create_trial(params=params, distributions=self.space, value=values[i])
            self.study.add_trial(trial)
        self.trial: Any = None

    def ask(self) -> list[float]:
        self.trial = self.study.ask(self.space)
        return [self.trial.params[name] for name in self.space]

    def tell(self, point: list[float], value: float) -> None:  # noqa: ARG002  the point just asked for
        self.study.tell(self.trial, value)
