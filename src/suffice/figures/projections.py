"""Evaluations by each pair of several objectives, a panel each."""

from collections.abc import Mapping, Sequence
from typing import Any

from suffice.figures.axes import SMALL
from suffice.figures.fronts import Aim, Outcomes, draw_front

TICKS = 4  # about as many: a panel is two inches wide


def draw_projections(axes: Any, aims: Sequence[Aim], outcomes: Mapping[tuple[str, str], Outcomes]) -> None:
    """The panels of a matrix, (D − 1, D − 1): pairs on and below its diagonal, the legend above.

    Rows are the second, third, … objective, columns the first, second, …; names stand at the outer panels.
    """
    from matplotlib.ticker import NullFormatter

    last = len(aims) - 2
    for i, upwards in enumerate(aims[1:]):
        for j, across in enumerate(aims[:-1]):
            ax = axes[i, j]
            if j > i:
                ax.set_axis_off()
                continue
            draw_front(ax, (across, upwards), outcomes[across.name, upwards.name], legend=False, ticks=TICKS)
            if i < last:
                ax.set_xlabel("")
                ax.xaxis.set_major_formatter(NullFormatter())
            if j > 0:
                ax.set_ylabel("")
                ax.yaxis.set_major_formatter(NullFormatter())
    handles, labels = axes[-1, 0].get_legend_handles_labels()
    axes[0, -1].legend(handles, labels, loc="center", fontsize=SMALL, handlelength=1.2)
