"""The second part: one model and one acquisition, BoTorch's LogEI, maximized by several solvers.

own        BoTorch's optimize_acqf, 10 restarts of 512        suffice    suffice.botorch.optimize_acqf
grid 100   the paper's random grid of 100 t points            grid 1000  one of 1000 t points
simple     regret of the best point at the end                cumulative the sum of regrets after the initial design
"""

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

import suffice as sf
from research.exactness.runs import INITIAL
from suffice.exactness.watch import WATCHED_DRAWS
from suffice.problems.functions import find

SOLVERS = ("own", "grid 100", "grid 1000", "suffice")
PROBLEMS = ("hartmann4", "levy5", "hartmann6", "branin", "shekel5")


@dataclass(frozen=True)
class Run:
    """One solver on one problem with one seed."""

    solver: str
    problem: str
    seed: int
    trials: int = 50
    every: int = 5


def runs(seed: int, problems: tuple[str, ...] = PROBLEMS, **words: int) -> Iterator[Run]:
    """Those of one seed."""
    return (Run(name, problem, seed, **words) for problem in problems for name in SOLVERS)


def made(run: Run) -> dict[str, Any]:
    """The regrets of one run; the initial design depends on the seed only."""
    import torch
    from botorch import fit_gpytorch_mll
    from botorch.acquisition import LogExpectedImprovement
    from botorch.models import SingleTaskGP
    from gpytorch.mlls import ExactMarginalLogLikelihood

    torch.set_num_threads(1)
    torch.manual_seed(run.seed)
    problem, solve, seconds, etas = find(run.problem), solver(run.solver), [], []
    low, high = np.array(problem.bounds).T
    cube = torch.tensor([[0.0] * problem.dim, [1.0] * problem.dim], dtype=torch.double)
    X = torch.rand(INITIAL, problem.dim, dtype=torch.double)
    y = problem.values(low + X.numpy() * (high - low))
    for t in range(1, run.trials - INITIAL + 1):
        Y = -torch.as_tensor(y)[:, None]
        model = SingleTaskGP(X, Y)
        fit_gpytorch_mll(ExactMarginalLogLikelihood(model.likelihood, model))
        acquisition, begun = LogExpectedImprovement(model, best_f=Y.max()), time.process_time()
        x = solve(acquisition, cube, t)
        seconds.append(time.process_time() - begun)
        if (t - 1) % run.every == 0:
            etas.append(sf.solve_quality(acquisition, x, cube, draws=WATCHED_DRAWS).eta)
        X = torch.cat([X, x])
        y = np.append(y, problem.values(low + x.numpy() * (high - low)))
    numbers = " ".join(f"{eta:.5g}" for eta in etas)
    return {**regrets(y - problem.optimum), "ms": f"{1e3 * np.median(seconds):.3g}", "eta": numbers}


def regrets(of_trials: Any) -> dict[str, str]:
    """Simple and cumulative, from the regret of every trial."""
    return {"simple": f"{of_trials.min():.4g}", "cumulative": f"{of_trials[INITIAL:].sum():.5g}"}


def solver(name: str) -> Callable[[Any, Any, int], Any]:
    """The best point of an acquisition, (1, d), at step t."""
    import torch
    from botorch.optim import optimize_acqf as theirs

    from suffice.botorch import optimize_acqf as ours

    def grid(acquisition: Any, cube: Any, t: int) -> Any:
        X = torch.rand(int(name.split()[1]) * t, cube.shape[1], dtype=torch.double)
        with torch.no_grad():
            values = torch.cat([acquisition(part) for part in X[:, None].split(1000)])
        return X[values.argmax()][None]

    return {
        "own": lambda acquisition, cube, t: theirs(acquisition, cube, q=1, num_restarts=10, raw_samples=512)[0],  # noqa: ARG005
        "suffice": lambda acquisition, cube, t: ours(acquisition, cube)[0],  # noqa: ARG005
    }.get(name, grid)
