"""The optimizers: by ask and tell, and as functions."""

from suffice.compat.skopt.optimizer.minimize import (
    base_minimize,
    dummy_minimize,
    forest_minimize,
    gbrt_minimize,
    gp_minimize,
)
from suffice.compat.skopt.optimizer.optimizer import Optimizer

__all__ = ["Optimizer", "base_minimize", "dummy_minimize", "forest_minimize", "gbrt_minimize", "gp_minimize"]
