"""scikit-optimize's generators of initial points: here they have names instead."""

from suffice.compat.skopt.refusals import refusing

__getattr__ = refusing(
    __name__,
    "Sobol Halton Hammersly Lhs Grid InitialPointGenerator",
    "say initial_point_generator='sobol', 'halton', 'hammersly', 'lhs' or 'grid'; sf.sobol, sf.halton and sf.latin "
    "fill a space with points",
)
