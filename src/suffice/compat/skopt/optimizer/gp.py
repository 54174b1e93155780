"""gp_minimize: a Gaussian process learns the objective, and says where to evaluate it next."""

from collections.abc import Callable
from typing import Any

from suffice.compat.skopt.estimators import model_of
from suffice.compat.skopt.optimizer.base import base_minimize
from suffice.compat.skopt.result import OptimizeResult


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

    func                       the objective: it takes a list with a value for each dimension, and returns a number
    dimensions                 the search space: Real, Integer, Categorical, or what stands for them
    base_estimator             None for a Gaussian process, or a model of this library such as sf.GP(kernel=sf.RBF())
    n_calls                    evaluations, those of x0 and of the initial points included
    n_initial_points           points before the first of the model's, beside those of x0
    initial_point_generator    "random", "sobol", "halton", "hammersly", "lhs" or "grid"
    acq_func                   "gp_hedge" (this library's default rule), "EI", "LCB", "PI" or "MES"
    x0, y0                     a point or a list of points to begin with, and their values where they are known, which
                               are not evaluated then and do not count among n_calls
    random_state               a whole number or RandomState that makes the run repeatable
    verbose                    whether to print what happens
    callback                   a function of the result so far, or a list of them: one that returns True ends the run
    xi                         the least improvement that counts for "EI" and "PI", in deviations of the values
    kappa                      how many deviations "LCB" looks below the prediction
    noise                      "gaussian": fitted; or the variance of the noise, in the objective's units
    model_queue_size           how many of the result's models are kept; None: all
    space_constraint           a function of a point that says whether it may be evaluated

    acq_optimizer, n_points, n_restarts_optimizer and n_jobs have no effect: the search for the next point ends when it
    is exact enough.
    """
    given = dict(locals())
    variance = given.pop("noise")
    if base_estimator is None:
        given["base_estimator"] = model_of(None, variance)
    return base_minimize(**given)
