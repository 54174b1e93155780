"""How a run went, evaluation by evaluation: the values, the best so far, failures, and the value recommended.

n      int    evaluations, in the order they ended
value  (n,)   in the user's units and sense; nan where the evaluation has none
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from suffice.figures.axes import legend_above, settle
from suffice.figures.limits import ROOM, Window, window
from suffice.figures.slices import INFEASIBLE
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
    infeasible: Mask | None = None  # beyond a limit, with or without a value; None: none is
    name: str = "value"

    @property
    def best(self) -> Array:
        """The best feasible value so far; nan before there is one."""
        running = np.fmax.accumulate(self.feasible) if self.larger else np.fmin.accumulate(self.feasible)
        return np.asarray(running, dtype=float)

    @property
    def beyond(self) -> Mask:
        """Which evaluations are beyond a limit."""
        return np.zeros(len(self.values), dtype=np.bool_) if self.infeasible is None else self.infeasible

    @property
    def feasible(self) -> Array:
        """The values of the others; nan elsewhere."""
        values: Array = np.where(self.beyond, np.nan, self.values)
        return values


def draw_run(ax: "Axes", run: Run, *, log: bool = False) -> None:
    """Dots for evaluations, a line for the best so far, crosses at the bottom for failures, a star and a band for the
    value recommended; upright crosses for what is beyond a limit, at the bottom where it has no value."""
    shown = _window(run, log)
    steps = np.arange(1.0, len(run.values) + 1.0)
    _draw_evaluations(ax, run, steps, shown)
    if np.isfinite(run.best).any():
        ax.plot(steps, run.best, color=BLACK, drawstyle="steps-post", label="best so far", zorder=3)
    failed, absent = np.isnan(run.values) & ~run.beyond, np.isnan(run.values) & run.beyond
    _draw_infeasible(ax, run, steps, shown, at_bottom=absent)
    draw_failures(ax, steps[failed])
    if run.recommended is not None:
        _draw_recommended(ax, run.recommended, shown)
    shown.lay(ax, below=LOW if failed.any() or absent.any() else ROOM)
    better = "larger" if run.larger else "smaller"
    finish(ax, len(steps), f"{words(run.name, 20)} ({better} is better)")


def draw_growth(ax: "Axes", volume: Array, origins: Sequence[str], failed: Mask, infeasible: Mask) -> None:
    """The hypervolume of the front so far, (n,), with a dot where an evaluation raised it; the rest at the bottom."""
    steps, raised = np.arange(1.0, len(volume) + 1.0), np.diff(volume, prepend=0.0) > 0.0
    ax.plot(steps, volume, color=BLACK, drawstyle="steps-post", label="the front so far", zorder=1)
    for origin, look in ORIGINS.items():
        here = raised & (np.array(origins, dtype=object) == origin)
        if here.any():
            ax.scatter(steps[here], volume[here], s=12.0, linewidths=0.7, zorder=2, **look)
    _draw_marks(ax, steps[infeasible])
    draw_failures(ax, steps[failed])
    shown = window(volume, larger=True).including(np.zeros(1))
    shown.lay(ax, below=LOW if failed.any() or infeasible.any() else ROOM)
    finish(ax, len(steps), "hypervolume (larger is better)")


def draw_runs(ax: "Axes", runs: Sequence[Run], looks: Sequence[Look], *, log: bool = False) -> None:
    """The best value so far of several runs, a line each."""
    larger = runs[0].larger
    better = "larger" if larger else "smaller"
    draw_series(
        ax, [run.best for run in runs], looks, f"best value so far ({better} is better)", larger=larger, log=log
    )


def draw_series(
    ax: "Axes", series: Sequence[Array], looks: Sequence[Look], label: str, *, larger: bool, log: bool = False
) -> None:
    """Something of several runs by evaluation, a line each."""
    for values, look in zip(series, looks, strict=True):
        line(ax, values, look)
    window(np.concatenate(list(series)), larger=larger, log=log).lay(ax)
    finish(ax, max(map(len, series)), label)


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


def _window(run: Run, log: bool) -> Window:
    """The range of the feasible values and the one recommended; of those beyond a limit, what is not far from these."""
    known = run.feasible if np.isfinite(run.feasible).any() else run.values
    known = known if run.recommended is None else np.append(known, run.recommended.value)
    shown = window(known, larger=run.larger, log=log)
    others = run.values[run.beyond & np.isfinite(run.values)]
    width = shown.high / shown.low if log else shown.high - shown.low
    low, high = (shown.low / width, shown.high * width) if log else (shown.low - width, shown.high + width)
    return shown.including(others[(others >= low) & (others <= high)])


def _draw_evaluations(ax: "Axes", run: Run, steps: Array, shown: Window) -> None:
    origins = np.array(run.origins, dtype=object)
    beyond = shown.beyond(run.values)
    size = 12.0 if len(steps) <= 200 else 5.0
    for origin, look in ORIGINS.items():
        for far in (False, True):
            here = (origins == origin) & np.isfinite(run.feasible) & (beyond == far)
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


def _draw_infeasible(ax: "Axes", run: Run, steps: Array, shown: Window, *, at_bottom: Mask) -> None:
    """Upright crosses at the values, or triangles at the edge; those without a value at the bottom."""
    valued = run.beyond & np.isfinite(run.values)
    label: str | None = f"infeasible ({int(run.beyond.sum())})"
    sides = (("+", (run.values >= shown.low) & (run.values <= shown.high)), ("v", run.values < shown.low))
    for marker, side in (*sides, ("^", run.values > shown.high)):
        those = valued & side
        if those.any():
            look = INFEASIBLE | {"marker": marker, "linewidths": 0.8 if marker == "+" else 0.0}
            heights = shown.inside(run.values[those])
            ax.scatter(steps[those], heights, s=18.0 if marker == "+" else 10.0, zorder=2, label=label, **look)
            label = "_beyond"
    _draw_marks(ax, steps[at_bottom], label)


def _draw_marks(ax: "Axes", steps: Array, label: str | None = None) -> None:
    """Upright crosses at the bottom, for evaluations beyond a limit."""
    if len(steps):
        said = f"infeasible ({len(steps)})" if label is None else label
        heights, transform = np.full(len(steps), FAILURES), ax.get_xaxis_transform()
        ax.scatter(steps, heights, s=18.0, transform=transform, zorder=2, label=said, **INFEASIBLE)


def draw_failures(ax: "Axes", steps: Array) -> None:
    """Crosses at the bottom, for evaluations that failed."""
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


def finish(ax: "Axes", count: int, label: str) -> None:
    """The axis of evaluations, the name of the other one, and a legend."""
    from matplotlib.ticker import MaxNLocator

    ax.set_xlim(0.5 - 0.02 * count, max(count, 1) + 0.5 + 0.02 * count)
    ax.xaxis.set_major_locator(MaxNLocator(6, integer=True))
    ax.set_xlabel("evaluations")
    ax.set_ylabel(label)
    settle(ax)
    legend_above(ax)
