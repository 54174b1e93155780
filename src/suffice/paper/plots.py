"""The figures of a plan: their choice, captions and drawing.

R_t   cumulative regret, mean over the runs        bands and whiskers: ± one standard error, where there are two runs
η_t   (v + C)/(α* + C), v = α_t(x_t)               relative gap: (α* − v)/(α* − median of α_t), whatever the shift C
M_t   Σ_{s ≤ t} (1 − η_s)

Figures have a panel for each problem and a style for each method. `charts` chooses the figures by the available data,
not by the plan's name. A panel shows the audited accuracy if the problem has audited runs, otherwise the reported
accuracy, and never both.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from suffice.checks import NOTHING
from suffice.lab.plan import Plan
from suffice.lab.report import (
    Cell,
    Chart,
    Grouped,
    Table,
    cumulative_regret,
    drawn,
    entries,
    filled,
    mean_and_error,
    over_runs,
    simple_regret,
    titles,
)
from suffice.lab.results import Run
from suffice.paper.published import SOURCE, Published, lowest, runs_per_cell
from suffice.paper.theorems import Sides
from suffice.plot import labels as marks
from suffice.plot.labels import Spot, label_points
from suffice.plot.style import GREY, bar_panels, decades, finish, from_zero, make_room, panels, styled
from suffice.problems.functions import family_and_number, title
from suffice.result.findings import CHANCE
from suffice.text import digits
from suffice.types import Array

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


BLOCKS = 15  # blocks of consecutive steps for averages of noisy quantities
# The caption below all figures of accuracy.
AUDITED = (
    "Each panel states whether its values were audited, with the maximum found again by a heavy solver, or reported "
    "by the runs."
)


@dataclass(frozen=True)
class Quantity:
    """A quantity of a step, in two versions."""

    label: str
    reported: str  # columns of a run
    audited: str
    complement: bool = False  # 1 − the column

    def known(self, runs: Sequence[Run], *, audited: bool) -> list[Array]:
        """The quantity of the runs that have it, (T,) each, nan if unknown."""
        columns = (run.columns[self.audited if audited else self.reported] for run in runs)
        return [1.0 - column if self.complement else column for column in columns if not np.isnan(column).all()]


GAP = Quantity("relative gap", "gap", "audited_gap")  # the miss of a search
ETA = Quantity(r"$1 - \eta_t$", "eta", "audited_eta", complement=True)  # the paper's accuracy, as a shortfall


@dataclass(frozen=True)
class Findings:
    """The data of all figures."""

    plan: Plan
    groups: Grouped
    cells: Table[Cell]
    published: Table[Published]
    sums: Table[Sides]
    holes: Sequence[tuple[int, int, float]] = ()  # dimension, points and fill distance of grids


def charts(found: Findings) -> list[Chart]:
    """The figures of a plan, in the order of the report; none without runs."""
    if not found.cells:
        return []
    return [*_of_regret(found), *_of_time(found), *_of_accuracy(found)]


def _of_regret(found: Findings) -> Iterator[Chart]:
    plan, groups, cells, published = found.plan, found.groups, found.cells, found.published
    lowest_on: dict[str, list[str]] = {}
    for problem, name in lowest(plan, cells).items():
        lowest_on.setdefault(plan.labels[name], []).append(title(problem))
    best = "; ".join(f"{label} on {', '.join(names)}" for label, names in lowest_on.items())
    yield Chart(
        "regret",
        "Cumulative regret",
        f"Mean over {runs_per_cell(cells)}; the bands are ± one standard error. Lower is better; a curve that "
        "flattens has found the optimum."
        + (" Open markers at the right end are the published final values." if published else "")
        + (f" Lowest at the end: {best}." if best else ""),
        _alt(plan, "Cumulative regret against iterations"),
        partial(cumulative_regret, plan, groups, {key: cell.regret for key, cell in published.items()}),
    )
    if published:
        yield Chart(
            "published",
            "Published and reproduced",
            f"Final cumulative regret. Pale bars are the paper's, {SOURCE}; full bars are these runs, with one "
            "standard error. The two bars of a method should have similar lengths.",
            _alt(plan, "Final cumulative regret, published bars above reproduced bars"),
            partial(published_and_reproduced, plan, cells, published),
        )
    yield Chart(
        "simple-regret",
        "Simple regret",
        "Regret of the best point so far, initial design included, on a logarithmic scale: median over the runs, with "
        "bands between the quartiles. It ignores the cost of earlier evaluations.",
        _alt(plan, "Simple regret against iterations"),
        partial(simple_regret, plan, groups),
    )
    if is_about_dimension(plan):
        yield Chart(
            "dimension",
            "Regret and dimension",
            "Final cumulative regret divided by the number of steps, against the dimension; the bands are ± one "
            "standard error. A steeper line pays more for each dimension.",
            f"Regret per step against the dimension, {plan.tasks[0].problem} to {plan.tasks[-1].problem}.",
            partial(regret_against_dimension, plan, cells),
        )
    if found.holes:
        said = ", ".join(f"{digits(radius)} in {d}" for d, _, radius in found.holes)
        yield Chart(
            "holes",
            "Fill distance of the grid",
            f"Fill distance of {found.holes[-1][1]} uniform points in the unit cube, the size of the grid of the last "
            "step: the largest distance of a point of the cube from all of them. With more dimensions, the grid "
            "samples the acquisition function more coarsely. Beyond four dimensions it is the largest hole found by a "
            "search.",
            f"Radius of the largest hole against the dimension: {said} dimensions.",
            partial(holes_against_dimension, found.holes),
        )


def _of_time(found: Findings) -> Iterator[Chart]:
    plan, cells = found.plan, found.cells
    yield Chart(
        "seconds",
        "Time",
        "Mean seconds of a run, without the objective and the audit, and one standard error. Compare methods, not "
        "machines: published times are from another machine.",
        _alt(plan, "Seconds of a run, as bars in three parts: fit of the surrogate, search for the maximum, other"),
        partial(seconds_by_phase, plan, cells),
    )
    if len({method for _, method in cells}) > 1:
        yield Chart(
            "regret-and-time",
            "Regret and time",
            "Mean final cumulative regret against mean seconds of a run, with standard errors. Lower left is better: "
            "a method with another one to its lower left is dominated.",
            _alt(plan, "Final cumulative regret against seconds, a point for each method"),
            partial(regret_against_seconds, plan, cells),
        )


def _of_accuracy(found: Findings) -> Iterator[Chart]:
    plan, groups, cells, sums = found.plan, found.groups, found.cells, found.sums
    if known_steps(groups, GAP):
        yield _gaps(found)
    if has_course(groups, ETA):
        yield Chart(
            "eta",
            "The paper's η",
            "1 − η of each step, averaged over runs and short blocks of steps, on a logarithmic scale that ends at "
            f"{NOTHING:g}. The shift in η makes every step look accurate. {AUDITED}",
            _alt(plan, "One minus eta of each step on a logarithmic scale"),
            partial(accuracy_of_steps, plan, groups, ETA),
        )
    if known_steps(groups, ETA):
        yield Chart(
            "accumulated-inaccuracy",
            "Accumulated inaccuracy",
            "M = Σ (1 − η), which must grow more slowly than the number of steps for the paper's theorems: the curve "
            "should bend. Between audited steps it is interpolated. " + AUDITED,
            _alt(plan, "Accumulated inaccuracy against iterations"),
            partial(accumulated_inaccuracy, plan, groups),
        )
    if len({method for (_, method), cell in cells.items() if cell.m_audited >= 0.0}) > 1:
        yield Chart(
            "regret-and-inaccuracy",
            "Regret and inaccuracy",
            "Final cumulative regret against the audited M, one point for each method, with standard errors. If exact "
            "maximization mattered most, the points would rise from lower left to upper right.",
            _alt(plan, "Final cumulative regret against audited accumulated inaccuracy"),
            partial(regret_against_inaccuracy, plan, cells),
        )
    if sums and {method for _, method in sums} == {method for _, method in cells}:  # all models keep the units
        within = sum(both.regret <= both.widths + both.inaccuracies for both in sums.values())
        yield Chart(
            "bound",
            "The two sums of Theorem 1",
            "Over the audited runs: the widths Σ w and, on top of them, the inaccuracies Σ g; below, the regret that "
            "they bound while the objective stays within μ ± βσ. A regret beyond the sums means that it did not: β "
            f"is too small there. Here {within} of {len(sums)} regrets are within the sums.",
            _alt(plan, "Sum of widths and sum of inaccuracies, stacked, above the regret"),
            partial(sums_of_the_bound, plan, sums),
        )


def _gaps(found: Findings) -> Chart:
    """Relative gaps along the run if there are enough for a curve, otherwise their distribution."""
    plan, groups = found.plan, found.groups
    left = "The gap to the maximum of the acquisition function, relative to a median point"
    below = f"values below {NOTHING:g} are rounding errors and drawn there"
    if has_course(groups, GAP):
        return Chart(
            "relative-gap",
            "Accuracy of each step",
            f"{left}, averaged over runs and short blocks of steps; {below}. {AUDITED}",
            _alt(plan, "Relative gap of each step on a logarithmic scale"),
            partial(accuracy_of_steps, plan, groups, GAP),
        )
    return Chart(
        "relative-gap",
        "Accuracy of the steps",
        f"{left}, as a distribution over the steps; {below}. A curve further up "
        f"and left belongs to the more accurate method. {AUDITED}",
        _alt(plan, "Fraction of the steps whose relative gap is at most the value on the logarithmic axis"),
        partial(shares_of_steps, plan, groups, GAP),
    )


def _alt(plan: Plan, what: str) -> str:
    names = ", ".join(title(task.problem) for task in plan.tasks)
    return f"{what}; methods {', '.join(method.label for method in plan.methods)}; panels {names}."


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
    return _regret_against(
        plan, cells, {key: (c.seconds, c.seconds_se) for key, c in cells.items()}, "seconds for a run"
    )


@styled()
def regret_against_inaccuracy(plan: Plan, cells: Table[Cell]) -> "Figure":
    """R_T against the audited M_T; fully accurate steps count with the audit's resolution."""
    known = {key: cell for key, cell in cells.items() if cell.m_audited >= 0.0}
    least = {task.problem: NOTHING * task.iterations for task in plan.tasks}
    price = {key: (max(c.m_audited, least[key[0]]), c.m_audited_se) for key, c in known.items()}
    return _regret_against(plan, known, price, "inaccuracy $M_T$, audited")


