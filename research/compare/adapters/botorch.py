# mypy: disable-error-code="import-not-found,import-untyped"
"""BoTorch: a SingleTaskGP, fitted anew at every step, and LogEI or UCB maximized by `optimize_acqf`.

t  int  suggestions so far, from 1        β_t = sqrt(log(t + 1)), which multiplies σ; BoTorch's beta is its square

Inputs are normalized to the unit cube, in which the search takes place too; outputs are standardized by the model.
"""

from __future__ import annotations

import math
from typing import Any

import torch
from botorch import fit_gpytorch_mll
from botorch.acquisition import LogExpectedImprovement, UpperConfidenceBound
from botorch.models import SingleTaskGP
from botorch.models.transforms import Standardize
from botorch.optim import optimize_acqf
from gpytorch.mlls import ExactMarginalLogLikelihood


class Peer:
    """BoTorch maximizes: it is told the values with the other sign."""

    def __init__(
        self,
        bounds: list[list[float]],
        points: list[list[float]],
        values: list[float],
        seed: int,
        acquisition: str,
        restarts: int,
        raw_samples: int,
    ) -> None:
        torch.set_num_threads(1)
        torch.manual_seed(seed)
        self.low, self.high = torch.tensor(bounds, dtype=torch.double).T
        self.X = self._cube(points)
        self.Y = -torch.tensor(values, dtype=torch.double)[:, None]
        self.acquisition, self.restarts, self.raw_samples = acquisition, restarts, raw_samples
        self.t = 0

    def ask(self) -> list[float]:
        self.t += 1
        model = SingleTaskGP(self.X, self.Y, outcome_transform=Standardize(1))
        fit_gpytorch_mll(ExactMarginalLogLikelihood(model.likelihood, model))
        d = len(self.low)
        cube = torch.tensor([[0.0] * d, [1.0] * d], dtype=torch.double)
        found, _ = optimize_acqf(
            self._score(model), bounds=cube, q=1, num_restarts=self.restarts, raw_samples=self.raw_samples
        )
        point: list[float] = (self.low + (self.high - self.low) * found[0]).tolist()
        return point

    def tell(self, point: list[float], value: float) -> None:
        self.X = torch.cat([self.X, self._cube([point])])
        self.Y = torch.cat([self.Y, torch.tensor([[-value]], dtype=torch.double)])

    def _score(self, model: Any) -> Any:
        if self.acquisition == "ucb":
            return UpperConfidenceBound(model, beta=math.log(self.t + 1))
        return LogExpectedImprovement(model, best_f=self.Y.max())

    def _cube(self, points: list[list[float]]) -> Any:
        return (torch.tensor(points, dtype=torch.double) - self.low) / (self.high - self.low)
