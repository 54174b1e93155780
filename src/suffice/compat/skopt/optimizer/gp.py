"""gp_minimize: a Gaussian process learns the objective, and says where to evaluate it next."""

from collections.abc import Callable
from typing import Any

from suffice.compat.skopt.arguments import explained
from suffice.compat.skopt.estimators import model_of
from suffice.compat.skopt.optimizer.base import base_minimize
from suffice.compat.skopt.result import OptimizeResult


@explained
def gp_minimize(
    func: Callable[[list[Any]], Any],
    dimensions: Any,
    base_estimator: Any = None,
    n_calls: int = 100,
    n_random_starts: int | None = None,
    n_initial_points: int = 10,
    initial_point_generator: Any = "random",
    acq_func: str = "gp_hedge",
    acq_optimizer: str = "auto",
    x0: Any = None,
    y0: Any = None,
    random_state: Any = None,
    verbose: bool = False,
    callback: Any = None,
    n_points: int = 10_000,
    n_restarts_optimizer: int = 5,
    xi: float = 0.01,
    kappa: float = 1.96,
    noise: Any = "gaussian",
    n_jobs: int = 1,
    model_queue_size: int | None = None,
    space_constraint: Callable[[Any], Any] | None = None,
) -> OptimizeResult:
    """Find the point where func is smallest, in n_calls evaluations.

    Returns
    -------
    OptimizeResult
        The best point, its value and every evaluation.

    Examples
    --------
    >>> from suffice.compat.skopt import gp_minimize
    >>> def f(point):
    ...     return (point[0] - 2) ** 2
    >>> result = gp_minimize(f, [(-5.0, 5.0)], n_calls=15, random_state=0)
    >>> round(result.x[0], 1)
    2.0
    """
    given = dict(locals())
    variance = given.pop("noise")
    if base_estimator is None:
        given["base_estimator"] = model_of(None, variance)
    return base_minimize(**given)
