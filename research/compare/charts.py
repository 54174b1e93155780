"""The figures of a comparison: performance profiles, what regret costs in time, and what to see in them.

A performance profile [Dolan and Moré 2002] says in what share of the runs a system is within a factor of the best. The
best is the best of a field: systems with the same runs, cut at the same horizons. A system that has runs to itself
would be the best of them for no merit, so a contest with caps falls into several fields. A system has the same look in
all figures, those of every plan among them.
"""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
from scipy.optimize import isotonic_regression

from research.compare.standings import Judge, Key, Standing, by_system, cumulative, overheads, simple
from suffice.lab.plan import Plan
from suffice.lab.report import (
    BANDS,
    Chart,
    Grouped,
    best_so_far,
    cumulative_regret,
    drawn,
    entries,
    simple_regret,
    titles,
)
from suffice.lab.results import Run
from suffice.plot import labels as marks
from suffice.plot.labels import Spot, label_points, size_of, write
from suffice.plot.style import (
    FULL,
    OURS,
    Look,
    decades,
    finish,
    looks,
    panels,
    styled,
)
from suffice.problems.functions import title
from suffice.types import Array

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.text import Annotation


FACTORS: Array = np.logspace(0.0, 3.0, 121)
STUB = 12.0  # points: from the end of a curve to its label
SHORTEST = 1e-6  # seconds: a logarithmic scale has no zero


@dataclass(frozen=True)
class Field:
    """Systems with a run on each of the same problems and seeds."""

    runs: dict[str, dict[Key, Run]] = field(repr=False)  # by system, then by problem and seed

    @property
    def size(self) -> int:
        return len(next(iter(self.runs.values())))

    def ratios(self, judge: Judge) -> dict[str, Array]:
        """The regret of each run over the lowest one at the shortest horizon, by system, ascending: 1 is the best."""
        keys = next(iter(self.runs.values()))
        table = np.array([_judged([own[key] for own in self.runs.values()], judge) for key in keys])
        lowest = table.min(axis=1, keepdims=True)
        shares = np.divide(table, lowest, out=np.ones_like(table), where=lowest > 0.0)
        return {name: np.sort(shares[:, column]) for column, name in enumerate(self.runs)}


def fields(runs: Sequence[Run]) -> list[Field]:
    """For each set of runs that some system has, all systems that have these too; the largest field first."""
    found = by_system(runs)
    sets = dict.fromkeys(frozenset(own) for own in found.values())
    made = [Field({name: _only(keys, own) for name, own in found.items() if keys <= own.keys()}) for keys in sets]
    return sorted((one for one in made if len(one.runs) > 1), key=lambda one: -len(one.runs))


def share_within(ratios: Array, factors: Array) -> Array:
    """The share of the ratios, ascending, that are at most each factor, (k,)."""
    share: Array = np.searchsorted(ratios, factors, side="right") / len(ratios)
    return share


def _only(keys: Iterable[Key], runs: Mapping[Key, Run]) -> dict[Key, Run]:
    return {key: runs[key] for key in sorted(keys)}


def _judged(runs: Sequence[Run], judge: Judge) -> list[float]:
    horizon = min(len(run.columns["regret"]) for run in runs)
    return [judge(run, horizon) for run in runs]


