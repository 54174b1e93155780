"""Where the time of a run went, phase by phase, evaluation by evaluation.

seconds   (n,)   of one phase; nan where it was not timed
"""

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from suffice.figures.axes import legend_above, settle
from suffice.figures.style import decades, looks
from suffice.types import Array

if TYPE_CHECKING:
    from matplotlib.axes import Axes

DRAWN = 150  # points of a line; of more evaluations, the mean of as many neighbours as it takes
SHORTEST = 1e-6  # seconds: what clocks tell apart
UNITS = ((86400.0, "d"), (3600.0, "h"), (60.0, "min"), (1.0, "s"), (1e-3, "ms"), (0.0, "µs"))


def draw_seconds(ax: "Axes", phases: Mapping[str, Array]) -> None:
    """A line for each phase on a logarithmic axis, the longest first, and what it came to in the legend."""
    from matplotlib.ticker import MaxNLocator

    totals = {name: float(np.nansum(seconds)) for name, seconds in phases.items()}
    order = sorted((name for name in phases if totals[name] > 0), key=lambda name: -totals[name])
    everything = sum(totals.values())
    look_of = looks({name: name for name in phases})  # a phase has one look, whatever it took
    for name in order:
        steps, means = thinned(phases[name])
        known = np.isfinite(means)
        ax.plot(
            steps[known],
            np.maximum(means[known], SHORTEST),
            color=look_of[name].colour,
            linestyle=look_of[name].line,
            marker="." if len(steps[known]) < 3 else "",
            label=f"{name}  {span(totals[name])}  ({share(totals[name] / everything)})",
        )
    decades(ax, "y")
    count = max((len(seconds) for seconds in phases.values()), default=1)
    ax.set_xlim(0.5, count + 0.5)
    ax.xaxis.set_major_locator(MaxNLocator(6, integer=True))
    ax.set_xlabel("evaluations")
    ax.set_ylabel("seconds for each")
    settle(ax)
    legend_above(ax)


def thinned(seconds: Array) -> tuple[Array, Array]:
    """At most DRAWN places, and the mean of what is known around each."""
    size = -(-len(seconds) // DRAWN)
    if size <= 1:
        return np.arange(1.0, len(seconds) + 1.0), seconds
    padded = np.full(-(-len(seconds) // size) * size, np.nan)
    padded[: len(seconds)] = seconds
    groups = padded.reshape(-1, size)
    known = np.isfinite(groups)
    count = known.sum(axis=1)
    means: Array = np.where(count > 0, np.where(known, groups, 0.0).sum(axis=1) / np.maximum(count, 1), np.nan)
    places: Array = np.arange(float(len(groups))) * size + (size + 1.0) / 2
    return places, means


def span(seconds: float) -> str:
    """A time in words: 1.2 s."""
    size, unit = next((size or 1e-6, unit) for size, unit in UNITS if seconds >= size)
    return f"{seconds / size:.2g} {unit}" if seconds / size < 100 else f"{seconds / size:.0f} {unit}"


def share(part: float) -> str:
    """A share of all in whole percents."""
    return f"{100 * part:.0f} %" if part >= 0.005 else "< 1 %"
