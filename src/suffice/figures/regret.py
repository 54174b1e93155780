"""How far a run was from a known optimum, evaluation by evaluation.

r      (n,)   the shortfall of each value, ≥ 0 without noise; nan where the evaluation failed
simple        the smallest shortfall so far          cumulative   the sum of all shortfalls so far
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal, TypeAlias

import numpy as np

from suffice.figures.axes import legend_above, note, settle
from suffice.figures.convergence import line
from suffice.figures.marks import floor
from suffice.figures.style import Look, decades
from suffice.types import Array

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Kind: TypeAlias = Literal["simple", "cumulative"]


def draw_regrets(ax: "Axes", shortfalls: Sequence[Array], looks: Sequence[Look], *, kind: Kind, log: bool) -> None:
    """A line for each run; on a logarithmic axis what is 0 or less lies on the bottom, where the axis says so."""
    from matplotlib.ticker import MaxNLocator

    series = [regret(r, kind) for r in shortfalls]
    bottom = floor(series) if log else -np.inf
    for values, look in zip(series, looks, strict=True):
        line(ax, np.maximum(values, bottom), look)
    count = max(len(r) for r in shortfalls)
    ax.set_xlim(0.5 - 0.02 * count, count + 0.5 + 0.02 * count)
    ax.xaxis.set_major_locator(MaxNLocator(6, integer=True))
    ax.set_xlabel("evaluations")
    if log:
        decades(ax, "y")
        if any(np.nanmin(values, initial=np.inf) < bottom for values in series):
            note(ax, f"{bottom:.1g} stands for all that is smaller")
    ax.set_ylabel("regret of the best so far" if kind == "simple" else "sum of the regrets so far")
    settle(ax)
    if len(looks) > 1:
        legend_above(ax)


def regret(shortfall: Array, kind: Kind) -> Array:
    """The series of a kind, (n,): a failed evaluation improves nothing and adds nothing; nan before the first value."""
    if kind == "simple":
        return np.asarray(np.fmin.accumulate(shortfall), dtype=float)
    summed: Array = np.where(np.isfinite(shortfall), shortfall, 0.0).cumsum()
    return summed
