"""Figures of a result: each function draws into axes of yours, or into new ones, and returns them.

ax = sf.plot.accuracy(result)
ax.figure.savefig("accuracy.png")
"""

from typing import TYPE_CHECKING

import numpy as np

from suffice.figures.accuracy import Gaps, draw_gaps
from suffice.figures.style import new_axes, styled
from suffice.study.audited import Audit, with_audit
from suffice.study.result import Result
from suffice.types import Status

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["accuracy"]


@styled()
def accuracy(result: Result, ax: "Axes | None" = None, *, audit: Audit | None = None) -> "Axes":
    """Draw how exact the search for each point was: as reported, at most, as proven and as audited.

    It is about the search for the next point, not about how far the best point is from the optimum. Proofs are those
    of certify=…, audits those of audit=….

    result    a result, as sf.minimize returns it
    ax        matplotlib's axes to draw into; None makes a new figure
    audit     what sf.audit(result) found, to be shown instead of the audits of the run
    """
    if not isinstance(result, Result):
        raise TypeError(f"plot.accuracy takes a result, like that of sf.minimize: got {type(result).__name__}")
    found = result.accuracy if audit is None else with_audit(result.accuracy, audit)
    taken = np.array([report.taken for report in found.reports], dtype=np.bool_)
    reported, limits, certified, audited = (
        np.where(taken, np.nan, series) for series in (found.gaps, found.limits, found.certified, found.audited)
    )
    stopped = np.array([report.status is Status.BUDGET for report in found.reports], dtype=np.bool_)
    steps = np.arange(1.0, len(taken) + 1.0)
    ax = new_axes() if ax is None else ax
    draw_gaps(ax, Gaps(steps, reported, limits, certified, audited, stopped, taken))
    return ax
