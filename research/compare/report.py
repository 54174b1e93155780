"""The report of a comparison, in the form of all reports: the page, its tables, and the first of them as text."""

import math
from collections.abc import Callable, Sequence
from pathlib import Path

from research.compare.charts import charts
from research.compare.contest import Cap, Contest, left_out
from research.compare.standings import (
    ALL,
    LAST,
    Duel,
    Solved,
    Standing,
    by_family,
    by_problem,
    duels,
    floored,
    overall,
    slowness,
    units,
)
from research.compare.systems import SUFFICE, Installed
from suffice.lab.plan import Plan
from suffice.lab.report import (
    figures,
    grouped,
    matrix,
    origin,
    write_page,
    write_tables,
)
from suffice.lab.results import Run
from suffice.problems.functions import family, title
from suffice.report.html import (
    Entry,
    numbers,
    paragraphs,
    table,
)
from suffice.store.files import FilePath
from suffice.text import UNKNOWN, digits, with_error

# For pages whose tables are too broad for upright paper: they lie on sheets of their own.
LANDSCAPE = "@page broad { size: landscape; } @media print { .scroll.broad { page: broad; } }"
UPRIGHT = 7  # systems, each a column, for which upright paper is wide enough
NAMED = 5  # systems in the verdict; the table has all of them


def write_report(
    folder: FilePath, contest: Contest, runs: Sequence[Run], absent: Sequence[Installed] = (), *, command: str
) -> Path:
    """Write figures, tables and the page from the runs that there are, all or some; the path of the page.

    absent     systems that could not take part, to be named
    command    what made the runs, to be shown
    """
    out, plan, groups = Path(folder), contest.plan, grouped(contest.plan, runs)
    ordered = [run for cell in groups.values() for run in cell]
    known = units(plan)
    standings, rows, pairs = overall(ordered, known), by_problem(ordered, known), duels(ordered, floored(known))
    solved = by_family(ordered, known)
    write_tables(
        out / "tables",
        {"standings": (Standing, [*standings, *rows]), "solved": (Solved, solved), "duels": (Duel, pairs)},
    )
    size = f"{len(ordered)} of {sum(1 for _ in plan.jobs())}"
    content = [
        ("What was run", origin(ordered, size, command)),
        ("Standings", all_problems(plan, standings, solved)),
        ("Solved", solved_by_family(plan, solved)),
        ("Two at a time", two_at_a_time(plan, standings, pairs)),
        *figures(out / "figures", charts(plan, groups, standings)),
        ("Problem by problem", problem_by_problem(plan, rows)),
        ("Systems", systems(contest, absent)),
    ]
    introduction = paragraphs([plan.about, *_noise(contest)])
    introduction += paragraphs(verdict(plan, standings, solved, ordered), "verdict")
    return write_page(out, plan.title, introduction, content, LANDSCAPE if len(plan.methods) > UPRIGHT else "")


def verdict(plan: Plan, standings: Sequence[Standing], solved: Sequence[Solved], runs: Sequence[Run]) -> list[str]:
    """Who solves most, who is best, where suffice stands, and how long the others take."""
    names = plan.labels
    if len(standings) < 2:
        return []
    best = ", ".join(
        f"{names[row.system]} {with_error(row.rank, row.rank_se)} (runs: {row.runs})" for row in standings[:NAMED]
    )
    counted = [row for row in solved if row.family == ALL and row.runs]
    most = sorted(counted, key=lambda row: -row.within_1 / row.runs)[:NAMED]
    shares = ", ".join(f"{names[row.system]} {row.share}" for row in most)
    said = [f"Within 1 % of a random point's regret, runs: {shares}."] if shares else []
    said += [f"Best mean ranks by simple regret, of {len(standings)} systems: {best}."]
    times = sorted((ratio, names[name]) for name, ratio in slowness(runs, SUFFICE.name).items())
    if times:
        ratios = ", ".join(f"{label} {digits(ratio)}" for ratio, label in times)
        said.append(
            f"For a suggestion others take this many times as long as suffice, on the runs they share: {ratios}."
        )
    return said


def _noise(contest: Contest) -> list[str]:
    return [
        f"Values are told with Gaussian noise, the same for all systems: its standard deviation is {share:.3g} of the "
        "range of the values in the initial design. Regret is of the values without noise."
        for share in {entrant.noise for entrant in contest.entrants}
        if share
    ]


HEADS = (
    "System",
    "Within 1 %",
    "Within 0.1 %",
    "Evaluations to 1 %",
    "Rank",
    "Rank, all digits",
    "Rank, cumulative",
    "log10 simple regret",
    "Regret per step",
    "Overhead ms",
    "Last ten ms",
    "First ask ms",
    "Problems",
    "Runs",
)


