"""The tables of a comparison, as HTML, and the first of them as text."""

import math
from collections.abc import Callable, Sequence

from suffice.compare.contest import Contest, left_out
from suffice.compare.installed import Installed
from suffice.compare.ranks import Duel
from suffice.compare.standings import LAST, Standing
from suffice.lab.plan import Cap, Plan
from suffice.lab.report import matrix
from suffice.page.formats import UNKNOWN, digits, with_error
from suffice.page.html import Entry, numbers, paragraphs, table

HEADS = (
    "System",
    "Rank",
    "Rank, cumulative",
    "log10 simple regret",
    "Regret per step",
    "Overhead ms",
    "Last ten ms",
    "First ask ms",
    "Problems",
    "Runs",
)


def as_text(plan: Plan, standings: Sequence[Standing]) -> str:
    """The table of all problems, as plain text."""
    names = plan.labels
    lines = [HEADS, *((names[row.system], *_values(row)) for row in standings)]
    widths = [max(len(line[i]) for line in lines) for i in range(len(HEADS))]
    return "\n".join(
        "  ".join([line[0].ljust(widths[0]), *(line[i].rjust(widths[i]) for i in range(1, len(HEADS)))])
        for line in lines
    )


def all_problems(plan: Plan, standings: Sequence[Standing]) -> str:
    """A row for each system, the best rank first."""
    names = plan.labels
    note = (
        "Rank: the mean rank by simple regret among all systems, ± one standard error over the problems, from the runs "
        "that each two systems share, at the shorter horizon; rank, cumulative: the same by cumulative regret. Regrets "
        "are divided by that of the best initial point: log10 of the simple one is a median, the cumulative one a mean "
        "for each step, both over the system's own runs, so that they compare systems with the same runs only. "
        f"Overhead: milliseconds in ask and tell for one suggestion, mean without the first one; last ten: the median "
        f"of the last {LAST} suggestions; first ask: the median of the runs."
    )
    rows = [[Entry(names[row.system], header=True), *numbers(*_values(row))] for row in standings]
    return paragraphs([note], "note") + table("All problems", HEADS, rows) if rows else ""


def two_at_a_time(plan: Plan, standings: Sequence[Standing], duels: Sequence[Duel]) -> str:
    """A row for each system, a column for each opponent, the best rank first."""
    names, order = plan.labels, [row.system for row in standings]
    known = {(duel.system, duel.opponent): f"{duel.wins:.0%} of {duel.runs}" for duel in duels}
    note = "How many of the runs in common the system of the row wins, by its simple regret; a tie is half a win."
    rows = [
        [Entry(names[name], header=True), *numbers(*(known.get((name, other), UNKNOWN) for other in order))]
        for name in order
    ]
    heads = ("System", *(names[name] for name in order))
    return paragraphs([note], "note") + table("Wins of the row", heads, rows) if duels else ""


def problem_by_problem(plan: Plan, rows: Sequence[Standing]) -> str:
    """A table for each figure of merit: a row for each problem, a column for each system."""
    tables: dict[str, Callable[[Standing], tuple[float, float]]] = {
        "Cumulative regret, mean ± standard error": lambda row: (row.regret, row.regret_se),
        "log10 of the simple regret, median": lambda row: (row.log10_simple, math.nan),
        "Rank by simple regret, mean ± standard error": lambda row: (row.rank, row.rank_se),
        "Overhead of a suggestion in ms, mean": lambda row: (1000.0 * row.overhead, math.nan),
        f"Overhead of the last {LAST} suggestions in ms, median": lambda row: (1000.0 * row.last_overhead, math.nan),
    }
    note = (
        "The lowest of a row is bold. Systems with fewer iterations have a lower cumulative regret for that alone: "
        "compare their ranks, which are at the same horizon."
    )
    shown = [
        matrix(plan, name, {(row.problem, row.system): of(row) for row in rows}) for name, of in tables.items() if rows
    ]
    return "\n".join([paragraphs([note], "note"), *shown]) if shown else ""


def systems(contest: Contest, absent: Sequence[Installed]) -> str:
    """What the labels stand for, who took part in what, and who did not."""
    rows = [
        [
            Entry(entrant.system.label, header=True),
            Entry(entrant.system.name),
            Entry(", ".join(f"{package} {version}" for package, version in entrant.versions.items()) or UNKNOWN),
            Entry(_part(contest.plan, contest.plan.caps.get(entrant.system.name, Cap()))),
            Entry(entrant.system.about, "text"),
            Entry(", ".join(f"{name}={value}" for name, value in entrant.system.settings.items()) or UNKNOWN, "code"),
        ]
        for entrant in contest.entrants
    ]
    heads = ("Label", "Name", "Version", "Takes part in", "What it is", "Settings")
    missing = [f"{found.system.label} did not take part: {found.why_not}." for found in absent]
    missing += filter(None, [left_out(contest)])
    return table("Labels and what they stand for", heads, rows) + (paragraphs(missing, "note") if missing else "")


def _values(row: Standing) -> tuple[str, ...]:
    return (
        with_error(row.rank, row.rank_se),
        with_error(row.rank_cumulative, row.rank_cumulative_se),
        f"{row.log10_simple:.2f}".replace("-", "−"),
        with_error(row.regret, row.regret_se),
        *(digits(1000.0 * seconds) for seconds in (row.overhead, row.last_overhead, row.first_ask)),
        str(row.problems),
        str(row.runs),
    )


def _part(plan: Plan, cap: Cap) -> str:
    tasks = [part for part in (cap.task(task, 0) for task in plan.tasks) if part]
    seeds = plan.reps if cap.seeds is None else min(cap.seeds, plan.reps)
    most = max((task.iterations for task in tasks), default=0)
    return f"problems × seeds: {len(tasks)} × {seeds}, up to {most} iterations"
