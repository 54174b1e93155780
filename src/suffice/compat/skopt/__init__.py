"""The names of scikit-optimize, around the optimizer of this library: change the import, and the program runs.

    from suffice.compat.skopt import gp_minimize
    from suffice.compat.skopt.space import Real, Integer, Categorical

What maps onto what, what has no effect and what is refused is in docs/howto/skopt.md.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from suffice import __version__
from suffice.compat.skopt import (
    acquisition,
    benchmarks,
    callbacks,
    learning,
    optimizer,
    plots,
    sampler,
    space,
    utils,
)
from suffice.compat.skopt.optimizer import Optimizer, dummy_minimize, forest_minimize, gbrt_minimize, gp_minimize
from suffice.compat.skopt.result import OptimizeResult, dump, expected_minimum, expected_minimum_random_sampling, load
from suffice.compat.skopt.space import Categorical, Integer, Real, Space

if TYPE_CHECKING:
    from suffice.compat.skopt.searchcv import BayesSearchCV as BayesSearchCV

__all__ = [
    "Categorical",
    "Integer",
    "OptimizeResult",
    "Optimizer",
    "Real",
    "Space",
    "__version__",
    "acquisition",
    "benchmarks",
    "callbacks",
    "dummy_minimize",
    "dump",
    "expected_minimum",
    "expected_minimum_random_sampling",
    "forest_minimize",
    "gbrt_minimize",
    "gp_minimize",
    "learning",
    "load",
    "optimizer",
    "plots",
    "sampler",
    "space",
    "utils",
]


def __getattr__(name: str) -> Any:
    """BayesSearchCV, when it is asked for: it alone needs scikit-learn."""
    if name == "BayesSearchCV":
        return import_module("suffice.compat.skopt.searchcv").BayesSearchCV
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return [*__all__, "BayesSearchCV"]
