"""Solvers: `solve(alpha, domain, step=…, rng=…)` gives the best point of a frozen acquisition function it saw."""

from collections.abc import Callable

from suffice.solvers.grid import Grid
from suffice.solvers.growth import Fixed, Growth, Linear, Power
from suffice.solvers.local import CG, LBFGSB, NelderMead, SciPyLBFGSB
from suffice.solvers.polish import distinct_maxima, polish
from suffice.solvers.polished import Polished
from suffice.types import Solver

SOLVERS: dict[str, Callable[[], Solver]] = {
    "grid": Grid,
    "lbfgsb": LBFGSB,
    "nelder_mead": NelderMead,
    "cg": CG,
    "scipy_lbfgsb": SciPyLBFGSB,
    "polished": Polished,
}

__all__ = [
    "CG",
    "LBFGSB",
    "SOLVERS",
    "Fixed",
    "Grid",
    "Growth",
    "Linear",
    "NelderMead",
    "Polished",
    "Power",
    "SciPyLBFGSB",
    "distinct_maxima",
    "polish",
]
