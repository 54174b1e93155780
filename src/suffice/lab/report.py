"""The runs of a plan in numbers, in figures, and on one page that shows them all and works anywhere.

report.html              everything, in one file
figures/*.png, *.svg     the same figures, for papers and slides
tables/*.csv             the same numbers

T    iterations of a run         R_t = Σ_{s ≤ t} r_s, cumulative regret        standard error: sample sd / √(runs)
η_t  (v + C) / (α* + C), the accuracy of step t of which an audit finds the maximum α*;  M_T = Σ (1 − η_t)

A cell is all runs of a method on a problem. Where only each k-th step is audited, sums over all steps interpolate:
steps get more accurate during a run, and the first one, always audited, would count k times otherwise. Unknown
numbers are nan.
"""

import csv
import io
import math
import platform
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
import scipy

import suffice
from suffice.errors import MissingExtra
from suffice.lab.plan import Plan
from suffice.lab.results import Run
from suffice.plot import labels as marks
from suffice.plot import style
from suffice.plot.style import Look, as_svg, decades, finish, from_zero, looks, panels, styled
from suffice.problems.functions import title
from suffice.report.html import Entry, facts, figure_inline, page, paragraphs, table
from suffice.store.files import replace_file
from suffice.text import unknown, with_error
from suffice.types import Array

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Grouped = dict[tuple[str, str], list[Run]]  # by problem and method
PlotEntry = TypeVar("PlotEntry")
Table = Mapping[tuple[str, str], PlotEntry]  # by problem and method

BANDS = 6  # of more methods, bands would hide each other: then only the strong look has one


@dataclass(frozen=True)
class Cell:
    """What the runs of a method on a problem come to."""

    problem: str
    method: str
    runs: int
    regret: float  # final cumulative regret, mean
    regret_se: float  # its standard error; nan for fewer than two runs, as all of them
    simple_regret: float  # final, median
    seconds: float  # of a run without the objective, mean
    seconds_se: float
    fit: float  # mean seconds of a run by phase
    bind: float
    solve: float
    report: float
    objective: float
    evaluations: float  # of the acquisition functions in a run, mean
    gap: float  # relative gap as reported, mean over steps
    audited_gap: float  # relative gap by audit, mean over audited steps
    m_audited: float  # M_T by audit, mean over audited runs
    m_audited_se: float
    audited_steps: int  # in all runs

    @classmethod
    def of(cls, problem: str, method: str, runs: Sequence[Run] = ()) -> "Cell":
        """The cell of these runs; of none, every number is nan."""
        regret, regret_se = mean_and_error(run.cumulative[-1] for run in runs)
        seconds, seconds_se = mean_and_error(run.seconds for run in runs)
        m, m_se = mean_and_error(map(m_audited, runs))
        simple = [run.simple[-1] for run in runs]
        return cls(
            problem=problem,
            method=method,
            runs=len(runs),
            regret=regret,
            regret_se=regret_se,
            simple_regret=float(np.median(simple)) if simple else math.nan,
            seconds=seconds,
            seconds_se=seconds_se,
            **{phase: _per_run(runs, phase) for phase in ("fit", "bind", "solve", "report", "objective")},
            evaluations=_per_run(runs, "n_evals"),
            gap=_per_step(runs, "gap"),
            audited_gap=_per_step(runs, "audited_gap"),
            m_audited=m,
            m_audited_se=m_se,
            audited_steps=sum(int(np.sum(~np.isnan(run.columns["audited_inaccuracy"]))) for run in runs),
        )


@dataclass(frozen=True)
class Paired:
    """One method minus another over the seeds they share: the designs are the same, so their luck cancels."""

    problem: str
    method: str
    reference: str
    seeds: int
    difference: float  # mean of R_T(method) − R_T(reference)
    se: float


def grouped(plan: Plan, runs: Iterable[Run]) -> Grouped:
    """The runs that the plan asks for, in its order, seeds ascending; a cell without runs is empty."""
    wanted = {job.key: job.task.iterations for job in plan.jobs()}
    groups: Grouped = {(task.problem, method.name): [] for task in plan.tasks for method in plan.methods}
    for run in sorted(runs, key=lambda run: run.seed):
        if wanted.get(run.key) == len(run.columns["regret"]):
            groups[run.problem, run.method].append(run)
    return groups


def cells(groups: Grouped) -> dict[tuple[str, str], Cell]:
    """The cells that have runs."""
    return {key: Cell.of(*key, runs) for key, runs in groups.items() if runs}


def paired(first: Sequence[Run], second: Sequence[Run]) -> Paired | None:
    """The first method's final regret minus the second's, seed by seed; None if they share no seed."""
    theirs = {run.seed: run.cumulative[-1] for run in second}
    differences = [run.cumulative[-1] - theirs[run.seed] for run in first if run.seed in theirs]
    if not differences:
        return None
    mean, se = mean_and_error(differences)
    return Paired(first[0].problem, first[0].method, second[0].method, len(differences), mean, se)


def mean_and_error(values: Iterable[float]) -> tuple[float, float]:
    """Mean and standard error of the numbers among the values; nan where there are too few."""
    known = np.array([value for value in values if not math.isnan(value)], dtype=np.float64)
    mean = float(known.mean()) if len(known) else math.nan
    return mean, float(known.std(ddof=1) / math.sqrt(len(known))) if len(known) > 1 else math.nan


