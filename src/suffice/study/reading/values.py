"""What the values of a run say by themselves, without a model: that they are all equal, that some are far off, that the
run ended while it was getting better.

y       (n,)   the values in the order they were told, larger is better        best  (n,)  the best up to each of them
late    float  the share of the run's progress that its last fifth made:
               (best of all − best before it) / (best of all − median of the first values), within all limits;
               of several objectives, the share of the hypervolume of the front that came then
"""

from collections.abc import Iterator

import numpy as np

from suffice.gp.outcome import standardised
from suffice.markup import visible
from suffice.study.failures import failures, is_failure
from suffice.study.finding import Finding
from suffice.study.front import Front
from suffice.study.history import History
from suffice.study.outliers import outliers
from suffice.study.settings import Settings, points_to_fit

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
    """That an output has one value only."""
    settings = history.settings
    for name in settings.outputs:
        y = history.observations(name, measured=True).y
        if len(y) < CONSTANT or y.min() != y.max() or settings.space.size <= 1:
            continue
        of, value = _of(name, settings), history.known(name, measured=True)[0].values[name]
        if name in settings.constraints:
            yield Finding(
                "constant",
                f"All {len(y)} values{of} are {value!r}, so that nothing can be learned about its limit, "
                f"{settings.constraints[name]}.",
                "Look whether the function computes it from its argument; else leave the constraint out.",
            )
        else:
            yield Finding(
                "constant",
                f"All {len(y)} values{of} are {value!r}, so that no point is better than another.",
                "Look whether the objective uses its argument at all, or returns a default where it should raise; if "
                "the values are rounded, return more digits.",
                "warning",
            )


def far_off(history: History) -> Iterator[Finding]:
    """Values that are so far from all others that they may be mistakes."""
    settings = history.settings
    for name in settings.outputs:
        data, sign, of = history.observations(name, measured=True), settings.sign(name), _of(name, settings)
        if not len(data):
            continue
        worse, better = outliers(data, standardised(data.y))
        if worse:
            values = f"1 value{of} is" if worse == 1 else f"{worse} values{of} are"
            yield Finding(
                "outliers",
                f"{values} far worse than all others (the worst {sign * float(data.y.min()):.3g}), and "
                f"{'counts' if worse == 1 else 'count'} as just bad.",
                "If that stands for an evaluation that failed, return nan or raise sf.Infeasible instead.",
            )
        if better and name in settings.objectives:
            row = int(np.argmax(data.y))
            number = history.known(name, measured=True)[row].number
            yield Finding(
                "outliers",
                f"The best value{of}, {sign * float(data.y[row]):.3g} of trial {number}, is "
                "more than 1000 times further from all others than these are from each other.",
                "Evaluate the point again: if the value was a mistake, the run went after it; start again with nan "
                "there.",
                "warning",
            )


def budget(history: History) -> Iterator[Finding]:
    """Too few evaluations for the number of parameters, or progress until the end."""
    settings, wanted = history.settings, points_to_fit(history.settings.space)
    n, D = len(history.known()), len(settings.space.coordinates)
    equal = (
        all(np.ptp(history.observations(name, measured=True).y / 2) == 0.0 for name in settings.objectives)
        if n
        else True
    )
    if equal or settings.space.size <= n:
        return
    if n < wanted:
        yield Finding(
            "budget",
            f"{n} values are few for {D} parameter{'' if D == 1 else 's'}: it takes {wanted} to tell how each acts.",
            "More evaluations, or fewer parameters, would let the model lead the search.",
            "warning",
        )
    elif n >= FEWEST and (late := _late_volume(history) if settings.several else _late(history)) > LATE:
        what = "what its front dominates" if settings.several else "its progress"
        given = "result.x_iters as x0= and result.func_vals as y0="
        if len(settings.outputs) > 1:
            given = "x0=[t.point for t in result.trials] and y0=[t.values for t in result.trials]"
        yield Finding(
            "budget",
            f"The run was still getting better when it ended: {100 * late:.0f} % of {what} came in the last fifth of "
            "its trials.",
            f"Go on, with store=… or with {given}.",
            "warning",
        )


def _late(history: History) -> float:
    """Of the values within all limits; all of it, if the first of these came so late."""
    sign = history.settings.sign()
    y = np.array([sign * (t.value or 0.0) if t.feasible else np.nan for t in history.done]) / 2  # its spread is finite
    if np.isnan(y).all():
        return 0.0
    first = y[: max(2, history.settings.n_initial)]
    best = np.fmax.accumulate(y)
    before = best[_cut(len(y))]
    if np.isnan(before):
        return 1.0
    start = float(np.nanmedian(first)) if not np.isnan(first).all() else float(y[~np.isnan(y)][0])
    whole = best[-1] - start
    return float((best[-1] - before) / whole) if np.isfinite(whole) and whole > 0.0 else 0.0


def _late_volume(history: History) -> float:
    """Of the hypervolume of the front."""
    volume = Front(history).hypervolume
    whole = float(volume[-1]) if len(volume) else 0.0
    return float((whole - volume[_cut(len(volume))]) / whole) if np.isfinite(whole) and whole > 0.0 else 0.0


def _cut(n: int) -> int:
    """The last of n trials that is not in the last fifth."""
    return int(np.ceil((1 - LAST) * n)) - 1


def _of(name: str, settings: Settings) -> str:
    return "" if len(settings.outputs) == 1 else f" of {visible(name)}"
