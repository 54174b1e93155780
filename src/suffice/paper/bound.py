"""Both sides of Theorem 1 before its last relaxations, over the audited runs: R_T ≤ Σ g_t + Σ w_t.

g_t  α*_t − α_t(x_t), by audit        w_t  2 β_t σ_{t−1}(x_t)        both in model units

Regret is in the objective's units. The two are on one scale only if the model takes the outputs as they are, as the
authors' does; other methods are left out.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from suffice.errors import MissingExtra
from suffice.gp import GP
from suffice.lab.plan import Method, Plan
from suffice.lab.run import Run
from suffice.lab.tables import Grouped, mean_and_error, total
from suffice.paper.surrogate import Surrogate
from suffice.problems import find


@dataclass(frozen=True)
class Sides:
    """Means over the audited runs of a method on a problem; steps that were not audited are interpolated."""

    problem: str
    method: str
    runs: int
    regret: float
    regret_se: float
    inaccuracies: float  # Σ g_t
    widths: float  # Σ w_t


def sides(plan: Plan, groups: Grouped) -> dict[tuple[str, str], Sides]:
    """The cells of which both sides are known."""
    found = {}
    for method in plan.methods:
        for task in plan.tasks:
            runs = [run for run in groups[task.problem, method.name] if _is_complete(run)]
            if runs and keeps_units(method, task.problem):
                found[task.problem, method.name] = _sides(runs)
    return found


def keeps_units(method: Method, problem: str) -> bool:
    """Whether the method's model takes the outputs as they are."""
    try:
        model = method.make(find(problem)).get("model")
    except MissingExtra:  # the problem cannot be had here: its runs were made elsewhere
        return False
    plain = isinstance(model, GP) and not (model.standardize or model.warp)
    return plain or isinstance(model, Surrogate)


def _is_complete(run: Run) -> bool:
    return not (np.isnan(run.columns["audited_inaccuracy"]).all() or np.isnan(run.columns["width"]).all())


def _sides(runs: Sequence[Run]) -> Sides:
    regret, se = mean_and_error(run.cumulative[-1] for run in runs)
    gaps, widths = (
        mean_and_error(total(run.columns[column]) for run in runs)[0] for column in ("audited_inaccuracy", "width")
    )
    return Sides(runs[0].problem, runs[0].method, len(runs), regret, se, gaps, widths)
