"""Published beside reproduced beside ours, cell by cell.

p  published mean        m, s  reproduced mean and its standard error        agreement: |m − p| ≤ max(p/4, 2.5·√2·s)

The published standard errors are unknown and taken equal to the reproduced ones, hence √2: where the two experiments
are the same, chance exceeds 2.5·√2·s in about one cell of eighty. A single run has no s: then p/4 alone counts.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from suffice.lab.tables import Cell
from suffice.paper.published import Published

OURS = ("suffice", "enough")  # methods that the paper does not have
SHARE, ERRORS = 0.25, 2.5 * math.sqrt(2.0)


@dataclass(frozen=True)
class Compared:
    """One published cell beside the runs; nan where there are none."""

    problem: str
    method: str
    published: float  # mean final cumulative regret
    reproduced: float
    se: float  # of the reproduced mean
    runs: int
    ratio: float  # reproduced / published
    agrees: bool | None  # None: there are no runs
    ours: float  # mean of the best of our methods on the same problem and designs
    ours_se: float
    ours_method: str  # "": none of them has runs
    published_seconds: float | None
    seconds: float
    ours_seconds: float
    remark: str


def compare(
    published: Mapping[tuple[str, str], Published],
    cells: Mapping[tuple[str, str], Cell],
    remarks: Mapping[tuple[str, str], str],
    ours: Sequence[str] = OURS,
) -> list[Compared]:
    """A row for each published cell, in the published order."""
    return [
        _row(key, cell, cells.get(key), _best(key[0], cells, ours), remarks.get(key, ""))
        for key, cell in published.items()
    ]


def agree(published: float, mean: float, se: float) -> bool:
    """Whether a reproduced mean is the published one, up to a quarter or up to chance."""
    allowed = SHARE * abs(published)
    return abs(mean - published) <= (allowed if math.isnan(se) else max(allowed, ERRORS * se))


def agreement(rows: Iterable[Compared]) -> tuple[int, int]:
    """How many cells agree, of how many that have runs."""
    verdicts = [row.agrees for row in rows if row.agrees is not None]
    return sum(verdicts), len(verdicts)


def _row(key: tuple[str, str], theirs: Published, cell: Cell | None, ours: Cell | None, remark: str) -> Compared:
    return Compared(
        problem=key[0],
        method=key[1],
        published=theirs.regret,
        reproduced=cell.regret if cell else math.nan,
        se=cell.regret_se if cell else math.nan,
        runs=cell.runs if cell else 0,
        ratio=cell.regret / theirs.regret if cell else math.nan,
        agrees=agree(theirs.regret, cell.regret, cell.regret_se) if cell else None,
        ours=ours.regret if ours else math.nan,
        ours_se=ours.regret_se if ours else math.nan,
        ours_method=ours.method if ours else "",
        published_seconds=theirs.seconds,
        seconds=cell.seconds if cell else math.nan,
        ours_seconds=ours.seconds if ours else math.nan,
        remark=remark,
    )


def _best(problem: str, cells: Mapping[tuple[str, str], Cell], ours: Sequence[str]) -> Cell | None:
    found = [cells[problem, method] for method in ours if (problem, method) in cells]
    return min(found, key=lambda cell: cell.regret, default=None)
