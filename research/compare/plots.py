"""Figures of a comparison: performance profiles, and what regret costs in time.

A system has the same look in all figures, those of every plan among them.
"""

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from research.compare.profiles import Field, share_within
from research.compare.ranks import Judge
from research.compare.standings import Standing, overheads
from suffice.lab.plan import Plan
from suffice.lab.report import (
    Grouped,
    best_so_far,
    drawn,
    entries,
    titles,
)
from suffice.lab.results import Run
from suffice.plot import labels as marks
from suffice.plot.labels import Spot, label_ends, label_points
from suffice.plot.style import (
    FULL,
    decades,
    finish,
    looks,
    panels,
    styled,
)
from suffice.types import Array

if TYPE_CHECKING:
    from matplotlib.figure import Figure

FACTORS: Array = np.logspace(0.0, 3.0, 121)
SHORTEST = 1e-6  # seconds: a logarithmic scale has no zero


@styled()
def performance_profiles(plan: Plan, competing: Sequence[Field], judge: Judge) -> "Figure":
    """The share of the runs in which a system is within a factor of the best one: a panel for each field."""
    names = [f"{len(field.runs)} systems on {field.size} run{'' if field.size == 1 else 's'}" for field in competing]
    figure, axes = panels(names, x="factor of the lowest regret", y="share of the runs", height=2.2, most=2)
    shown, ends = looks(plan.labels), []
    for ax, field in zip(axes, competing, strict=True):
        curves = {name: share_within(values, FACTORS) for name, values in field.ratios(judge).items()}
        for name, shares in curves.items():
            marks.curve(ax, FACTORS, shares, shown[name])
        ax.set_ylim(-0.02, 1.02)
        decades(ax, "x")
        ax.set_xlim(FACTORS[0], FACTORS[-1])
        named = [(float(shares[-1]), shown[name]) for name, shares in curves.items()]
        ends.append(sorted(named, key=lambda end: end[1].strong))  # of curves that end together, the upper label
    present = {name for field in competing for name in field.runs}
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
