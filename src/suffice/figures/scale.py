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
    from matplotlib.ticker import Formatter

MARGIN = 0.03  # of the axis, beyond its ends: half of a marker
HALF = 0.5  # of an option's place, beyond the first and the last one
CROWD = 16  # options that have a label each; of more, as many are labelled, evenly
NARROW = 26  # letters of all options that fit side by side below a figure of one column
SHORT = 10  # letters of an option in a panel of an inch, and of all that fit side by side there
ACROSS, UPWARDS = 34, 24  # letters of a name below a figure of one column, and beside it
TICKS = 5  # about as many


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

    def lay(
        self, ax: "Axes", which: Literal["x", "y"], *, most: int = 14, ticks: int = TICKS, label: bool = True
    ) -> None:
        """Give an axis this scale: limits, ticks and its name; `most` letters of an option."""
        from matplotlib.ticker import FixedLocator, FuncFormatter, MaxNLocator, NullLocator

        axis = ax.xaxis if which == "x" else ax.yaxis
        if self.options:
            self._name_options(ax, which, most, 2 * ticks if ticks < TICKS else CROWD)
        elif self.log:
            ax.set(**{f"{which}scale": "log"})
            axis.set_major_locator(FixedLocator(self.log_ticks(ticks)))
            axis.set_major_formatter(FuncFormatter(lambda value, _: number(value)))
        else:
            axis.set_major_locator(MaxNLocator(ticks, integer=self.whole))
            axis.set_major_formatter(plain())
        axis.set_minor_locator(NullLocator())
        ax.set(**{f"{which}lim": self.limits})
        if label:
            ax.set(**{f"{which}label": words(self.name, ACROSS if which == "x" else UPWARDS)})

    def log_ticks(self, most: int) -> list[float]:
        """Powers of ten, or where there are fewer than two, 1, 2 and 5 times one, or even numbers."""
        from matplotlib.ticker import MaxNLocator

        powers = range(math.floor(math.log10(self.low)), math.ceil(math.log10(self.high)) + 1)
        for steps in ((1.0,), (1.0, 2.0, 5.0)):
            found = [v for p in powers for m in steps if self.low <= (v := m * 10.0**p) <= self.high * (1 + 1e-9)]
            if len(found) >= 2:
                return found[:: math.ceil(len(found) / most)]
        even = MaxNLocator(most).tick_values(self.low, self.high)
        return [float(v) for v in even if self.low <= v <= self.high]

    def _name_options(self, ax: "Axes", which: Literal["x", "y"], most: int, crowd: int) -> None:
        """A tick for each option with its name, slanted below an axis that has no room for them side by side."""
        every = math.ceil(len(self.options) / crowd)
        places = range(0, len(self.options), every)
        labels = [words(self.options[i], most) for i in places]
        axis = ax.xaxis if which == "x" else ax.yaxis
        axis.set_ticks(list(places), labels)
        if which == "x" and sum(map(len, labels)) > (NARROW if most > SHORT else SHORT):
            for tick in axis.get_ticklabels():
                tick.set(rotation=40, ha="right", rotation_mode="anchor")


def plain() -> "Formatter":
    """Numbers as they are, with a power of ten for all where they are large or small."""
    from matplotlib.ticker import ScalarFormatter

    plain = ScalarFormatter(useMathText=False)
    plain.set_powerlimits((-3, 5))
    return plain
