"""What the values of a run say by themselves, without a model: that they are all equal, that some are far off, that the
run ended while it was getting better.

y       (n,)   the values in the order they were told, larger is better        best  (n,)  the best up to each of them
late    float  the share of the run's progress that its last fifth made:
               (best of all − best before it) / (best of all − median of the first values)
"""

from collections.abc import Iterator

import numpy as np

from suffice.gp.outcome import standardised
from suffice.study.failures import failures, is_failure
from suffice.study.finding import Finding
from suffice.study.history import History
from suffice.study.outliers import outliers
from suffice.study.settings import points_to_fit

CONSTANT = 3  # equal values that are hardly chance
LAST = 0.2  # of the trials: where progress is still made there, more of them would make more
LATE = 0.1  # of the progress
FEWEST = 10  # values that have a last fifth to speak of


def failed(history: History) -> Iterator[Finding]:
    """That most evaluations failed, or all."""
    if history.failed and is_failure(history.trials):
        yield Finding(
            "failed",
            f"{failures(history.trials)}.",
            "Mend this first: `trial.traceback` of a failed trial says where it was raised, and one evaluation by "
            "hand, f(result.trials[0].point), is the quickest test.",
            "warning",
        )


def constant(history: History) -> Iterator[Finding]:
    """That the objective has one value only."""
    y = history.observations().y
    if len(y) >= CONSTANT and y.min() == y.max() and history.settings.space.size > 1:
        yield Finding(
            "constant",
            f"All {len(y)} values are {history.done[0].value!r}, so that no point is better than another.",
            "Look whether the objective uses its argument at all, or returns a default where it should raise; if the "
            "values are rounded, return more digits.",
            "warning",
        )


def far_off(history: History) -> Iterator[Finding]:
    """Values that are so far from all others that they may be mistakes."""
    data = history.observations()
    if not len(data):
        return
    worse, better = outliers(data, standardised(data.y))
    sign = history.settings.sign()
    if worse:
        values = "1 value is" if worse == 1 else f"{worse} values are"
        yield Finding(
            "outliers",
            f"{values} far worse than all others (the worst {sign * float(data.y.min()):.3g}), and "
            f"{'counts' if worse == 1 else 'count'} as just bad.",
            "If that stands for an evaluation that failed, return nan or raise sf.Infeasible instead.",
        )
    if better:
        row = int(np.argmax(data.y))
        yield Finding(
            "outliers",
            f"The best value, {sign * float(data.y[row]):.3g} of trial {history.done[row].number}, is more than 1000 "
            "times further from all others than these are from each other.",
            "Evaluate the point again: if the value was a mistake, the run went after it; start again with nan there.",
            "warning",
        )


def budget(history: History) -> Iterator[Finding]:
    """Too few evaluations for the number of parameters, or progress until the end."""
    y, wanted = history.observations().y, points_to_fit(history.settings.space)
    n, D = len(y), len(history.settings.space.coordinates)
    if not n or y.min() == y.max() or history.settings.space.size <= n:
        return
    if n < wanted:
        yield Finding(
            "budget",
            f"{n} values are few for {D} parameter{'' if D == 1 else 's'}: it takes {wanted} to tell how each acts.",
            "More evaluations, or fewer parameters, would let the model lead the search.",
            "warning",
        )
    elif n >= FEWEST and (late := _late(y, history.settings.n_initial)) > LATE:
        yield Finding(
            "budget",
            f"The run was still getting better when it ended: {100 * late:.0f} % of its progress came in the last "
            "fifth of its trials.",
            "Go on, with store=… or with result.x_iters as x0= and result.func_vals as y0=.",
            "warning",
        )


def _late(y: np.ndarray, n_initial: int) -> float:
    with np.errstate(over="ignore", invalid="ignore"):  # the largest of floats
        best = np.maximum.accumulate(y / 2)
        whole = best[-1] - float(np.median(y[: max(2, n_initial)] / 2))
        late = best[-1] - best[int(np.ceil((1 - LAST) * len(y))) - 1]
    return float(late / whole) if np.isfinite(whole) and whole > 0.0 else 0.0
