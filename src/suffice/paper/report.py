"""The report of one of the paper's experiments or ours: published and reproduced values.

`write_report` makes the page, its figures and its tables from the runs of a plan; the other functions are its sections
as HTML.
"""

import inspect
import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from suffice.accuracy.estimate import DELTA
from suffice.errors import MissingExtra
from suffice.lab.plan import Method, Plan
from suffice.lab.report import (
    Cell,
    Grouped,
    Paired,
    cells,
    figures,
    grouped,
    matrix,
    origin,
    paired,
    write_page,
    write_tables,
)
from suffice.lab.results import Run
from suffice.paper import known
from suffice.paper.fill import fill_distances
from suffice.paper.known import Ingredients, Known, ingredients
from suffice.paper.plots import Findings, charts, is_about_dimension
from suffice.paper.presets import QUICK
from suffice.paper.published import (
    ONCE_IN,
    PAPERS_RUNS,
    PUBLISHED,
    REMARKS,
    SHARE,
    SOURCE,
    Cells,
    Compared,
    Verdict,
    compare,
    verdict,
)
from suffice.paper.theorems import Sides, sides
from suffice.problems import Problem, find
from suffice.problems.functions import title
from suffice.report.html import Entry, numbers, paragraphs, table
from suffice.solvers import Grid
from suffice.store.files import FilePath
from suffice.text import UNKNOWN, brief, digits, with_error


def write_report(
    folder: FilePath, plan: Plan, runs: Sequence[Run], *, command: str, known: Sequence[Known] = ()
) -> Path:
    """Write figures, tables and the page from the available runs; the path of the page.

    command    the command of the runs, for the page
    known      runs with known constants of the theorems, for the page
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
        ("Published, reproduced, ours", comparison(plan, rows)),
        ("Regret and time in numbers", outcomes(plan, found.cells) + differences(plan, pairs)),
        *figures(out / "figures", charts(found)),
        ("Effort and accuracy in numbers", efforts(plan, found.cells)),
        ("The theorems in numbers", theorems(plan, parts, known)),
        ("Methods", methods(plan)),
    ]
    return write_page(out, plan.title, introduction, content)


def findings(plan: Plan, groups: Grouped) -> Findings:
    """The findings from the runs, with the published values of the same cells."""
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
    """The holes of the last step's grid, if the plan is about dimension and a method searches a grid."""
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


def comparison(plan: Plan, rows: Sequence[Compared]) -> str:
    """Published, reproduced and our values; empty without published values."""
    if not rows:
        return ""
    labels = plan.labels
    heads = ("Problem", "Method", "Published", "Reproduced", "Ratio", "Verdict", "Ours", "by")
    note = (
        f"Mean final cumulative regret ± standard error, and mean seconds of a run (s). Published values are {SOURCE}. "
        f"A cell agrees if it is within {SHARE:.0%} of the published value or, with {PAPERS_RUNS} runs, as many as the "
        f"paper has, within what chance exceeds once in {ONCE_IN} times, the published runs being taken to be spread "
        "as these. Lower and higher are beyond that; where they may be chance, there are too few runs to say. Ours is "
        "the better of our methods on the same initial designs. Published seconds are another machine's and not judged."
    )
    shown = table(
        "Published, reproduced and our values",
        (*heads, "Published s", "Reproduced s", "Ours s"),
        [
            [
                Entry(title(row.problem), header=True),
                Entry(labels.get(row.method, row.method)),
                *numbers(digits(row.published), with_error(row.reproduced, row.se), digits(row.ratio)),
                _verdict(row.verdict),
                *numbers(with_error(row.ours, row.ours_se)),
                Entry(labels.get(row.ours_method, row.ours_method) or UNKNOWN),
                *numbers(*map(digits, (row.published_seconds, row.seconds, row.ours_seconds))),
            ]
            for row in rows
        ],
    )
    remarked = [row for row in rows if row.remark and row.verdict.differs]
    said = [f"{labels[row.method]} on {title(row.problem)}: {row.remark}" for row in remarked]
    return paragraphs([note], "note") + shown + (paragraphs(said, "note") if said else "")


def _verdict(verdict: Verdict) -> Entry:
    return Entry(verdict.value, "differs" if verdict.differs else "agrees" if verdict is Verdict.AGREES else "")


def outcomes(plan: Plan, cells: Cells) -> str:
    """Regret, simple regret and time: a row for each problem, a column for each method."""
    note = "The lowest of a row is bold. Seconds are without the objective and the audit."
    tables: dict[str, Callable[[Cell], tuple[float, float]]] = {
        "Cumulative regret, mean ± standard error": lambda cell: (cell.regret, cell.regret_se),
        "Final simple regret, median": lambda cell: (cell.simple_regret, math.nan),
        "Seconds for a run, mean ± standard error": lambda cell: (cell.seconds, cell.seconds_se),
    }
    shown = [matrix(plan, name, {key: of(cell) for key, cell in cells.items()}) for name, of in tables.items()]
    return "\n".join([paragraphs([note], "note"), *shown])


