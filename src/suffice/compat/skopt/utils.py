"""The module that scikit-optimize calls `utils`: what it holds lives elsewhere here, in files named after it."""

from typing import Any, NoReturn

from suffice.compat.skopt.arguments import REGRESSOR
from suffice.compat.skopt.optimizer.minimize import eval_callbacks
from suffice.compat.skopt.optimizer.optimizer import check_x_in_space, is_2d_listlike, is_listlike
from suffice.compat.skopt.points import (
    dimensions_aslist,
    point_asdict,
    point_aslist,
    use_named_args,
)
from suffice.compat.skopt.result import (
    OptimizeResult,
    create_result,
    dump,
    expected_minimum,
    expected_minimum_random_sampling,
    load,
)
from suffice.compat.skopt.sampler import cook_initial_point_generator
from suffice.compat.skopt.space import Space

__all__ = [
    "OptimizeResult",
    "check_x_in_space",
    "cook_estimator",
    "cook_initial_point_generator",
    "create_result",
    "dimensions_aslist",
    "dump",
    "eval_callbacks",
    "expected_minimum",
    "expected_minimum_random_sampling",
    "is_2Dlistlike",
    "is_listlike",
    "load",
    "normalize_dimensions",
    "point_asdict",
    "point_aslist",
    "use_named_args",
]

is_2Dlistlike = is_2d_listlike  # noqa: N816


def normalize_dimensions(dimensions: Any) -> Space:
    """The space of these dimensions with the transform that a model gets; the dimensions stay as they are."""
    return Space(dimensions).normalized()


def cook_estimator(base_estimator: Any, space: Any = None, **kwargs: Any) -> NoReturn:
    """Not here: the model is no regressor of scikit-learn."""
    raise NotImplementedError(f"cook_estimator: {REGRESSOR}")
