"""How the points of a run were searched for: how accurately, and in what time.

gaps      (T,)   what was missed, as a fraction of the spread of the acquisition values; nan where it is not known
seconds   (n,)   of one phase; nan where it was not timed
"""

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from suffice.accuracy.verdict import duration, percent
from suffice.checks import NOTHING
from suffice.plot.axes import legend_above, settle
from suffice.plot.convergence import finish
from suffice.plot.data import as_result, evaluated
from suffice.plot.style import BLACK, BLUE, FAINT, GREEN, ORANGE, axes_for, decades, looks, styled, tint
from suffice.result.display import DRAWN
from suffice.result.result import Result
from suffice.study.audit import Audit, with_audit
from suffice.types import Array, Status

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@styled()
def accuracy(result: Result, ax: "Axes | None" = None, *, audit: Audit | None = None) -> "Axes":
    """Plot the accuracy of acquisition maximization at each step: reported, bounded, proven and audited.

    It does not show how far the best point is from the optimum. Proofs and audits are those that `diagnostics` asked
    for.

    Parameters
    ----------
    result : Result
        A result, as sf.minimize returns it.
    ax : matplotlib.axes.Axes or None, default: None
        Axes to draw into; None makes a new figure.
    audit : Audit or None, default: None
        The result of sf.audit(result), plotted instead of the audits of the run.

    Returns
    -------
    matplotlib.axes.Axes
        The axes.
    """
    found = as_result(result, "accuracy").accuracy
    found = found if audit is None else with_audit(found, audit)
    taken = np.array([report.taken for report in found.reports], dtype=np.bool_)
    stopped = np.array([report.status is Status.BUDGET for report in found.reports], dtype=np.bool_)
    reported, limits, certified, audited = (  # where the best point was known, a gap is no fault of the search
        np.where(taken, np.nan, series) for series in (found.gaps, found.limits, found.certified, found.audited)
    )
    ax, steps, pale = axes_for(ax), np.arange(1.0, len(taken) + 1.0), tint(BLUE, 0.45)
    both = np.isfinite(limits) & np.isfinite(reported)
    ax.vlines(steps[both], shown(reported[both]), shown(limits[both]), color=pale, linewidth=2, zorder=2)
    series: tuple[tuple[str, Array, dict[str, Any]], ...] = (
        ("reported: estimate", reported, {"color": BLUE, "marker": "o", "markersize": 3.5, "zorder": 3}),
        ("reported: probable bound", limits, {"color": pale, "marker": "_", "mew": 2, "zorder": 2}),
        ("certified: proven bound", certified, {"color": GREEN, "marker": "_", "markersize": 7, "mew": 1.5}),
        ("audited: a much longer search", audited, {"color": BLACK, "marker": "x", "markersize": 5, "zorder": 4}),
    )
    for label, gaps, look in series:
        known = np.isfinite(gaps)
        if known.any():
            ax.plot(steps[known], shown(gaps[known]), linestyle="", label=label, **look)
    _shade(ax, steps[stopped], "stopped at its budget", tint(ORANGE, 0.2))
    _shade(ax, steps[taken], "best point known already", FAINT)
    _set_axes(ax, len(steps))
    settle(ax)
    legend_above(ax, wider=0.9)  # the labels of its ticks take some of the width
    if not ax.get_legend_handles_labels()[0]:
        ax.text(0.5, 0.5, "no step reports its accuracy", transform=ax.transAxes, ha="center", va="center")
    return ax


def _shade(ax: "Axes", steps: Array, label: str, colour: tuple[float, ...]) -> None:
    for step in steps:
        ax.axvspan(
            step - 0.5, step + 0.5, color=colour, linewidth=0, zorder=0, label=label if step == steps[0] else None
        )


