"""How exact the searches of a run were, step by step: what was reported, what an audit found, what is proven.

gaps  (T,)  what was missed, as shares of the spread of the scores; nan where it is not known, 0 where nothing was
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from suffice.figures.axes import legend_above, settle
from suffice.figures.style import COLOURS, tint
from suffice.types import Array

if TYPE_CHECKING:
    from matplotlib.axes import Axes

FLOOR = 1e-6  # of the spread: smaller gaps are rounding errors, and drawn here, where the axis says so
ROOM = 2.0  # beyond the floor, and beyond 1: for half a marker
BLUE, ORANGE, GREEN, BLACK = COLOURS[0], COLOURS[1], COLOURS[2], COLOURS[5]


@dataclass(frozen=True)
class Gaps:
    """What is known of the steps, (T,) each."""

    steps: Array  # 1, 2, …
    reported: Array  # estimates
    limits: Array  # what they are at most, with the confidence of the reports
    certified: Array  # and what is proven
    audited: Array
    stopped: NDArray[np.bool_]  # steps whose search ended at its budget
    taken: NDArray[np.bool_]  # steps whose best point was known already: their gaps are no fault of the search


def draw_gaps(ax: "Axes", gaps: Gaps) -> None:
    """The series that have a value, on a logarithmic axis; the lowest tick stands for all that is smaller."""
    _draw(ax, gaps.steps, gaps.reported, "reported: estimate", color=BLUE, marker="o", markersize=3.5, zorder=3)
    pale = tint(BLUE, 0.45)
    both = np.isfinite(gaps.limits) & np.isfinite(gaps.reported)
    ax.vlines(gaps.steps[both], shown(gaps.reported[both]), shown(gaps.limits[both]), color=pale, linewidth=2, zorder=2)
    _draw(ax, gaps.steps, gaps.limits, "reported: probable limit", color=pale, marker="_", mew=2, zorder=2)
    _draw(ax, gaps.steps, gaps.certified, "certified: proven limit", color=GREEN, marker="_", markersize=7, mew=1.5)
    _draw(ax, gaps.steps, gaps.audited, "audited: a far longer search", color=BLACK, marker="x", markersize=5, zorder=4)
    _shade(ax, gaps.steps[gaps.stopped], "stopped at its budget", tint(ORANGE, 0.2))
    _shade(ax, gaps.steps[gaps.taken], "best point known already", tint(BLACK, 0.1))
    _set_axes(ax, len(gaps.steps))
    settle(ax)
    legend_above(ax, wider=0.9)  # the labels of its ticks take some of the width
    if not ax.get_legend_handles_labels()[0]:
        ax.text(0.5, 0.5, "no step says how exact it was", transform=ax.transAxes, ha="center", va="center")


def _draw(ax: "Axes", steps: Array, values: Array, label: str, **look: Any) -> None:
    known = np.isfinite(values)
    if known.any():
        ax.plot(steps[known], shown(values[known]), linestyle="", label=label, **look)


def _shade(ax: "Axes", steps: Array, label: str, colour: tuple[float, ...]) -> None:
    for step in steps:
        ax.axvspan(
            step - 0.5, step + 0.5, color=colour, linewidth=0, zorder=0, label=label if step == steps[0] else None
        )


def _set_axes(ax: "Axes", count: int) -> None:
    from matplotlib.ticker import FixedLocator, MaxNLocator, NullLocator

    powers = range(round(np.log10(FLOOR)), 1)
    ax.set_yscale("log")
    ax.set_ylim(FLOOR / ROOM, ROOM)
    ax.yaxis.set_major_locator(FixedLocator([10.0**power for power in powers]))
    ax.yaxis.set_minor_locator(NullLocator())
    percents = [f"{100 * 10.0**power:g} %" for power in powers]
    ax.set_yticklabels([f"≤ {100 * FLOOR:.4f} %", *percents[1:]])
    ax.set_xlim(0.5, max(count, 1) + 0.5)
    ax.xaxis.set_major_locator(MaxNLocator(integer=True))
    ax.set_xlabel("points chosen by the model, in order")
    ax.set_ylabel("missed by the search\n(share of the scores' spread)")


def shown(values: Array) -> Array:
    """Where gaps lie on the axis: those below the floor, zeros too, on it."""
    return np.clip(values, FLOOR, 1.0)
