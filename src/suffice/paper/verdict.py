"""What the numbers of a plan say, in sentences."""

import math
from collections.abc import Iterable, Mapping, Sequence

from suffice.lab.plan import Plan
from suffice.lab.report import Cell, Grouped, paired
from suffice.paper.published import (
    ONCE_IN,
    PAPERS_RUNS,
    SHARE,
    Compared,
    Verdict,
    judged,
    quantile,
)
from suffice.problems.titles import title

NAMED = 4  # cells that differ, at most, by name: the table has all of them

Cells = Mapping[tuple[str, str], Cell]


def verdict(plan: Plan, groups: Grouped, cells: Cells, rows: Sequence[Compared]) -> list[str]:
    """Agreement with the published values, lowest regret, speed, and how far to trust all that."""
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
    """How many cells are lower or higher, but with too few runs to call it a difference."""
    words = {"lower": Verdict.LOWER_MAYBE, "higher": Verdict.HIGHER_MAYBE}
    counts = {word: sum(row.verdict is verdict for row in rows) for word, verdict in words.items()}
    told = [f"{count} {word}" for word, count in counts.items() if count]
    return f"; {_listed(told)}, which so few runs cannot tell from chance" if told else ""


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
        f"The mean cumulative regret is lowest for {_listed(shares)}; clearly so, by more than chance makes of the "
        f"difference to the second once in {ONCE_IN} times, on {clear or 'none'}."
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
