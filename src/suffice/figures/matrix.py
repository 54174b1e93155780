"""Evaluations by pairs of parameters, coloured by their order, and how often each value of a parameter was tried.

places   (n, D)   along the axes; nan where an evaluation lacks the parameter
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from suffice.figures.axes import LABEL, SMALL, settle
from suffice.figures.scale import Scale
from suffice.figures.shading import ORDER
from suffice.figures.slices import MANY, Star, draw_star, spread
from suffice.figures.style import COLOURS, tint
from suffice.figures.words import words
from suffice.types import Array

if TYPE_CHECKING:
    from matplotlib.axes import Axes

State: TypeAlias = Literal["feasible", "infeasible", "failed"]
States: TypeAlias = NDArray[np.object_]  # of State

BINS = 12  # of a histogram
# By state: the marker, the width of its lines, and what it is.
MARKERS: dict[State, tuple[str, float, str]] = {
    "feasible": ("o", 0.0, "evaluations"),
    "infeasible": ("+", 0.8, "infeasible"),
    "failed": ("x", 0.8, "failed"),
}
LETTERS = 9  # of an option, and of a parameter's name: a panel is about an inch wide


def draw_matrix(axes: Any, scales: Sequence[Scale], places: Array, states: States, best: int | None) -> None:
    """The panels of a matrix, (D, D): histograms on its diagonal, pairs below, nothing above.

    states   (n,)   what became of the evaluations        best   the one that is a star
    """
    D, drawn = len(scales), None
    for i in range(D):
        for j in range(D):
            ax = axes[i, j]
            if j > i:
                ax.set_axis_off()
                continue
            if i == j:
                _draw_counts(ax, scales[i], places[:, i])
            else:
                drawn = _draw_pair(ax, (scales[j], scales[i]), places[:, j], places[:, i], states)
                if best is not None and np.isfinite(places[best, [i, j]]).all():
                    x, y = (float(spread(places[:, k], scales[k], t)[best]) for t, k in enumerate((j, i)))
                    draw_star(ax, Star(x, y, "the best"))
            _name(ax, scales[j], scales[i], bottom=i == D - 1, left=j == 0 and i > 0)
    if drawn is not None and D > 1:
        _bar(axes, drawn)


def _draw_pair(ax: "Axes", scales: tuple[Scale, Scale], x: Array, y: Array, states: States) -> Any:
    order, drawn = np.arange(1, len(x) + 1), None
    here = np.isfinite(x) & np.isfinite(y)
    x, y = spread(x, scales[0]), spread(y, scales[1], 1)
    for state, (marker, width, label) in MARKERS.items():
        those = here & (states == state)
        found = ax.scatter(
            x[those],
            y[those],
            c=order[those],
            cmap=ORDER,
            vmin=1,
            vmax=max(len(x), 2),
            s=(7.0 if len(x) <= 300 else 3.0) * (2.0 if marker == "+" else 1.0),
            marker=marker,
            linewidths=width,
            rasterized=len(x) > MANY,
            label=label,
        )
        drawn = found if state == "feasible" else drawn
    return drawn


def _draw_counts(ax: "Axes", scale: Scale, places: Array) -> None:
    known = places[np.isfinite(places)]
    even = np.linspace(0.0, 1.0, BINS + 1)
    bounds = np.arange(len(scale.options) + 1) - 0.5 if scale.options else scale.place(even)
    counts, _ = np.histogram(known, bounds)
    ax.bar(
        bounds[:-1],
        counts,
        np.diff(bounds),
        align="edge",
        color=tint(COLOURS[0], 0.5),
        edgecolor="white",
        linewidth=0.4,
    )
    ax.set_ylim(0, max(1, counts.max()) * 1.08)


def _name(ax: "Axes", across: Scale, along: Scale, *, bottom: bool, left: bool) -> None:
    """Names and ticks at the outer panels only; a histogram's counts have none."""
    from matplotlib.ticker import NullFormatter, NullLocator

    across.lay(ax, "x", most=LETTERS, ticks=3, label=False)
    if across is along:
        ax.yaxis.set_major_locator(NullLocator())
    else:
        along.lay(ax, "y", most=LETTERS, ticks=3, label=False)
    for axis, named in ((ax.xaxis, bottom), (ax.yaxis, left)):
        if not named:
            axis.set_major_formatter(NullFormatter())
    ax.set_xlabel(words(across.name, 2 * LETTERS) if bottom else "")
    ax.set_ylabel(words(along.name, 2 * LETTERS) if left else "")
    settle(ax)


def _bar(axes: Any, drawn: Any) -> None:
    from matplotlib.ticker import MaxNLocator

    figure = axes[0, 0].get_figure(root=True)
    bar = figure.colorbar(drawn, ax=axes.ravel().tolist(), pad=0.02, aspect=25, shrink=0.6)
    bar.locator = MaxNLocator(5, integer=True)
    bar.update_ticks()
    bar.set_label("evaluation", fontsize=LABEL)
    bar.ax.tick_params(labelsize=SMALL)
    bar.outline.set_linewidth(0.5)