def charts(plan: Plan, groups: Grouped, standings: Sequence[Standing]) -> list[Chart]:
    """The figures, in the order of the report; none without runs."""
    if not standings:
        return []
    systems = ", ".join(method.label for method in plan.methods)
    panels = f"{systems}; panels {', '.join(title(task.problem) for task in plan.tasks)}"
    order = ", ".join(f"{plan.labels[row.system]} {row.rank:.1f}" for row in standings)
    bands = (
        f", of {OURS} alone, since those of so many systems would hide each other" if len(plan.methods) > BANDS else ""
    )
    return [
        Chart(
            "rank-and-overhead",
            "Rank and overhead",
            "Mean rank by simple regret, ± one standard error, against the mean seconds in ask and tell for one "
            "suggestion. Lower left is better: a system with another one to its lower left costs more and finds less.",
            f"Mean rank against overhead; ranks: {order}.",
            partial(rank_against_overhead, plan, standings),
        ),
        *_profiles(plan, fields([run for cell in groups.values() for run in cell])),
        Chart(
            "regret-and-overhead",
            "Regret and overhead",
            "Simple regret against the seconds spent in ask and tell so far, the objective being free: medians over "
            "the runs. A curve ends with its iterations. If your objective takes much longer than the suggestions, "
            "look at the next figure instead.",
            f"Simple regret against overhead on logarithmic scales; systems {panels}.",
            partial(regret_against_overhead, plan, groups),
        ),
        Chart(
            "simple-regret",
            "Simple regret",
            "Regret of the best point so far, initial design included: median over the runs, the bands from quartile "
            f"to quartile{bands}.",
            f"Simple regret against iterations; systems {panels}.",
            partial(simple_regret, plan, groups),
        ),
        Chart(
            "regret",
            "Cumulative regret",
            f"Mean over the runs; the bands are ± one standard error{bands}. Lower is better, and a curve that "
            "flattens has found the optimum. Sobol and random points never do.",
            f"Cumulative regret against iterations; systems {panels}.",
            partial(cumulative_regret, plan, groups, {}),
        ),
    ]


def _profiles(plan: Plan, competing: Sequence[Field]) -> Iterator[Chart]:
    """Where there are systems with runs in common."""
    if not competing:
        return
    sizes = ", ".join(f"{len(one.runs)} systems on {one.size}" for one in competing)
    for word, judge in (("simple", simple), ("cumulative", cumulative)):
        yield Chart(
            f"profiles-{word}",
            f"Performance profiles, {word} regret",
            f"In what share of the runs a system's {word} regret is at most so many times that of the best system in "
            "the panel, on the same problem and seed after as many iterations. At 1: how often it is the best; a curve "
            "that is high further right is never far from it. All systems of a panel have the same runs: those that "
            "take part in less are compared on less.",
            f"Share of the runs within a factor of the lowest {word} regret; panels: {sizes} runs.",
            partial(performance_profiles, plan, competing, judge),
        )


@styled()
def performance_profiles(plan: Plan, competing: Sequence[Field], judge: Judge) -> "Figure":
    """The share of the runs in which a system is within a factor of the best one: a panel for each field."""
    names = [f"{len(one.runs)} systems on {one.size} run{'' if one.size == 1 else 's'}" for one in competing]
    figure, axes = panels(names, x="factor of the lowest regret", y="share of the runs", height=2.2, most=2)
    shown, ends = looks(plan.labels), []
    for ax, one in zip(axes, competing, strict=True):
        curves = {name: share_within(values, FACTORS) for name, values in one.ratios(judge).items()}
        for name, shares in curves.items():
            marks.curve(ax, FACTORS, shares, shown[name])
        ax.set_ylim(-0.02, 1.02)
        decades(ax, "x")
        ax.set_xlim(FACTORS[0], FACTORS[-1])
        named = [(float(shares[-1]), shown[name]) for name, shares in curves.items()]
        ends.append(sorted(named, key=lambda end: end[1].strong))  # of curves that end together, the upper label
    present = {name for one in competing for name in one.runs}
    entries = [marks.line_entry(look) for name, look in shown.items() if name in present]
    return finish(figure, axes, [] if label_ends(list(zip(axes, ends, strict=True))) else entries)


@styled()
def regret_against_overhead(plan: Plan, groups: Grouped) -> "Figure":
    """The best regret so far against the seconds spent so far on suggestions: medians over the runs."""
    figure, axes = panels(titles(plan), x="seconds spent on suggestions", y="simple regret")
    for ax, task in zip(axes, plan.tasks, strict=True):
        curves = [
            (look, spent(runs), best_so_far(runs)[:, 1:]) for _, look, runs in entries(plan, groups, task.problem)
        ]
        bottom = marks.floor([best for _, _, best in curves])
        for look, seconds, best in curves:
            marks.curve(ax, seconds, np.maximum(np.median(best, axis=0), bottom), look)
        decades(ax, "x")
        decades(ax, "y")
    return finish(figure, axes, map(marks.line_entry, drawn(plan, groups).values()))


