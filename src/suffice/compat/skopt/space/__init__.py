"""Real, Integer and Categorical, and the space that they span."""

from suffice.compat.skopt.space.space import Categorical, Dimension, Integer, Real, Space, check_dimension

__all__ = ["Categorical", "Dimension", "Integer", "Real", "Space", "check_dimension"]
