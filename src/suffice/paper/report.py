"""The report of one of the paper's experiments, or of ours: what was published beside what was found."""

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from suffice.lab.plan import Plan
from suffice.lab.report import figures, origin, write_page, write_tables
from suffice.lab.run import Run
from suffice.lab.tables import Cell, Grouped, Paired, cells, grouped, paired
from suffice.page.html import paragraphs
from suffice.paper import sections
from suffice.paper.bound import Sides, sides
from suffice.paper.charts import Findings, charts
from suffice.paper.comparison import Compared, compare
from suffice.paper.dimension import fill_distances
from suffice.paper.ingredients import Ingredients, ingredients
from suffice.paper.known import Known
from suffice.paper.plots import is_about_dimension
from suffice.paper.presets import QUICK
from suffice.paper.published import PUBLISHED, REMARKS
from suffice.paper.verdict import verdict
from suffice.problems import find
from suffice.solvers import Grid
from suffice.store.files import FilePath


def write_report(
    folder: FilePath, plan: Plan, runs: Sequence[Run], *, command: str, known: Sequence[Known] = ()
) -> Path:
    """Write figures, tables and the page from the runs that there are, all or some; the path of the page.

    command    what made the runs, to be shown
    known      runs in which all constants of the theorems are known, to be shown as well
    """
    out = Path(folder)
    groups = grouped(plan, runs)
    found = findings(plan, groups)
    rows = compare(found.published, found.cells, REMARKS.get(plan.name.removesuffix(QUICK), {}))
    pairs = against_first(plan, groups)
    parts = ingredients(plan, groups)
    tables: dict[str, tuple[type, Iterable[Any]]] = {
        "cells": (Cell, found.cells.values()),
        "published": (Compared, rows),
        "paired": (Paired, pairs),
        "bound": (Sides, found.sums.values()),
        "theorems": (Known, known),
        "ingredients": (Ingredients, parts),
    }
    write_tables(out / "tables", tables)
    introduction = paragraphs([plan.about]) + paragraphs(verdict(plan, groups, found.cells, rows), "verdict")
    content = [
        ("What was run", _what(plan, groups, command)),
        ("Published, reproduced, ours", sections.comparison(plan, rows)),
        ("Regret and time in numbers", sections.outcomes(plan, found.cells) + sections.differences(plan, pairs)),
        *figures(out / "figures", charts(found)),
        ("Effort and accuracy in numbers", sections.efforts(plan, found.cells)),
        ("The theorems in numbers", sections.theorems(plan, parts, known)),
        ("Methods", sections.methods(plan)),
    ]
    return write_page(out, plan.title, introduction, content)


def findings(plan: Plan, groups: Grouped) -> Findings:
    """What is known from the runs, beside what is published of the same cells."""
    theirs = PUBLISHED.get(plan.name.removesuffix(QUICK), {})
    return Findings(
        plan,
        groups,
        cells(groups),
        published={key: cell for key, cell in theirs.items() if key in groups},
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


def _what(plan: Plan, groups: Grouped, command: str) -> str:
    done = [run for runs in groups.values() for run in runs]
    size = f"{len(plan.tasks)} × {len(plan.methods)} × {plan.reps}"
    wanted = len(plan.tasks) * len(plan.methods) * plan.reps
    return origin(done, f"{len(done)} of {wanted} (problems × methods × seeds: {size})", command)
