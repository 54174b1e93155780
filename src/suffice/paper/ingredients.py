"""What the theorems are made of, of the runs of a plan: gain, deviations and the holes of the grids.

w_t   (T,)  2 β_t σ_{t−1}(x_t), the widths that a run keeps, on the authors' surrogate in the objective's units
τ     float the noise of that surrogate, whose signal variance is 1

A run keeps neither model nor grid. The deviations follow from the widths, the gain from the deviations; the grids are
drawn again from the stream of their trial, and count only if x_t is one of their points.
"""

import math
from dataclasses import dataclass

import numpy as np

from suffice.accuracy.bounds import Premises
from suffice.acquisition import UCB, SqrtLog
from suffice.candidates import uniform
from suffice.errors import MissingExtra
from suffice.gp.posterior import Posterior
from suffice.lab.plan import Method, Plan, Task
from suffice.lab.run import Run
from suffice.lab.tables import Grouped
from suffice.paper.fill import fill_bracket
from suffice.paper.grids import SAME
from suffice.paper.quantities import gain_of, squared_deviation_sum
from suffice.paper.surrogate import Surrogate
from suffice.problems import Problem, find
from suffice.solvers import Grid
from suffice.streams import Streams
from suffice.study.settings import Settings
from suffice.types import Array, Step


@dataclass(frozen=True)
class Ingredients:
    """Of the first run of a method on a problem."""

    problem: str
    method: str
    seed: int
    steps: int
    regret: float  # R_T
    widths: float  # Σ w_t: Theorem 1 for an exact maximizer
    deviations: float  # Σ σ
    deviation_limit: float  # what the gain says about it
    gain: float  # of the steps
    first_fill: float  # fill distance of the first grid; nan: not known
    last_fill: float


def ingredients(plan: Plan, groups: Grouped) -> list[Ingredients]:
    """A row for each problem and each method of which they are known: a grid on the authors' surrogate."""
    rows = []
    for task in plan.tasks:
        try:
            problem = find(task.problem)
        except MissingExtra:  # not to be had here: its runs were made elsewhere
            continue
        for method in plan.methods:
            runs = [run for run in groups[task.problem, method.name] if not np.isnan(run.columns["width"]).any()]
            parts = method.make(problem)
            match parts.get("model"), parts.get("acquisition"), parts.get("solver"):
                case Surrogate() as model, UCB(beta=SqrtLog() as beta), Grid(candidates=rule) as grid if (
                    runs and rule is uniform
                ):
                    rows.append(_row(task, method, problem, runs[0], (model, beta, grid)))
    return rows


def _row(task: Task, method: Method, problem: Problem, run: Run, parts: tuple[Surrogate, SqrtLog, Grid]) -> Ingredients:
    model, beta, grid = parts
    widths = run.columns["width"]
    sigma = widths / (2 * _betas(beta, len(widths)))
    premises = Premises(model.kernel, tau=model.noise, dimension=problem.dim)
    gain = gain_of(sigma, premises)
    first, last = (_fill(task, problem, run, grid, t) for t in (1, len(widths)))
    return Ingredients(
        problem=task.problem,
        method=method.name,
        seed=run.seed,
        steps=len(widths),
        regret=float(run.cumulative[-1]),
        widths=float(widths.sum()),
        deviations=float(sigma.sum()),
        deviation_limit=math.sqrt(len(widths) * squared_deviation_sum(gain, model.noise)),
        gain=gain,
        first_fill=first,
        last_fill=last,
    )


def _betas(beta: SqrtLog, T: int) -> Array:
    """β_1 … β_T, (T,): a schedule of t alone, whatever the data."""
    nothing = np.empty((0, 1))
    posterior = Posterior.condition(Surrogate((1.0,)).kernel, nothing, np.empty(0), 1.0)
    return np.array([beta(Step(t, nothing), posterior) for t in range(1, T + 1)])


def _fill(task: Task, problem: Problem, run: Run, grid: Grid, t: int) -> float:
    """h_t, or a proven upper limit of it; nan if the grid is not known."""
    if len(run.points) < t:
        return math.nan
    space, number = Settings.of(list(problem.bounds), seed=run.seed).space, task.initial + t - 1
    rng = Streams(run.seed)("solver", number)
    X = uniform(grid.size(t, space.dim), space, design=np.empty((0, space.dim)), rng=rng)
    x = space.to_unit(np.array(run.points[t - 1]))
    if not np.any(np.all(np.abs(X - x) <= SAME, axis=1)):
        return math.nan
    return fill_bracket(X, Streams(run.seed)("audit", number), starts=50).upper
