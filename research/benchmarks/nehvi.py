"""BoTorch's qLogNEHVI, one proposal at a time, as its tutorial has it: a Gaussian process for each objective.

Floats and integers are columns from 0 to 1, choices one column for each option; a proposal is rounded to a point, and
the models see the point. It begins with 2 (d + 1) points of a Sobol sequence, 20 at most, and knows the reference.

    U   (n, c)   points as columns           Y   (n, m)   objectives, all to be maximized
"""

import math
import warnings
from collections.abc import Mapping
from typing import Any

import torch
from botorch import fit_gpytorch_mll
from botorch.acquisition.multi_objective.logei import qLogNoisyExpectedHypervolumeImprovement
from botorch.models import ModelListGP, SingleTaskGP
from botorch.optim import optimize_acqf
from botorch.sampling import SobolQMCNormalSampler
from gpytorch.mlls import SumMarginalLogLikelihood
from torch import Tensor
from torch.quasirandom import SobolEngine

from research.benchmarks.kept_runs import Recorder
from research.problems.fronts import TradeOff
from suffice.space import Choice, Float, Int, Listed, Space

MOST_INITIAL = 20
SAMPLES, RESTARTS, RAW = 128, 10, 512


def width(space: Space) -> int:
    return sum(len(p.options) if isinstance(p, Choice) else 1 for p in space.params.values())


def point_of(space: Space, u: Tensor) -> dict[str, Any]:
    """The point that columns stand for: the nearest number, the option with the largest column."""
    point: dict[str, Any] = {}
    left = u.tolist()
    for name, p in space.params.items():
        if isinstance(p, Choice):
            mine, left = left[: len(p.options)], left[len(p.options) :]
            point[name] = p.options[mine.index(max(mine))]
        elif isinstance(p, Listed):
            point[name] = p.options[round(left.pop(0) * (len(p.options) - 1))]
        else:
            point[name] = _number(p, left.pop(0))
    return point


def _number(p: Float | Int, u: float) -> float | int:
    v = p.low * (p.high / p.low) ** u if p.log else p.low + u * (p.high - p.low)
    if p.step is not None:
        v = p.low + p.step * round((v - p.low) / p.step)
    return round(v) if isinstance(p, Int) else min(max(v, p.low), p.high)


def columns_of(space: Space, point: Mapping[str, Any]) -> list[float]:
    columns: list[float] = []
    for name, p in space.params.items():
        v = point[name]
        if isinstance(p, Choice):
            columns += [float(option == v) for option in p.options]
        elif isinstance(p, Listed):
            columns.append(p.options.index(v) / (len(p.options) - 1))
        else:
            columns.append(math.log(v / p.low) / math.log(p.high / p.low) if p.log else (v - p.low) / (p.high - p.low))
    return columns


def run(problem: TradeOff, f: Recorder, n: int, seed: int) -> None:
    """Evaluates n points."""
    torch.set_num_threads(1)
    torch.manual_seed(seed)
    warnings.filterwarnings("ignore")
    space, c = problem.space, width(problem.space)
    bounds = torch.stack([torch.zeros(c), torch.ones(c)]).double()
    start = min(2 * (len(space.params) + 1), MOST_INITIAL)
    initial = SobolEngine(c, scramble=True, seed=seed).draw(start).double()
    U, Y = [], []
    for i in range(n):
        u = initial[i] if i < start else proposal(torch.stack(U), torch.stack(Y), -torch.tensor(problem.worst), bounds)
        point = point_of(space, u)
        U.append(torch.tensor(columns_of(space, point), dtype=torch.double))
        Y.append(-torch.tensor(problem.losses(f(point)), dtype=torch.double))


def proposal(U: Tensor, Y: Tensor, reference: Tensor, bounds: Tensor) -> Tensor:
    """The columns at which the expected gain of hypervolume is largest."""
    model = ModelListGP(*(SingleTaskGP(U, Y[:, k : k + 1]) for k in range(Y.shape[1])))
    fit_gpytorch_mll(SumMarginalLogLikelihood(model.likelihood, model))
    gain = qLogNoisyExpectedHypervolumeImprovement(
        model=model,
        ref_point=reference,
        X_baseline=U,
        sampler=SobolQMCNormalSampler(torch.Size([SAMPLES])),
        prune_baseline=True,
    )
    found, _ = optimize_acqf(
        gain, bounds, q=1, num_restarts=RESTARTS, raw_samples=RAW, options={"batch_limit": 5, "maxiter": 200}
    )
    return found[0]
