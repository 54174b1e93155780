"""How often the default solver stops at its cap, by the number of columns: python -m benchmarks.budget [seeds]

Default runs of 60 trials of Levy, Ackley, Rosenbrock and, from six columns on, Hartmann6 among that many. "at the cap"
is the share of the suggestions whose search ended with status BUDGET, "gap" the median of their relative gaps.
"""

import statistics
import sys
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

import suffice as sf
from benchmarks.timing import print_table
from suffice.problems import find
from suffice.types import Array, Status

COLUMNS, TRIALS, SEEDS = (2, 5, 10, 20, 50, 100), 60, 3
FAMILIES = ("levy", "ackley", "rosenbrock")
HARTMANN = find("hartmann6")


def functions(d: int) -> Iterator[tuple[Callable[[Array], float], Any]]:
    """Functions of d columns, with their bounds."""
    for family in FAMILIES:
        problem = find(f"{family}{d}")
        yield problem, problem.bounds
    if d >= HARTMANN.dim:
        columns = np.random.default_rng(d).permutation(d)[: HARTMANN.dim]
        yield lambda x: HARTMANN(x[columns]), [(0, 1)] * d


def row(d: int, seeds: int) -> list[object]:
    """What the suggestions of all runs in d columns came to."""
    runs = [
        sf.minimize(f, list(bounds), n_trials=TRIALS, seed=seed, aim="regret")
        for f, bounds in functions(d)
        for seed in range(seeds)
    ]
    reports = [trial.solve for run in runs for trial in run.trials if trial.solve is not None]
    share = statistics.mean(report.status is Status.BUDGET for report in reports)
    evals = statistics.mean(report.n_evals for report in reports)
    gap = statistics.median(report.relative_gap for report in reports if report.relative_gap is not None)
    return [d, len(reports), f"{share:.1%}", f"{evals:.0f}", f"{gap:.4f}"]


if __name__ == "__main__":
    given = int(sys.argv[1]) if len(sys.argv) > 1 else SEEDS
    header = ("columns", "suggestions", "at the cap", "evaluations", "gap")
    print_table("The cap of Enough", header, [row(d, given) for d in COLUMNS])
