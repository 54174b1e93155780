"""How long an ask takes on a pool of a million rows, and what memory it takes beyond the pool.

    python -m research.benchmarks.pool [rows] [features]

A synthetic library, rows and features standard normal; the objective is a bowl that depends on the features unequally.
For each n a study is told n − 20 random rows and the 20 best of 20 000, and five asks are timed: of the wall clock, and
of this process alone, which other programs do not slow down. Memory is the largest resident set, less what it was once
the array was made.
"""

import resource
import statistics
import sys
import time

import numpy as np

import suffice as sf
from research.benchmarks.timing import print_table

OBSERVED = (20, 100, 300)
ASKS = 5


def resident() -> float:
    """The largest resident set so far, MB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1000


def main(rows: int = 1_000_000, features: int = 20) -> None:
    """Print a table."""
    rng = np.random.default_rng(0)
    library, weights = rng.standard_normal((rows, features)), np.linspace(2.0, 0.1, features)

    def bowl(x: np.ndarray) -> float:
        return float(((x - 0.3) ** 2) @ weights)

    before, start = resident(), time.process_time()
    pool = sf.Pool(library)
    print(f"{rows} rows, {features} features: made in {time.process_time() - start:.2f} s of the processor")
    best = np.argsort([bowl(x) for x in library[:20_000]])[:20]
    table = []
    for n in OBSERVED:
        optimizer = sf.Optimizer(pool, seed=0, n_initial=0)
        for i in (*rng.integers(rows, size=n - len(best)), *best):
            optimizer.tell(library[i], bowl(library[i]))
        optimizer.ask()  # the first fit
        walls, clocks, kinds = [], [], []
        for _ in range(ASKS):
            wall, clock = time.perf_counter(), time.process_time()
            trial = optimizer.ask()
            walls.append(time.perf_counter() - wall)
            clocks.append(time.process_time() - clock)
            optimizer.tell(trial, bowl(trial.point))
            kinds.append(f"{trial.solve.kind}, {trial.solve.upper_kind}" if trial.solve else "")
        times = (f"{of(seconds):.2g}" for seconds in (walls, clocks) for of in (statistics.median, max))
        table.append([n, *times, "; ".join(sorted(set(kinds)))])
    print_table("Seconds of an ask", ["observations", "median", "most", "processor: median", "most", "steps"], table)
    print(f"memory beyond the array: {resident() - before:.0f} MB")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
