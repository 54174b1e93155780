# mypy: disable-error-code="import-not-found,import-untyped"
"""Optuna's samplers, through `Study.ask` and `Study.tell`."""

from __future__ import annotations

from typing import Any

import optuna
from optuna.distributions import CategoricalDistribution, FloatDistribution, IntDistribution

SAMPLERS = {"tpe": optuna.samplers.TPESampler, "gp": optuna.samplers.GPSampler}


class Peer:
    """A study with one of the samplers; it samples at random only as long as its initial design lasts."""

    def __init__(
        self, space: list[dict[str, Any]], points: list[list[float]], values: list[float], seed: int, sampler: str
    ) -> None:
        optuna.logging.set_verbosity(optuna.logging.WARNING)
        if sampler == "gp":  # it would be imported by the first suggestion, and count as its time
            import torch

            torch.set_num_threads(1)
        self.space = {f"x{i}": distribution(**parameter) for i, parameter in enumerate(space)}
        chosen = SAMPLERS[sampler](seed=seed, n_startup_trials=min(10, len(points)))  # 10 is the default of both
        self.study = optuna.create_study(sampler=chosen, direction="minimize")
        for i, point in enumerate(points):
            # A distribution's own number for a value is what a point has: of an option its place.
            params = {name: known.to_external_repr(point[j]) for j, (name, known) in enumerate(self.space.items())}
            trial = optuna.trial.create_trial(params=params, distributions=self.space, value=values[i])
            self.study.add_trial(trial)
        self.trial: Any = None

    def ask(self) -> list[float]:
        self.trial = self.study.ask(self.space)
        return [known.to_internal_repr(self.trial.params[name]) for name, known in self.space.items()]

    def tell(self, point: list[float], value: float) -> None:  # noqa: ARG002  the point just asked for
        self.study.tell(self.trial, value)


def distribution(kind: str, **words: Any) -> Any:
    """What Optuna calls a parameter."""
    if kind == "choice":
        return CategoricalDistribution(words["options"])
    return (IntDistribution if kind == "int" else FloatDistribution)(**words)
