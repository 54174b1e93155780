"""The least value that the last model of a run predicts anywhere, and where."""

from typing import Any

import numpy as np
from scipy.optimize import minimize

from suffice.compat.skopt.result import OptimizeResult
from suffice.types import Array

DRAWS = 10_000  # random points that the search over a space with categories looks at


def expected_minimum(
    res: OptimizeResult, n_random_starts: int = 20, random_state: Any = None
) -> tuple[list[Any], float]:
    """Find where the last model predicts the least value, and that value.

    It is found by local searches; where there are integers or categories, by looking at random points.

    Parameters
    ----------
    res : OptimizeResult
        A result, whose last model is asked.
    n_random_starts : int, default: 20
        Random points that are climbed down from, besides the best one so far.
    random_state : int, RandomState or None, default: None
        Where the random points come from.

    Returns
    -------
    x : list
        The point.
    fun : float
        The prediction there.
    """
    if not res.space.is_real:
        return expected_minimum_random_sampling(res, DRAWS, random_state)
    model, space = _last(res), res.space
    starts = space.transform([res.x, *space.rvs(n_random_starts, random_state=random_state)])
    bounds = [(0.0, 1.0)] * starts.shape[1]

    def predicted(u: Array) -> float:
        return float(model.predict(np.clip(u, 0.0, 1.0)[None])[0])

    found = [minimize(predicted, u, bounds=bounds, method="L-BFGS-B") for u in starts]
    best = min(found, key=lambda one: float(one.fun))
    return space.inverse_transform(np.clip(best.x, 0.0, 1.0)[None])[0], float(best.fun)


def expected_minimum_random_sampling(
    res: OptimizeResult, n_random_starts: int = 100_000, random_state: Any = None
) -> tuple[list[Any], float]:
    """The random point where the last model predicts the least value, and that value.

    Parameters
    ----------
    res : OptimizeResult
        A result, whose last model is asked.
    n_random_starts : int, default: 100000
        Random points that are looked at.
    random_state : int, RandomState or None, default: None
        Where the random points come from.

    Returns
    -------
    x : list
        The point.
    fun : float
        The prediction there.
    """
    points = res.space.rvs(n_random_starts, random_state=random_state)
    predicted = _last(res).predict(res.space.transform(points))
    row = int(np.argmin(predicted))
    return points[row], float(predicted[row])


def _last(res: OptimizeResult) -> Any:
    if not res.models:
        raise ValueError("the result has no model: the run ended before the first point that a model proposed")
    return res.models[-1]