def _set_axes(ax: "Axes", count: int) -> None:
    from matplotlib.ticker import FixedLocator, MaxNLocator, NullLocator

    powers = range(round(np.log10(NOTHING)), 1)
    ax.set_yscale("log")
    ax.set_ylim(NOTHING / 2, 2.0)  # room for half a marker
    ax.yaxis.set_major_locator(FixedLocator([10.0**power for power in powers]))
    ax.yaxis.set_minor_locator(NullLocator())
    percents = [f"{100 * 10.0**power:g} %" for power in powers]
    ax.set_yticklabels([f"≤ {100 * NOTHING:.4f} %", *percents[1:]])
    ax.set_xlim(0.5, max(count, 1) + 0.5)
    ax.xaxis.set_major_locator(MaxNLocator(integer=True))
    ax.set_xlabel("points chosen by the model, in order")
    ax.set_ylabel("missed by the search\n(fraction of the acquisition's spread)")


def shown(values: Array) -> Array:
    """Where gaps lie on the axis: those below the floor, zeros too, on it."""
    return np.clip(values, NOTHING, 1.0)


@styled()
def time(result: Result, ax: "Axes | None" = None) -> "Axes":
    """Plot the time of each suggestion and each evaluation, by phase.

    "fit" fits the model, "bind" prepares the acquisition function, "solve" maximizes it and "report" estimates the
    accuracy; "certify" and "audit" are optional. "evaluation" is the objective's own time, where it is known. The
    legend has the sum of each phase and its fraction of all that was timed.

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
    totals = {name: float(np.nansum(seconds)) for name, seconds in phases.items()}
    everything = sum(totals.values())
    if not everything > 0:
        raise ValueError(
            "plot.time plots how long suggestions and evaluations took, but the result has neither: the model chose "
            "no point, and no evaluation was recorded with seconds="
        )
    ax, look_of = axes_for(ax), looks({name: name for name in phases})  # a phase has one look, whatever it took
    for name in sorted((name for name in phases if totals[name] > 0), key=lambda name: -totals[name]):
        steps, means = thinned(phases[name])
        known = np.isfinite(means)
        ax.plot(
            steps[known],
            np.maximum(means[known], 1e-6),  # clocks tell nothing shorter apart
            color=look_of[name].colour,
            linestyle=look_of[name].line,
            marker="." if len(steps[known]) < 3 else "",
            label=f"{name}  {duration(totals[name])}  ({percent(totals[name] / everything)})",
        )
    decades(ax, "y")
    finish(ax, (1, len(phases["evaluation"])), "seconds for each")
    return ax


def _phases(result: Result) -> dict[str, Array]:
    """The seconds of each phase for each evaluation, (n,); nan where it had none."""
    trials = evaluated(result)
    reports = [trial.solve.seconds if trial.solve is not None else {} for trial in trials]
    phases = {"evaluation": np.array([math.nan if t.seconds is None else t.seconds for t in trials], dtype=float)}
    for name in dict.fromkeys(name for seconds in reports for name in seconds):
        phases[name] = np.array([seconds.get(name, math.nan) for seconds in reports], dtype=float)
    return phases


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


@styled()
def exactness(steps: Array, etas: Array, ax: "Axes | None" = None, *, title: str = "") -> "Axes":
    """Draw 1 − η of the solves of a run, and their sum M_T: `Solves.plot` of suffice.watch_solves."""
    ax = axes_for(ax)
    lost = np.maximum(1.0 - etas, NOTHING)  # what is exact is at the foot of the axis
    ax.plot(steps, np.maximum(np.cumsum(1.0 - etas), NOTHING), color=ORANGE, label="sum so far, M_T")
    ax.plot(steps, lost, color=BLUE, marker="o", markersize=3.5, linestyle="", label="inaccuracy, 1 − η")
    ax.set_yscale("log")
    ax.set_ylim(bottom=NOTHING / 2)
    ax.set_xlabel("solve")
    ax.set_ylabel("1 − η")
    if title:
        ax.set_title(title, loc="left")
    settle(ax)
    legend_above(ax)
    return ax
