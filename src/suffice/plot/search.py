"""How the points of a run were searched for: how exactly, and in what time."""

import math
from typing import TYPE_CHECKING

import numpy as np

from suffice.figures.accuracy import Gaps, draw_gaps
from suffice.figures.seconds import draw_seconds
from suffice.figures.style import axes_for, styled
from suffice.plot.given import as_result, evaluated
from suffice.study.audited import Audit, with_audit
from suffice.study.result import Result
from suffice.types import Array, Status

if TYPE_CHECKING:
    from matplotlib.axes import Axes

EVALUATION = "evaluation"  # the phase that is the objective's


@styled()
def accuracy(result: Result, ax: "Axes | None" = None, *, audit: Audit | None = None) -> "Axes":
    """Draw how exact the search for each point was: as reported, at most, as proven and as audited.

    It is about the search for the next point, not about how far the best point is from the optimum. Proofs are those
    of certify=…, audits those of audit=….

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


@styled()
def time(result: Result, ax: "Axes | None" = None) -> "Axes":
    """Draw where the time went, phase by phase: for each suggestion of the model and for each evaluation.

    "fit" is the model's, "bind" freezes the acquisition, "solve" searches for the point and "report" says how exact
    that was; "certify" and "audit" are there where they were asked for. "evaluation" is the objective's own time,
    where it is known. The legend has the sum of each phase and its share of all that was timed.

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
            "model's, and no evaluation was told with seconds="
        )
    ax = axes_for(ax)
    draw_seconds(ax, phases)
    return ax


def _phases(result: Result) -> dict[str, Array]:
    """The seconds of each phase for each evaluation, (n,); nan where it had none."""
    trials = evaluated(result)
    reports = [trial.solve.seconds if trial.solve is not None else {} for trial in trials]
    names = dict.fromkeys(name for seconds in reports for name in seconds)
    phases = {EVALUATION: np.array([math.nan if t.seconds is None else t.seconds for t in trials], dtype=float)}
    for name in names:
        phases[name] = np.array([seconds.get(name, math.nan) for seconds in reports], dtype=float)
    return phases
