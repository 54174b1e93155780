"""Wide batches: python -m research.benchmarks.wide_batches [--report] [--size 64] [--seeds 2] [--time]

Each run asks for a batch, evaluates all of it, and again: a batch of the design, then two of the model. Printed for a
problem: the mean log10 of the regret, in parts of a random point's and none better than 1e-4, after each batch; the
share of points within 0.01 of an earlier one of their batch in every column; the processor seconds of an ask. With
--time only the time of an ask of that size: 200 random points of Hartmann6, by three seeds.
"""

import argparse
import math
import time

from research.benchmarks.timing import pin_threads, print_table

pin_threads()  # before NumPy is imported

import numpy as np  # noqa: E402

import suffice as sf  # noqa: E402
from research.benchmarks.batches import FIRST, NEAR, REPORTING, SEEDED, TUNING  # noqa: E402
from research.benchmarks.places import place  # noqa: E402

BATCHES, FLOOR = 3, 1e-4


def run(name: str, seed: int, size: int) -> tuple[list[float], float, float]:
    """The log10 of the regret after each batch, the share of points near another, the seconds of an ask."""
    where = place(f"{name}{seed}" if name in SEEDED else name)
    optimizer, best, regrets, near, seconds = sf.Optimizer(where.space, seed=seed), math.inf, [], [], []
    for batch in range(BATCHES):
        start = time.process_time()
        trials = optimizer.ask(size)
        if batch:
            seconds.append(time.process_time() - start)
            X = np.array([trial.unit for trial in trials])
            near += [np.abs(X[:i] - X[i]).max(axis=1).min() < NEAR for i in range(1, len(X))]
        for trial in trials:
            best = min(best, where.function(trial.point))
            optimizer.tell(trial, where.function(trial.point))
        regrets.append(math.log10(max(FLOOR, (best - where.problem.optimum) / where.typical)))
    return regrets, float(np.mean(near)), float(np.mean(seconds))


def timed(size: int, seed: int, n: int = 200) -> float:
    """Processor seconds of an ask of so many points after n random ones of Hartmann6."""
    where, rng = place("hartmann6"), np.random.default_rng(seed)
    optimizer = sf.Optimizer(where.space, seed=seed)
    with optimizer.together():
        for x in where.space.sample(n, rng):
            optimizer.tell(where.space.from_unit(x), where.function(where.space.from_unit(x)))
    trial = optimizer.ask()
    optimizer.tell(trial, where.function(trial.point))
    start = time.process_time()
    optimizer.ask(size)
    return time.process_time() - start


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--report", action="store_true", help="the other ten problems")
    parser.add_argument("--size", type=int, default=64, help="points of a batch")
    parser.add_argument("--seeds", type=int, default=2, help="runs of a problem")
    parser.add_argument("--time", action="store_true", help="the time of an ask only")
    words = parser.parse_args()
    if words.time:
        rows = [(f"{k}", *(f"{1e3 * timed(k, seed):.0f}" for seed in range(3))) for k in (1, words.size)]
        print_table("An ask after 200 points, d = 6", ("points", "ms, seed 0", "seed 1", "seed 2"), rows)
        return
    table, kept = [], []
    for name in REPORTING if words.report else TUNING:
        found = [run(name, seed, words.size) for seed in range(FIRST, FIRST + words.seeds)]
        kept.append(np.mean([[*regrets, near, seconds] for regrets, near, seconds in found], axis=0))
        table.append((name, *(f"{value:.2f}" for value in kept[-1])))
    table.append(("mean", *(f"{value:.2f}" for value in np.mean(kept, axis=0))))
    print_table(
        f"Batches of {words.size}", ("problem", *(f"batch {k + 1}" for k in range(BATCHES)), "near", "seconds"), table
    )


if __name__ == "__main__":
    main()
