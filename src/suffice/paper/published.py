"""The paper's published values, their comparison with reproduced ones, and the conclusions in sentences.

p        published mean, of 20 runs        m, s, n  reproduced mean, its standard error, and its runs
c        a difference explained by chance: t · s · √(1 + n/20); Student's distribution with n − 1 degrees of freedom
         exceeds ±t once in eighty times

Published values are mean final cumulative regret and mean seconds of a run, over 20 runs each, read by eye off the
plots, about ±3 % of each axis. The seconds are those of the authors' machine, the fit of the surrogate included.
Hartmann4 has the 120 iterations of the figure, where the text says 100; Michalewicz is in the authors' repository only.

The published errors are unknown, so we assume the spread of our own runs. A cell agrees if |m − p| is at most p/4, or
with as many runs as the paper, at most c. With fewer runs, large errors must not count as agreement: a mean between p/4
and c away is called lower or higher, which may be chance. The same holds for every such mean of fewer than ten runs:
regret is skewed, so two or three similar runs may have a far too small s.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from scipy.special import stdtrit

from suffice.lab.plan import Plan
from suffice.lab.report import Cell, Grouped, paired
from suffice.problems.functions import title
from suffice.result.coverage import NAMED
from suffice.result.findings import FEWEST

# The note beside published values.
SOURCE = "read by eye off the published plots, about ±3 % of each axis"
OURS = ("suffice", "enough")  # methods that are not in the paper
SHARE = 0.25  # of the published value: bars were read by eye, and their own errors are at least a tenth
ONCE_IN = 80  # cells of the same experiment, chance exceeds c
PAPERS_RUNS = 20  # behind each published value


@dataclass(frozen=True)
class Published:
    """One bar of a published figure."""

    regret: float  # final cumulative regret
    seconds: float | None = None  # of a run; None: not published


PublishedCells = dict[tuple[str, str], Published]  # by problem and method
Cells = Mapping[tuple[str, str], Cell]


def _row(problem: str, regrets: tuple[float, ...], seconds: tuple[float | None, ...]) -> PublishedCells:
    """One problem, the paper's four methods."""
    values = zip(("uniform", "lbfgsb", "nelder_mead", "cg"), regrets, seconds, strict=True)
    return {(problem, method): Published(regret, second) for method, regret, second in values}


PUBLISHED: dict[str, PublishedCells] = {  # by plan
    "main": {
        **_row("branin", (29, 40, 43, 48), (1.5, 3.6, 6.0, 4.6)),
        **_row("rastrigin3", (3400, 3230, 3040, 2830), (2.7, 7.0, 12, 13.3)),
        **_row("hartmann3", (28, 31, 28, 52), (3.3, 7.1, 8.8, 8.1)),
        **_row("hartmann4", (15.6, 9.5, 7.5, 14), (5.0, 11, 16.4, 12.1)),
        **_row("levy5", (560, 740, 2600, 1450), (13.6, 22.1, 46.8, 22.7)),
        **_row("hartmann6", (120, 67, 67, 113), (16.5, 24.8, 52.2, 28.4)),
    },
    "small": {
        **_row("branin", (40, 85, 79, 93), (0.1, 0.35, None, None)),
        **_row("rastrigin3", (2290, 2200, 2180, 2130), (0.25, 3.4, None, None)),
        **_row("hartmann3", (58, 46, 51, 73), (0.2, 1.7, None, None)),
        **_row("hartmann4", (21, 19.5, 18.7, 23), (0.5, 3.7, None, None)),
        **_row("levy5", (880, 1770, 2600, 1690), (0.45, 3.9, None, None)),
        **_row("hartmann6", (85, 60, 60, 84), (1.4, 6.1, None, None)),
    },
    "automl": _row("automl", (1.87, 2.6, 2.15, 2.85), (5.7, 7.8, 30, 6.4)),
    "grid-size": {("automl", "uniform"): Published(4.05), ("automl", "uniform_fixed"): Published(5.0)},
    "michalewicz": _row("michalewicz10", (2410, 2465, 2475, 2465), (17.4, 23.6, 72.5, 32)),
}

# Reasons for differences from published values: by plan, then by problem and method.
REMARKS: dict[str, dict[tuple[str, str], str]] = {
    "main": {
        ("levy5", "nelder_mead"): (
            "A few diverging runs dominate this mean: our 20 runs end between 23 and 3992, with a median of 825. "
            "The published bar is as high as that of the small initial design, where it agrees with ours."
        ),
    },
}


