"""What an exact search costs and brings: python -m research.benchmarks.effort [seeds]

GP-UCB (aim="regret") on the paper's six functions in the settings of its main experiment, 10 d initial points and then
T steps, with three solvers. Every tenth step is solved again by a heavy search that starts from the answer, too: "gap"
is the mean of (α* − α(x))/(α* − median of α) over these. "Adaptive − this" is the paired difference of cumulative
regret, with its standard error. One thread.
"""

from research.benchmarks.timing import pin_threads, print_table

pin_threads()

import math  # noqa: E402
import statistics  # noqa: E402
import sys  # noqa: E402
from typing import Any, NamedTuple  # noqa: E402

import suffice as sf  # noqa: E402
from research.problems import PROBLEMS  # noqa: E402

SIX = (("branin", 80), ("rastrigin3", 100), ("hartmann3", 100), ("hartmann4", 120), ("levy5", 150), ("hartmann6", 200))
SOLVERS: dict[str, Any] = {
    "Adaptive": sf.solvers.Adaptive(),
    "Grid(100 t)": sf.solvers.Grid(near=False),
    "LBFGSB": sf.solvers.LBFGSB(),
}
AUDITED = 0.1  # of the steps
SEEDS = 3


class Run(NamedTuple):
    """What one run came to."""

    evals: float
    seconds: float  # of the solver
    gap: float
    regret: float


def run(name: str, T: int, solver: Any, seed: int) -> Run:
    problem = PROBLEMS[name]
    n = 10 * problem.dim
    result = sf.minimize(
        problem,
        list(problem.bounds),
        n + T,
        n_initial=n,
        seed=seed,
        aim="regret",
        solver=solver,
        diagnostics=sf.solvers.Diagnostics(audit=AUDITED),
    )
    reports = result.accuracy.reports
    audited = result.accuracy.audited
    return Run(
        evals=sum(report.n_evals for report in reports),
        seconds=sum(report.seconds["solve"] for report in reports),
        gap=statistics.mean(gap for gap in audited.tolist() if math.isfinite(gap)),
        regret=sum(trial.value - problem.optimum for trial in result.trials if trial.origin == "model"),
    )


def main(seeds: int) -> None:
    table, seconds = [], dict.fromkeys(SOLVERS, 0.0)
    for name, T in SIX:
        runs = {label: [run(name, T, solver, seed) for seed in range(seeds)] for label, solver in SOLVERS.items()}
        for label, found in runs.items():
            mean = Run(*map(statistics.mean, zip(*found, strict=True)))
            pairs = [ours.regret - theirs.regret for ours, theirs in zip(runs["Adaptive"], found, strict=True)]
            error = statistics.stdev(pairs) / math.sqrt(seeds) if seeds > 1 else math.nan
            duel = "" if label == "Adaptive" else f"{statistics.mean(pairs):+.1f} ± {error:.1f}".replace("-", "−")
            seconds[label] += mean.seconds
            numbers = (
                f"{mean.evals / T:.0f}",
                f"{mean.gap:.1e}",
                f"{mean.regret:.1f}",
            )
            table.append([name, label, *numbers, duel])
    header = ["problem", "solver", "evaluations", "gap", "regret", "Adaptive − this"]
    print_table(f"Effort of a step, {seeds} seeds", header, table)
    print("  seconds of solving in all six: " + ", ".join(f"{label} {total:.1f}" for label, total in seconds.items()))


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else SEEDS)
