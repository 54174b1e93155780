"""The report of a plan: figures, tables and one page that shows them all and works anywhere.

report.html               everything, in one file
figures/*.png, *.svg
tables/*.csv
"""

import platform
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import scipy

import suffice
from suffice.errors import MissingExtra
from suffice.experiments import sections, style
from suffice.experiments.bound import Sides, sides
from suffice.experiments.charts import Chart, Findings, charts
from suffice.experiments.comparison import Compared, compare
from suffice.experiments.page import facts, page, paragraphs, picture, section
from suffice.experiments.plan import Plan
from suffice.experiments.published import PUBLISHED, REMARKS
from suffice.experiments.run import Run
from suffice.experiments.tables import Cell, Grouped, Paired, cells, grouped, paired, write_csv
from suffice.experiments.verdict import verdict
from suffice.saving import FilePath


def write_report(folder: FilePath, plan: Plan, runs: Sequence[Run], *, command: str, when: str = "") -> Path:
    """Write figures, tables and the page from the runs that there are, all or some; the path of the page.

    command    what made the runs, to be shown
    when       the date of the runs, where it is known
    """
    out = Path(folder)
    groups = grouped(plan, runs)
    found = Findings(
        plan,
        groups,
        cells(groups),
        published={key: cell for key, cell in PUBLISHED.get(plan.name, {}).items() if key in groups},
        sums=sides(plan, groups),
    )
    rows = compare(found.published, found.cells, REMARKS.get(plan.name, {}))
    pairs = against_first(plan, groups)
    (out / "tables").mkdir(parents=True, exist_ok=True)
    write_csv(out / "tables" / "cells.csv", Cell, found.cells.values())
    write_csv(out / "tables" / "published.csv", Compared, rows)
    write_csv(out / "tables" / "paired.csv", Paired, pairs)
    write_csv(out / "tables" / "bound.csv", Sides, found.sums.values())
    text = page(
        plan.title,
        paragraphs([plan.about]),
        paragraphs(verdict(plan, found.cells, rows), "verdict"),
        section("What was run", _what(plan, groups, command, when)),
        section("Published, reproduced, ours", sections.comparison(plan, rows)),
        *_figures(out / "figures", charts(found)),
        section("All numbers", sections.all_numbers(plan, found.cells), sections.differences(plan, pairs)),
        section("Methods", sections.methods(plan)),
    )
    path = out / "report.html"
    path.write_text(text, encoding="utf-8")
    return path


def against_first(plan: Plan, groups: Grouped) -> list[Paired]:
    """Every method against the plan's first one, seed by seed."""
    first = plan.methods[0].name
    keys = [(task.problem, method.name) for task in plan.tasks for method in plan.methods[1:]]
    pairs = [paired(groups[problem, name], groups[problem, first]) for problem, name in keys]
    return [pair for pair in pairs if pair is not None]


def _figures(folder: Path, wanted: Sequence[Chart]) -> list[str]:
    """A section for each figure; without matplotlib, one that says how to get them."""
    drawn = []
    for chart in wanted:
        try:
            figure = chart.draw()
        except MissingExtra as missing:
            return [section("Figures", paragraphs([str(missing)]))]
        svg = style.save(figure, folder, chart.name)
        shown = picture(svg, figure.get_figwidth(), name=chart.heading, alt=chart.alt, caption=chart.caption)
        drawn.append(section(chart.heading, shown))
    return drawn


def _what(plan: Plan, groups: Grouped, command: str, when: str) -> str:
    done = [run for runs in groups.values() for run in runs]
    size = f"{len(plan.tasks)} × {len(plan.methods)} × {plan.reps}"
    wanted = len(plan.tasks) * len(plan.methods) * plan.reps
    versions = sorted({run.version for run in done if run.version})
    libraries = f"NumPy {np.__version__}, SciPy {scipy.__version__}, Python {platform.python_version()}"
    pairs = [
        ("Command", command),
        ("Runs", f"{len(done)} of {wanted} (problems × methods × seeds: {size})"),
        ("Date of the runs", when),
        ("Made by suffice", ", ".join(versions)),
        ("This page", f"suffice {suffice.__version__}, {libraries}"),
    ]
    troubled = sum(bool(run.notes) for run in done)
    if troubled:
        pairs.append(("Notes", f"{troubled} of the runs had numerical trouble; the results file says which"))
    return facts((name, value) for name, value in pairs if value)
