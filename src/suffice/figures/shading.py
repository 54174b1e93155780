"""Colours for values and for an order: evenly changing to the eye, in print and for the colour-blind.

The dark end of the values' colours is the good one, for minimize and for maximize, and stands out from the paper.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from suffice.figures.axes import LABEL, SMALL
from suffice.figures.limits import window
from suffice.types import Array

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.cm import ScalarMappable
    from matplotlib.colors import Normalize

ORDER = "cividis_r"  # of evaluations: dark is late


@dataclass(frozen=True)
class Shading:
    """The colours of values between two ends; beyond an end the colour stays."""

    low: float
    high: float
    larger: bool  # larger values are better
    extend: Literal["neither", "min", "max"] = "neither"

    @property
    def map(self) -> str:
        """The name of matplotlib's colour map."""
        return "viridis_r" if self.larger else "viridis"

    @property
    def norm(self) -> "Normalize":
        """From values to the map."""
        from matplotlib.colors import Normalize

        return Normalize(self.low, self.high, clip=True)

    @property
    def levels(self) -> Array:
        """Even values from end to end, between which a contour has one colour."""
        return np.linspace(self.low, self.high, 13)

    def colours(self, values: Array) -> Array:
        """Red, green, blue and opacity of values, (n, 4)."""
        from matplotlib import colormaps

        return np.asarray(colormaps[self.map](self.norm(values)))

    def bar(self, ax: "Axes", label: str, drawn: "ScalarMappable | None" = None) -> None:
        """A colour bar beside the axes that says which end is the good one."""
        from matplotlib.cm import ScalarMappable
        from matplotlib.ticker import MaxNLocator

        drawn = ScalarMappable(self.norm, self.map) if drawn is None else drawn
        figure = ax.get_figure(root=True)
        assert figure is not None
        bar = figure.colorbar(drawn, ax=ax, extend=self.extend, pad=0.02, aspect=25, extendfrac=0.03)
        bar.locator = MaxNLocator(5)
        bar.update_ticks()
        bar.set_label(f"{label} (darker is better)", fontsize=LABEL)
        bar.ax.tick_params(labelsize=SMALL)
        bar.ax.yaxis.get_offset_text().set_fontsize(SMALL)
        bar.outline.set_linewidth(0.5)


def shading(values: Array, *, larger: bool) -> Shading:
    """The colours of these values, but for a few bad ones that would leave the others one colour."""
    shown = window(values, larger=larger)
    beyond = bool(shown.beyond(values[np.isfinite(values)]).any())
    return Shading(shown.low, shown.high, larger, ("min" if larger else "max") if beyond else "neither")