def _regret_against(plan: Plan, cells: Table[Cell], price: Table[tuple[float, float]], x: str) -> "Figure":
    """R_T against another quantity with its error: a name beside each point, or a legend if names do not fit."""
    figure, axes = panels(titles(plan), x=x, y="cumulative regret", most=2)
    spots = []
    for ax, task in zip(axes, plan.tasks, strict=True):
        here = ((look, cell, price[task.problem, name]) for name, look, cell in entries(plan, cells, task.problem))
        spots.append([Spot(paid, cell.regret, look, error, cell.regret_se) for look, cell, (paid, error) in here])
        for spot in spots[-1]:
            marks.point(ax, (spot.x, spot.x_error), (spot.y, spot.y_error), spot.look)
        ax.margins(0.25)
        from_zero(ax)
        decades(ax, "x")
    has_room = label_points(list(zip(axes, spots, strict=True)))
    return finish(figure, axes, [] if has_room else map(marks.point_entry, drawn(plan, cells).values()))


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
    """R_T / T against d, for a plan with one function in several dimensions."""
    family, _ = family_and_number(plan.tasks[0].problem)
    figure, axes = panels([title(family)], x="dimension d", y="regret per step")
    (ax,) = axes
    split = [(int(family_and_number(task.problem)[1] or 0), task) for task in plan.tasks]
    tasks = sorted(split, key=lambda pair: pair[0])
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
        ax.plot(d, radius, color=GREY, marker="o", linestyle="")
        ax.annotate(digits(radius), (d, radius), (0, 5), textcoords="offset points", ha="center", fontsize=7)
    ax.set_xticks([d for d, _, _ in holes])
    ax.margins(0.15)
    decades(ax, "y")
    return finish(figure, axes, [])


