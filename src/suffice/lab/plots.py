"""Figures of regret that every plan gets: a panel for each problem, a look for each method.

R_t   cumulative regret, mean over the runs        bands: ± one standard error, where there are two runs

Bands of many methods would hide each other: with more than BANDS, only the strong look has one.
"""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from suffice.figures import marks
from suffice.figures.style import Look, decades, finish, from_zero, looks, panels, styled
from suffice.lab.plan import Plan
from suffice.lab.run import Run
from suffice.lab.tables import Grouped, mean_and_error
from suffice.problems.titles import title
from suffice.types import Array

if TYPE_CHECKING:
    from matplotlib.figure import Figure

BANDS = 6
Entry = TypeVar("Entry")
Table = Mapping[tuple[str, str], Entry]  # by problem and method


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


def entries(plan: Plan, table: Table[Entry], problem: str) -> list[tuple[str, Look, Entry]]:
    """What a table has on a problem, method by method; what is empty counts as absent."""
    found = ((name, look, table.get((problem, name))) for name, look in looks(plan.labels).items())
    return [(name, look, entry) for name, look, entry in found if entry]


def drawn(plan: Plan, *tables: Table[Entry]) -> dict[str, Look]:
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
