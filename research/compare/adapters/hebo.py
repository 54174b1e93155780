# mypy: disable-error-code="import-not-found,import-untyped"
"""HEBO, which observes and suggests data frames."""

from __future__ import annotations

import numpy as np
import pandas as pd
import torch
from hebo.design_space.design_space import DesignSpace
from hebo.optimizers.hebo import HEBO


class Peer:
    """All defaults; its own random points end where the initial design is long enough."""

    def __init__(self, bounds: list[list[float]], points: list[list[float]], values: list[float], seed: int) -> None:
        torch.set_num_threads(1)
        torch.manual_seed(seed)
        np.random.seed(seed)  # noqa: NPY002  what HEBO draws from
        self.names = [f"x{i}" for i in range(len(bounds))]
        box = [{"name": self.names[i], "type": "num", "lb": low, "ub": high} for i, (low, high) in enumerate(bounds)]
        self.optimizer = HEBO(DesignSpace().parse(box), scramble_seed=seed)
        self.optimizer.observe(pd.DataFrame(points, columns=self.names), np.array(values)[:, None])

    def ask(self) -> list[float]:
        found = self.optimizer.suggest(n_suggestions=1)
        return [float(found[name].iloc[0]) for name in self.names]

    def tell(self, point: list[float], value: float) -> None:
        self.optimizer.observe(pd.DataFrame([point], columns=self.names), np.array([[value]]))
