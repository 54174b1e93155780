"""The report of a comparison, in the form of all reports."""

from collections.abc import Sequence
from pathlib import Path

from research.compare import sections
from research.compare.charts import charts
from research.compare.contest import Contest
from research.compare.installed import Installed
from research.compare.ranks import Duel, duels, floored
from research.compare.solved import ALL, Solved, by_family, units
from research.compare.standings import Standing, by_problem, overall, slowness
from research.compare.systems import SUFFICE
from suffice.lab.plan import Plan
from suffice.lab.report import (
    figures,
    grouped,
    origin,
    write_page,
    write_tables,
)
from suffice.lab.results import Run
from suffice.report.html import LANDSCAPE, paragraphs
from suffice.store.files import FilePath
from suffice.text import digits, with_error

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
        ("Standings", sections.all_problems(plan, standings, solved)),
        ("Solved", sections.solved_by_family(plan, solved)),
        ("Two at a time", sections.two_at_a_time(plan, standings, pairs)),
        *figures(out / "figures", charts(plan, groups, standings)),
        ("Problem by problem", sections.problem_by_problem(plan, rows)),
        ("Systems", sections.systems(contest, absent)),
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
