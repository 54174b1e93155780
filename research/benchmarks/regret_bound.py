"""How often the regret exceeds its bounds: python -m research.benchmarks.regret_bound [--seeds N]

First where every constant of the theorems is known (suffice.paper.known), then on test functions, where none is.
"""

from research.benchmarks.timing import pin_threads, print_table

pin_threads()

import argparse  # noqa: E402
from collections.abc import Iterator  # noqa: E402
from typing import Any  # noqa: E402

import numpy as np  # noqa: E402

import suffice as sf  # noqa: E402
from research.problems import find  # noqa: E402
from suffice.paper.known import DIMENSIONS, known_runs  # noqa: E402

PROBLEMS = ("branin", "levy2", "ackley2", "hartmann3", "rastrigin3", "hartmann4", "levy5", "hartmann6")
STEPS = 35  # after 2 d initial points
THEOREMS = {
    "observed": "Theorem 1, observed",
    "theorem1": "Theorem 1",
    "theorem3": "Theorem 3",
    "trivial": "2BT",
}
RUNS: dict[str, dict[str, Any]] = {
    '`aim="regret"`': {"aim": "regret"},
    '`aim="regret"`, `GP(warp=False)`': {"aim": "regret", "model": sf.GP(warp=False)},
    "`UCB(3.0)`": {"acquisition": sf.UCB(3.0)},
    "`UCB(3.0)`, `GP(warp=False)`": {"acquisition": sf.UCB(3.0), "model": sf.GP(warp=False)},
}


def where_known(seeds: int) -> Iterator[list[str]]:
    """Rows: a bound, its ratio to the regret in each dimension, and the runs in which that is below one."""
    runs = {d: [known_runs((d,), seed=seed)[0] for seed in range(seeds)] for d in DIMENSIONS}
    for name, bound in THEOREMS.items():
        ratios = [np.array([getattr(run, name) / run.regret for run in runs[d]]) for d in DIMENSIONS]
        exceeded = sum(int(np.sum(ratio < 1.0)) for ratio in ratios)
        yield [bound, *(f"{np.median(ratio):.1f}" for ratio in ratios), f"{exceeded} of {seeds * len(DIMENSIONS)}"]


def on_functions(seeds: int) -> Iterator[list[str]]:
    """Rows: setting, runs whose regret is above the bound that they state, and how many times the regret it is."""
    for label, options in RUNS.items():
        ratios = []
        for name in PROBLEMS:
            problem = find(name)
            for seed in range(seeds):
                n = 2 * problem.dim
                result = sf.minimize(problem, list(problem.bounds), n + STEPS, n_initial=n, seed=seed, **options)
                trials = [trial for trial in result.trials if trial.solve is not None]
                regret = sum((trial.value or 0.0) - problem.optimum for trial in trials)
                ratios.append(result.accuracy.bound.value / regret)
        yield [label, *_summary(ratios)]


def _summary(ratios: list[float]) -> list[str]:
    above = f"{sum(ratio < 1.0 for ratio in ratios)} of {len(ratios)}"
    return [above, *(f"{quantile:.2f}" for quantile in np.quantile(ratios, (0.25, 0.5, 0.75)))]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=10, help="of each cell of the first table; the second has 4")
    seeds = parser.parse_args().seeds
    head = ("bound", *(f"d = {d}" for d in DIMENSIONS), "runs above it")
    print_table("Every constant known: bound / regret, median", head, list(where_known(seeds)))
    head = ("run", "regret above the number", *(f"number / regret: {part}" for part in ("25 %", "median", "75 %")))
    print_table("Test functions: result.accuracy.bound.value", head, list(on_functions(min(seeds, 4))))


if __name__ == "__main__":
    main()
