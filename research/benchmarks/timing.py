"""Clocks and tables for the benchmarks."""

import os
import re
import statistics
import time
from collections.abc import Callable, Sequence

NUMBER = re.compile(r"[*~<>≤≥≈+−±\s-]*\d")  # how a cell begins that says how many or how much


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
    """A plain table with aligned columns; in Markdown if the environment says SUFFICE_TABLES=markdown."""
    cells = [[str(cell) for cell in row] for row in rows]
    markdown = os.environ.get("SUFFICE_TABLES") == "markdown"  # as benchmarks.figures sets it
    print("\n" + (markdown_table if markdown else plain_table)(title, [str(cell) for cell in header], cells))


def plain_table(title: str, header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """For a terminal: the title, then columns that are as wide as they have to be."""
    widths = [max(map(len, column)) for column in zip(header, *rows, strict=True)]
    ruled = [header, ["-" * width for width in widths], *rows]
    lines = ("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)) for row in ruled)
    return "\n".join([title, *("  " + line.rstrip() for line in lines)])


def markdown_table(title: str, header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """For a page: the title in bold, then the table; columns of numbers but the first are aligned at the right."""
    columns = list(zip(header, *rows, strict=True))[1:]
    rule = ["---", *("---:" if is_measured(column[1:]) else "---" for column in columns)]
    escaped = [[cell.replace("|", "\\|") for cell in row] for row in (header, *rows)]
    lines = ("| " + " | ".join(row) + " |" for row in (escaped[0], rule, *escaped[1:]))
    return "\n".join([f"**{title}**", "", *(line.replace("|  |", "| |") for line in lines)])


def is_measured(cells: Sequence[str]) -> bool:
    """Whether most of the cells that hold something are numbers, or begin with one."""
    held = [cell for cell in cells if cell.strip("*` ") not in {"", "-", "–"}]
    return 2 * sum(bool(NUMBER.match(cell)) for cell in held) > len(held)
