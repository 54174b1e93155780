"""Axes of figures that are read at their final size: letters of ticks, a legend above, a note, a reason for nothing."""

import textwrap
from collections.abc import Sequence
from typing import TYPE_CHECKING

from suffice.figures.words import one_line, words

if TYPE_CHECKING:
    from matplotlib.axes import Axes

GREY = "#777777"
LETTER, MARK = 0.055, 0.38  # inches: a letter of 7 points, and what stands before an entry of a legend
WIDER = 1.2  # times the width of axes: a legend may end right of them
LONGEST = 600  # letters of a reason
SMALL, LABEL = 7.0, 8.0  # points: the smallest letters, and those of an axis' name


def settle(ax: "Axes") -> None:
    """The style's letters, for axes that were made without it and ticks that matplotlib makes when it is over."""
    ax.tick_params(which="both", labelsize=SMALL)
    for axis in (ax.xaxis, ax.yaxis):
        axis.label.set_fontsize(LABEL)
        axis.get_offset_text().set_fontsize(SMALL)


def legend_above(ax: "Axes", wider: float = WIDER) -> None:
    """A legend above the axes, where no value can be behind it, in as many columns as there is room for."""
    labels = ax.get_legend_handles_labels()[1]
    if labels:
        figure = ax.get_figure(root=True)
        assert figure is not None
        columns = _columns(labels, wider * ax.get_position().width * figure.get_figwidth())
        ax.legend(
            loc="lower left",
            bbox_to_anchor=(0.0, 1.0),
            ncols=columns,
            borderaxespad=0.2,
            handlelength=1.2,
            handletextpad=0.5,
            columnspacing=0.8,
            labelspacing=0.3,
            fontsize=SMALL,
        )


def _columns(labels: Sequence[str], width: float) -> int:
    """As many columns as `width` inches have room for; entries fill a legend column by column."""
    for lines in range(1, len(labels)):
        columns = [labels[start : start + lines] for start in range(0, len(labels), lines)]
        if sum(MARK + LETTER * max(map(len, column)) for column in columns) <= width:
            return len(columns)
    return 1


def note(ax: "Axes", text: str) -> None:
    """A remark in the upper right corner."""
    ax.text(0.99, 0.98, text, transform=ax.transAxes, ha="right", va="top", fontsize=SMALL, color=GREY, label="_note")


def nothing(ax: "Axes", reason: str) -> None:
    """A panel in which there is nothing to see, and why."""
    ax.set_axis_off()
    lines = "\n".join(words(line, 44) for line in textwrap.wrap(one_line(reason, LONGEST), 44))
    ax.text(0.5, 0.5, lines, transform=ax.transAxes, ha="center", va="center", fontsize=SMALL, color=GREY)
