"""Solvers: `solve(alpha, domain, step=…, rng=…)` gives the best point of a frozen acquisition function it saw."""

from collections.abc import Callable

from suffice.solvers.enough import Enough
from suffice.solvers.grid import (
    Fixed,
    Grid,
    Growth,
    Linear,
    Power,
)
from suffice.solvers.multistart import CG, LBFGSB, Heavy, NelderMead, Polished
from suffice.solvers.region import Region
from suffice.solvers.search.mixed import polish
from suffice.types import Solver

SOLVERS: dict[str, Callable[[], Solver]] = {
    "enough": Enough,
    "grid": Grid,
    "lbfgsb": LBFGSB,
    "nelder_mead": NelderMead,
    "cg": CG,
    "polished": Polished,
    "region": Region,
    "heavy": Heavy,
}

__all__ = [
    "CG",
    "LBFGSB",
    "SOLVERS",
    "Enough",
    "Fixed",
    "Grid",
    "Growth",
    "Heavy",
    "Linear",
    "NelderMead",
    "Polished",
    "Power",
    "Region",
    "polish",
]
