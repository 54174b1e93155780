"""Runs that are rows of a CSV file: made once, written down one by one, and read again.

A run is a frozen dataclass whose fields name it; they are the first columns of its row. Processor time takes the place
of the clock, so that neither pauses nor other programs change what is measured.
"""

import csv
import sys
import time
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any
from unittest.mock import patch

INITIAL = 10  # points of the initial design, the same for all runs with one seed
Row = dict[str, str]


def carry_out(runs: Iterable[Any], make: Callable[[Any], Mapping[str, Any] | None], path: Path) -> None:
    """Make the runs that the file lacks, and add each when it is done; None: there is no such run."""
    path.parent.mkdir(parents=True, exist_ok=True)
    kept = read(path)
    for run in runs:
        named = {name: str(value) for name, value in asdict(run).items()}
        if any(named.items() <= row.items() for row in kept):
            continue
        with warnings.catch_warnings(), patch.object(time, "perf_counter", time.process_time):
            warnings.simplefilter("ignore")  # of other libraries
            found = make(run)
        if found is not None:
            add(path, {**named, **found})
            print(*named.values(), *found.values(), file=sys.stderr, flush=True)


def add(path: Path, row: Mapping[str, Any]) -> None:
    """A row at the end of the file: an interrupted study has lost one run at most."""
    new = not path.exists()
    with path.open("a", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, list(row), lineterminator="\n")
        if new:
            writer.writeheader()
        writer.writerow(row)


def read(path: Path) -> list[Row]:
    """All rows of the file."""
    if not path.exists():
        return []
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def balanced(rows: Sequence[Row]) -> list[Row]:
    """The rows of those seeds that every kind of run has, so that a study that is not done compares like with like."""
    cells: dict[tuple[str, ...], set[str]] = {}
    for row in rows:
        cells.setdefault(cell(row), set()).add(row["seed"])
    common = set.intersection(*cells.values()) if cells else set()
    return [row for row in rows if row["seed"] in common]


def cell(row: Row) -> tuple[str, ...]:
    """What a run is a repetition of: its columns before the seed."""
    return tuple(list(row.values())[: list(row).index("seed")])


def numbers(row: Row, name: str) -> Iterator[float]:
    """The numbers of a column that has several."""
    return map(float, row[name].split())
