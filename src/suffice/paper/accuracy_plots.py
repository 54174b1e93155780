"""Figures of how well the acquisition functions were maximized: a panel for each problem, a look for each method.

η_t  (v + C)/(α* + C), v = α_t(x_t)          relative gap  (α* − v)/(α* − median of α_t), which no shift C flatters
M_t  Σ_{s ≤ t} (1 − η_s)

On a problem with audited runs, what the audit found is shown; elsewhere, what was reported: never both in a panel.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from suffice.figures import marks
from suffice.figures.labels import Spot
from suffice.figures.style import bar_panels, decades, finish, from_zero, make_room, panels, styled
from suffice.lab.plan import Plan
from suffice.lab.plots import Table, drawn, entries, over_runs, titles
from suffice.lab.run import Run
from suffice.lab.tables import Cell, Grouped, filled, mean_and_error
from suffice.page.formats import digits
from suffice.paper.bound import Sides
from suffice.paper.plots import named, scatter
from suffice.problems.titles import title
from suffice.study.audit import RESOLUTION
from suffice.types import Array

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

BLOCKS = 15  # of consecutive steps, over which what changes from step to step is averaged
FEWEST = 3  # values to average for a point of a curve: with fewer, the curve shows chance
SHARES = np.linspace(0.0, 1.0, 101)


@dataclass(frozen=True)
class Quantity:
    """What is known of a step, in two versions."""

    label: str
    reported: str  # columns of a run
    audited: str
    complement: bool = False  # 1 − the column

    def known(self, runs: Sequence[Run], *, audited: bool) -> list[Array]:
        """Of the runs that know it, (T,) each, nan where they do not."""
        columns = (run.columns[self.audited if audited else self.reported] for run in runs)
        return [1.0 - column if self.complement else column for column in columns if not np.isnan(column).all()]


GAP = Quantity("relative gap", "gap", "audited_gap")
ETA = Quantity(r"$1 - \eta_t$", "eta", "audited_eta", complement=True)


def is_audited(groups: Grouped, problem: str, quantity: Quantity) -> bool:
    """Whether some run on a problem was audited."""
    return any(quantity.known(runs, audited=True) for (name, _), runs in groups.items() if name == problem)


def known_steps(groups: Grouped, quantity: Quantity) -> dict[tuple[str, str], list[Array]]:
    """What is shown of each cell that has something to show: (T,) for each run, nan where it is not known."""
    shown = {key: quantity.known(runs, audited=is_audited(groups, key[0], quantity)) for key, runs in groups.items()}
    return {key: values for key, values in shown.items() if values}


def has_course(groups: Grouped, quantity: Quantity) -> bool:
    """Whether enough is known of a quantity for a curve over the iterations: FEWEST values for each of its points."""
    known = known_steps(groups, quantity).values()
    points = sum(len(in_blocks(np.array(values))[0]) for values in known)
    return points > 0 and sum(int(np.sum(~np.isnan(values))) for values in known) >= FEWEST * points


@styled()
def shares_of_steps(plan: Plan, groups: Grouped, quantity: Quantity) -> "Figure":
    """The share of the steps in which a quantity is at most x, against x on a logarithmic scale."""
    figure, axes = panels(titles(plan), x=f"{quantity.label} at most", y="share of steps")
    known = known_steps(groups, quantity)
    for ax, task in zip(axes, plan.tasks, strict=True):
        for _, look, values in entries(plan, known, task.problem):
            steps = np.concatenate(values)
            x = np.quantile(steps[~np.isnan(steps)], SHARES, method="inverted_cdf")
            marks.curve(ax, np.maximum(x, RESOLUTION), SHARES, look)
        ax.set(xlim=(0.5 * RESOLUTION, 2.0), ylim=(-0.03, 1.03))
        name_source(ax, task.problem, audited=is_audited(groups, task.problem, quantity))
        decades(ax, "x")
    return finish(figure, axes, map(marks.line_entry, drawn(plan, known).values()))


@styled()
def accuracy_of_steps(plan: Plan, groups: Grouped, quantity: Quantity) -> "Figure":
    """A quantity against t on a logarithmic scale, averaged over runs and short blocks of steps."""
    figure, axes = panels(titles(plan), x="iteration", y=quantity.label)
    known = known_steps(groups, quantity)
    for ax, task in zip(axes, plan.tasks, strict=True):
        for _, look, values in entries(plan, known, task.problem):
            t, means = in_blocks(np.array(values))
            marks.curve(ax, t, np.maximum(over_runs(means)[0], RESOLUTION), look)
        ax.set_xlim(0, task.iterations)
        name_source(ax, task.problem, audited=is_audited(groups, task.problem, quantity))
        decades(ax, "y")
    return finish(figure, axes, map(marks.line_entry, drawn(plan, known).values()))


@styled()
def accumulated_inaccuracy(plan: Plan, groups: Grouped) -> "Figure":
    """M_t against t."""
    figure, axes = panels(titles(plan), x="iteration", y="inaccuracy $M_t$")
    known = known_steps(groups, ETA)
    for ax, task in zip(axes, plan.tasks, strict=True):
        for _, look, values in entries(plan, known, task.problem):
            mean, error = over_runs(np.array([accumulated(steps) for steps in values]))
            marks.curve(ax, np.arange(1.0, len(mean) + 1), mean, look, (mean - error, mean + error))
        ax.set_xlim(0, task.iterations)
        from_zero(ax)
        name_source(ax, task.problem, audited=is_audited(groups, task.problem, ETA))
    return finish(figure, axes, map(marks.line_entry, drawn(plan, known).values()))


@styled()
def regret_against_inaccuracy(plan: Plan, cells: Table[Cell]) -> "Figure":
    """R_T against the audited M_T; steps that are accurate to the last digit count with the audit's resolution."""
    figure, axes = panels(titles(plan), x="inaccuracy $M_T$, audited", y="cumulative regret", most=2)
    known = {key: cell for key, cell in cells.items() if cell.m_audited >= 0.0}
    spots = []
    for ax, task in zip(axes, plan.tasks, strict=True):
        shown = [
            (max(c.m_audited, RESOLUTION * task.iterations), look, c)
            for _, look, c in entries(plan, known, task.problem)
        ]
        spots.append([Spot(m, c.regret, look, c.m_audited_se, c.regret_se) for m, look, c in shown])
        scatter(ax, spots[-1])
    return named(figure, axes, spots, drawn(plan, known))


