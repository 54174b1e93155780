"""Clocks and tables for the benchmarks."""

import os
import statistics
import time
from collections.abc import Callable, Sequence


def pin_threads() -> None:
    """One BLAS thread; must run before NumPy is imported."""
    for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
        os.environ[name] = "1"


def median_seconds(f: Callable[[], object], repeats: int = 7) -> float:
    """The median time of `repeats` calls."""
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        f()
        times.append(time.perf_counter() - start)
    return statistics.median(times)


def print_table(title: str, header: Sequence[str], rows: Sequence[Sequence[object]]) -> None:
    """A plain table with aligned columns."""
    cells = [list(map(str, header)), *[list(map(str, row)) for row in rows]]
    widths = [max(len(row[j]) for row in cells) for j in range(len(header))]
    print(f"\n{title}")
    for i, row in enumerate(cells):
        print("  " + "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip())
        if i == 0:
            print("  " + "  ".join("-" * width for width in widths))
