"""Tables and figures of research/comparison/README.md from the runs of a comparison.

    python -m research.benchmarks.comparison_figures

Nothing is run: FULL has every suggestion of the comparison on sixteen functions, NOISY of that with noise. They are not
in the repository; `python -m research.compare` makes them, in hours (the page has the commands). Ranks, profiles and
ratios are computed from them by the present code. Ranks are by all digits of the simple regret.
"""

import math
import re
import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import numpy as np

from research.benchmarks.timing import print_table
from research.compare import contest as contests
from research.compare.charts import charts
from research.compare.entrant import entrant
from research.compare.standings import Duel, Standing, by_problem, cumulative, duels, overall, simple, units
from research.compare.systems import SUFFICE, SYSTEMS, Installed
from suffice.lab.plan import Plan, Task
from suffice.lab.report import grouped, write_tables
from suffice.lab.results import Results, Run
from suffice.problems.functions import title
from suffice.text import digits, with_error

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "research" / "comparison"
FULL, NOISY = (ROOT / "comparison" / plan / "results.db" for plan in ("full", "full-noise-0.1"))
FIGURES = ("rank-and-overhead", "profiles-simple", "profiles-cumulative", "regret-and-overhead", "simple-regret")
HEAD = ("System", "Rank", "Rank, cumulative", "log10 simple regret", "Regret per step", "Overhead ms", "Last ten ms")
BY_FUNCTION = ("best peer in R", "ratio", "best peer in r", "suffice − peer, log10 r")


def kept(path: Path) -> list[Run]:
    """The runs of a comparison."""
    if not path.exists():
        sys.exit(f"there is no {path}: the page research/comparison/README.md has the command that makes it, in hours")
    with Results(path) as results:
        return results.runs()


def plan_of(runs: Sequence[Run]) -> Plan:
    """The plan that they are of: all systems, and the functions that there are runs on."""
    everyone = [entrant(Installed(system, sys.executable, {}), 0.0, math.inf) for system in SYSTEMS.values()]
    problems, lengths = {run.problem for run in runs}, dict[str, int]()
    for run in runs:
        lengths[run.problem] = max(lengths.get(run.problem, 0), len(run.columns["regret"]))
    tasks = (task for task in contests.full(everyone).plan.tasks if task.problem in problems)
    there = [one for one in everyone if one.system.name in {run.method for run in runs}]
    same = tuple(Task(task.problem, task.initial, lengths[task.problem]) for task in tasks)
    return contests.contest(runs[0].plan, same, there, contests.SEEDS, contests.CAPS).plan


def standing(plan: Plan, row: Standing) -> list[object]:
    """A system on all functions; ranks by all digits."""
    return [
        plan.labels[row.system],
        with_error(row.rank_all_digits, row.rank_all_digits_se),
        with_error(row.rank_cumulative, row.rank_cumulative_se),
        f"{row.log10_simple:.2f}".replace("-", "−"),
        with_error(row.regret, row.regret_se),
        *(digits(1e3 * seconds) for seconds in (row.overhead, row.last_overhead, row.first_ask)),
        row.problems,
        row.runs,
    ]


class Shared(NamedTuple):
    """suffice and a peer on the runs that both have, at the shorter horizon: mean R and median log10 r."""

    label: str
    runs: int
    ours: tuple[float, float]
    theirs: tuple[float, float]


def shared(plan: Plan, runs: Sequence[Run]) -> Iterator[Shared]:
    """Every peer on one function."""
    ours = {run.seed: run for run in runs if run.method == SUFFICE.name}
    for name in dict.fromkeys(run.method for run in runs if run.method != SUFFICE.name):
        pairs = [(ours[run.seed], run) for run in runs if run.method == name and run.seed in ours]
        both = [(a, b, min(len(a.columns["regret"]), len(b.columns["regret"]))) for a, b in pairs]
        yield Shared(
            plan.labels[name], len(both), _regrets((a, T) for a, _, T in both), _regrets((b, T) for _, b, T in both)
        )


def _regrets(runs: Iterator[tuple[Run, int]]) -> tuple[float, float]:
    some = list(runs)
    logs = [math.log10(simple(run, T)) for run, T in some]
    return float(np.mean([cumulative(run, T) for run, T in some])), float(np.median(logs))


def function(plan: Plan, task: Task, runs: Sequence[Run]) -> list[object]:
    """A function: what suffice comes to, and the peers that are best by either regret in comparison with it."""
    own = _regrets((run, len(run.columns["regret"])) for run in runs if run.method == SUFFICE.name)
    peers = list(shared(plan, runs))
    first = max(peers, key=lambda peer: peer.ours[0] / peer.theirs[0])
    second = max(peers, key=lambda peer: peer.ours[1] - peer.theirs[1])
    cells = [
        title(task.problem),
        f"{task.initial} + {task.iterations}",
        f"{digits(own[0])}, {own[1]:.1f}",
        f"{first.label}: {digits(first.theirs[0])} ({first.runs} runs)",
        f"{first.ours[0] / first.theirs[0]:.2g}",
        f"{second.label}: {second.theirs[1]:.1f} ({second.runs} runs)",
        f"{second.ours[1] - second.theirs[1]:+.1f}",
    ]
    return [re.sub(r"-(?=\d)", "−", cell) for cell in cells]


def main() -> None:
    for path, about in ((FULL, "Sixteen functions"), (NOISY, "Four functions with noise")):
        runs = kept(path)
        plan = plan_of(runs)
        groups, known = grouped(plan, runs), units(plan)
        ordered = [run for cell in groups.values() for run in cell]
        everyone = sorted(overall(ordered, known), key=lambda row: row.rank_all_digits)
        head = (*HEAD, "First ask ms", "Problems", "Runs")
        print_table(about, head, [standing(plan, row) for row in everyone])
        versions = sorted({run.version for run in ordered if run.version})
        print(f"\nThe runs are of version {', '.join(versions)}.")
        if path == FULL:
            tables = {"standings": (Standing, [*everyone, *by_problem(ordered, known)])}
            write_tables(FOLDER, {**tables, "duels": (Duel, duels(ordered, simple))})
            rows = [function(plan, task, [r for r in ordered if r.problem == task.problem]) for task in plan.tasks]
            print_table("Function by function", ("problem", "budget", "suffice: R, log10 r", *BY_FUNCTION), rows)
            by_digits = [replace(row, rank=row.rank_all_digits, rank_se=row.rank_all_digits_se) for row in everyone]
            for chart in charts(plan, groups, by_digits):
                if chart.name in FIGURES:
                    chart.draw().savefig(FOLDER / f"{chart.name}.png", dpi=200)


if __name__ == "__main__":
    main()
