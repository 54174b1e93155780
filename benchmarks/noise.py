"""What noise does to a result, and what `x_recommended` does about it: python -m benchmarks.noise [runs] [aim]

Gaussian noise whose deviation is a tenth of the function's range over the initial design, 10 d points first and 60
more, all defaults. Regrets and errors in units of that deviation, medians over the runs.
"""

import sys
from typing import Literal, NamedTuple

import numpy as np

import suffice as sf
from benchmarks.timing import print_table
from suffice.lab.trace import initial_design
from suffice.problems import PROBLEMS, Problem

NAMES = ("branin", "hartmann3", "hartmann6")
PER_DIMENSION, ITERATIONS, SHARE = 10, 60, 0.1


class Judged(NamedTuple):
    """One run, in units of the noise's deviation."""

    regret: float  # of x, without noise
    regret_recommended: float
    luck: float  # fun − the objective at x
    luck_recommended: float
    covered: bool  # fun_recommended is within two of its deviations
    at_best: float  # fitted / true variance of the noise, there
    at_median: float


def judged(problem: Problem, seed: int, aim: Literal["best", "regret"]) -> Judged:
    """A run, and the truth about it."""
    n = PER_DIMENSION * problem.dim
    design = initial_design(problem, n, seed)
    values = problem.values(design)
    sd = SHARE * float(np.ptp(values))
    rng = np.random.default_rng(seed)
    optimizer = sf.Optimizer(problem.bounds, seed=seed, n_initial=n, aim=aim)
    for x, value in zip(design, values, strict=True):
        optimizer.tell(x, value + sd * rng.standard_normal())
    for _ in range(ITERATIONS):
        trial = optimizer.ask()
        optimizer.tell(trial, problem(trial.point) + sd * rng.standard_normal())
    result, fitted = optimizer.result(), optimizer.fit()
    here, there = problem(result.x), problem(result.x_recommended)
    told = np.array([trial.value for trial in result.trials])
    where = np.array([result.fun_recommended, np.median(told)])
    slope = fitted.outcome.derivative(-where)  # larger is better inside
    fitted_sd = np.sqrt(fitted.hyper.tau * fitted.hyper.variance) / slope
    error = result.fun_recommended - there
    return Judged(
        (here - problem.optimum) / sd,
        (there - problem.optimum) / sd,
        (result.fun - here) / sd,
        error / sd,
        bool(abs(error) <= 2 * result.fun_recommended_sd),
        *((fitted_sd / sd) ** 2).tolist(),
    )


def column(runs: list[Judged]) -> list[str]:
    """The figures of one function."""
    table = np.array(runs, dtype=float)
    median = np.median(table, axis=0)
    difference = np.sign(table[:, 1] - table[:, 0])
    counts = " / ".join(str(int((difference == sign).sum())) for sign in (-1, 0, 1))
    covered = f"{int(table[:, 4].sum())} of {len(runs)}"
    shown = [f"{median[i]:.2f}" for i in (0, 1)] + [counts] + [f"{median[i]:+.1f}" for i in (2, 3)]
    return [*shown, covered, *(f"{median[i]:.2f}" for i in (5, 6))]


ROWS = (
    "true regret of x",
    "true regret of x_recommended",
    "x_recommended better / the same / worse",
    "fun − the objective at x",
    "fun_recommended − the objective there",
    "the same within two of its deviations",
    "fitted / true noise variance, best point",
    "the same at the median point",
)


def main() -> None:
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else 30
    aim: Literal["best", "regret"] = "regret" if "regret" in sys.argv[2:] else "best"
    columns = [column([judged(PROBLEMS[name], seed, aim) for seed in range(runs)]) for name in NAMES]
    rows = [(label, *(values[i] for values in columns)) for i, label in enumerate(ROWS)]
    print_table(f"Noise of a tenth of the range, {runs} runs, aim={aim}", ("", *NAMES), rows)


if __name__ == "__main__":
    main()
