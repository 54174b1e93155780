"""What a thing, such as a method, leaves on a panel: a curve, a point or a bar, and its entry in the legend.

A standard error that is nan, of a single run, is not drawn.
"""

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from suffice.figures.style import Look, tint
from suffice.types import Array

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes

SMALLEST = 1e-9  # of the largest value: what is below, rounding errors included, is drawn there on a logarithmic scale
GREY = "#777777"


def curve(ax: "Axes", x: Array, y: Array, look: Look, band: tuple[Array, Array] | None = None) -> None:
    """A line with a few markers, each method's at other places, and a band behind it. (k,) each."""
    every = max(1, len(x) // 6)
    start = sum(map(ord, look.marker)) % every if len(x) > 6 else 0
    style = {"color": look.colour, "linestyle": look.line, "linewidth": look.width, "zorder": look.layer}
    ax.plot(x, y, marker=look.marker, markersize=0.7 * look.size, markevery=(start, every), **style)
    if band is not None and not np.isnan(band).any():
        ax.fill_between(x, *band, color=look.colour, alpha=0.15, linewidth=0)


def ring(ax: "Axes", x: float, y: float, look: Look) -> None:
    """An open marker: a value that comes from elsewhere."""
    ax.plot(
        x,
        y,
        linestyle="",
        marker=look.marker,
        markersize=1.2 * look.size,
        color=look.colour,
        markerfacecolor="none",
        clip_on=False,
    )


def point(ax: "Axes", x: tuple[float, float], y: tuple[float, float], look: Look) -> None:
    """A marker with whiskers; x and y are (mean, standard error)."""
    (x_mean, x_error), (y_mean, y_error) = x, y
    ax.errorbar(
        x_mean,
        y_mean,
        xerr=None if math.isnan(x_error) else [[min(x_error, 0.9 * x_mean)], [x_error]],  # zero has no logarithm
        yerr=None if math.isnan(y_error) else y_error,
        color=look.colour,
        marker=look.marker,
        markersize=look.size,
        elinewidth=0.8,
        zorder=look.layer,
    )


def bar(
    ax: "Axes", place: float, width: float, look: Look, shade: str, *, left: float = 0.0, height: float = 0.7
) -> None:
    """A horizontal bar in one of the shades of a method's colour."""
    ax.barh(place, width, left=left, height=height, edgecolor=look.colour, linewidth=0.6, **shades(look.colour)[shade])


def shades(colour: str) -> dict[str, dict[str, Any]]:
    """Ways to fill a bar that differ in print too."""
    return {
        "light": {"facecolor": tint(colour)},
        "full": {"facecolor": colour},
        "hatched": {"facecolor": "white", "hatch": "//////"},
    }


def whisker(ax: "Axes", place: float, value: float, error: float, text: str) -> None:
    """A standard error at the end of a bar, and the bar's value as text behind it."""
    if math.isnan(value):
        return
    reach = 0.0 if math.isnan(error) else error
    if reach:
        ax.errorbar(value, place, xerr=reach, color=GREY, elinewidth=0.8, capsize=1.5, capthick=0.8)
    ax.annotate(text, (value + reach, place), (2, 0), textcoords="offset points", va="center", fontsize=7)


def line_entry(look: Look) -> "Artist":
    """A method's line in the legend."""
    from matplotlib.lines import Line2D

    style = {"color": look.colour, "linestyle": look.line, "linewidth": look.width, "marker": look.marker}
    return Line2D([], [], markersize=0.7 * look.size, label=look.label, **style)


def point_entry(look: Look) -> "Artist":
    """A method's marker in the legend."""
    from matplotlib.lines import Line2D

    return Line2D([], [], color=look.colour, linestyle="", marker=look.marker, markersize=look.size, label=look.label)


def ring_entry(label: str) -> "Artist":
    """Open markers in the legend, in grey: they stand for all colours."""
    from matplotlib.lines import Line2D

    return Line2D([], [], color=GREY, linestyle="", marker="o", markersize=6, markerfacecolor="none", label=label)


def shade_entry(label: str, shade: str) -> "Artist":
    """A shade of bars in the legend, in grey: it stands for all colours."""
    from matplotlib.patches import Patch

    return Patch(label=label, edgecolor=GREY, linewidth=0.6, **shades(GREY)[shade])


def floor(values: Sequence[Array]) -> float:
    """The smallest positive value, but not less than SMALLEST of the largest: the bottom of a logarithmic scale."""
    positive = np.concatenate([v[v > 0.0] for v in values]) if values else np.empty(0)
    return max(float(positive.min()), SMALLEST * float(positive.max())) if len(positive) else SMALLEST
