"""Figures of time, of published values and of dimension: a panel for each problem, a look for each method.

R_t   cumulative regret, mean over the runs        bands and whiskers: ± one standard error, where there are two runs
"""

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from suffice.figures import marks
from suffice.figures.labels import Spot, label_points
from suffice.figures.style import Look, bar_panels, decades, finish, from_zero, make_room, panels, styled
from suffice.lab.plan import Plan, Task
from suffice.lab.plots import Table, drawn, entries, titles
from suffice.lab.tables import Cell
from suffice.page.formats import digits
from suffice.paper.published import Published
from suffice.problems.titles import family_and_number, title

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


@styled()
def seconds_by_phase(plan: Plan, cells: Table[Cell]) -> "Figure":
    """Mean seconds of a run: fitting the surrogate, maximizing the acquisition function, and the rest."""
    shades = {"fit of the surrogate": "light", "search for the maximum": "full", "other": "hatched"}
    rows = drawn(plan, cells)
    figure, axes = bar_panels(titles(plan), [look.label for look in rows.values()], x="seconds for a run")
    for ax, task in zip(axes, plan.tasks, strict=True):
        for name, look, cell in entries(plan, cells, task.problem):
            place = list(rows).index(name)
            widths = np.nan_to_num([cell.fit, cell.solve, cell.bind + cell.report])
            for width, end, shade in zip(widths, np.cumsum(widths), shades.values(), strict=True):
                marks.bar(ax, place, width, look, shade, left=end - width)
            marks.whisker(ax, place, cell.seconds, cell.seconds_se, digits(cell.seconds))
        make_room(ax)
    return finish(figure, axes, [marks.shade_entry(label, shade) for label, shade in shades.items()])


@styled()
def regret_against_seconds(plan: Plan, cells: Table[Cell]) -> "Figure":
    """R_T against the mean seconds of a run: lower left is better."""
    figure, axes = panels(titles(plan), x="seconds for a run", y="cumulative regret", most=2)
    spots = []
    for ax, task in zip(axes, plan.tasks, strict=True):
        shown = entries(plan, cells, task.problem)
        spots.append([Spot(c.seconds, c.regret, look, c.seconds_se, c.regret_se) for _, look, c in shown])
        scatter(ax, spots[-1])
    return named(figure, axes, spots, drawn(plan, cells))


def scatter(ax: "Axes", spots: Sequence[Spot]) -> None:
    """Points with whiskers: a logarithmic scale, regret from zero, and room for names."""
    for spot in spots:
        marks.point(ax, (spot.x, spot.x_error), (spot.y, spot.y_error), spot.look)
    ax.margins(0.25)
    from_zero(ax)
    decades(ax, "x")


def named(
    figure: "Figure", axes: Sequence["Axes"], spots: Sequence[Sequence[Spot]], shown: Mapping[str, Look]
) -> "Figure":
    """The figure with a name beside each point; with a legend instead, where there is no room for them."""
    has_room = label_points(list(zip(axes, spots, strict=True)))
    return finish(figure, axes, [] if has_room else map(marks.point_entry, shown.values()))


@styled()
def published_and_reproduced(plan: Plan, cells: Table[Cell], published: Table[Published]) -> "Figure":
    """R_T: the paper's bar, and below it the one of these runs."""
    rows = drawn(plan, cells, published)
    labels = [look.label for look in rows.values()]
    figure, axes = bar_panels(titles(plan), labels, x="cumulative regret", thickness=0.28)
    for ax, task in zip(axes, plan.tasks, strict=True):
        for name, look, theirs in entries(plan, published, task.problem):
            place = list(rows).index(name) - 0.2
            marks.bar(ax, place, theirs.regret, look, "light", height=0.38)
            marks.whisker(ax, place, theirs.regret, math.nan, digits(theirs.regret))
        for name, look, cell in entries(plan, cells, task.problem):
            place = list(rows).index(name) + (0.2 if (task.problem, name) in published else 0.0)
            marks.bar(ax, place, cell.regret, look, "full", height=0.38)
            marks.whisker(ax, place, cell.regret, cell.regret_se, digits(cell.regret))
        make_room(ax)
    return finish(figure, axes, [marks.shade_entry("published", "light"), marks.shade_entry("these runs", "full")])


@styled()
def regret_against_dimension(plan: Plan, cells: Table[Cell]) -> "Figure":
    """R_T / T against d: a panel for each family of problems that comes in several dimensions."""
    figure, axes = panels([title(family) for family in families(plan)], x="dimension d", y="regret per step")
    for ax, family in zip(axes, families(plan), strict=True):
        tasks = members(plan, family)
        for name, look in drawn(plan, cells).items():
            known = [(d, task.iterations, cells.get((task.problem, name))) for d, task in tasks]
            values = np.array([(d, cell.regret / T, cell.regret_se / T) for d, T, cell in known if cell])
            if len(values):
                d, mean, error = values.T
                marks.curve(ax, d, mean, look, (mean - error, mean + error))
        ax.set_xticks([d for d, _ in tasks])
        from_zero(ax)
    return finish(figure, axes, map(marks.line_entry, drawn(plan, cells).values()))


@styled()
def holes_against_dimension(holes: Sequence[tuple[int, int, float]]) -> "Figure":
    """The fill distance of a grid against d on a logarithmic scale; holes are (d, points, fill distance)."""
    figure, axes = panels(["Largest hole of the grid"], x="dimension d", y="radius, in the unit cube")
    (ax,) = axes
    for d, _, radius in holes:
        ax.plot(d, radius, color=marks.GREY, marker="o", linestyle="")
        ax.annotate(digits(radius), (d, radius), (0, 5), textcoords="offset points", ha="center", fontsize=7)
    ax.set_xticks([d for d, _, _ in holes])
    ax.margins(0.15)
    decades(ax, "y")
    return finish(figure, axes, [])


def families(plan: Plan) -> list[str]:
    """The families of which the plan has several dimensions."""
    names = [family for family, dim in (family_and_number(task.problem) for task in plan.tasks) if dim]
    return [name for name in dict.fromkeys(names) if names.count(name) > 1]


def is_about_dimension(plan: Plan) -> bool:
    """Whether all problems are one function in several dimensions."""
    return [len(members(plan, family)) for family in families(plan)] == [len(plan.tasks)]


def members(plan: Plan, family: str) -> list[tuple[int, Task]]:
    """The tasks of a family by ascending dimension."""
    split = [(*family_and_number(task.problem), task) for task in plan.tasks]
    return sorted(((int(d), task) for name, d, task in split if name == family and d), key=lambda pair: pair[0])
