"""The names of scikit-optimize, around the optimizer of this library: change the import, and the program runs.

    from suffice.compat.skopt import gp_minimize
    from suffice.compat.skopt.space import Real, Integer, Categorical

What maps onto what, what has no effect and what is refused is in docs/howto/skopt.md.
"""

import sys
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Any

from suffice import __version__
from suffice.compat.skopt import benchmarks, callbacks, optimizer, plots, sampler, space, utils
from suffice.compat.skopt.optimizer import Optimizer, dummy_minimize, forest_minimize, gbrt_minimize, gp_minimize
from suffice.compat.skopt.space import Categorical, Integer, Real, Space
from suffice.compat.skopt.utils import (
    REGRESSOR,
    OptimizeResult,
    dump,
    expected_minimum,
    expected_minimum_random_sampling,
    load,
)

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


class Absent(ModuleType):
    """A module of scikit-optimize that is not here: a name that is imported from it says why, and what to take."""

    def __init__(self, word: str, names: str, reason: str) -> None:
        super().__init__(f"{__name__}.{word}")
        self.names, self.reason = names.split(), reason
        sys.modules[self.__name__] = self  # where an import statement looks

    def __getattr__(self, name: str) -> Any:
        if name in self.names:
            raise ImportError(f"{self.__name__}.{name} is not available: {self.reason}", name=self.__name__)
        raise AttributeError(f"module {self.__name__!r} has no attribute {name!r}")


acquisition = Absent(
    "acquisition",
    "gaussian_acquisition_1D gaussian_ei gaussian_lcb gaussian_mes gaussian_pi gaussian_pvrs _gaussian_acquisition",
    "an acquisition rates points together with its model, and is selected by acq_func='EI', 'LCB', 'PI' or 'MES'; the "
    "model's prediction and standard deviation are result.models[-1].predict(X, return_std=True)",
)
learning = Absent(
    "learning",
    "GaussianProcessRegressor RandomForestRegressor ExtraTreesRegressor GradientBoostingQuantileRegressor "
    "gaussian_process forest gbrt",
    REGRESSOR,
)


def __getattr__(name: str) -> Any:
    """BayesSearchCV, when it is asked for: it alone needs scikit-learn."""
    if name == "BayesSearchCV":
        return import_module("suffice.compat.skopt.searchcv").BayesSearchCV
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return [*__all__, "BayesSearchCV"]
