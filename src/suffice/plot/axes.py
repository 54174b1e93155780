"""Axes that are read at their final size: legends and notes, and what part of a quantity an axis shows.

`Window`    the range of values: all of them, or without a few bad ones that would leave the others no room
`Scale`     how a parameter lies along an axis: a range, plain or logarithmic, or options at the places 0, 1, …
`Shading`   colours for values, evenly changing to the eye, in print and for the colour-blind; the dark end is the good
            one, for minimize and for maximize

place   float   of a number itself, of an option its position, from 0; nan: there is no value
share   float   where a place lies along the axis, from 0 at its low end to 1 at its high end
"""

import math
import textwrap
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from suffice.plot.style import GREY, LABEL, LETTER, SMALL, folded, legend_columns, number, words
from suffice.result.display import MOST
from suffice.text import sentence
from suffice.types import Array

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis
    from matplotlib.cm import ScalarMappable
    from matplotlib.colors import Normalize
    from matplotlib.figure import Figure
    from matplotlib.ticker import Formatter


WIDER = 1.2  # times the width of axes: a legend may end right of them
FAR = 3.0  # times the range of these: what is beyond is at the edge
START = 0.4  # of a run: what came later should be seen
ROOM = 0.06  # of the range, beyond its ends: a marker
FEW = 16  # options or values of a parameter that are shown one by one, with a label or a marker each
TICKS = 5  # about as many
PANELS = 5  # in a row of a matrix, or of a kind, if nothing is named: an inch and a half each


def settle(ax: "Axes") -> None:
    """The style's letters, for axes that were made without it and ticks that matplotlib makes when it is over."""
    ax.tick_params(which="both", labelsize=SMALL)
    for axis in (ax.xaxis, ax.yaxis):
        axis.label.set_fontsize(LABEL)
        axis.get_offset_text().set_fontsize(SMALL)
        keep_minus(axis)


def keep_minus(axis: "Axis") -> None:
    """Let the numbers of an axis have the minus sign of all others here."""
    from matplotlib.ticker import ScalarFormatter

    formatter = axis.get_major_formatter()
    if isinstance(formatter, ScalarFormatter):
        formatter.fix_minus = str  # type: ignore[method-assign,assignment]


def root(ax: "Axes") -> "Figure":
    """The figure of an axes, also where that is in a part of it."""
    return ax.figure.canvas.figure


def room_for(ax: "Axes", which: Literal["x", "y"] = "x") -> int:
    """How many small letters there is room for along an axis."""
    figure = root(ax)
    place = ax.get_position()
    inches = place.width * figure.get_figwidth() if which == "x" else place.height * figure.get_figheight()
    return max(4, int(72 * inches / (LETTER * SMALL)))


