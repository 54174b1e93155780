"""Which parameters matter: shares of the variance of the model's mean, a bar for each parameter.

total   (D,)   with all that a parameter does in company of others       first   (D,)   what it does alone
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from suffice.figures.axes import SMALL, legend_above, settle
from suffice.figures.style import COLOURS, tint
from suffice.figures.words import words
from suffice.types import Array

if TYPE_CHECKING:
    from matplotlib.axes import Axes

BLUE, BLACK = COLOURS[0], COLOURS[5]
TALLEST = 0.75  # of a row: the bar of the total
LETTERS = 20  # of a name


@dataclass(frozen=True)
class Shares:
    """What is known of parameters, the most important first; nan where it is not."""

    names: Sequence[str]
    total: Array
    total_error: Array
    first: Array
    lengthscales: Array


def draw_shares(ax: "Axes", shares: Shares, said: str = "") -> None:
    """A pale bar for the total and a dark one inside it for what the parameter does alone, with a whisker of two
    standard errors; the length-scale stands behind."""
    places = np.arange(float(len(shares.names)))
    ax.barh(places, shares.total, TALLEST, color=tint(BLUE, 0.35), label="with others", zorder=1)
    known = np.isfinite(shares.first)
    if known.any():
        first = np.maximum(shares.first[known], 0.0)
        ax.barh(places[known], first, 0.5 * TALLEST, color=BLUE, label="alone", zorder=2)
    ax.errorbar(
        shares.total,
        places,
        xerr=2 * np.nan_to_num(shares.total_error),
        linestyle="",
        color=BLACK,
        elinewidth=0.8,
        capsize=1.5,
        capthick=0.8,
        zorder=3,
        label="_error",
    )
    ends = shares.total + 2 * np.nan_to_num(shares.total_error)
    for place, end, length in zip(places, ends, shares.lengthscales, strict=True):
        if np.isfinite(length):
            ax.annotate(
                f"ℓ {length:.2g}",
                (float(end), float(place)),
                (3, 0),
                textcoords="offset points",
                va="center",
                fontsize=SMALL,
            )
    ax.set_yticks(places, [words(name, LETTERS) for name in shares.names])
    ax.set_ylim(len(places) - 0.5, -0.5)
    ax.set_xlim(0.0, 1.2 * max(float(np.nanmax(ends, initial=0.0)), 0.1))
    ax.set_xlabel("share of the variance of the mean")
    ax.grid(visible=False, axis="y")
    ax.tick_params(axis="y", length=0)
    settle(ax)
    legend_above(ax)
    if said:
        ax.text(0.99, 0.02, said, transform=ax.transAxes, ha="right", va="bottom", fontsize=SMALL, color="#777777")