class Verdict(StrEnum):
    """The comparison of a reproduced cell with the published one."""

    AGREES = "agrees"
    LOWER = "lower"  # by more than chance
    HIGHER = "higher"
    LOWER_MAYBE = "lower, may be chance"
    HIGHER_MAYBE = "higher, may be chance"
    NO_RUNS = "no runs"

    @property
    def differs(self) -> bool:
        """Whether the values differ by more than chance."""
        return self in (Verdict.LOWER, Verdict.HIGHER)


@dataclass(frozen=True)
class Compared:
    """One published cell and the runs; nan without runs."""

    problem: str
    method: str
    published: float  # mean final cumulative regret
    reproduced: float
    se: float  # of the reproduced mean
    runs: int
    ratio: float  # reproduced / published
    verdict: Verdict
    ours: float  # mean of the best of our methods on the same problem and designs
    ours_se: float
    ours_method: str  # "": none of them has runs
    published_seconds: float | None
    seconds: float
    ours_seconds: float
    remark: str


def compare(
    published: Mapping[tuple[str, str], Published],
    cells: Cells,
    remarks: Mapping[tuple[str, str], str],
    ours: Sequence[str] = OURS,
) -> list[Compared]:
    """A row for each published cell, in the published order."""
    found = []
    for (problem, method), theirs in published.items():
        cell = cells.get((problem, method), Cell.of(problem, method))
        same = [cells[problem, name] for name in ours if (problem, name) in cells]
        best = min(same, key=lambda each: each.regret, default=Cell.of(problem, ""))
        row = Compared(
            problem=problem,
            method=method,
            published=theirs.regret,
            reproduced=cell.regret,
            se=cell.regret_se,
            runs=cell.runs,
            ratio=cell.regret / theirs.regret,
            verdict=judge(theirs.regret, cell.regret, cell.regret_se, cell.runs),
            ours=best.regret,
            ours_se=best.regret_se,
            ours_method=best.method,
            published_seconds=theirs.seconds,
            seconds=cell.seconds,
            ours_seconds=best.seconds,
            remark=remarks.get((problem, method), ""),
        )
        found.append(row)
    return found


def judge(published: float, mean: float, se: float, runs: int) -> Verdict:
    """Whether a reproduced mean agrees with the published one, up to a quarter or up to chance."""
    if not runs:
        return Verdict.NO_RUNS
    distance, limit = abs(mean - published), by_chance(se, runs)
    if distance <= SHARE * abs(published) or (runs >= PAPERS_RUNS and distance <= limit):
        return Verdict.AGREES
    if runs < FEWEST or distance <= limit:
        return Verdict.LOWER_MAYBE if mean < published else Verdict.HIGHER_MAYBE
    return Verdict.LOWER if mean < published else Verdict.HIGHER


def by_chance(se: float, runs: int) -> float:
    """c, the distance that two experiments with the same spread exceed once in eighty times; inf for a single run."""
    if math.isnan(se):
        return math.inf
    return quantile(runs) * se * math.sqrt(1.0 + runs / PAPERS_RUNS)


def quantile(runs: int) -> float:
    """t, standard errors of a mean of two runs or more: 51 of two, 2.8 of twenty."""
    return float(stdtrit(runs - 1, 1.0 - 0.5 / ONCE_IN))


def judged(rows: Iterable[Compared]) -> list[Compared]:
    """The cells that have runs."""
    return [row for row in rows if row.verdict is not Verdict.NO_RUNS]


def verdict(plan: Plan, groups: Grouped, cells: Cells, rows: Sequence[Compared]) -> list[str]:
    """Agreement with the published values, lowest regret, speed, and reliability, in sentences."""
    said = [_agreement(plan, rows), _lowest(plan, groups, cells), _speed(plan, cells), _caution(plan, cells, rows)]
    return [sentence for sentence in said if sentence]


def runs_per_cell(cells: Cells) -> str:
    """The number of runs in a cell: "20 runs", or "3 to 20 runs"."""
    counts = {cell.runs for cell in cells.values()} or {0}
    low, high = min(counts), max(counts)
    return f"{low} to {high} runs" if low < high else f"{high} run{'' if high == 1 else 's'}"


def lowest(plan: Plan, cells: Cells) -> dict[str, str]:
    """The method with the lowest mean regret on each problem where two or more have runs."""
    orders = {task.problem: _by_regret(plan, cells, task.problem) for task in plan.tasks}
    return {problem: order[0] for problem, order in orders.items() if len(order) > 1}


def is_clear(plan: Plan, groups: Grouped, cells: Cells, problem: str) -> bool:
    """Whether the lowest mean regret on a problem is lower than the second by more than chance, seed by seed."""
    first, second, *_ = _by_regret(plan, cells, problem)
    pair = paired(groups[problem, first], groups[problem, second])
    return pair is not None and pair.seeds > 1 and pair.difference < -quantile(pair.seeds) * pair.se


