"""`python -m research.exactness.inside`: our solver in the place of BoTorch's, on the same models and acquisitions.

own      BoTorch's optimize_acqf, 10 restarts of 512; the run goes on with its maximum of LogEI
suffice  suffice.botorch.optimize_acqf, asked for the same

A batch of q points is found one point after the other, as by `sequential=True`, both with the same points pending. What
both are measured against is the better of a heavy search and of the two.
"""

import argparse
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np

from research.benchmarks.timing import print_table
from research.exactness.runs import INITIAL, Row, carry_out, numbers, read
from suffice.problems.functions import find

ACQUISITIONS = ("LogEI", "UCB", "qLogEI", "qLogEI q=4")
PROBLEMS = ("hartmann6", "branin", "levy5", "ackley10", "hartmann6 mixed")
LEVELS, OPTIONS = [0.0, 0.2, 0.4, 0.6, 0.8, 1.0], [0.15, 0.5, 0.9]  # of the first two columns of the mixed problem
RESTARTS, SAMPLES = 10, 512
EVERY = 5  # of the steps is measured
DRAWS = 3000  # of the heavy search
BETA = 4.0  # of BoTorch's UCB: two standard deviations
TABLE = Path(__file__).parents[2] / "build" / "exactness" / "inside.csv"  # runs that it has are not made again
HEAD = "", "", "solves", "own < 0.99", "suffice < 0.99", "own < 0.9", "suffice < 0.9", "own CPU ms", "suffice", "ratio"
WHO = "own", "suffice", "own_seconds", "suffice_seconds"  # columns of each acquisition


@dataclass(frozen=True)
class Run:
    """One problem with one seed."""

    problem: str
    seed: int
    trials: int = 50


def runs(seed: int, problems: tuple[str, ...] = PROBLEMS) -> Iterator[Run]:
    """Those of one seed."""
    return (Run(problem, seed) for problem in problems)


def made(run: Run) -> dict[str, Any]:
    """For each acquisition the measured solves in order: η of both, and the processor time of both."""
    import torch
    from botorch import fit_gpytorch_mll
    from botorch.models import SingleTaskGP
    from gpytorch.mlls import ExactMarginalLogLikelihood

    torch.set_num_threads(1)
    torch.manual_seed(run.seed)
    problem, mixed = find(run.problem.split()[0]), run.problem.endswith("mixed")
    low, high = np.array(problem.bounds).T
    cube = torch.tensor([[0.0] * problem.dim, [1.0] * problem.dim], dtype=torch.double)
    X = torch.rand(INITIAL, problem.dim, dtype=torch.double)
    if mixed:
        X[:, 0] = torch.tensor(LEVELS)[torch.randint(len(LEVELS), (INITIAL,))]
        X[:, 1] = torch.tensor(OPTIONS)[torch.randint(len(OPTIONS), (INITIAL,))]
    found: dict[str, list[float]] = {f"{name} {who}": [] for name, who in product(ACQUISITIONS, WHO)}
    own, ours = solvers(cube, mixed)
    for step in range(1, run.trials - INITIAL + 1):
        Y = -torch.as_tensor(problem.values(low + X.numpy() * (high - low)))[:, None]
        model = SingleTaskGP(X, (Y - Y.mean()) / Y.std())
        fit_gpytorch_mll(ExactMarginalLogLikelihood(model.likelihood, model))
        for name in ACQUISITIONS if step % EVERY == 0 else ():
            acquisition, batch = bound(name, model), []
            for _ in range(4 if name.endswith("q=4") else 1):
                if batch:
                    acquisition.set_X_pending(torch.cat(batch))
                x, seconds = timed(own, acquisition)
                other, of_ours = timed(ours, acquisition)
                batch.append(x)
                measured = (*etas(acquisition, x, other, cube, mixed), seconds, of_ours)
                for who, number in zip(WHO, measured, strict=True):
                    found[f"{name} {who}"].append(number)
        X = torch.cat([X, own(bound("LogEI", model))])
    return {name: " ".join(f"{number:.6g}" for number in several) for name, several in found.items()}


