# mypy: disable-error-code="import-not-found,import-untyped"
"""SMAC3's black-box facade: a Gaussian process, told the initial design as trials of its own."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

from ConfigSpace import Configuration, ConfigurationSpace, Float
from smac import BlackBoxFacade, Scenario
from smac.runhistory.dataclasses import TrialInfo, TrialValue

ENDLESS = 10**6  # trials: whoever asks decides when it is over


class Peer:
    """All defaults, for a function that gives one value for each point, and without initial points of its own."""

    def __init__(self, bounds: list[list[float]], points: list[list[float]], values: list[float], seed: int) -> None:
        self.names = [f"x{i:03}" for i in range(len(bounds))]
        self.space = ConfigurationSpace(seed=seed)
        self.space.add([Float(self.names[i], (low, high)) for i, (low, high) in enumerate(bounds)])
        self.folder = tempfile.TemporaryDirectory()
        scenario = Scenario(
            self.space,
            deterministic=True,
            n_trials=ENDLESS,
            seed=seed,
            output_directory=Path(self.folder.name),
        )
        design = [Configuration(self.space, {self.names[j]: x for j, x in enumerate(point)}) for point in points]
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
        return [float(self.asked.config[name]) for name in self.names]

    def tell(self, point: list[float], value: float) -> None:  # noqa: ARG002  the point just asked for
        self.facade.tell(self.asked, TrialValue(cost=value))
