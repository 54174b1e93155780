"""Solvers: `solve(alpha, domain, step=…, rng=…)` returns the best point that it found."""

from collections.abc import Callable

from suffice.accuracy.report import Diagnostics
from suffice.solvers.adaptive import Adaptive
from suffice.solvers.grid import Fixed, Grid, Growth, Linear, Power
from suffice.solvers.multistart import CG, LBFGSB, Exhaustive, NelderMead, Polished
from suffice.solvers.region import Region
from suffice.solvers.search.mixed import polish
from suffice.types import Solver

# All of the library, with their defaults; the contract is tested with each, and files may name their classes.
SOLVERS: dict[str, Callable[[], Solver]] = {
    "enough": Adaptive,
    "grid": Grid,
    "lbfgsb": LBFGSB,
    "nelder_mead": NelderMead,
    "cg": CG,
    "polished": Polished,
    "region": Region,
    "heavy": Exhaustive,
}

__all__ = [
    "CG",
    "LBFGSB",
    "SOLVERS",
    "Adaptive",
    "Diagnostics",
    "Exhaustive",
    "Fixed",
    "Grid",
    "Growth",
    "Linear",
    "NelderMead",
    "Polished",
    "Power",
    "Region",
    "polish",
]
