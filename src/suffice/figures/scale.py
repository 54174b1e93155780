"""How one quantity lies along an axis: a range of numbers, plain or logarithmic, or options at the places 0, 1, …

place   float   of a number itself, of an option its number, from 0; nan: there is no value
share   float   where a place lies along the axis, from 0 at its low end to 1 at its high end
"""

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from suffice.figures.words import number, words
from suffice.types import Array

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.ticker import Formatter, Locator

MARGIN = 0.03  # of the axis, beyond its ends: half of a marker
HALF = 0.5  # of an option's place, beyond the first and the last one
CROWD = 16  # options that have a label each; of more, as many are labelled, evenly
NARROW = 26  # letters of all options that fit side by side below a figure of one column
LINEAR_TICKS, LOG_TICKS = 5, 6


@dataclass(frozen=True)
class Scale:
    """A quantity and its range."""

    name: str
    low: float = 0.0
    high: float = 1.0
    log: bool = False
    whole: bool = False  # only whole numbers are values
    options: tuple[str, ...] = ()  # as they are drawn; none: a number

    @classmethod
    def of_options(cls, name: str, options: tuple[str, ...]) -> "Scale":
        """The scale of one of several options."""
        return cls(name, 0.0, len(options) - 1.0, whole=True, options=options)

    def share(self, places: Array) -> Array:
        """Where places lie along the axis, of any shape."""
        if self.log:
            share: Array = (np.log(places) - math.log(self.low)) / (math.log(self.high) - math.log(self.low))
        else:  # halves: the largest of floats have a finite range
            share = (places / 2 - self.low / 2) / (self.high / 2 - self.low / 2)
        return share

    def place(self, shares: Array) -> Array:
        """Places at these shares of the axis; the ends exactly."""
        if self.log:
            inner = np.exp(math.log(self.low) + shares * (math.log(self.high) - math.log(self.low)))
        else:
            inner = 2 * (self.low / 2 + shares * (self.high / 2 - self.low / 2))
        place: Array = np.where(shares <= 0, self.low, np.where(shares >= 1, self.high, inner))
        return place

    @property
    def limits(self) -> tuple[float, float]:
        """The ends of an axis with room for markers."""
        if self.options:
            return self.low - HALF, self.high + HALF
        if self.log:
            room = MARGIN * (math.log(self.high) - math.log(self.low))
            return math.exp(math.log(self.low) - room), math.exp(math.log(self.high) + room)
        room = 2 * MARGIN * (self.high / 2 - self.low / 2)
        return self.low - room, self.high + room

    def text(self, place: float, most: int = 12) -> str:
        """A place in words."""
        return words(self.options[round(place)], most) if self.options else number(place)

    def lay(self, ax: "Axes", which: Literal["x", "y"], *, most: int = 14, label: bool = True) -> None:
        """Give an axis this scale: limits, ticks and its name."""
        axis = ax.xaxis if which == "x" else ax.yaxis
        if self.options:
            self._name_options(ax, which, most)
        else:
            if self.log:
                ax.set(**{f"{which}scale": "log"})
            axis.set_major_locator(_locator(self))
            axis.set_major_formatter(_formatter(self))
            from matplotlib.ticker import NullLocator

            axis.set_minor_locator(NullLocator())
        ax.set(**{f"{which}lim": self.limits})
        if label:
            ax.set(**{f"{which}label": words(self.name)})

    def _name_options(self, ax: "Axes", which: Literal["x", "y"], most: int) -> None:
        """A tick for each option with its name, slanted below an axis that has no room for them side by side."""
        from matplotlib.ticker import NullLocator

        every = math.ceil(len(self.options) / CROWD)
        places = range(0, len(self.options), every)
        labels = [words(self.options[i], most) for i in places]
        axis = ax.xaxis if which == "x" else ax.yaxis
        axis.set_ticks(list(places), labels)
        axis.set_minor_locator(NullLocator())
        if which == "x" and sum(map(len, labels)) > NARROW:
            for tick in axis.get_ticklabels():
                tick.set(rotation=40, ha="right", rotation_mode="anchor")


def _locator(scale: Scale) -> "Locator":
    from matplotlib.ticker import LogLocator, MaxNLocator

    if not scale.log:
        return MaxNLocator(LINEAR_TICKS, integer=scale.whole)
    if scale.high >= 1000 * scale.low:
        return LogLocator(numticks=LOG_TICKS)
    return LogLocator(subs=(1, 2, 5) if scale.high >= 10 * scale.low else (1, 2, 3, 4, 5, 6, 7, 8, 9))


def _formatter(scale: Scale) -> "Formatter":
    """Powers of ten as numbers where they are short, so that an axis reads like what the user typed."""
    from matplotlib.ticker import FuncFormatter, ScalarFormatter

    if scale.log:
        return FuncFormatter(lambda value, _: number(value))
    plain = ScalarFormatter(useMathText=False)
    plain.set_powerlimits((-3, 5))
    return plain