def axis_name(ax: "Axes", which: Literal["x", "y"], name: str, after: str = "") -> None:
    """Name an axis, in two thirds of the letters there is room for: they are larger than those of ticks, some wide."""
    most = max(14, 2 * room_for(ax, which) // 3)
    ax.set(**{f"{which}label": folded(name, most - len(after) if len(after) < most // 2 else most, 4) + after})


def legend_above(ax: "Axes", wider: float = WIDER) -> None:
    """A legend above the axes, where no value can be behind it, in as many columns as there is room for."""
    labels = ax.get_legend_handles_labels()[1]
    if labels:
        ax.legend(
            loc="lower left",
            bbox_to_anchor=(0.0, 1.0),
            ncols=legend_columns(labels, wider * room_for(ax) * LETTER * SMALL / 72, SMALL, mark=3.9),
            borderaxespad=0.2,
            handlelength=1.2,
            handletextpad=0.5,
            columnspacing=0.8,
            labelspacing=0.3,
            fontsize=SMALL,
        )


def note(ax: "Axes", text: str, x: Literal["left", "right"] = "right", y: Literal["bottom", "top"] = "top") -> None:
    """A remark in a corner."""
    place = 0.99 if x == "right" else 0.01, 0.98 if y == "top" else 0.02
    ax.text(*place, text, transform=ax.transAxes, ha=x, va=y, fontsize=SMALL, color=GREY, label="_note")


def nothing(ax: "Axes", reason: str) -> None:
    """A panel in which there is nothing to see, and why."""
    ax.set_axis_off()
    lines = "\n".join(words(line, 44) for line in textwrap.wrap(sentence(reason), 44))
    ax.text(0.5, 0.5, lines, transform=ax.transAxes, ha="center", va="center", fontsize=SMALL, color=GREY)


@dataclass(frozen=True)
class Window:
    """The range of an axis, and which side of it was cut: values beyond are drawn at its edge."""

    low: float
    high: float
    log: bool
    larger: bool  # larger values are better

    def inside(self, values: Array) -> Array:
        """The values, those beyond at the edge."""
        return np.clip(values, self.low, self.high)

    def beyond(self, values: Array) -> NDArray[np.bool_]:
        """Which values are worse than what the axis shows."""
        worse: NDArray[np.bool_] = values < self.low if self.larger else values > self.high
        return worse

    def including(self, values: Array) -> "Window":
        """The window that also shows these values."""
        known = values[np.isfinite(values)]
        ends = (self.low, self.high, *known.tolist())
        return Window(min(ends), max(ends), self.log, self.larger)

    @property
    def caret(self) -> str:
        """The marker that points at what is beyond."""
        return "v" if self.larger else "^"

    def ends(self, below: float = ROOM) -> tuple[float, float]:
        """The ends of the axis, with room for markers beyond the range."""
        if self.log:
            width = math.log(self.high) - math.log(self.low)
            return math.exp(math.log(self.low) - below * width), math.exp(math.log(self.high) + ROOM * width)
        width = self.high - self.low
        return self.low - below * width, self.high + ROOM * width

    def lay(self, ax: "Axes", *, below: float = ROOM) -> None:
        """Give the vertical axis this range, with room at both ends."""
        if self.log:
            ax.set_yscale("log")
        ax.set_ylim(*self.ends(below))


def window(values: Array, *, larger: bool, log: bool = False) -> Window:
    """The range that shows the best MOST of the finite values, and the rest unless it is far away."""
    known = values[np.isfinite(values)]
    if not len(known):
        return Window(1.0 if log else 0.0, 10.0 if log else 1.0, log, larger)
    seen = np.log(known) if log else known
    best, worst = (seen.max(), seen.min()) if larger else (seen.min(), seen.max())
    usual = float(np.quantile(seen, 1 - MOST if larger else MOST))
    end = usual if 0 < FAR * abs(usual - best) < abs(worst - best) else worst
    low, high = sorted((float(best), float(end)))
    if low == high:
        room = 1.0 if log else abs(low) / 10 or 1.0
        low, high = low - room, high + room
    return Window(math.exp(low), math.exp(high), log, larger) if log else Window(low, high, log, larger)


def ending(values: Array, best: Array, *, larger: bool, log: bool = False) -> Window:
    """The window of a run in which its end can be seen.

    values    in the order of the evaluations, nan where there is none        best    so far, the same length

    After START of the run, the best so far and the median value are some distance from the best of all. If twice that
    is less than half of the axis, the axis ends there: bad values, of the initial design or of explorations, would make
    all others a flat band.
    """
    whole, first = window(values, larger=larger, log=log), int(START * len(values))
    later = values[first:][np.isfinite(values[first:])]
    if not len(later):
        return whole
    marks = np.append(best[first : first + 1], np.median(later))
    marks, ends = (np.log(v) if log else v / 2 for v in (marks[np.isfinite(marks)], np.array([whole.low, whole.high])))
    top = ends[1] if larger else ends[0]
    reach = 2.0 * float(np.abs(marks - top).max())
    if not 0.0 < reach < (ends[1] - ends[0]) / 2:
        return whole
    edge = top - reach if larger else top + reach
    edge = math.exp(edge) if log else 2 * edge
    return Window(edge, whole.high, log, larger) if larger else Window(whole.low, edge, log, larger)


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
        low, high = self._even(self.low), self._even(self.high)
        share: Array = (self._even(places) - low) / (high - low)
        return share

    def at(self, shares: Array) -> Array:
        """Places at these shares of the axis, which may be beyond its ends."""
        low, high = self._even(self.low), self._even(self.high)
        even: Array = low + shares * (high - low)
        return np.exp(even) if self.log else 2 * even

    def place(self, shares: Array) -> Array:
        """The same inside; the ends exactly."""
        place: Array = np.where(shares <= 0, self.low, np.where(shares >= 1, self.high, self.at(shares)))
        return place

    @property
    def limits(self) -> tuple[float, float]:
        """The ends of an axis with room for markers."""
        if self.options:
            return self.low - 0.5, self.high + 0.5
        low, high = self.at(np.array([-ROOM / 2, 1 + ROOM / 2]))
        return float(low), float(high)

    def _even(self, places: Any) -> Any:
        """What is even along the axis; halves, since the largest of floats have a finite range then."""
        return np.log(places) if self.log else np.asarray(places) / 2

    def text(self, place: float, most: int = 12) -> str:
        """A place in words."""
        return words(self.options[round(place)], most) if self.options else number(place)

    def lay(self, ax: "Axes", which: Literal["x", "y"], *, ticks: int = TICKS, label: bool = True) -> None:
        """Give an axis this scale: limits, ticks and its name."""
        from matplotlib.ticker import FixedLocator, FuncFormatter, MaxNLocator, NullLocator

        axis = ax.xaxis if which == "x" else ax.yaxis
        if self.options:
            self._name_options(ax, which, 2 * ticks if ticks < TICKS else FEW)
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
            axis_name(ax, which, self.name)

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

    def _name_options(self, ax: "Axes", which: Literal["x", "y"], most: int) -> None:
        """A tick for each option with its name, slanted below an axis that has no room for them side by side."""
        every = math.ceil(len(self.options) / most)
        places = range(0, len(self.options), every)
        labels = [folded(self.options[i], min(14, room_for(ax) // 2), 2) for i in places]
        axis = ax.xaxis if which == "x" else ax.yaxis
        axis.set_ticks(list(places), labels)
        if which == "x" and sum(max(map(len, label.split("\n"))) + 2 for label in labels) > room_for(ax):
            slant(ax)


def slant(ax: "Axes") -> None:
    """Turn the labels below an axis that have no room side by side."""
    for label in ax.get_xticklabels():
        label.set(rotation=40, ha="right", rotation_mode="anchor")


def plain() -> "Formatter":
    """Numbers as they are, with a power of ten for all where they are large or small."""
    from matplotlib.ticker import ScalarFormatter

    plain = ScalarFormatter(useMathText=False)
    plain.set_powerlimits((-3, 5))
    return plain


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

        drawn = ScalarMappable(self.norm, self.map) if drawn is None else drawn
        colour_bar([ax], drawn, f"{label} (darker is better)", extend=self.extend, extendfrac=0.03)


def colour_bar(
    axes: Sequence["Axes"], drawn: "ScalarMappable", label: str, *, whole: bool = False, **look: Any
) -> None:
    """A colour bar beside axes of one figure; whole: its ticks are whole numbers."""
    from matplotlib.ticker import MaxNLocator

    bar = root(axes[0]).colorbar(drawn, ax=axes, pad=0.02, aspect=25, **look)
    bar.locator = MaxNLocator(TICKS, integer=whole)
    bar.update_ticks()
    bar.set_label(label, fontsize=LABEL)
    bar.ax.tick_params(labelsize=SMALL)
    keep_minus(bar.ax.yaxis)
    bar.ax.yaxis.get_offset_text().set_fontsize(SMALL)
    bar.outline.set_linewidth(0.5)


def shading(values: Array, *, larger: bool) -> Shading:
    """The colours of these values, but for a few bad ones that would leave the others one colour."""
    shown = window(values, larger=larger)
    beyond = bool(shown.beyond(values[np.isfinite(values)]).any())
    return Shading(shown.low, shown.high, larger, ("min" if larger else "max") if beyond else "neither")
