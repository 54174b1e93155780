"""dummy_minimize: random search, to compare with."""

from collections.abc import Callable
from typing import Any

from suffice.compat.skopt.arguments import explained
from suffice.compat.skopt.optimizer.base import base_minimize
from suffice.compat.skopt.result import OptimizeResult


@explained
def dummy_minimize(
    func: Callable[[list[Any]], Any],
    dimensions: Any,
    n_calls: int = 100,
    initial_point_generator: Any = "random",
    x0: Any = None,
    y0: Any = None,
    random_state: Any = None,
    verbose: bool = False,
    callback: Any = None,
    model_queue_size: int | None = None,
    init_point_gen_kwargs: Any = None,
    space_constraint: Callable[[Any], Any] | None = None,
) -> OptimizeResult:
    """Evaluate func at n_calls random points, those of x0 included, and return the result.

    Returns
    -------
    OptimizeResult
        The best point, its value and every evaluation.
    """
    del init_point_gen_kwargs
    given = 0 if x0 is None or y0 is not None else len(x0) if isinstance(x0[0], list | tuple) else 1
    return base_minimize(
        func,
        dimensions,
        base_estimator="dummy",
        acq_optimizer="sampling",
        n_calls=n_calls,
        n_initial_points=n_calls - given,
        initial_point_generator=initial_point_generator,
        x0=x0,
        y0=y0,
        random_state=random_state,
        verbose=verbose,
        callback=callback,
        model_queue_size=model_queue_size,
        space_constraint=space_constraint,
    )