def efforts(plan: Plan, cells: Cells) -> str:
    """Effort and accuracy of every cell of the plan, also of those without runs."""
    heads = ("Problem", "Method", "Runs", "Fit", "Bind", "Solve", "Report", "Objective")
    note = (
        "Means over the runs. Fit, bind, solve, report and objective are seconds. Evaluations are of the acquisition "
        "function. Gaps are relative, means over the steps. M is Σ (1 − η), interpolated between audited steps."
    )
    return paragraphs([note], "note") + table(
        "Where the time went, and the accuracy it bought",
        (*heads, "Evaluations", "Gap, reported", "Gap, audited", "M, audited"),
        [
            [
                Entry(title(task.problem), header=True),
                Entry(method.label),
                *numbers(str(cell.runs), *map(digits, (cell.fit, cell.bind, cell.solve, cell.report, cell.objective))),
                *numbers(digits(cell.evaluations), digits(cell.gap), digits(cell.audited_gap)),
                *numbers(with_error(cell.m_audited, cell.m_audited_se)),
            ]
            for task in plan.tasks
            for method in plan.methods
            for cell in [cells.get((task.problem, method.name), Cell.of(task.problem, method.name))]
        ],
    )


def differences(plan: Plan, pairs: Sequence[Paired]) -> str:
    """Every method's regret minus the first one's: a row for each problem, a column for each method."""
    if not pairs:
        return ""
    note = (
        f"Final cumulative regret minus that of {plan.methods[0].label}, seed by seed on the same initial designs: "
        "mean ± standard error. Negative is better."
    )
    values = {(pair.problem, pair.method): (pair.difference, pair.se) for pair in pairs}
    others = replace(plan, methods=plan.methods[1:])
    return paragraphs([note], "note") + matrix(others, f"Difference to {plan.methods[0].label}", values, marked=False)


def theorems(plan: Plan, rows: Sequence[Ingredients], runs: Sequence[Known]) -> str:
    """The right-hand sides of the theorems and the regret if all constants are known; otherwise their parts."""
    return (_known(runs) if runs else "") + (_ingredients(plan, rows) if rows else "")


def _known(runs: Sequence[Known]) -> str:
    note = (
        f"Runs on functions of known norm B = {known.B:g} under the model's Matérn 5/2 kernel, with normal noise of "
        f"deviation {known.R:g}, the theory's β for δ = {DELTA:g}, the paper's grid of 100 t points, and nothing "
        "fitted: every constant of the theorems is known, and the numbers bound the regret with probability 0.9. "
        "Observed is Theorem 1 before its last relaxations, its gaps from limits of confidence 0.9. 2BT is what every "
        "run keeps; a theorem that says more than that says something. Gain and Σσ, σ being the deviation at x_t, are "
        "those of the steps; next to Σσ is its bound by the gain. h is the fill distance of the grid."
    )
    heads = ("d", "T", "Regret", "Theorem 1, observed", "Theorem 1", "Theorem 3", "2BT", "Gain", "Σσ", "Σσ, at most")
    return paragraphs([note], "note") + table(
        "The theorems where all constants are known",
        (*heads, "h, first", "h, last"),
        [
            [
                Entry(str(run.dimension), "number", header=True),
                *numbers(
                    str(run.steps),
                    *map(digits, (run.regret, run.observed, run.theorem1, run.theorem3, run.trivial)),
                    *map(digits, (run.gain, run.deviations, run.deviation_limit, run.first_fill, run.last_fill)),
                ),
            ]
            for run in runs
        ],
    )


def _ingredients(plan: Plan, rows: Sequence[Ingredients]) -> str:
    note = (
        "The first run of each grid on the authors' surrogate. B is not known there, the length-scale is fitted and β "
        "is a rule of thumb, so that no theorem has a number; what they are made of has. Σw, w being 2βσ, would bound "
        "the regret of an exact maximizer."
    )
    heads = ("Problem", "Method", "T", "Regret", "Σw", "Gain", "Σσ", "Σσ, at most", "h, first", "h, last")
    return paragraphs([note], "note") + table(
        "What the theorems are made of in these runs",
        heads,
        [
            [
                Entry(title(row.problem), header=True),
                Entry(plan.labels[row.method]),
                *numbers(
                    str(row.steps),
                    *map(digits, (row.regret, row.widths, row.gain, row.deviations, row.deviation_limit)),
                    *map(digits, (row.first_fill, row.last_fill)),
                ),
            ]
            for row in rows
        ],
    )


def methods(plan: Plan) -> str:
    """The meaning of the labels."""
    problem = _found(plan)
    rows = [
        [Entry(method.label, header=True), Entry(method.name), *_description(method, problem)]
        for method in plan.methods
    ]
    note = f"The parts are those on {title(plan.tasks[0].problem)}; settings at their defaults are not shown."
    heads = ("Label", "Name", "Definition", "Parts")
    return paragraphs([note], "note") + table("Labels and definitions", heads, rows)


def _found(plan: Plan) -> Problem | None:
    try:
        return find(plan.tasks[0].problem)
    except (MissingExtra, ValueError):  # not available here: its runs were made elsewhere
        return None


def _description(method: Method, problem: Problem | None) -> list[Entry]:
    """The first line of the docstring of its `make`, and the parts."""
    make = method.make.func if isinstance(method.make, partial) else method.make
    said = (inspect.getdoc(make) or "").split("\n")[0]
    parts = {} if problem is None else method.make(problem)
    words = ", ".join(f"{name}={brief(part)}" for name, part in parts.items())
    space = "Integers and choices are modelled as such." if method.native else ""
    values = "" if method.shifted else "It observes f, not f − f*."
    described = " ".join(sentence for sentence in (said, space, values) if sentence)
    return [Entry(described or UNKNOWN, "text"), Entry(words or UNKNOWN, "text code")]
