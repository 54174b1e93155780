"""The objective along one parameter, as the model has it, and the evaluations beside it.

places   (m,)   along the axis                    median, low, high   (m,)   nan where no point of the space is
chance   (m,)   that a point is feasible, nan where none is
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from suffice.figures.axes import settle
from suffice.figures.limits import Window
from suffice.figures.scale import UPWARDS, Scale
from suffice.figures.style import COLOURS, tint
from suffice.figures.words import words
from suffice.types import Array

if TYPE_CHECKING:
    from matplotlib.axes import Axes

BLUE, VERMILION, BLACK, GREY = COLOURS[0], COLOURS[4], COLOURS[5], COLOURS[7]
FEW = 16  # values of a parameter: each has a marker of its own, and nothing is drawn between them
# What is added for each evaluation, modulo 1, on the first and the second axis: the multiples lie evenly in a square.
EVEN = (0.7548776662466927, 0.5698402909980532)
WIDTH = 90.0  # points: what all whiskers of a panel may cover
MANY = 1000  # markers: more are stored as an image in files of lines
EVEN_CHANCE = 0.5  # that a point is feasible: below, it is shaded
UNLIKELY = "probably infeasible"
VEIL = tint(BLACK, 0.1)
# What is beyond a limit: an upright cross, faint; what failed is a slanted one.
INFEASIBLE: dict[str, Any] = {"marker": "+", "color": tint(BLACK, 0.45), "linewidths": 0.8}


@dataclass(frozen=True)
class Curve:
    """What is said of the objective at places along an axis."""

    places: Array
    median: Array
    low: Array
    high: Array
    chance: Array | None = None  # None: there are no limits


@dataclass(frozen=True)
class Dots:
    """Evaluations: where they lie along the axis, nan if they have no value of it, and what came of them."""

    places: Array
    values: Array
    infeasible: NDArray[np.bool_]  # beyond a limit


@dataclass(frozen=True)
class Level:
    """A height at which something begins, such as a limit."""

    value: float
    text: str


@dataclass(frozen=True)
class Star:
    """The point that a figure is about."""

    x: float
    y: float
    text: str


def draw_curve(
    ax: "Axes",
    scale: Scale,
    curve: Curve,
    shown: Window,
    *,
    dots: Dots | None = None,
    star: Star | None = None,
    labels: tuple[str, str] = ("median", "95 % band"),
    vertical: str = "value",
    level: Level | None = None,
) -> None:
    """A line with its band; where the parameter takes a few values only, a marker with a whisker for each.

    Where a point is probably infeasible the background is grey.
    """
    if dots is not None:
        _draw_dots(ax, scale, dots, shown)
    separate = bool(scale.options) or (scale.whole and len(curve.places) <= FEW)
    if separate:
        _draw_whiskers(ax, curve, labels)
    else:
        ax.fill_between(
            curve.places, curve.low, curve.high, color=tint(BLUE, 0.22), linewidth=0, zorder=1, label=labels[1]
        )
        ax.plot(curve.places, curve.median, color=BLUE, label=labels[0], zorder=3)
    if star is not None:
        draw_star(ax, star)
    if level is not None:
        ax.axhline(level.value, color=VERMILION, linewidth=0.9, linestyle=(0, (4, 2)), zorder=2, label=level.text)
    if curve.chance is not None:
        _shade(ax, scale, curve.places, curve.chance)
    shown.lay(ax)
    scale.lay(ax, "x")
    ax.set_ylabel(words(vertical, UPWARDS))
    settle(ax)


def draw_star(ax: "Axes", star: Star) -> None:
    """A star at the point."""
    ax.plot(
        [star.x],
        [star.y],
        linestyle="",
        marker="*",
        markersize=9,
        color=BLACK,
        markerfacecolor="white",
        markeredgewidth=0.8,
        zorder=4,
        label=words(star.text),
    )


def spread(places: Array, scale: Scale, which: int = 0) -> Array:
    """Places of evaluations, those of options a little beside them, so that equal ones are seen apart."""
    if not scale.options:
        return places
    even = (np.arange(len(places)) * EVEN[which]) % 1.0
    beside: Array = places + 0.4 * (even - 0.5)
    return beside


def edges(places: Array, scale: Scale) -> Array:
    """Where cells around places begin and end, (m + 1,): half way to the next place on the axis."""
    share = scale.share(places)
    if len(share) == 1:
        return np.array(scale.limits)
    middle = (share[1:] + share[:-1]) / 2
    ends = np.concatenate([[2 * share[0] - middle[0]], middle, [2 * share[-1] - middle[-1]]])
    low, high = scale.share(np.array(scale.limits))
    inside: Array = np.clip(ends, low, high)
    whole: Array = scale.low + inside * (scale.high - scale.low)
    return np.exp(np.log(scale.low) + inside * np.log(scale.high / scale.low)) if scale.log else whole


def _shade(ax: "Axes", scale: Scale, places: Array, chance: Array) -> None:
    """A grey background behind each stretch of places that are probably infeasible."""
    ends, label = edges(places, scale), UNLIKELY
    unlikely = np.concatenate([[False], chance < EVEN_CHANCE, [False]]).astype(np.int8)
    for start, end in zip(np.flatnonzero(np.diff(unlikely) > 0), np.flatnonzero(np.diff(unlikely) < 0), strict=True):
        ax.axvspan(ends[start], ends[end], color=VEIL, linewidth=0, zorder=0, label=label)
        label = "_unlikely"


def _draw_dots(ax: "Axes", scale: Scale, dots: Dots, shown: Window) -> None:
    here = np.isfinite(dots.places) & np.isfinite(dots.values)
    places, beyond = spread(dots.places, scale), shown.beyond(dots.values)
    plain: dict[str, Any] = {"s": 7.0, "color": tint(BLACK, 0.35), "linewidths": 0}
    for far, infeasible in ((False, False), (False, True), (True, False), (True, True)):
        those = here & (beyond == far) & (dots.infeasible == infeasible)
        look = plain | ({"s": 14.0} | INFEASIBLE if infeasible else {}) | ({"marker": shown.caret} if far else {})
        if those.any():
            ax.scatter(
                places[those],
                shown.inside(dots.values[those]),
                zorder=2,
                label="_beyond" if far else "infeasible" if infeasible else "evaluations",
                rasterized=len(places) > MANY,
                **look,
            )


def _draw_whiskers(ax: "Axes", curve: Curve, labels: tuple[str, str]) -> None:
    known = np.isfinite(curve.median)
    ax.vlines(
        curve.places[known],
        curve.low[known],
        curve.high[known],
        color=tint(BLUE, 0.4),
        linewidth=min(3.0, WIDTH / len(curve.places)),
        zorder=1,
        label=labels[1],
    )
    ax.plot(
        curve.places[known],
        curve.median[known],
        linestyle="",
        marker="o",
        markersize=min(4.5, max(2.0, WIDTH / len(curve.places))),
        color=BLUE,
        label=labels[0],
        zorder=3,
    )
