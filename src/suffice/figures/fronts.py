"""Evaluations by two of several objectives: the front as stairs, and what the models predict of it.

Y      (n, 2)   outcomes in the user's units; nan where an evaluation lacks one
S      (n, 2)   the same, larger is better
e      (2,)     the worse corner of what is drawn, at which stairs end, larger is better
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from suffice.figures.axes import GREY as DIM
from suffice.figures.axes import SMALL, legend_above, settle
from suffice.figures.limits import FAR, ROOM, Window, window
from suffice.figures.scale import ACROSS, UPWARDS, plain
from suffice.figures.slices import INFEASIBLE, MANY, Star, draw_star
from suffice.figures.stairs import between, stairs
from suffice.figures.style import COLOURS, tint
from suffice.figures.words import words
from suffice.types import Array

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Mask = NDArray[np.bool_]

BLUE, ORANGE, BLACK, GREY = COLOURS[0], COLOURS[1], COLOURS[5], COLOURS[7]
TICKS = 5  # about as many
NEAR = 0.5  # of the range of what is feasible: what is better by less, infeasible or predicted, is shown as well


@dataclass(frozen=True)
class Aim:
    """One objective, as an axis."""

    name: str
    larger: bool  # larger values are better

    @property
    def sign(self) -> float:
        """What turns its values into larger-is-better."""
        return 1.0 if self.larger else -1.0

    def label(self, most: int) -> str:
        """Its name and its sense, for an axis."""
        sense = "maximize" if self.larger else "minimize"
        return f"{words(self.name, most - len(sense) - 3)} ({sense})"


@dataclass(frozen=True)
class Outcomes:
    """What came of the evaluations, by two objectives."""

    Y: Array
    feasible: Mask  # (n,)
    front: Mask  # (n,): not dominated by any other one, in all objectives there are
    knee: int | None  # a row
    reference: Array | None  # (2,)


@dataclass(frozen=True)
class Foreseen:
    """Fronts that models predict, (k, 2) each, in the user's units: by their medians, and at the ends of a band."""

    median: Array
    worse: Array
    better: Array


def draw_front(
    ax: "Axes",
    aims: tuple[Aim, Aim],
    outcomes: Outcomes,
    foreseen: Foreseen | None = None,
    *,
    legend: bool = True,
    ticks: int = TICKS,
) -> None:
    """Dots for evaluations, upright crosses for infeasible ones, stairs for the front, a star for the knee.

    The stairs are the front by these two objectives alone; where there are more, others belong to the front as well.
    """
    signs = np.array([aim.sign for aim in aims])
    windows = [_window(j, aim, outcomes, foreseen) for j, aim in enumerate(aims)]
    e = _corner(signs, windows, outcomes)
    _draw_best(ax, signs, e, outcomes)
    _draw_others(ax, outcomes)
    if foreseen is not None:
        _draw_foreseen(ax, signs, e, foreseen)
    _lay(ax, aims, windows, ticks)
    _say_beyond(ax, aims, windows, outcomes.Y)
    if legend:
        legend_above(ax)


def _window(j: int, aim: Aim, outcomes: Outcomes, foreseen: Foreseen | None) -> Window:
    """The range of an axis: the feasible outcomes but for a few bad ones, the front, and what is not far from these."""
    y = outcomes.Y[:, j]
    inside = y[outcomes.feasible] if outcomes.feasible.any() else y
    shown = window(inside, larger=aim.larger).including(y[outcomes.front])
    width = shown.high - shown.low
    others = np.concatenate([y, np.empty(0) if foreseen is None else foreseen.median[:, j]])
    others = others[np.isfinite(others) & ~shown.beyond(others)]
    shown = shown.including(others[(others >= shown.low - NEAR * width) & (others <= shown.high + NEAR * width)])
    if outcomes.reference is not None:
        r = outcomes.reference[j : j + 1]
        far = (r < shown.low - FAR * width) | (r > shown.high + FAR * width)
        shown = shown if far else shown.including(r)
    return shown


def _corner(signs: Array, windows: list[Window], outcomes: Outcomes) -> Array:
    """Where stairs end: at the reference point, or beyond the front where it is no worse; inside of the axes."""
    edge = np.array([sign * (w.low if sign > 0 else w.high) for sign, w in zip(signs, windows, strict=True)])
    width = np.array([w.high - w.low for w in windows])
    edge = edge - ROOM * width
    S = signs * outcomes.Y[outcomes.front]
    r = edge if outcomes.reference is None else signs * outcomes.reference
    worst = S.min(axis=0) - ROOM * width if len(S) else edge
    found: Array = np.maximum(edge, np.minimum(r, worst))
    return found


