"""The report of a plan: figures, tables and one page that shows them all and works anywhere.

report.html              everything, in one file
figures/*.png, *.svg     the same figures, for papers and slides
tables/*.csv             the same numbers
"""

import platform
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import scipy

import suffice
from suffice.errors import MissingExtra
from suffice.figures import style
from suffice.lab.plan import Plan
from suffice.lab.run import Run
from suffice.lab.tables import Cell, Grouped, Paired, cells, grouped, paired, write_csv
from suffice.page.html import facts, page, paragraphs, picture
from suffice.paper import sections
from suffice.paper.bound import Sides, sides
from suffice.paper.charts import Chart, Findings, charts
from suffice.paper.comparison import Compared, compare
from suffice.paper.dimension import fill_distances
from suffice.paper.plots import is_about_dimension
from suffice.paper.published import PUBLISHED, REMARKS
from suffice.paper.verdict import verdict
from suffice.problems import find
from suffice.solvers import Grid
from suffice.study.saving import FilePath


def write_report(folder: FilePath, plan: Plan, runs: Sequence[Run], *, command: str) -> Path:
    """Write figures, tables and the page from the runs that there are, all or some; the path of the page.

    command    what made the runs, to be shown
    """
    out = Path(folder)
    groups = grouped(plan, runs)
    found = findings(plan, groups)
    rows = compare(found.published, found.cells, REMARKS.get(plan.name, {}))
    pairs = against_first(plan, groups)
    (out / "tables").mkdir(parents=True, exist_ok=True)
    write_csv(out / "tables" / "cells.csv", Cell, found.cells.values())
    write_csv(out / "tables" / "published.csv", Compared, rows)
    write_csv(out / "tables" / "paired.csv", Paired, pairs)
    write_csv(out / "tables" / "bound.csv", Sides, found.sums.values())
    introduction = paragraphs([plan.about]) + paragraphs(verdict(plan, groups, found.cells, rows), "verdict")
    content = [
        ("What was run", _what(plan, groups, command)),
        ("Published, reproduced, ours", sections.comparison(plan, rows)),
        ("Regret and time in numbers", sections.outcomes(plan, found.cells) + sections.differences(plan, pairs)),
        *figures(out / "figures", charts(found)),
        ("Effort and accuracy in numbers", sections.efforts(plan, found.cells)),
        ("Methods", sections.methods(plan)),
    ]
    path = out / "report.html"
    path.write_text(page(plan.title, introduction, content), encoding="utf-8")
    return path


def findings(plan: Plan, groups: Grouped) -> Findings:
    """What is known from the runs, beside what is published of the same cells."""
    return Findings(
        plan,
        groups,
        cells(groups),
        published={key: cell for key, cell in PUBLISHED.get(plan.name, {}).items() if key in groups},
        sums=sides(plan, groups),
        holes=_holes(plan) if any(groups.values()) else [],
    )


def against_first(plan: Plan, groups: Grouped) -> list[Paired]:
    """Every method against the plan's first one, seed by seed."""
    first = plan.methods[0].name
    keys = [(task.problem, method.name) for task in plan.tasks for method in plan.methods[1:]]
    pairs = [paired(groups[problem, name], groups[problem, first]) for problem, name in keys]
    return [pair for pair in pairs if pair is not None]


def _holes(plan: Plan) -> list[tuple[int, int, float]]:
    """Of the grid of the last step, where the plan is about dimension and a method searches a grid."""
    if not is_about_dimension(plan):
        return []
    problem = find(plan.tasks[0].problem)
    grids = [isinstance(method.make(problem).get("solver"), Grid) for method in plan.methods]
    return fill_distances(plan) if any(grids) else []


def figures(folder: Path, wanted: Sequence[Chart]) -> list[tuple[str, str]]:
    """A section for each figure; without matplotlib, one that says how to get them."""
    drawn = []
    for chart in wanted:
        try:
            figure = chart.draw()
        except MissingExtra as missing:
            return [("Figures", paragraphs([str(missing)]))]
        svg = style.save(figure, folder, chart.name)
        size = figure.get_figwidth(), figure.get_figheight()
        drawn.append((chart.heading, picture(svg, size, name=chart.heading, alt=chart.alt, caption=chart.caption)))
    return drawn


def _what(plan: Plan, groups: Grouped, command: str) -> str:
    done = [run for runs in groups.values() for run in runs]
    size = f"{len(plan.tasks)} × {len(plan.methods)} × {plan.reps}"
    wanted = len(plan.tasks) * len(plan.methods) * plan.reps
    return origin(done, f"{len(done)} of {wanted} (problems × methods × seeds: {size})", command)


def origin(done: Sequence[Run], size: str, command: str) -> str:
    """How many runs there are, what made them, and what this page."""
    versions = sorted({run.version for run in done if run.version})
    libraries = f"NumPy {np.__version__}, SciPy {scipy.__version__}, Python {platform.python_version()}"
    pairs = [
        ("Command", command),
        ("Runs", size),
        ("Made by suffice", ", ".join(versions)),
        ("This page", f"suffice {suffice.__version__}, {libraries}"),
    ]
    troubled = sum(bool(run.notes) for run in done)
    if troubled:
        pairs.append(("Notes", f"{troubled} of the runs had numerical trouble; the results file says which"))
    return facts((name, value) for name, value in pairs if value)
