"""What methods leave on a panel: curves, points and bars, and their names, beside them or in a legend.

Labels never lie on each other, nor on a point. Where there is no room for all of them there are none, and the caller
adds a legend. `label_points` lays the figure out: call it when its size and its limits are final.

boxes  (k, 4)  left, bottom, right and top in pixels

A standard error that is nan, of a single run, is not drawn.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from suffice.checks import RESOLUTION
from suffice.plot.style import GREY, SMALL, Look, tint
from suffice.types import Array

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.text import Annotation


REACH = (5.0, 11.0, 18.0, 26.0, 36.0, 48.0)  # points from a mark to its label; the nearest needs no line
AROUND = 16  # directions that are tried at each distance
RADIUS = 3.5  # points: half a mark
MARGIN = 1.0  # points between two labels


@dataclass(frozen=True)
class Spot:
    """A point with whiskers, where there are any, and what it is."""

    x: float
    y: float
    look: Look
    x_error: float = math.nan
    y_error: float = math.nan


def label_points(panels: Sequence[tuple["Axes", Sequence[Spot]]]) -> bool:
    """The names of the spots of each panel of a figure beside them, with a line where one had to go further away.

    All of them, or none: whether there was room for all.
    """
    if panels:
        panels[0][0].figure.draw_without_rendering()  # type: ignore[union-attr]
    written: list[Annotation] = []
    for ax, spots in panels:
        if not _label(ax, spots, written):
            for label in written:
                label.remove()
            return False
    return True


def _label(ax: "Axes", spots: Sequence[Spot], written: "list[Annotation]") -> bool:
    """The names of one panel, which are added to those that are written; False if one has no place."""
    frame, unit = np.array(ax.get_window_extent().extents), ax.figure.dpi / 72.0  # pixels of a point
    places = ax.transData.transform([(spot.x, spot.y) for spot in spots]) if spots else np.empty((0, 2))
    taken = _obstacles(ax, spots, RADIUS * unit)
    for row in _crowded_first(places, spots):
        line = {"color": GREY, "linewidth": 0.5, "shrinkB": RADIUS}
        place = (spots[row].x, spots[row].y)
        label = write(ax, spots[row].look, place, line, xytext=(0.0, 0.0), ha="center", zorder=5)
        label.set_in_layout(False)
        written.append(label)
        found = _place(places[row], size_of(label) + 2 * MARGIN * unit, frame, taken, unit)
        if found is None:
            return False
        offset, box = found
        label.xyann = (float(offset[0] / unit), float(offset[1] / unit))
        away = np.clip(places[row], box[:2], box[2:]) - places[row]
        if math.hypot(*away) <= (REACH[0] + 2 * RADIUS) * unit and label.arrow_patch is not None:
            label.arrow_patch.set_visible(False)
        taken = np.vstack((taken, box))
    return True


def overlap(box: Array, boxes: Array) -> NDArray[np.bool_]:
    """Whether a box lies on each of the boxes, (k,)."""
    apart: NDArray[np.bool_] = (
        (box[0] >= boxes[:, 2]) | (box[2] <= boxes[:, 0]) | (box[1] >= boxes[:, 3]) | (box[3] <= boxes[:, 1])
    )
    return np.logical_not(apart)


def _obstacles(ax: "Axes", spots: Sequence[Spot], radius: float) -> Array:
    """Boxes that labels must not lie on: the marks, in the order of the spots, then their whiskers."""
    marks, whiskers = [], []
    for spot in spots:
        x, y = ax.transData.transform((spot.x, spot.y))
        marks.append((x - radius, y - radius, x + radius, y + radius))
        for dx, dy in ((spot.x_error, 0.0), (0.0, spot.y_error)):
            if not math.isnan(dx + dy):
                ends = ax.transData.transform([(spot.x - 0.9 * dx, spot.y - dy), (spot.x + dx, spot.y + dy)])
                whiskers.append((*(ends.min(axis=0) - 1.0), *(ends.max(axis=0) + 1.0)))
    return np.array([*marks, *whiskers]).reshape(-1, 4)


def _crowded_first(places: Array, spots: Sequence[Spot]) -> list[int]:
    """The strong spots, then those with the nearest neighbours: they have the least choice."""
    distances = np.hypot(*np.moveaxis(places[:, None] - places[None], -1, 0)) + np.where(np.eye(len(places)), np.inf, 0)
    nearest = distances.min(axis=1, initial=np.inf)
    return sorted(range(len(spots)), key=lambda row: (not spots[row].look.strong, nearest[row]))


def write(ax: "Axes", look: Look, place: tuple[float, float], line: dict[str, Any], **where: Any) -> "Annotation":
    """A name with a line to what it belongs to."""
    weight = "bold" if look.strong else "normal"
    line = {"arrowstyle": "-", "shrinkA": 0, "shrinkB": 0} | line
    style: dict[str, Any] = {"textcoords": "offset points", "fontsize": SMALL, "fontweight": weight, "va": "center"}
    return ax.annotate(look.label, place, arrowprops=line, **style, **where)


def size_of(label: "Annotation") -> Array:
    """Width and height of the text alone, without its line, in pixels."""
    from matplotlib.text import Text

    return np.array(Text.get_window_extent(label).size)


def _place(place: Array, size: Array, frame: Array, taken: Array, unit: float) -> tuple[Array, Array] | None:
    """The first offset of the middle of a label, and its box, that is free and inside the frame; None if none is."""
    for distance in REACH:
        for angle in _directions():
            way = np.array([math.cos(angle), math.sin(angle)])
            aside = np.sign(np.round(way, 6)) * np.minimum(1.0, 2.0 * np.abs(way))  # it touches where it is nearest
            offset = way * (distance + RADIUS) * unit + aside * size / 2
            box = np.concatenate((place + offset - size / 2, place + offset + size / 2))
            inside = (box[:2] >= frame[:2]).all() and (box[2:] <= frame[2:]).all()
            if inside and not overlap(box, taken).any():
                return offset, box
    return None


def _directions() -> list[float]:
    """Angles, the best first: to the right, to the left, above, below, then all others."""
    every = [2 * math.pi * k / AROUND for k in range(AROUND)]
    first = [0.0, math.pi, math.pi / 2, 3 * math.pi / 2]
    return [*first, *(angle for angle in every if min(abs(angle - f) for f in first) > 1e-9)]


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
    ax.annotate(text, (value + reach, place), (2, 0), textcoords="offset points", va="center", fontsize=SMALL)


def line_entry(look: Look) -> "Artist":
    """A method's line in the legend."""
    line = {"linestyle": look.line, "linewidth": look.width, "markersize": 0.7 * look.size}
    return _entry(look.label, look.colour, look.marker, **line)


def point_entry(look: Look) -> "Artist":
    """A method's marker in the legend."""
    return _entry(look.label, look.colour, look.marker, markersize=look.size)


def ring_entry(label: str) -> "Artist":
    """Open markers in the legend, in grey: they stand for all colours."""
    return _entry(label, GREY, "o", markersize=6, markerfacecolor="none")


def _entry(label: str, colour: str, marker: str, **style: Any) -> "Artist":
    from matplotlib.lines import Line2D

    return Line2D([], [], color=colour, marker=marker, label=label, **{"linestyle": ""} | style)


def shade_entry(label: str, shade: str) -> "Artist":
    """A shade of bars in the legend, in grey: it stands for all colours."""
    from matplotlib.patches import Patch

    return Patch(label=label, edgecolor=GREY, linewidth=0.6, **shades(GREY)[shade])


def floor(values: Sequence[Array]) -> float:
    """The smallest positive value, but not less than RESOLUTION of the largest: the bottom of a logarithmic scale."""
    positive = np.concatenate([v[v > 0.0] for v in values]) if values else np.empty(0)
    return max(float(positive.min()), RESOLUTION * float(positive.max())) if len(positive) else RESOLUTION
