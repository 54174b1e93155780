# mypy: disable-error-code="import-not-found,import-untyped"
"""SMAC3's black-box facade: a Gaussian process, told the initial design as trials of its own."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

from ConfigSpace import Categorical, Configuration, ConfigurationSpace, Float, Integer
from smac import BlackBoxFacade, Scenario
from smac.runhistory.dataclasses import TrialInfo, TrialValue

ENDLESS = 10**6  # trials: whoever asks decides when it is over


class Peer:
    """All defaults, for a function that gives one value for each point, and without initial points of its own."""

    def __init__(self, space: list[dict[str, Any]], points: list[list[float]], values: list[float], seed: int) -> None:
        self.parameters = {f"x{i:03}": parameter for i, parameter in enumerate(space)}
        self.space = ConfigurationSpace(seed=seed)
        self.space.add([hyperparameter(name, **words) for name, words in self.parameters.items()])
        self.folder = tempfile.TemporaryDirectory()
        scenario = Scenario(
            self.space,
            deterministic=True,
            n_trials=ENDLESS,
            seed=seed,
            output_directory=Path(self.folder.name),
        )
        design = [Configuration(self.space, self._settings(point)) for point in points]
        self.facade = BlackBoxFacade(
            scenario,
            initial_design=BlackBoxFacade.get_initial_design(scenario, n_configs=0, additional_configs=design),
            overwrite=True,
            logging_level=False,
        )
        for i, configuration in enumerate(design):
            self.facade.tell(TrialInfo(configuration, seed=0), TrialValue(cost=values[i]))
        self.asked: Any = None

    def ask(self) -> list[float]:
        self.asked = self.facade.ask()
        return [number(self.asked.config[name], **words) for name, words in self.parameters.items()]

    def tell(self, point: list[float], value: float) -> None:  # noqa: ARG002  the point just asked for
        self.facade.tell(self.asked, TrialValue(cost=value))

    def _settings(self, point: list[float]) -> dict[str, Any]:
        return {name: value(point[j], **words) for j, (name, words) in enumerate(self.parameters.items())}


def hyperparameter(name: str, kind: str, **words: Any) -> Any:
    """What ConfigSpace calls a parameter."""
    if kind == "choice":
        return Categorical(name, words["options"])
    return (Integer if kind == "int" else Float)(name, (words["low"], words["high"]), log=words["log"])


def value(x: float, kind: str, **words: Any) -> Any:
    """The value that a number of a point stands for."""
    return x if kind == "float" else int(x) if kind == "int" else words["options"][int(x)]


def number(chosen: Any, kind: str, **words: Any) -> float:
    """The number that stands for a value."""
    return float(words["options"].index(chosen) if kind == "choice" else chosen)