def _draw_best(ax: "Axes", signs: Array, e: Array, outcomes: Outcomes) -> None:
    """The front with its knee, and the point from which its volume is measured."""
    front = outcomes.Y[outcomes.front]
    if len(front):
        edge = signs * stairs(signs * front, e)
        ax.plot(*edge.T, color=BLUE, linewidth=1.2, zorder=3, label="_stairs")
        ax.scatter(
            front[:, 0],
            front[:, 1],
            s=2 * _size(outcomes),
            color=BLUE,
            linewidths=0,
            zorder=3,
            label=f"front ({len(front)})",
        )
    if outcomes.knee is not None:
        x, y = outcomes.Y[outcomes.knee]
        draw_star(ax, Star(float(x), float(y), "knee"))
    if outcomes.reference is not None:
        ax.plot(
            *outcomes.reference[:, None],
            linestyle="",
            marker="s",
            markersize=4,
            markerfacecolor="white",
            color=GREY,
            zorder=3,
            label="reference point",
        )


def _draw_others(ax: "Axes", outcomes: Outcomes) -> None:
    """What is not on the front: dominated, or infeasible."""
    Y, known = outcomes.Y, np.isfinite(outcomes.Y[:, 0]) & np.isfinite(outcomes.Y[:, 1])
    size, many = _size(outcomes), len(known) > MANY
    others, beyond = known & outcomes.feasible & ~outcomes.front, known & ~outcomes.feasible
    if others.any():
        look: dict[str, Any] = {"s": size, "color": tint(BLACK, 0.35), "linewidths": 0}
        ax.scatter(Y[others, 0], Y[others, 1], zorder=2, label="evaluations", rasterized=many, **look)
    if beyond.any():
        said = f"infeasible ({int(beyond.sum())})"
        ax.scatter(Y[beyond, 0], Y[beyond, 1], s=2.5 * size, zorder=2, label=said, rasterized=many, **INFEASIBLE)


def _size(outcomes: Outcomes) -> float:
    """Of a marker."""
    return 9.0 if len(outcomes.Y) <= 300 else 4.0


def _draw_foreseen(ax: "Axes", signs: Array, e: Array, foreseen: Foreseen) -> None:
    from matplotlib.patches import Polygon

    median, worse, better = (stairs(signs * Y, e) for Y in (foreseen.median, foreseen.worse, foreseen.better))
    outline = signs * between(better, worse)
    if len(median) > 1:
        ax.plot(*(signs * median).T, color=ORANGE, linewidth=1.1, zorder=1, label="predicted front")
    band = Polygon(outline, facecolor=tint(ORANGE, 0.25), linewidth=0, zorder=0.5, label="± 2 deviations")
    ax.add_patch(band)


def _lay(ax: "Axes", aims: tuple[Aim, Aim], windows: list[Window], ticks: int) -> None:
    from matplotlib.ticker import MaxNLocator

    for which, shown, aim, most in zip(("x", "y"), windows, aims, (ACROSS, UPWARDS), strict=True):
        room = ROOM * (shown.high - shown.low)
        ax.set(**{f"{which}lim": (shown.low - room, shown.high + room), f"{which}label": aim.label(most)})
        axis = ax.xaxis if which == "x" else ax.yaxis
        axis.set_major_locator(MaxNLocator(ticks))
        axis.set_major_formatter(plain())
    settle(ax)


def _say_beyond(ax: "Axes", aims: tuple[Aim, Aim], windows: list[Window], Y: Array) -> None:
    """How many evaluations the axes leave out, in the corner that is better in both objectives: nothing is there."""
    known = Y[np.isfinite(Y).all(axis=1)]
    out = np.zeros(len(known), dtype=np.bool_)
    for y, shown in zip(known.T, windows, strict=True):
        room = ROOM * (shown.high - shown.low)
        out |= (y < shown.low - room) | (y > shown.high + room)
    if out.any():
        x, y = (0.99 if aim.larger else 0.01 for aim in aims)
        place: dict[str, Any] = {
            "ha": "right" if aims[0].larger else "left",
            "va": "top" if aims[1].larger else "bottom",
        }
        said = f"{int(out.sum())} beyond the axes"
        ax.text(x, y, said, transform=ax.transAxes, fontsize=SMALL, color=DIM, label="_note", **place)
