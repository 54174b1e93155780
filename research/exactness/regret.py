"""The second part: one model and one acquisition, BoTorch's, maximized by several solvers; what the run loses by each.

own        BoTorch's optimize_acqf, 10 restarts of 512        suffice    suffice.botorch.optimize_acqf
grid 100   the paper's random grid of 100 t points            grid 1000  one of 1000 t points
r          simple regret at the end                           R          cumulative regret
"""

import json
import math
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from suffice.problems.lookup import find

INITIAL = 10
SOLVERS = ("own", "suffice", "grid 100", "grid 1000")


@dataclass(frozen=True)
class Run:
    """One solver on one problem with one seed."""

    solver: str
    problem: str
    seed: int
    trials: int

    @property
    def file(self) -> str:
        return f"{self.solver}-{self.problem}-{self.seed}.json".replace(" ", "_")


def made(run: Run) -> dict[str, Any]:
    """The regrets of one run; the initial design and the stream of the model depend on the seed only."""
    import torch
    from botorch import fit_gpytorch_mll
    from botorch.acquisition import LogExpectedImprovement
    from botorch.models import SingleTaskGP
    from gpytorch.mlls import ExactMarginalLogLikelihood

    torch.set_num_threads(1)
    torch.manual_seed(run.seed)
    problem, solve = find(run.problem), solver(run.solver)
    low, high = np.array(problem.bounds).T
    cube = torch.tensor([[0.0] * problem.dim, [1.0] * problem.dim], dtype=torch.double)
    X = torch.rand(INITIAL, problem.dim, dtype=torch.double)
    y = problem.values(low + X.numpy() * (high - low))
    for t in range(1, run.trials - INITIAL + 1):
        Y = -torch.as_tensor(y)[:, None]
        model = SingleTaskGP(X, Y)
        fit_gpytorch_mll(ExactMarginalLogLikelihood(model.likelihood, model))
        x = solve(LogExpectedImprovement(model, best_f=Y.max()), cube, t)
        X = torch.cat([X, x])
        y = np.append(y, problem.values(low + x.numpy() * (high - low)))
    regrets = y - problem.optimum
    return {"simple": float(regrets.min()), "cumulative": float(regrets[INITIAL:].sum())}


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


def carry_out(runs: Iterator[Run], folder: Path) -> None:
    """Make the runs that are not there yet."""
    folder.mkdir(parents=True, exist_ok=True)
    for run in runs:
        path = folder / run.file
        if not path.exists():
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                found = made(run)
            path.write_text(json.dumps({**vars(run), **found}), encoding="utf-8")
            print(f"{run.file}: simple {found['simple']:.3g}, cumulative {found['cumulative']:.4g}", flush=True)


def table(folder: Path) -> list[list[str]]:
    """For each problem and solver: the means, and the mean differences from `own` on the same seeds, ± 1.96 errors."""
    runs = [json.loads(path.read_text(encoding="utf-8")) for path in sorted(folder.glob("*.json"))]
    by: dict[tuple[str, str], dict[int, dict[str, Any]]] = {}
    for run in runs:
        by.setdefault((run["problem"], run["solver"]), {})[run["seed"]] = run
    lines = []
    for (problem, name), found in sorted(by.items()):
        own = by.get((problem, "own"), {})
        seeds = sorted(found.keys() & own.keys())
        cells = [problem, name, str(len(found))]
        for word in ("simple", "cumulative"):
            mean = float(np.mean([run[word] for run in found.values()]))
            d = np.array([found[seed][word] - own[seed][word] for seed in seeds])
            error = 1.96 * float(d.std(ddof=1)) / math.sqrt(len(d)) if len(d) > 1 else math.nan
            paired = "" if name == "own" or not len(d) else f"{d.mean():+.3g} ± {error:.2g}"
            cells += [f"{mean:.3g}", paired]
        lines.append(cells)
    return lines
