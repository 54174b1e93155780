"""The theorems as numbers: runs with known constants, and the known quantities of the runs in a plan.

f     Σ c_j k(·, z_j), z_j uniform, c_j normal, scaled to the norm sqrt(c'Kc) = B: a function of known norm
B, R  float  its norm, and the standard deviation of the normal noise, which is R-sub-Gaussian
δ     float  the bounds hold with probability 1 − δ at least
w_t   (T,)   2 β_t σ_{t−1}(x_t), the stored widths of a run, on the authors' surrogate in the objective's units
τ     float  the noise of that surrogate; its signal variance is 1

Known runs (`known_runs`): the model has the true Matérn 5/2 kernel and the true noise, so nothing is fitted, and
outputs are not transformed. β_t is the theory's, and the solver is the paper's grid of 100 t uniform points. A proof
bounds the miss of each step.

Runs of a plan (`ingredients`) store neither model nor grid. The standard deviations follow from the widths, and the
gain from the standard deviations. The grids are drawn again from the stream of their trial, and count only if x_t is
one of their points.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.random import Generator
from scipy.optimize import minimize

from suffice.accuracy.estimate import DELTA
from suffice.accuracy.regret import Premises
from suffice.accuracy.report import Diagnostics
from suffice.acquisition import UCB, SqrtLog, Theory
from suffice.candidates import uniform
from suffice.checks import ROUNDING
from suffice.errors import MissingExtra
from suffice.gp import GP, Prior
from suffice.gp.kernels import Matern
from suffice.gp.posterior import Posterior
from suffice.lab.plan import Method, Plan, Task
from suffice.lab.report import Grouped
from suffice.lab.results import Run
from suffice.paper.fill import fill_bracket
from suffice.paper.solvers import Surrogate
from suffice.paper.theorems import bounds, gain_of, quantities, squared_deviation_sum
from suffice.problems import Problem, find
from suffice.record.settings import Settings
from suffice.solvers import Grid
from suffice.streams import Streams
from suffice.study.optimizer import Optimizer
from suffice.types import Array, Step

B, R = 1.5, 0.1  # the norm of f in its kernel's space, and the standard deviation of the noise
DIMENSIONS = (1, 2, 3)  # with constants that can be computed in seconds


@dataclass(frozen=True)
class Known:
    """One run: the bounds of the theorems, and the true regret."""

    dimension: int
    steps: int
    regret: float  # R_T, of f without its noise
    observed: float  # Theorem 1 before its last relaxations
    theorem1: float
    theorem3: float
    trivial: float  # 2BT
    gain: float  # of the steps
    deviations: float  # Σσ
    deviation_limit: float  # its bound from the gain
    first_fill: float
    last_fill: float

    @property
    def holds(self) -> bool:
        """Whether the regret is below all bounds."""
        return self.regret <= min(self.observed, self.theorem1, self.theorem3)

    def __str__(self) -> str:
        bounds = f"{self.observed:.3g} observed, {self.theorem1:.3g}; Theorem 3: {self.theorem3:.3g}"
        made_of = f"gain {self.gain:.3g}, Σσ {self.deviations:.3g}, holes {self.first_fill:.2g} … {self.last_fill:.2g}"
        return f"d = {self.dimension}: R_T = {self.regret:.3g}; Theorem 1: {bounds}; 2BT = {self.trivial:g}; {made_of}"


def told(runs: Sequence[Known]) -> str:
    """The runs as text, a line each."""
    about = (
        f"The theorems as numbers, on functions of known norm B = {B:g}: regret of {runs[0].steps} steps, and bounds"
    )
    return "\n".join([about, *(f"  {run}" for run in runs)])


def known_runs(dimensions: Sequence[int] = DIMENSIONS, steps: int = 30, seed: int = 0) -> list[Known]:
    """One run for each dimension, about a second each."""
    return [_run(d, steps, seed) for d in dimensions]


def known_norm(
    kernel: Matern, d: int, rng: Generator, *, centres: int = 8, scan: int = 20_000, starts: int = 20
) -> tuple[Callable[[Array], Array], float]:
    """f, X (m, d) -> (m,), with norm B on the unit cube, and its maximum from a long search.

    The search evaluates `scan` points and climbs from the best `starts` of them.
    """
    Z, c = rng.random((centres, d)), rng.standard_normal(centres)
    c *= B / math.sqrt(c @ kernel(Z, Z) @ c)

    def f(X: Array) -> Array:
        values: Array = kernel(X, Z) @ c
        return values

    X = np.concatenate([rng.random((scan, d)), Z])
    X = X[np.argsort(-f(X))[:starts]]

    def negative(x: Array) -> float:
        return -float(f(x[None])[0])

    return f, max(-float(minimize(negative, x, bounds=[(0.0, 1.0)] * d).fun) for x in X)


def _run(d: int, steps: int, seed: int, *, initial: int = 3, lengthscale: float = 0.3, seconds: float = 0.05) -> Known:
    """One run; the length-scales grow with d, so that 30 steps are enough to learn something."""
    ell = lengthscale * d
    f, best = known_norm(Matern(2.5, ell), d, np.random.default_rng([seed, d]))
    optimizer = Optimizer(
        [(0.0, 1.0)] * d,
        direction="maximize",
        seed=seed,
        n_initial=initial,
        model=GP(
            Matern(2.5),
            ard=False,
            noise=R**2,
            warp=False,
            standardize=False,
            prior=Prior(lengthscale_bounds=(ell, ell), scale_bounds=(1.0, 1.0)),
        ),
        acquisition=UCB(Theory(B, R, DELTA)),
        solver=Grid(near=False),
        diagnostics=Diagnostics(proof_seconds=seconds),  # of each step
    )
    noise, regret = np.random.default_rng([seed, d, 1]), 0.0
    for t in range(initial + steps):
        trial = optimizer.ask()
        value = float(f(np.asarray(trial.point)[None])[0])
        optimizer.tell(trial, value + R * noise.standard_normal())
        regret += best - value if t >= initial else 0.0
    result = optimizer.result()
    run = quantities(result)
    stated = {name: math.nan if bound.value is None else bound.value for name, bound in bounds(result, run).items()}
    fills = [math.nan] if run.grids is None else run.grids.fills
    return Known(
        dimension=d,
        steps=run.steps,
        regret=regret,
        observed=stated["Theorem 1, observed"],
        theorem1=stated["Theorem 1"],
        theorem3=stated["Theorem 3"],
        trivial=2 * B * run.steps,
        gain=run.gain_of_steps or 0.0,
        deviations=math.fsum(run.deviations or ()),
        deviation_limit=run.deviation_limit or 0.0,
        first_fill=float(fills[0]),
        last_fill=float(fills[-1]),
    )


@dataclass(frozen=True)
class Ingredients:
    """The quantities of the first run of a method on a problem."""

    problem: str
    method: str
    seed: int
    steps: int
    regret: float  # R_T
    widths: float  # Σ w_t: Theorem 1 for an exact maximizer
    deviations: float  # Σ σ
    deviation_limit: float  # its bound from the gain
    gain: float  # of the steps
    first_fill: float  # fill distance of the first grid; nan: unknown
    last_fill: float


def ingredients(plan: Plan, groups: Grouped) -> list[Ingredients]:
    """A row for each problem and each method with a grid on the authors' surrogate."""
    rows = []
    for task in plan.tasks:
        try:
            problem = find(task.problem)
        except MissingExtra:  # the problem is not available here: its runs were made elsewhere
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
    """β_1 … β_T, (T,), of a schedule that depends only on t."""
    nothing = np.empty((0, 1))
    posterior = Posterior.condition(Surrogate((1.0,)).kernel, nothing, np.empty(0), 1.0)
    return np.array([beta(Step(t, nothing), posterior) for t in range(1, T + 1)])


def _fill(task: Task, problem: Problem, run: Run, grid: Grid, t: int) -> float:
    """h_t, or a proven upper bound of it; nan if the grid is unknown."""
    if len(run.points) < t:
        return math.nan
    space, number = Settings.of(list(problem.bounds), seed=run.seed).space, task.initial + t - 1
    rng = Streams(run.seed)("solver", number)
    X = uniform(grid.size(t, space.dim), space, design=np.empty((0, space.dim)), rng=rng)
    x = space.to_unit(np.array(run.points[t - 1]))
    if not np.any(np.all(np.abs(X - x) <= ROUNDING, axis=1)):
        return math.nan
    return fill_bracket(X, Streams(run.seed)("audit", number), starts=50).upper
