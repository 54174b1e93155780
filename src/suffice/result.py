"""What a run found: a SciPy OptimizeResult with every trial."""

import copy
import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy.optimize import OptimizeResult

from suffice.accuracy.series import Accuracy
from suffice.trial import Trial


class Result(OptimizeResult):
    """The best point and the whole history.

    x, fun           the best point and its value, in the user's sense; None and nan if no trial succeeded
    nfev, nit        evaluations (failed ones included), and how many of them the model proposed
    success, message whether a best point exists, and why the run ended
    trials           every trial in order; x_iters and func_vals: the evaluated ones (nan where it failed)
    accuracy         how good the suggestions were: relative gaps, η_t, M_T and the regret bound
    seed             runs the same run again
    notes            what was done about numerical trouble, each note once
    """

    def __repr__(self) -> str:
        """The answer, not the history."""
        rows = [(key, self[key]) for key in ("message", "success", "fun", "x", "nfev", "nit", "seed") if key in self]
        return "\n".join(f"{key:>8}: {value}" for key, value in rows)

    __str__ = __repr__


def make_result(
    trials: Sequence[Trial], best: Trial | None, seed: int, message: str, notes: Sequence[str], accuracy: Accuracy
) -> Result:
    """The result of the trials so far."""
    evaluated = [trial for trial in trials if trial.state in ("done", "failed")]
    values = [math.nan if trial.value is None else trial.value for trial in evaluated]
    point: Any = None if best is None else copy.copy(best.point)  # the caller's own, as in SciPy
    result = Result()
    result.update(
        x=point,
        fun=math.nan if best is None else best.value,
        nfev=len(evaluated),
        nit=sum(trial.origin == "model" for trial in evaluated),
        success=best is not None,
        message=message,
        trials=tuple(trials),
        x_iters=[trial.point for trial in evaluated],
        func_vals=np.array(values, dtype=float),
        seed=seed,
        notes=tuple(dict.fromkeys(notes)),
        accuracy=accuracy,
    )
    return result