@styled()
def sums_of_the_bound(plan: Plan, sums: Table[Sides]) -> "Figure":
    """R_T ≤ Σ w_t + Σ g_t: the right side as a bar of two parts, the left side below it."""
    shades = {r"widths $\Sigma w_t$": "light", r"inaccuracies $\Sigma g_t$, audited": "hatched", "regret $R_T$": "full"}
    rows = drawn(plan, sums)
    labels = [look.label for look in rows.values()]
    figure, axes = bar_panels(titles(plan), labels, x="in the objective's units", thickness=0.28)
    for ax, task in zip(axes, plan.tasks, strict=True):
        for name, look, both in entries(plan, sums, task.problem):
            place = list(rows).index(name)
            marks.bar(ax, place - 0.2, both.widths, look, "light", height=0.38)
            marks.bar(ax, place - 0.2, both.inaccuracies, look, "hatched", left=both.widths, height=0.38)
            total = both.widths + both.inaccuracies
            marks.whisker(ax, place - 0.2, total, np.nan, digits(total))
            marks.bar(ax, place + 0.2, both.regret, look, "full", height=0.38)
            marks.whisker(ax, place + 0.2, both.regret, both.regret_se, digits(both.regret))
        make_room(ax)
    return finish(figure, axes, [marks.shade_entry(label, shade) for label, shade in shades.items()])


def name_source(ax: "Axes", problem: str, *, audited: bool) -> None:
    """Say in a panel's title where its numbers come from."""
    ax.set_title(f"{title(problem)}, {'audited' if audited else 'reported'}", loc="left")


def in_blocks(values: Array) -> tuple[Array, Array]:
    """Means over k ≤ BLOCKS blocks of the steps that some run knows, (runs, T) -> t (k,) and means (runs, k)."""
    known = np.flatnonzero(~np.isnan(values).all(axis=0))
    blocks = np.array_split(known, min(BLOCKS, len(known)))
    t = np.array([block.mean() + 1.0 for block in blocks])
    return t, np.array([[mean_and_error(run[block])[0] for block in blocks] for run in values])


def accumulated(steps: Array) -> Array:
    """M_t for t = 1 … T, steps that are not known being interpolated. (T,)"""
    M: Array = np.cumsum(filled(steps))
    return M
