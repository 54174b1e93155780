"""How many points to spread out before the model chooses: python -m research.benchmarks.design [--report] [--seeds N]

Problems of many parameters, 120 trials a run by LogEI after designs of several sizes; --report takes other problems and
seeds than those that the size was chosen with. The table has the geometric means of the regret, in parts of a random
point's median regret (not below 1e-6), after so many trials.
"""

import argparse
from collections.abc import Callable
from typing import Any

from research.benchmarks.timing import pin_threads, print_table

pin_threads()  # before NumPy is imported

import numpy as np  # noqa: E402

import suffice as sf  # noqa: E402
from research.problems import find  # noqa: E402

TRIALS, AFTER, DRAWS = 120, (40, 60, 90, 120), 2000
TUNING = ("hartmann6 in 50", "levy20", "rosenbrock12", "ackley12"), 100, (8, 12, 20, 30, 40)  # first seed, sizes
REPORT = ("hartmann6 in 100", "ackley20", "rosenbrock20"), 200, (20, 40)
Made = tuple[Callable[[Any], float], list[tuple[float, float]], float]  # function, bounds, optimum


def hidden(d: int, seed: int) -> Made:
    """Hartmann6 in six of d coordinates, drawn with the seed."""
    problem, columns = find("hartmann6"), np.random.default_rng([seed, 77]).permutation(d)[:6]
    return (lambda x: problem(x[columns])), [(0.0, 1.0)] * d, problem.optimum


def made(name: str, seed: int) -> Made:
    if name.startswith("hartmann6 in "):
        return hidden(int(name.split()[-1]), seed)
    problem = find(name)
    return problem, list(problem.bounds), problem.optimum


def regrets(name: str, n_initial: int, seed: int) -> list[float]:
    """log10 of the regret after each of AFTER trials."""
    function, bounds, optimum = made(name, seed)
    low, high = np.array(bounds).T
    draws = np.random.default_rng(0).uniform(low, high, (DRAWS, len(low)))
    typical = np.median([function(x) for x in draws]) - optimum
    run = sf.minimize(function, bounds, TRIALS, seed=seed, n_initial=n_initial, acquisition=sf.LogEI())
    best = np.minimum.accumulate([trial.value for trial in run.trials])
    return [float(np.log10(max((best[n - 1] - optimum) / typical, 1e-6))) for n in AFTER]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--report", action="store_true", help="other problems and seeds")
    parser.add_argument("--seeds", type=int, default=10, help="runs of each problem (default: 10)")
    words = parser.parse_args()
    names, first, sizes = REPORT if words.report else TUNING
    rows = []
    for name in names:
        for size in sizes:
            runs = [regrets(name, size, seed) for seed in range(first, first + words.seeds)]
            rows.append((name, str(size), *(f"{10**mean:.2g}" for mean in np.mean(runs, axis=0))))
    title = f"Regret after so many trials, by the size of the design, {words.seeds} seeds"
    print_table(title, ("problem", "design", *map(str, AFTER)), rows)


if __name__ == "__main__":
    main()