def as_text(plan: Plan, standings: Sequence[Standing], solved: Sequence[Solved]) -> str:
    """The table of all problems, and what is solved, family by family, as plain text."""
    names, counted = plan.labels, _on_all(solved)
    standing = [HEADS, *((names[row.system], *_values(row, counted[row.system])) for row in standings)]
    systems = [row.system for row in standings]
    heads = ("Within 1 %, evaluations to 1 %", *(names[system] for system in systems))
    found = {(row.family, row.system): f"{row.share}, {row.effort}" for row in solved if row.runs}
    families = dict.fromkeys(family(task.problem) for task in plan.tasks)
    rows = [(title(name), *(found.get((name, system), UNKNOWN) for system in systems)) for name in families]
    return f"{_aligned(standing)}\n\n{_aligned([heads, *rows])}"


def _aligned(lines: Sequence[Sequence[str]]) -> str:
    """Lines of columns, the first one to the left, the others to the right."""
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    return "\n".join(
        "  ".join([line[0].ljust(widths[0]), *(word.rjust(w) for word, w in zip(line[1:], widths[1:], strict=True))])
        for line in lines
    )


def all_problems(plan: Plan, standings: Sequence[Standing], solved: Sequence[Solved]) -> str:
    """A row for each system, the best rank first."""
    names, counted = plan.labels, _on_all(solved)
    note = (
        "Within 1 %: runs whose best point has at most 1 % of the typical regret, that of a random point: the median "
        "of 10 000 uniform ones. Evaluations to 1 %: the median over the runs, initial design included; those that "
        "never got there count as more than their budget, so that it is > budget where half of them did not. "
        "Rank: the mean rank by simple regret among all systems, ± one standard error over the problems, from the runs "
        "that each two systems share, at the shorter horizon; digits beyond the fourth of the typical regret do not "
        "count; rank, all digits: they do; rank, cumulative: the same by cumulative regret. Regrets "
        "are divided by that of the best initial point: log10 of the simple one is a median, the cumulative one a mean "
        "for each step. All but the ranks are over the system's own runs: compare systems with the same runs only. "
        f"Overhead: milliseconds in ask and tell for one suggestion, mean without the first one; last ten: the median "
        f"of the last {LAST} suggestions; first ask: the median of the runs."
    )
    rows = [[Entry(names[row.system], header=True), *numbers(*_values(row, counted[row.system]))] for row in standings]
    return paragraphs([note], "note") + table("All problems", HEADS, rows) if rows else ""


def solved_by_family(plan: Plan, solved: Sequence[Solved]) -> str:
    """A table of how many and one of how soon: a row for each family of problems, a column for each system."""
    note = (
        "Problems that seeds draw from one family are one row. The best of a row is bold. Where the optimum is not "
        "known to be attained, what is solved cannot be said."
    )
    wins: dict[str, tuple[Callable[[Solved], str], Callable[[Solved], float]]] = {
        "Within 1 % of the typical regret, runs": (lambda row: row.share, lambda row: -row.within_1 / row.runs),
        "Within 0.1 %": (lambda row: row.closer_share, lambda row: -row.within_01 / row.runs),
        "Evaluations to 1 %, median": (lambda row: row.effort, lambda row: row.evaluations),
    }
    tables = [_by_family(plan, name, solved, *of) for name, of in wins.items()]
    return "\n".join([paragraphs([note], "note"), *tables]) if solved else ""


def _by_family(
    plan: Plan,
    caption: str,
    solved: Sequence[Solved],
    shown: Callable[[Solved], str],
    lower: Callable[[Solved], float],
) -> str:
    known = {(row.family, row.system): row for row in solved}
    rows = []
    for name in dict.fromkeys(row.family for row in solved):
        row = [known.get((name, method.name)) for method in plan.methods]
        least = min((lower(cell) for cell in row if cell and cell.runs), default=math.nan)
        told = least < math.inf and least != 0.0  # where nobody solved anything, nobody is the best
        best = [told and cell is not None and cell.runs > 0 and lower(cell) == least for cell in row]
        entries = [
            Entry(shown(cell) if cell else UNKNOWN, "number best" if first else "number")
            for cell, first in zip(row, best, strict=True)
        ]
        rows.append([Entry("All" if name == ALL else title(name), header=True), *entries])
    return table(caption, ("Problems", *(method.label for method in plan.methods)), rows)


def two_at_a_time(plan: Plan, standings: Sequence[Standing], duels: Sequence[Duel]) -> str:
    """A row for each system, a column for each opponent, the best rank first."""
    names, order = plan.labels, [row.system for row in standings]
    known = {(duel.system, duel.opponent): f"{duel.wins:.0%} of {duel.runs}" for duel in duels}
    note = (
        "How many of the runs in common the system of the row wins, by its simple regret to four digits of the typical "
        "one; a tie is half a win."
    )
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
        "Rank by simple regret to four digits, mean ± standard error": lambda row: (row.rank, row.rank_se),
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


def _on_all(solved: Sequence[Solved]) -> dict[str, Solved]:
    return {row.system: row for row in solved if row.family == ALL}


def _values(row: Standing, solved: Solved) -> tuple[str, ...]:
    return (
        solved.share,
        solved.closer_share,
        solved.effort,
        with_error(row.rank, row.rank_se),
        with_error(row.rank_all_digits, row.rank_all_digits_se),
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
