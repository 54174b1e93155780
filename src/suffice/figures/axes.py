"""Axes of figures that are read at their final size: letters of ticks, a legend above, a note, a reason for nothing."""

from typing import TYPE_CHECKING

from suffice.figures.style import legend_columns

if TYPE_CHECKING:
    from matplotlib.axes import Axes

GREY = "#777777"
SMALL, LABEL = 7.0, 8.0  # points: the smallest letters, and those of an axis' name


def settle(ax: "Axes") -> None:
    """The style's letters, for axes that were made without it and ticks that matplotlib makes when it is over."""
    ax.tick_params(which="both", labelsize=SMALL)
    for axis in (ax.xaxis, ax.yaxis):
        axis.label.set_fontsize(LABEL)
        axis.get_offset_text().set_fontsize(SMALL)


def legend_above(ax: "Axes") -> None:
    """A legend above the axes, where no value can be behind it, in as many columns as there is room for."""
    labels = ax.get_legend_handles_labels()[1]
    if labels:
        width = ax.get_position().width * ax.get_figure(root=True).get_figwidth()  # type: ignore[union-attr]
        columns = legend_columns(labels, 1.4 * width)  # its letters are smaller than those it reckons with
        ax.legend(
            loc="lower left",
            bbox_to_anchor=(0.0, 1.0),
            ncols=columns,
            borderaxespad=0.2,
            handlelength=1.4,
            columnspacing=1.0,
            labelspacing=0.3,
            fontsize=SMALL,
        )


def note(ax: "Axes", text: str) -> None:
    """A remark in the upper right corner."""
    ax.text(0.99, 0.98, text, transform=ax.transAxes, ha="right", va="top", fontsize=SMALL, color=GREY, label="_note")


def nothing(ax: "Axes", reason: str) -> None:
    """A panel in which there is nothing to see, and why."""
    import textwrap

    ax.set_axis_off()
    lines = "\n".join(textwrap.wrap(reason, 44))
    ax.text(0.5, 0.5, lines, transform=ax.transAxes, ha="center", va="center", fontsize=SMALL, color=GREY)
