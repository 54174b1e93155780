"""The third part: is it the model that is too sure? Our model with one member and with four, solved exactly and not.

The acquisition is LogEI alone, without the exploration on purpose that the default acquisition adds to it.

exact      the default solver        grid 100, grid 1000  the paper's random grid of 100 t and of 1000 t points
outside    the share of values outside of the interval that was predicted to hold 90 % of them
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np

import suffice as sf
from research.compare.entrant import design
from research.exactness.regret import regrets
from research.exactness.runs import INITIAL
from research.problems import registry  # noqa: F401  # registers the problems
from suffice.problems.functions import find
from suffice.solvers import Adaptive, Grid, Linear

SOLVERS = {"exact": Adaptive(), **{f"grid {c}": Grid(size=Linear(c), near=False) for c in (100, 1000)}}
NINETY = 1.645  # standard deviations
PROBLEMS = ("rastrigin3", "hartmann4", "shekel5", "michalewicz5", "levy5", "hartmann6")  # of many local optima


@dataclass(frozen=True)
class Run:
    """One model and one solver on one problem with one seed."""

    members: int
    solver: str
    problem: str
    seed: int
    trials: int = 50


def runs(seed: int, problems: tuple[str, ...] = PROBLEMS, **words: int) -> Iterator[Run]:
    """Those of one seed."""
    return (Run(m, name, problem, seed, **words) for problem, m, name in product(problems, (1, 4), SOLVERS))


def made(run: Run) -> dict[str, Any]:
    """The regrets of one run; the initial design depends on the seed only."""
    problem = find(run.problem)
    points = design(problem, INITIAL, run.seed)
    optimizer = sf.Optimizer(
        problem.bounds,
        seed=run.seed,
        n_initial=INITIAL,
        model=sf.GP(members=run.members),
        acquisition=sf.LogEI(),
        solver=SOLVERS[run.solver],
    )
    y = problem.values(points).tolist()
    for x, value in zip(points.tolist(), y, strict=True):
        optimizer.tell(x, value)
    for _ in range(run.trials - INITIAL):
        trial = optimizer.ask()
        y.append(problem(trial.point))
        optimizer.tell(trial, y[-1])
    z = optimizer.result().accuracy.z_scores
    return {**regrets(np.array(y) - problem.optimum), "outside": f"{np.mean(np.abs(z) > NINETY):.3g}"}
