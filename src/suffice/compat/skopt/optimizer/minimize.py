"""The loop of gp_minimize and dummy_minimize: the points that were given, the initial ones, then the model's."""

import numbers
import warnings
from collections.abc import Callable, Iterable
from typing import Any, NoReturn

from suffice.compat.skopt.arguments import TREES, explained, model_of
from suffice.compat.skopt.callbacks import VerboseCallback, check_callback
from suffice.compat.skopt.optimizer.optimizer import Optimizer, check_x_in_space
from suffice.compat.skopt.result import OptimizeResult


def base_minimize(
    func: Callable[[list[Any]], Any],
    dimensions: Any,
    base_estimator: Any,
    n_calls: int = 100,
    n_random_starts: int | None = None,
    n_initial_points: int = 10,
    initial_point_generator: Any = "random",
    acq_func: str = "EI",
    acq_optimizer: str = "lbfgs",
    x0: Any = None,
    y0: Any = None,
    random_state: Any = None,
    verbose: bool = False,
    callback: Any = None,
    n_points: int = 10_000,
    n_restarts_optimizer: int = 5,
    xi: float = 0.01,
    kappa: float = 1.96,
    n_jobs: int = 1,
    model_queue_size: int | None = None,
    space_constraint: Callable[[Any], Any] | None = None,
) -> OptimizeResult:
    """Evaluate func n_calls times, at x0 first where y0 is not given, and return the result.

    The arguments are those of `gp_minimize`; the model is `base_estimator`.
    """
    specs = {"args": dict(locals()), "function": "base_minimize"}
    points = _as_points(x0)
    if n_random_starts is not None:
        warnings.warn("n_random_starts is called n_initial_points now", DeprecationWarning, stacklevel=2)
        n_initial_points = n_random_starts
    if n_initial_points <= 0 and not points:
        raise ValueError("there is nothing to begin with: give n_initial_points above 0, or x0")
    values = _as_values(y0, points)
    given = 0 if values else len(points)
    _check_calls(n_calls, n_initial_points, given)
    optimizer = Optimizer(
        dimensions,
        base_estimator,
        n_initial_points=n_initial_points + len(points),
        initial_point_generator=initial_point_generator,
        n_jobs=n_jobs,
        acq_func=acq_func,
        acq_optimizer=acq_optimizer,
        random_state=random_state,
        model_queue_size=model_queue_size,
        space_constraint=space_constraint,
        acq_optimizer_kwargs={"n_points": n_points, "n_restarts_optimizer": n_restarts_optimizer, "n_jobs": n_jobs},
        acq_func_kwargs={"xi": xi, "kappa": kappa},
    )
    optimizer.specs = specs
    callbacks = check_callback(callback)
    if verbose:
        callbacks = [*callbacks, VerboseCallback(n_calls, n_init=given, n_random=n_initial_points)]
    return _run(optimizer, func, n_calls, points, values, callbacks)


def _run(
    optimizer: Optimizer,
    func: Callable[[list[Any]], Any],
    n_calls: int,
    points: list[Any],
    values: list[Any] | None,
    callbacks: list[Any],
) -> OptimizeResult:
    wrong = [point for point in points if len(point) != optimizer.space.n_dims]
    if wrong:
        raise RuntimeError(f"the points of x0 must have {optimizer.space.n_dims} values: got {wrong[0]!r}")
    result: Any = None
    if points:
        if values is None:
            check_x_in_space(points, optimizer.space)
            values = [func(point) for point in points]
            n_calls -= len(points)
        result = optimizer.tell(points, values)
        if eval_callbacks(callbacks, result):
            return result  # type: ignore[no-any-return]
    for _ in range(n_calls):
        x = optimizer.ask()
        result = optimizer.tell(x, func(x))
        if eval_callbacks(callbacks, result):
            break
    return result  # type: ignore[no-any-return]


def _check_calls(n_calls: int, n_initial_points: int, given: int) -> None:
    needed = n_initial_points + given
    if n_calls < needed:
        raise ValueError(
            f"n_calls must be at least {needed}, for {n_initial_points} initial points and {given} of x0: got {n_calls}"
        )


def eval_callbacks(callbacks: list[Any] | None, result: OptimizeResult) -> bool:
    """Call all of them with the result so far: whether any said that it is enough."""
    decisions = [callback(result) for callback in callbacks or []]
    return any(bool(decision) for decision in decisions if decision is not None)


def _as_points(x0: Any) -> list[Any]:
    """A list of points, from one point or a list of them."""
    if x0 is None or (isinstance(x0, list | tuple) and not x0):
        return []
    several = x0 if isinstance(x0[0], list | tuple) else [x0]
    if not isinstance(several, list):
        raise ValueError(f"x0 must be a point or a list of points: got {type(x0).__name__}")
    return several


def _as_values(y0: Any, points: list[Any]) -> list[Any] | None:
    """A value for each of the points; None where they are to be evaluated."""
    if y0 is None:
        return None
    if not isinstance(y0, Iterable | numbers.Number):
        raise ValueError(f"y0 must be a number or a list of numbers: got {y0!r}")
    values = list(y0) if isinstance(y0, Iterable) else [y0]
    if points and len(values) != len(points):
        raise ValueError(f"x0 and y0 must have the same length: got {len(points)} points and {len(values)} values")
    return values


#| -- compat.skopt.optimizer.dummy: dummy_minimize: random search, to compare with.


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


#| -- compat.skopt.optimizer.gp: gp_minimize: a Gaussian process learns the objective, and says where to evaluate it
#| next.


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


#| -- compat.skopt.optimizer.trees: forest_minimize and gbrt_minimize: refused, with what to take instead.


def forest_minimize(*args: Any, **kwargs: Any) -> NoReturn:
    """Refuse, since there are no trees here: take gp_minimize, with the same arguments but for base_estimator.

    Parameters
    ----------
    *args, **kwargs : object
        Whatever it is, NotImplementedError is raised.
    """
    raise NotImplementedError(f"forest_minimize: {TREES}")


def gbrt_minimize(*args: Any, **kwargs: Any) -> NoReturn:
    """Refuse, since there are no trees here: take gp_minimize, with the same arguments but for base_estimator.

    Parameters
    ----------
    *args, **kwargs : object
        Whatever it is, NotImplementedError is raised.
    """
    raise NotImplementedError(f"gbrt_minimize: {TREES}")
