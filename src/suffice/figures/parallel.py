"""Evaluations as lines across one axis for each parameter, coloured by what came of them.

shares   (n, D)   where each evaluation lies along each axis, from 0 to 1; nan where it lacks the parameter
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from suffice.figures.axes import LABEL, SMALL
from suffice.figures.scale import Scale
from suffice.figures.shading import Shading
from suffice.figures.slices import MANY
from suffice.figures.words import number, words
from suffice.types import Array

if TYPE_CHECKING:
    from matplotlib.axes import Axes

LETTER = 0.058  # inches, of 7 points
LABELLED = 7  # options of an axis that have a label; of more, as many, evenly
ENDS = 0.06  # of the height, beyond the axes
FAINT = (0.0, 0.0, 0.0, 0.13)
SLANT = 30.0  # degrees: of names that have no room side by side


def draw_parallel(
    ax: "Axes",
    scales: Sequence[Scale],
    places: Array,
    values: Array,
    shading: Shading,
    *,
    strong: NDArray[np.bool_],
    top: int | None,
    label: str = "value",
) -> None:
    """A line for each evaluation, (n, D) places and (n,) values, the best on top; a gap where a parameter is absent.

    strong   (n,)   which are coloured: the others are faint and behind          top   the thick one, a row
    """
    from matplotlib.collections import LineCollection

    shares = np.column_stack([_along(scale, places[:, j]) for j, scale in enumerate(scales)])
    best_last = np.argsort(values if shading.larger else -values, kind="stable")
    best_last = best_last[np.argsort(strong[best_last] + (best_last == (-1 if top is None else top)), kind="stable")]
    drawn, owner = _pieces(shares[best_last])
    rows = best_last[owner]
    colours = shading.colours(values[rows])
    colours[~strong[rows]] = FAINT
    lines = LineCollection(
        drawn,
        colors=colours,
        linewidths=np.where(rows == (-1 if top is None else top), 2.2, 0.8),
        alpha=np.where(strong[rows], 0.85, FAINT[3]),
        capstyle="round",
        rasterized=len(values) > MANY,
        label="evaluations",
    )
    ax.add_collection(lines, autolim=False)
    _draw_axes(ax, scales)
    shading.bar(ax, label)


def _along(scale: Scale, places: Array) -> Array:
    """Shares of an axis; options lie inside of it, as bars would."""
    if scale.options:
        share: Array = (places + 0.5) / len(scale.options)
        return share
    return scale.share(places)


def _pieces(shares: Array) -> tuple[list[Array], Array]:
    """The stretches of each line without a gap, (k, 2) each, and which line each is of; a single point is a dash."""
    pieces, owner = [], []
    for row, line in enumerate(shares):
        known = np.flatnonzero(np.isfinite(line))
        for run in np.split(known, np.flatnonzero(np.diff(known) > 1) + 1) if len(known) else ():
            x = run.astype(float) if len(run) > 1 else np.array([run[0] - 0.08, run[0] + 0.08])
            pieces.append(np.column_stack([x, line[run] if len(run) > 1 else np.repeat(line[run], 2)]))
            owner.append(row)
    return pieces, np.array(owner, dtype=np.intp)


def _draw_axes(ax: "Axes", scales: Sequence[Scale]) -> None:
    """A vertical line for each parameter, its name below, its ends or options beside it."""
    from matplotlib.ticker import NullLocator

    figure = ax.get_figure(root=True)
    assert figure is not None
    room = ax.get_position().width * figure.get_figwidth() * 0.8 / max(len(scales), 1)  # a colour bar takes the rest
    letters = max(3, int(room / LETTER) - 1)
    for j, scale in enumerate(scales):
        ax.axvline(j, ymin=ENDS / (1 + 2 * ENDS), ymax=1 - ENDS / (1 + 2 * ENDS), color="#555555", linewidth=0.8)
        for share, text in ticks(scale, letters):
            ax.text(
                j,
                share,
                f" {text}",
                fontsize=SMALL,
                va="center",
                ha="left",
                zorder=5,
                bbox={"facecolor": "white", "alpha": 0.7, "linewidth": 0, "pad": 0.4},
            )
    slanted = any(len(scale.name) > letters for scale in scales)
    names = [words(scale.name, 24 if slanted else letters) for scale in scales]
    ax.set_xticks(range(len(scales)), names, fontsize=LABEL if letters > 6 else SMALL)
    if slanted:
        for label in ax.get_xticklabels():
            label.set(rotation=SLANT, ha="right", rotation_mode="anchor")
    ax.yaxis.set_major_locator(NullLocator())
    ax.set_xlim(-0.1, max(len(scales), 1) - 1 + 0.8)
    ax.set_ylim(-ENDS, 1 + ENDS)
    ax.grid(visible=False)
    for side in ("left", "bottom", "top", "right"):
        ax.spines[side].set_visible(False)
    ax.tick_params(length=0)


def ticks(scale: Scale, letters: int) -> list[tuple[float, str]]:
    """What stands beside an axis: options, or the two ends of a range."""
    if scale.options:
        every = -(-len(scale.options) // LABELLED)
        places = range(0, len(scale.options), every)
        return [((k + 0.5) / len(scale.options), scale.text(k, letters)) for k in places]
    return [(0.0, _end(scale.low, letters)), (1.0, _end(scale.high, letters))]


def _end(value: float, letters: int) -> str:
    """An end of a range, with as many of its digits as there is room for."""
    plain = (text for digits in (4, 3, 2) if "e" not in (text := f"{value:.{digits}g}") and len(text) <= letters)
    return next(plain, number(value, min(letters, 7)))