def bound(name: str, model: Any) -> Any:
    """An acquisition of the model."""
    from botorch.acquisition import LogExpectedImprovement, UpperConfidenceBound, qLogExpectedImprovement

    best = model.train_targets.max()
    if name == "UCB":
        return UpperConfidenceBound(model, beta=BETA)
    return LogExpectedImprovement(model, best_f=best) if name == "LogEI" else qLogExpectedImprovement(model, best)


def solvers(cube: Any, mixed: bool) -> tuple[Callable[[Any], Any], Callable[[Any], Any]]:
    """Both, from an acquisition to its best point, (1, d)."""
    from botorch.optim import optimize_acqf as theirs
    from botorch.optim.optimize_mixed import optimize_acqf_mixed_alternating as theirs_mixed

    from suffice.botorch import optimize_acqf, optimize_acqf_mixed_alternating

    effort: dict[str, Any] = {"q": 1, "num_restarts": RESTARTS, "raw_samples": SAMPLES}
    if mixed:
        effort |= {"discrete_dims": {0: LEVELS}, "cat_dims": {1: OPTIONS}}
        return (
            lambda acquisition: theirs_mixed(acquisition, cube, **effort)[0],
            lambda acquisition: optimize_acqf_mixed_alternating(acquisition, cube, **effort)[0],
        )
    return (
        lambda acquisition: theirs(acquisition, cube, **effort)[0],
        lambda acquisition: optimize_acqf(acquisition, cube, **effort)[0],
    )


def timed(solve: Callable[[Any], Any], acquisition: Any) -> tuple[Any, float]:
    """The point, and the processor time."""
    start = time.process_time()
    return solve(acquisition), time.process_time() - start


def etas(acquisition: Any, own: Any, ours: Any, cube: Any, mixed: bool) -> tuple[float, float]:
    """η of both points."""
    from suffice.accuracy.estimate import eta, log_eta
    from suffice.exactness.meter import heavy
    from suffice.exactness.tensors import in_cube, score, space_of

    columns = ({0: LEVELS}, {1: OPTIONS}) if mixed else (None, None)
    space = space_of(cube, None, *columns)
    alpha, known = score(acquisition, space, like=cube)
    rows = np.concatenate([in_cube(alpha.units, x.numpy()) for x in (own, ours)])
    found, lowest = heavy(alpha, space, np.concatenate([rows, known]), np.random.default_rng(0), DRAWS)
    values = alpha(rows)
    best, shift = max(found.value, values.max()), max(0.0, -lowest, -values.min())
    first, second = (log_eta(v, best) if alpha.logarithmic else eta(v, best, shift) for v in values.tolist())
    return first, second


def table(rows: list[Row]) -> list[list[str]]:
    """For each problem and acquisition: solves, fractions below 0.99 and 0.9, median ms, ratio of the times."""
    lines = []
    for problem, name in product(PROBLEMS, ACQUISITIONS):
        here = [row for row in rows if row["problem"] == problem]
        found = {who: np.array([v for row in here for v in numbers(row, f"{name} {who}")]) for who in WHO}
        if not here:
            continue
        shares = [f"{100 * (found[who] < level).mean():.1f} %" for level in (0.99, 0.9) for who in WHO[:2]]
        ms = [1e3 * float(np.median(found[who])) for who in WHO[2:]]
        lines.append(
            [problem, name, str(len(found["own"])), *shares, *(f"{v:.0f}" for v in ms), f"{ms[1] / ms[0]:.2f}"]
        )
    return lines


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--problems", nargs="+", choices=PROBLEMS, default=list(PROBLEMS))
    given = parser.parse_args()
    for seed in range(given.seeds):
        carry_out(runs(seed, tuple(given.problems)), made, TABLE)
    print_table("BoTorch's solver and ours", HEAD, table(read(TABLE)))


if __name__ == "__main__":
    main()
