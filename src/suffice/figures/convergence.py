"""How a run went, evaluation by evaluation: the values, the best so far, failures, and the value recommended.

n      int    evaluations, in the order they ended
value  (n,)   in the user's units and sense; nan where the evaluation failed
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from suffice.figures.axes import legend_above, settle
from suffice.figures.limits import ROOM, Window, window
from suffice.figures.style import COLOURS, Look, tint
from suffice.figures.words import number, words
from suffice.types import Array

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Mask = NDArray[np.bool_]

BLUE, ORANGE, VERMILION, BLACK, GREY = COLOURS[0], COLOURS[1], COLOURS[4], COLOURS[5], COLOURS[7]
# How evaluations look by where their points came from: filled or not, so that they differ in print too.
ORIGINS: dict[str, dict[str, Any]] = {
    "initial": {"label": "initial", "facecolors": "white", "edgecolors": ORANGE, "marker": "o"},
    "model": {"label": "by the model", "facecolors": BLUE, "edgecolors": BLUE, "marker": "o"},
    "told": {"label": "told from elsewhere", "facecolors": "white", "edgecolors": GREY, "marker": "s"},
}
FAILURES = 0.035  # of the axis, from below: where failures are marked
LOW = 0.12  # of the range below the values: room for these marks
WIDE = 1.96  # deviations of a band that holds 95 %
VISIBLE = 0.01  # of the axis: a band that is wider is drawn
MANY = 1000  # markers: more are stored as an image in files of lines


@dataclass(frozen=True)
class Recommended:
    """The evaluation recommended, from 1, what the model says its value is, and the deviation of that."""

    evaluation: int
    value: float
    deviation: float


@dataclass(frozen=True)
class Run:
    """What happened, (n,) each."""

    values: Array
    origins: tuple[str, ...]  # a key of ORIGINS each
    larger: bool  # larger values are better
    recommended: Recommended | None = None

    @property
    def best(self) -> Array:
        """The best value so far; nan before there is one."""
        running = np.fmax.accumulate(self.values) if self.larger else np.fmin.accumulate(self.values)
        return np.asarray(running, dtype=float)


def draw_run(ax: "Axes", run: Run, *, log: bool = False) -> None:
    """Dots for evaluations, a line for the best so far, crosses at the bottom for failures, a star and a band for the
    value recommended."""
    shown = window(_all_values(run), larger=run.larger, log=log)
    steps = np.arange(1.0, len(run.values) + 1.0)
    _draw_evaluations(ax, run, steps, shown)
    ax.plot(steps, run.best, color=BLACK, drawstyle="steps-post", label="best so far", zorder=3)
    failed = np.isnan(run.values)
    _draw_failures(ax, steps[failed])
    if run.recommended is not None:
        _draw_recommended(ax, run.recommended, shown)
    shown.lay(ax, below=LOW if failed.any() else ROOM)
    _finish(ax, len(steps), "value (larger is better)" if run.larger else "value (smaller is better)")


def draw_runs(ax: "Axes", runs: Sequence[Run], looks: Sequence[Look], *, log: bool = False) -> None:
    """The best value so far of several runs, a line each."""
    larger = runs[0].larger
    for run, look in zip(runs, looks, strict=True):
        line(ax, run.best, look)
    window(np.concatenate([run.best for run in runs]), larger=larger, log=log).lay(ax)
    better = "larger" if larger else "smaller"
    _finish(ax, max(len(run.values) for run in runs), f"best value so far ({better} is better)")


def line(ax: "Axes", values: Array, look: Look) -> None:
    """A series by evaluation, as steps."""
    steps = np.arange(1.0, len(values) + 1.0)
    every = max(1, len(steps) // 6)
    ax.plot(
        steps,
        values,
        color=look.colour,
        linestyle=look.line,
        marker=look.marker,
        markevery=every,
        drawstyle="steps-post",
        label=look.label,
    )


def _all_values(run: Run) -> Array:
    if run.recommended is None:
        return run.values
    return np.append(run.values, run.recommended.value)


def _draw_evaluations(ax: "Axes", run: Run, steps: Array, shown: Window) -> None:
    origins = np.array(run.origins, dtype=object)
    beyond = shown.beyond(run.values)
    size = 12.0 if len(steps) <= 200 else 5.0
    for origin, look in ORIGINS.items():
        for far in (False, True):
            here = (origins == origin) & np.isfinite(run.values) & (beyond == far)
            if here.any():
                label: dict[str, Any] = {"label": "_beyond", "marker": shown.caret} if far else {}
                ax.scatter(
                    steps[here],
                    shown.inside(run.values[here]),
                    s=size,
                    linewidths=0.7,
                    zorder=2,
                    rasterized=len(steps) > MANY,
                    **look | label,
                )


def _draw_failures(ax: "Axes", steps: Array) -> None:
    if len(steps):
        ax.plot(
            steps,
            np.full(len(steps), FAILURES),
            transform=ax.get_xaxis_transform(),
            linestyle="",
            marker="x",
            markersize=3.5,
            color=VERMILION,
            label=f"failed ({len(steps)})",
            zorder=2,
        )


def _draw_recommended(ax: "Axes", recommended: Recommended, shown: Window) -> None:
    """A star where it was evaluated; a band of 95 % where the model leaves the value open, as noise does."""
    value, half = recommended.value, WIDE * recommended.deviation
    said = f"recommended: {number(value)}"
    if 2 * half > VISIBLE * (shown.high - shown.low) and not (shown.log and half >= value):
        ax.axhspan(value - half, value + half, color=tint(BLACK, 0.12), linewidth=0, zorder=0, label="_band")
        ax.axhline(value, color=GREY, linewidth=0.8, linestyle=(0, (4, 2)), zorder=1, label="_level")
        said = f"recommended: {value:.3g} ± {half:.1g}"
    ax.plot(
        [recommended.evaluation],
        [value],
        linestyle="",
        marker="*",
        markersize=8,
        markerfacecolor="white",
        color=BLACK,
        label=words(said),
        zorder=4,
    )


def _finish(ax: "Axes", count: int, label: str) -> None:
    from matplotlib.ticker import MaxNLocator

    ax.set_xlim(0.5 - 0.02 * count, max(count, 1) + 0.5 + 0.02 * count)
    ax.xaxis.set_major_locator(MaxNLocator(6, integer=True))
    ax.set_xlabel("evaluations")
    ax.set_ylabel(label)
    settle(ax)
    legend_above(ax)