def filled(steps: Array) -> Array:
    """All T steps from those that are known: linear between two of them, constant beyond; nan if none is. (T,)"""
    known = np.flatnonzero(~np.isnan(steps))
    if len(known) == 0:
        return steps
    every: Array = np.interp(np.arange(len(steps)), known, steps[known])
    return every


def total(steps: Array) -> float:
    """The sum over all T steps, unknown ones interpolated; nan if none is known. (T,)"""
    return float(filled(steps).sum())


def m_audited(run: Run) -> float:
    """M_T = Σ (1 − η_t) from the audited steps."""
    return total(1.0 - run.columns["audited_eta"])


def write_csv(path: Path, kind: type, rows: Iterable[Any]) -> Path:
    """A table of instances of a dataclass: its fields are the columns, an unknown number is an empty cell."""
    text = io.StringIO(newline="")
    writer = csv.DictWriter(text, [field.name for field in fields(kind)])
    writer.writeheader()
    writer.writerows({name: "" if unknown(value) else value for name, value in asdict(row).items()} for row in rows)
    replace_file(path, text.getvalue())
    return path


def _per_run(runs: Sequence[Run], column: str) -> float:
    return mean_and_error(total(run.columns[column]) for run in runs)[0]


def _per_step(runs: Sequence[Run], column: str) -> float:
    """All steps of a cell count alike."""
    return mean_and_error(value for run in runs for value in run.columns[column])[0]


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


def matrix(plan: Plan, caption: str, values: Table[tuple[float, float]], *, marked: bool = True) -> str:
    """A table with a row for each problem and a column for each method; values are (number, standard error).

    The lowest of a row is marked, if wanted.
    """
    rows = []
    for task in plan.tasks:
        row = [values.get((task.problem, method.name), (math.nan, math.nan)) for method in plan.methods]
        lowest = min((value for value, _ in row if marked and not math.isnan(value)), default=math.nan)
        shown = [Entry(with_error(*pair), "number best" if pair[0] == lowest else "number") for pair in row]
        rows.append([Entry(title(task.problem), header=True), *shown])
    return table(caption, ("Problem", *(method.label for method in plan.methods)), rows)


@styled()
def cumulative_regret(plan: Plan, groups: Grouped, published: Table[float]) -> "Figure":
    """R_t against t, and the published R_T, where there is one, at the end of it."""
    figure, axes = panels(titles(plan), x="iteration", y="cumulative regret")
    for ax, task in zip(axes, plan.tasks, strict=True):
        for _, look, runs in entries(plan, groups, task.problem):
            mean, error = over_runs(np.array([run.cumulative for run in runs]))
            band = (mean - error, mean + error) if look.strong or len(plan.methods) <= BANDS else None
            marks.curve(ax, np.arange(1.0, len(mean) + 1), mean, look, band)
        for _, look, theirs in entries(plan, published, task.problem):
            marks.ring(ax, task.iterations, theirs, look)
        ax.set_xlim(0, task.iterations)
        from_zero(ax)
    legend = [marks.line_entry(look) for look in drawn(plan, groups).values()]
    return finish(figure, axes, [*legend, marks.ring_entry("published")] if published else legend)


@styled()
def simple_regret(plan: Plan, groups: Grouped) -> "Figure":
    """The best regret so far against t on a logarithmic scale: median over the runs, band from quartile to quartile."""
    figure, axes = panels(titles(plan), x="iteration", y="simple regret")
    for ax, task in zip(axes, plan.tasks, strict=True):
        curves = [(look, best_so_far(runs)) for _, look, runs in entries(plan, groups, task.problem)]
        bottom = marks.floor([best for _, best in curves])
        for look, best in curves:
            low, middle, high = np.maximum(np.quantile(best, (0.25, 0.5, 0.75), axis=0), bottom)
            band = (low, high) if look.strong or len(plan.methods) <= BANDS else None
            marks.curve(ax, np.arange(0.0, len(middle)), middle, look, band)
        ax.set_xlim(0, task.iterations)
        decades(ax, "y")
    return finish(figure, axes, map(marks.line_entry, drawn(plan, groups).values()))


def titles(plan: Plan) -> list[str]:
    """The titles of the panels, one for each problem."""
    return [title(task.problem) for task in plan.tasks]


def entries(plan: Plan, table: Table[PlotEntry], problem: str) -> list[tuple[str, Look, PlotEntry]]:
    """What a table has on a problem, method by method; what is empty counts as absent."""
    found = ((name, look, table.get((problem, name))) for name, look in looks(plan.labels).items())
    return [(name, look, entry) for name, look, entry in found if entry]


def drawn(plan: Plan, *tables: Table[PlotEntry]) -> dict[str, Look]:
    """The looks of the methods of which some table has something."""
    seen = {name for table in tables for task in plan.tasks for name, _, _ in entries(plan, table, task.problem)}
    return {name: look for name, look in looks(plan.labels).items() if name in seen}


def over_runs(curves: Array) -> tuple[Array, Array]:
    """Mean and standard error of each column, (runs, T) -> (T,) each."""
    mean, error = np.array([mean_and_error(column) for column in curves.T]).T
    return mean, error


def best_so_far(runs: Sequence[Run]) -> Array:
    """Simple regrets after 0 … T iterations, (runs, T + 1)."""
    return np.array([[run.initial, *run.simple] for run in runs])
