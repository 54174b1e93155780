"""The skeleton of a report: figures, tables and one page that shows them all and works anywhere.

report.html              everything, in one file
figures/*.png, *.svg     the same figures, for papers and slides
tables/*.csv             the same numbers
"""

import math
import platform
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy

import suffice
from suffice.errors import MissingExtra
from suffice.figures import style
from suffice.figures.svg import as_svg
from suffice.lab.plan import Plan
from suffice.lab.run import Run
from suffice.lab.tables import write_csv
from suffice.page.drawing import figure_inline
from suffice.page.formats import with_error
from suffice.page.html import Entry, facts, page, paragraphs, table
from suffice.problems.titles import title
from suffice.store.files import replace_file

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@dataclass(frozen=True)
class Chart:
    """A figure, not yet drawn, and its words."""

    name: str  # of its files
    heading: str
    caption: str  # what is drawn, and what to look for
    alt: str  # for those who do not see it
    draw: Callable[[], "Figure"]


def write_page(
    folder: Path, heading: str, introduction: str, content: Iterable[tuple[str, str]], style: str = ""
) -> Path:
    """Write report.html, whole or not at all; sections are (heading, content), style is as for `page`."""
    path = folder / "report.html"
    replace_file(path, page(heading, introduction, content, style=style))
    return path


def write_tables(folder: Path, tables: Mapping[str, tuple[type, Iterable[Any]]]) -> None:
    """Write the tables, each of instances of one dataclass, by name."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, (kind, rows) in tables.items():
        write_csv(folder / f"{name}.csv", kind, rows)


def figures(folder: Path, wanted: Sequence[Chart]) -> list[tuple[str, str]]:
    """A section for each figure; without matplotlib, one that says how to get them."""
    drawn = []
    for chart in wanted:
        try:
            figure = chart.draw()
        except MissingExtra as missing:
            return [("Figures", paragraphs([str(missing)]))]
        style.save(figure, folder, chart.name)
        inline = figure_inline(as_svg(figure), name=chart.heading, alt=chart.alt, caption=chart.caption)
        drawn.append((chart.heading, inline))
    return drawn


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


def matrix(plan: Plan, caption: str, values: Mapping[tuple[str, str], tuple[float, float]]) -> str:
    """A table with a row for each problem and a column for each method; values are (number, standard error)."""
    rows = []
    for task in plan.tasks:
        row = [values.get((task.problem, method.name), (math.nan, math.nan)) for method in plan.methods]
        lowest = min((value for value, _ in row if not math.isnan(value)), default=math.nan)
        marked = [Entry(with_error(*pair), "number best" if pair[0] == lowest else "number") for pair in row]
        rows.append([Entry(title(task.problem), header=True), *marked])
    return table(caption, ("Problem", *(method.label for method in plan.methods)), rows)
