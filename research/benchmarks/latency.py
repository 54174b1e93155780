"""The optimizer's own time for a suggestion, and its memory: python -m research.benchmarks.latency [asks]

An ask and the telling of its value, refits included, the evaluation and the first ask not: on Hartmann6, from 60
observations to 260, and with 800 foreign ones. The processor's time is that of all threads and does not depend on the
load of the machine; BLAS is left as it is found, as a user's is. Memory is the peak of the resident memory of the
process, NumPy and SciPy included, over so many asks, 2000 unless another number is given.
"""

import resource
import statistics
import sys
import time
from collections.abc import Iterator

import numpy as np

import suffice as sf
from research.benchmarks.timing import print_table
from research.problems import PROBLEMS

HARTMANN = PROBLEMS["hartmann6"]
COLUMNS = ("all", "processor", "fit", "bind", "solve", "report", "rest")
MEGABYTE = 2**20 if sys.platform == "darwin" else 2**10  # in the units of ru_maxrss


def suggestions(optimizer: sf.Optimizer, n: int) -> Iterator[dict[str, float]]:
    """Seconds of n suggestions, each with the telling of its value: by the clock, of the processor, and by phase."""
    for _ in range(n):
        start = clocks()
        trial = optimizer.ask()
        asked = clocks()
        value = HARTMANN(trial.point)
        evaluated = clocks()
        optimizer.tell(trial, value)
        total, processor = asked - start + clocks() - evaluated
        phases = trial.solve.seconds if trial.solve is not None else {}
        yield {"all": total, "processor": processor, **phases, "rest": total - sum(phases.values())}


def clocks() -> np.ndarray:
    """Seconds of the wall clock, and of the processor."""
    return np.array([time.perf_counter(), time.process_time()])


def run(n: int) -> sf.Optimizer:
    """An optimizer with an initial design of n points and one suggestion."""
    optimizer = sf.Optimizer(HARTMANN.bounds, seed=0, n_initial=n)
    list(suggestions(optimizer, n + 1))
    return optimizer


def told(n: int) -> sf.Optimizer:
    """An optimizer that was told n random points, with one suggestion."""
    optimizer = sf.Optimizer(HARTMANN.bounds, seed=0)
    for x in np.random.default_rng(0).random((n, HARTMANN.dim)):
        optimizer.tell(x, HARTMANN(x))
    list(suggestions(optimizer, 1))
    return optimizer


def latency_rows(name: str, seconds: list[dict[str, float]]) -> list[list[object]]:
    """Milliseconds: mean, median, and the median of the last ten."""
    columns = {key: [1e3 * row[key] for row in seconds] for key in COLUMNS}
    summaries = {"mean": statistics.mean, "median": statistics.median}
    rows = [[name, what, *(f"{f(column):.2f}" for column in columns.values())] for what, f in summaries.items()]
    if len(seconds) > 10:
        last = (statistics.median(column[-10:]) for column in columns.values())
        rows.append([name, "last ten, median", *(f"{value:.2f}" for value in last)])
    return rows


def peak() -> float:
    """Megabytes: the most that was resident so far."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / MEGABYTE


def memory_rows(asks: int) -> list[list[object]]:
    """The peak at the start and after each quarter of the asks, and what a suggestion then takes."""
    optimizer = run(2 * (HARTMANN.dim + 1))
    first, rows = peak(), []
    for _ in range(4):
        seconds = [row["all"] for row in suggestions(optimizer, asks // 4)]
        grown = f"{peak() - first:.0f} MB"
        rows.append([len(optimizer.trials), f"{1e3 * statistics.mean(seconds):.0f} ms", f"{peak():.0f} MB", grown])
    return rows


def main(asks: int = 2000) -> None:
    memory = memory_rows(asks)  # first: a peak is one for the whole process
    seconds = {"60 to 260": list(suggestions(run(60), 199)), "800": list(suggestions(told(800), 5))}
    rows = [row for name, found in seconds.items() for row in latency_rows(name, found)]
    print_table("Overhead of a suggestion, ms", ["observations", "", *COLUMNS], rows)
    header = ["observations", "a suggestion, mean", "resident", "growth (< 100 MB)"]
    print_table(f"Memory over {asks} asks, 6 parameters", header, memory)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