@styled()
def rank_against_overhead(plan: Plan, standings: Sequence[Standing]) -> "Figure":
    """The mean rank by simple regret against the overhead of a suggestion: lower left is better."""
    figure, axes = panels(["All problems"], x="seconds for a suggestion", y="mean rank", height=2.6)
    figure.set_figwidth(FULL)
    (ax,), shown = axes, looks(plan.labels)
    spots = [Spot(max(row.overhead, SHORTEST), row.rank, shown[row.system], y_error=row.rank_se) for row in standings]
    for spot in spots:
        marks.point(ax, (spot.x, math.nan), (spot.y, spot.y_error), spot.look)
    ax.margins(0.15)
    decades(ax, "x")
    has_room = label_points([(ax, spots)])
    return finish(figure, axes, [] if has_room else [marks.point_entry(spot.look) for spot in spots])


def spent(runs: Sequence[Run]) -> Array:
    """Seconds in ask and tell up to each suggestion, median over the runs, (T,)."""
    seconds: Array = np.median([np.cumsum(overheads(run)) for run in runs], axis=0)
    return np.maximum(seconds, SHORTEST)


# ---------------------------------------------------------------------- names at the ends of curves


def label_ends(panels: Sequence[tuple["Axes", Sequence[tuple[float, Look]]]]) -> bool:
    """Names to the right of the panels, for curves that end there at these heights: all of them, or none without room.

    It lays the figure out: call it when its size and its limits are final.
    """
    written = [[_end(ax, y, look) for y, look in ends] for ax, ends in panels]
    if panels:
        panels[0][0].figure.draw_without_rendering()  # type: ignore[union-attr]
    for (ax, ends), labels in zip(panels, written, strict=True):
        if not _stack(ax, [y for y, _ in ends], labels):
            for label in (label for made in written for label in made):
                label.remove()
            return False
    return True


def _stack(ax: "Axes", ends: Sequence[float], labels: "Sequence[Annotation]") -> bool:
    """Move the labels of a panel up and down until they are apart; False if it is too low for that."""
    (_, bottom), (_, top) = ax.get_window_extent().get_points()
    gap = max((float(size_of(label)[1]) for label in labels), default=0.0)
    if gap * len(labels) > top - bottom + gap:
        return False
    x = ax.get_xlim()[1]
    heights = np.array([ax.transData.transform((x, y))[1] for y in ends])
    for label, height, place in zip(labels, heights, spread(heights, gap, (bottom, top)), strict=True):
        label.xyann = (STUB, float(place - height) * 72.0 / ax.figure.dpi)
    return True


def spread(heights: Array, gap: float, within: tuple[float, float]) -> Array:
    """Places as near to the heights as can be, in the same order, `gap` apart and within limits. (k,) -> (k,)

    Least squares: the places less 0, gap, 2 gap … must ascend, which is isotonic regression. If the limits leave no
    room, the upper one gives way.
    """
    if not len(heights):
        return heights
    order = np.argsort(heights, kind="stable")
    steps = gap * np.arange(len(heights))
    low, high = within
    flat = np.maximum(np.minimum(isotonic_regression(heights[order] - steps).x, high - steps[-1]), low)
    placed = np.empty(len(heights))
    placed[order] = flat + steps
    return placed


def _end(ax: "Axes", y: float, look: Look) -> "Annotation":
    line = {"color": look.colour, "linewidth": look.width, "relpos": (0.0, 0.5)}
    coordinates = ("axes fraction", "data")
    where = {"xytext": (STUB, 0.0), "xycoords": coordinates, "ha": "left", "annotation_clip": False}
    return write(ax, look, (1.0, y), line, **where)