def _agreement(plan: Plan, rows: Sequence[Compared]) -> str:
    known = judged(rows)
    if not known:
        return ""
    labels = plan.labels
    agreeing = sum(row.verdict is Verdict.AGREES for row in known)
    off = [
        f"{row.verdict.value} for {labels[row.method]} on {title(row.problem)} (× {row.ratio:.2g})"
        for row in known
        if row.verdict.differs
    ]
    off[NAMED:] = [f"{len(off) - NAMED} more"] if len(off) > NAMED else []
    waiting = len(rows) - len(known)
    return (
        f"{agreeing} of {len(known)} cells agree with the published value, within {SHARE:.0%} of it"
        + (" or within chance" if all(row.runs >= PAPERS_RUNS for row in known) else "")
        + _undecided(known)
        + (f"; beyond chance, regret is {_listed(off)}" if off else "")
        + (f"; {waiting} published cell{' has' if waiting == 1 else 's have'} no runs yet" if waiting else "")
        + "."
    )


def _undecided(rows: Sequence[Compared]) -> str:
    """The number of cells that are lower or higher, but with too few runs for a conclusion."""
    words = {"lower": Verdict.LOWER_MAYBE, "higher": Verdict.HIGHER_MAYBE}
    counts = {word: sum(row.verdict is verdict for row in rows) for word, verdict in words.items()}
    told = [f"{count} {word}" for word, count in counts.items() if count]
    return f"; {_listed(told)}, which may be chance with so few runs" if told else ""


def _by_regret(plan: Plan, cells: Cells, problem: str) -> list[str]:
    """The methods with runs on a problem, lowest mean regret first."""
    names = [method.name for method in plan.methods if (problem, method.name) in cells]
    return sorted(names, key=lambda name: cells[problem, name].regret)


def _lowest(plan: Plan, groups: Grouped, cells: Cells) -> str:
    found = lowest(plan, cells)
    best = list(found.values())
    if not best:
        return ""
    labels = plan.labels
    counts = sorted(((best.count(name), name) for name in dict.fromkeys(best)), key=lambda pair: -pair[0])
    (most, first), *rest = counts
    noun = "problem" if len(best) == 1 else "problems"
    shares = [f"{labels[first]} on {most} of {len(best)} {noun}", *(f"{labels[name]} on {n}" for n, name in rest)]
    clear = sum(is_clear(plan, groups, cells, problem) for problem in found)
    return (
        f"The mean cumulative regret is lowest for {_listed(shares)}; significantly, at a level of 1 in {ONCE_IN} "
        f"against the second, on {clear or 'none'}."
    )


def _speed(plan: Plan, cells: Cells) -> str:
    """Times relative to the fastest method: geometric means over the problems that all methods have runs on."""
    times = _times(plan, cells)
    if len(times) < 2:
        return ""
    fastest = min(times, key=times.__getitem__)
    others = sorted((time / times[fastest], label) for label, time in times.items() if label != fastest)
    ratios = _listed([f"{label} ({ratio:.2g})" for ratio, label in others])
    return f"{fastest} is the fastest; others take this many times as long, in the geometric mean: {ratios}."


def _times(plan: Plan, cells: Cells) -> dict[str, float]:
    present = [method for method in plan.methods if any(name == method.name for _, name in cells)]
    shared = [task.problem for task in plan.tasks if all((task.problem, method.name) in cells for method in present)]
    logs = {
        method.label: [math.log(cells[problem, method.name].seconds) for problem in shared]
        for method in present
        if all(cells[problem, method.name].seconds > 0.0 for problem in shared)
    }
    return {label: math.exp(math.fsum(values) / len(values)) for label, values in logs.items() if values}


def _caution(plan: Plan, cells: Cells, rows: Sequence[Compared]) -> str:
    if not cells:
        return "There are no runs yet."
    fewest = min(cell.runs for cell in cells.values())
    if min(fewest, plan.reps) >= PAPERS_RUNS:
        return ""
    return (
        f"Only {runs_per_cell(cells)} for each cell, where the paper has {PAPERS_RUNS}: "
        "differences of a few standard errors may be chance"
        + (
            ", and a mean over few runs is more often below the published one, which rare bad runs raise."
            if rows
            else "."
        )
    )


def _listed(words: Iterable[str]) -> str:
    """ "a", "a and b", "a, b and c"."""
    *first, last = words
    return f"{', '.join(first)} and {last}" if first else last
