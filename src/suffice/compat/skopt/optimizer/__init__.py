"""The optimizers: by ask and tell, and as functions."""

from suffice.compat.skopt.optimizer.base import base_minimize
from suffice.compat.skopt.optimizer.dummy import dummy_minimize
from suffice.compat.skopt.optimizer.gp import gp_minimize
from suffice.compat.skopt.optimizer.optimizer import Optimizer
from suffice.compat.skopt.optimizer.trees import forest_minimize, gbrt_minimize

__all__ = ["Optimizer", "base_minimize", "dummy_minimize", "forest_minimize", "gbrt_minimize", "gp_minimize"]