def is_about_dimension(plan: Plan) -> bool:
    """Whether all problems are one function in several dimensions."""
    split = [family_and_number(task.problem) for task in plan.tasks]
    return len(split) > 1 and len({family for family, _ in split}) == 1 and all(d for _, d in split)


def is_audited(groups: Grouped, problem: str, quantity: Quantity) -> bool:
    """Whether some run on a problem was audited."""
    return any(quantity.known(runs, audited=True) for (name, _), runs in groups.items() if name == problem)


def known_steps(groups: Grouped, quantity: Quantity) -> dict[tuple[str, str], list[Array]]:
    """The values of each cell with any: (T,) for each run, nan if unknown."""
    shown = {key: quantity.known(runs, audited=is_audited(groups, key[0], quantity)) for key, runs in groups.items()}
    return {key: values for key, values in shown.items() if values}


def has_course(groups: Grouped, quantity: Quantity) -> bool:
    """Whether a quantity has enough values for a curve over the iterations: CHANCE values for each point."""
    known = known_steps(groups, quantity).values()
    points = sum(len(in_blocks(np.array(values))[0]) for values in known)
    return points > 0 and sum(int(np.sum(~np.isnan(values))) for values in known) >= CHANCE * points


@styled()
def shares_of_steps(plan: Plan, groups: Grouped, quantity: Quantity) -> "Figure":
    """The fraction of the steps with a quantity of at most x, against x on a logarithmic scale."""
    figure, axes = panels(titles(plan), x=f"{quantity.label} at most", y="fraction of steps")
    known, levels = known_steps(groups, quantity), np.linspace(0.0, 1.0, 101)
    for ax, task in zip(axes, plan.tasks, strict=True):
        for _, look, values in entries(plan, known, task.problem):
            steps = np.concatenate(values)
            x = np.quantile(steps[~np.isnan(steps)], levels, method="inverted_cdf")
            marks.curve(ax, np.maximum(x, NOTHING), levels, look)
        ax.set(xlim=(0.5 * NOTHING, 2.0), ylim=(-0.03, 1.03))
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
            marks.curve(ax, t, np.maximum(over_runs(means)[0], NOTHING), look)
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
    """Add the source of the numbers to a panel's title."""
    ax.set_title(f"{title(problem)}, {'audited' if audited else 'reported'}", loc="left")


def in_blocks(values: Array) -> tuple[Array, Array]:
    """Means over k ≤ BLOCKS blocks of the steps with values, (runs, T) -> t (k,) and means (runs, k)."""
    known = np.flatnonzero(~np.isnan(values).all(axis=0))
    blocks = np.array_split(known, min(BLOCKS, len(known)))
    t = np.array([block.mean() + 1.0 for block in blocks])
    return t, np.array([[mean_and_error(run[block])[0] for block in blocks] for run in values])


def accumulated(steps: Array) -> Array:
    """M_t for t = 1 … T, (T,); unknown steps are interpolated."""
    M: Array = np.cumsum(filled(steps))
    return M
