"""How the points of a run were searched for: how accurately, and in what time.

gaps      (T,)   what was missed, as a fraction of the spread of the acquisition values; nan where it is not known
seconds   (n,)   of one phase; nan where it was not timed
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from suffice.plot.axes import legend_above, settle
from suffice.plot.convergence import evaluations_axis
from suffice.plot.data import as_result, evaluated
from suffice.plot.style import BLACK, BLUE, FAINT, GREEN, ORANGE, axes_for, decades, looks, styled, tint
from suffice.result.display import DRAWN
from suffice.result.result import Result
from suffice.study.audit import Audit, with_audit
from suffice.types import Array, Status

if TYPE_CHECKING:
    from matplotlib.axes import Axes

FLOOR = 1e-6  # of the spread: smaller gaps are rounding errors, and drawn here, where the axis says so
# In seconds; clocks tell nothing shorter apart.
UNITS = ((86400.0, "d"), (3600.0, "h"), (60.0, "min"), (1.0, "s"), (1e-3, "ms"), (1e-6, "µs"))


@styled()
def accuracy(result: Result, ax: "Axes | None" = None, *, audit: Audit | None = None) -> "Axes":
    """Draw how exact the search for each point was: as reported, at most, as proven and as audited.

    It is about the search for the next point, not about how far the best point is from the optimum. Proofs
    and audits are those that `diagnostics` asked for.

    Parameters
    ----------
    result : Result
        A result, as sf.minimize returns it.
    ax : matplotlib.axes.Axes or None, default: None
        Axes to draw into; None makes a new figure.
    audit : Audit or None, default: None
        What sf.audit(result) found, to be shown instead of the audits of the run.

    Returns
    -------
    matplotlib.axes.Axes
        The axes.
    """
    found = as_result(result, "accuracy").accuracy
    found = found if audit is None else with_audit(found, audit)
    taken = np.array([report.taken for report in found.reports], dtype=np.bool_)
    reported, limits, certified, audited = (
        np.where(taken, np.nan, series) for series in (found.gaps, found.limits, found.certified, found.audited)
    )
    stopped = np.array([report.status is Status.BUDGET for report in found.reports], dtype=np.bool_)
    steps = np.arange(1.0, len(taken) + 1.0)
    ax = axes_for(ax)
    draw_gaps(ax, Gaps(steps, reported, limits, certified, audited, stopped, taken))
    return ax


@dataclass(frozen=True)
class Gaps:
    """What is known of the steps, (T,) each."""

    steps: Array  # 1, 2, …
    reported: Array  # estimates
    limits: Array  # what they are at most, with the confidence of the reports
    certified: Array  # and what is proven
    audited: Array
    stopped: NDArray[np.bool_]  # steps whose search ended at its budget
    taken: NDArray[np.bool_]  # steps whose best point was known already: their gaps are no fault of the search


def draw_gaps(ax: "Axes", gaps: Gaps) -> None:
    """The series that have a value, on a logarithmic axis; the lowest tick stands for all that is smaller."""
    _draw(ax, gaps.steps, gaps.reported, "reported: estimate", color=BLUE, marker="o", markersize=3.5, zorder=3)
    pale = tint(BLUE, 0.45)
    both = np.isfinite(gaps.limits) & np.isfinite(gaps.reported)
    ax.vlines(gaps.steps[both], shown(gaps.reported[both]), shown(gaps.limits[both]), color=pale, linewidth=2, zorder=2)
    _draw(ax, gaps.steps, gaps.limits, "reported: probable limit", color=pale, marker="_", mew=2, zorder=2)
    _draw(ax, gaps.steps, gaps.certified, "certified: proven limit", color=GREEN, marker="_", markersize=7, mew=1.5)
    _draw(ax, gaps.steps, gaps.audited, "audited: a far longer search", color=BLACK, marker="x", markersize=5, zorder=4)
    _shade(ax, gaps.steps[gaps.stopped], "stopped at its budget", tint(ORANGE, 0.2))
    _shade(ax, gaps.steps[gaps.taken], "best point known already", FAINT)
    _set_axes(ax, len(gaps.steps))
    settle(ax)
    legend_above(ax, wider=0.9)  # the labels of its ticks take some of the width
    if not ax.get_legend_handles_labels()[0]:
        ax.text(0.5, 0.5, "no step says how exact it was", transform=ax.transAxes, ha="center", va="center")


def _draw(ax: "Axes", steps: Array, values: Array, label: str, **look: Any) -> None:
    known = np.isfinite(values)
    if known.any():
        ax.plot(steps[known], shown(values[known]), linestyle="", label=label, **look)


def _shade(ax: "Axes", steps: Array, label: str, colour: tuple[float, ...]) -> None:
    for step in steps:
        ax.axvspan(
            step - 0.5, step + 0.5, color=colour, linewidth=0, zorder=0, label=label if step == steps[0] else None
        )


def _set_axes(ax: "Axes", count: int) -> None:
    from matplotlib.ticker import FixedLocator, MaxNLocator, NullLocator

    powers = range(round(np.log10(FLOOR)), 1)
    ax.set_yscale("log")
    ax.set_ylim(FLOOR / 2, 2.0)  # room for half a marker
    ax.yaxis.set_major_locator(FixedLocator([10.0**power for power in powers]))
    ax.yaxis.set_minor_locator(NullLocator())
    percents = [f"{100 * 10.0**power:g} %" for power in powers]
    ax.set_yticklabels([f"≤ {100 * FLOOR:.4f} %", *percents[1:]])
    ax.set_xlim(0.5, max(count, 1) + 0.5)
    ax.xaxis.set_major_locator(MaxNLocator(integer=True))
    ax.set_xlabel("points chosen by the model, in order")
    ax.set_ylabel("missed by the search\n(share of the scores' spread)")


def shown(values: Array) -> Array:
    """Where gaps lie on the axis: those below the floor, zeros too, on it."""
    return np.clip(values, FLOOR, 1.0)


@styled()
def time(result: Result, ax: "Axes | None" = None) -> "Axes":
    """Draw where the time went, phase by phase: for each suggestion of the model and for each evaluation.

    "fit" is the model's, "bind" freezes the acquisition, "solve" searches for the point and "report" measures how
    accurate that was; "certify" and "audit" are optional. "evaluation" is the objective's own time, where it is known.
    The legend has the sum of each phase and its fraction of all that was timed.

    Parameters
    ----------
    result : Result
        A result, as sf.minimize returns it.
    ax : matplotlib.axes.Axes or None, default: None
        Axes to draw into; None makes a new figure.

    Returns
    -------
    matplotlib.axes.Axes
        The axes.
    """
    phases = _phases(as_result(result, "time"))
    if not any(np.nansum(seconds) > 0 for seconds in phases.values()):
        raise ValueError(
            "plot.time draws how long suggestions and evaluations took, and the result knows neither: no point is the "
            "model's, and no evaluation was recorded with seconds="
        )
    ax = axes_for(ax)
    draw_seconds(ax, phases)
    return ax


def _phases(result: Result) -> dict[str, Array]:
    """The seconds of each phase for each evaluation, (n,); nan where it had none."""
    trials = evaluated(result)
    reports = [trial.solve.seconds if trial.solve is not None else {} for trial in trials]
    names = dict.fromkeys(name for seconds in reports for name in seconds)
    phases = {"evaluation": np.array([math.nan if t.seconds is None else t.seconds for t in trials], dtype=float)}
    for name in names:
        phases[name] = np.array([seconds.get(name, math.nan) for seconds in reports], dtype=float)
    return phases


def draw_seconds(ax: "Axes", phases: Mapping[str, Array]) -> None:
    """A line for each phase on a logarithmic axis, the longest first, and what it came to in the legend."""
    totals = {name: float(np.nansum(seconds)) for name, seconds in phases.items()}
    order = sorted((name for name in phases if totals[name] > 0), key=lambda name: -totals[name])
    everything = sum(totals.values())
    look_of = looks({name: name for name in phases})  # a phase has one look, whatever it took
    for name in order:
        steps, means = thinned(phases[name])
        known = np.isfinite(means)
        ax.plot(
            steps[known],
            np.maximum(means[known], UNITS[-1][0]),
            color=look_of[name].colour,
            linestyle=look_of[name].line,
            marker="." if len(steps[known]) < 3 else "",
            label=f"{name}  {span(totals[name])}  ({share(totals[name] / everything)})",
        )
    decades(ax, "y")
    count = max((len(seconds) for seconds in phases.values()), default=1)
    evaluations_axis(ax, count)
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
    count = np.isfinite(groups).sum(axis=1)
    means: Array = np.where(count > 0, np.nansum(groups, axis=1) / np.maximum(count, 1), np.nan)
    places: Array = np.arange(float(len(groups))) * size + (size + 1.0) / 2
    return places, means


def span(seconds: float) -> str:
    """A time in words: 1.2 s."""
    size, unit = next(((size, unit) for size, unit in UNITS if seconds >= size), UNITS[-1])
    return f"{seconds / size:.2g} {unit}" if seconds / size < 100 else f"{seconds / size:.0f} {unit}"


def share(part: float) -> str:
    """A share of all in whole percents."""
    return f"{100 * part:.0f} %" if part >= 0.005 else "< 1 %"
