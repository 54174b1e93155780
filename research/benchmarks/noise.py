"""What noise does to a result, and what `x_recommended` does about it: python -m research.benchmarks.noise [runs] [aim]

Gaussian noise whose deviation is a tenth of the function's range over the initial design, 10 d points first and 60
more, all defaults but the aim ("best" unless "regret" is given). Regrets and errors in units of that deviation, medians
over the runs. The last rows have the regret of `x_recommended` with the other aim and with the paper's β.
"""

from research.benchmarks.timing import pin_threads, print_table

pin_threads()  # before NumPy is imported

import sys  # noqa: E402
from typing import Any, NamedTuple  # noqa: E402

import numpy as np  # noqa: E402

import suffice as sf  # noqa: E402
from research.problems import PROBLEMS, Problem  # noqa: E402
from suffice.ask.models import fit_outputs, replayed  # noqa: E402
from suffice.lab.results import initial_design  # noqa: E402

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


def judged(problem: Problem, seed: int, **words: Any) -> Judged:
    """A run, and the truth about it."""
    n = PER_DIMENSION * problem.dim
    design = initial_design(problem, n, seed)
    values = problem.values(design)
    sd = SHARE * float(np.ptp(values))
    rng = np.random.default_rng(seed)
    optimizer = sf.Optimizer(problem.bounds, seed=seed, n_initial=n, **words)
    for x, value in zip(design, values, strict=True):
        optimizer.tell(x, value + sd * rng.standard_normal())
    for _ in range(ITERATIONS):
        trial = optimizer.ask()
        optimizer.tell(trial, problem(trial.point) + sd * rng.standard_normal())
    result = optimizer.result()
    fitted = fit_outputs(result.settings, result.history, replayed(result.history))["value"]
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
    shown = [f"{median[i]:.2f}" for i in (0, 1)] + [counts] + [f"{median[i]:.1f}".replace("-", "−") for i in (2, 3)]
    return [*shown, covered, *(f"{median[i]:.2f}" for i in (5, 6))]


ROWS = (
    "true regret of `x`",
    "true regret of `x_recommended`",
    "runs with a better / equal / worse `x_recommended`",
    "`fun` − the objective at `x`",
    "`fun_recommended` − the objective at `x_recommended`",
    "runs with this difference within two standard deviations",
    "fitted / true noise variance, at the best point",
    "the same at the median point",
)


def main() -> None:
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else 30
    aim, other = ("regret", "best") if "regret" in sys.argv[2:] else ("best", "regret")
    columns = [column([judged(PROBLEMS[name], seed, aim=aim) for seed in range(runs)]) for name in NAMES]
    rows = [(label, *(values[i] for values in columns)) for i, label in enumerate(ROWS)]
    others: dict[str, dict[str, Any]] = {
        f'true regret of `x_recommended` with `aim="{other}"`': {"aim": other},
        "the same with the paper's β, `acquisition=sf.UCB(sf.acquisition.SqrtLog())`": {
            "acquisition": sf.UCB(sf.acquisition.SqrtLog())
        },
    }
    for label, words in others.items():
        found = [[judged(PROBLEMS[name], seed, **words) for seed in range(runs)] for name in NAMES]
        rows.append((label, *(column(some)[1] for some in found)))
    print_table(f"Noise of a tenth of the range, {runs} runs, aim={aim}", ("", *NAMES), rows)


if __name__ == "__main__":
    main()
