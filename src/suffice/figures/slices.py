"""The objective along one parameter, as the model has it, and the evaluations beside it.

places   (m,)   along the axis                    median, low, high   (m,)   nan where no point of the space is
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from suffice.figures.axes import settle
from suffice.figures.limits import Window
from suffice.figures.scale import Scale
from suffice.figures.style import COLOURS, tint
from suffice.figures.words import words
from suffice.types import Array

if TYPE_CHECKING:
    from matplotlib.axes import Axes

BLUE, BLACK, GREY = COLOURS[0], COLOURS[5], COLOURS[7]
FEW = 16  # values of a parameter: each has a marker of its own, and nothing is drawn between them
# What is added for each evaluation, modulo 1, on the first and the second axis: the multiples lie evenly in a square.
EVEN = (0.7548776662466927, 0.5698402909980532)
WIDTH = 90.0  # points: what all whiskers of a panel may cover
MANY = 1000  # markers: more are stored as an image in files of lines


@dataclass(frozen=True)
class Curve:
    """What is said of the objective at places along an axis."""

    places: Array
    median: Array
    low: Array
    high: Array


@dataclass(frozen=True)
class Dots:
    """Evaluations: where they lie along the axis, nan if they have no value of it, and what came of them."""

    places: Array
    values: Array


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
) -> None:
    """A line with its band; where the parameter takes a few values only, a marker with a whisker for each."""
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
    shown.lay(ax)
    scale.lay(ax, "x")
    ax.set_ylabel(vertical)
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


def _draw_dots(ax: "Axes", scale: Scale, dots: Dots, shown: Window) -> None:
    here = np.isfinite(dots.places) & np.isfinite(dots.values)
    places, beyond = spread(dots.places, scale), shown.beyond(dots.values)
    for far in (False, True):
        those = here & (beyond == far)
        if those.any():
            ax.scatter(
                places[those],
                shown.inside(dots.values[those]),
                s=7.0,
                color=tint(BLACK, 0.35),
                marker=shown.caret if far else "o",
                linewidths=0,
                zorder=2,
                label="_beyond" if far else "evaluations",
                rasterized=len(places) > MANY,
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
