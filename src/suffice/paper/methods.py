"""The methods of the paper's experiments: the authors' four solvers on their surrogate, and ours on the same footing.

Faithful to the authors' code where it differs from their text: their local solvers have SciPy's absolute tolerances.
One thing is ours: the grids are independent from run to run, as the theory needs; the authors seeded them with t alone,
so that every run saw the same ones.
"""

from functools import partial
from typing import Any

from suffice.acquisition import UCB, SqrtLog
from suffice.lab.plan import Method
from suffice.paper.restarts import Restarts
from suffice.paper.surrogate import surrogate
from suffice.problems import Problem
from suffice.solvers import Enough, Fixed, Grid
from suffice.types import Solver

ACQUISITION = UCB(SqrtLog())  # with their β, whatever the default is


def on_surrogate(solver: Solver, problem: Problem) -> dict[str, Any]:
    """A solver on the authors' surrogate, with their β; points may repeat, as theirs did."""
    return {"model": surrogate(problem), "acquisition": ACQUISITION, "solver": solver, "repeat": True}


def restarts(method: Any, problem: Problem) -> dict[str, Any]:
    """Ten restarts of a SciPy minimizer in the problem's own units."""
    return on_surrogate(Restarts(method, problem.bounds), problem)


def for_regret(problem: Problem) -> dict[str, Any]:  # noqa: ARG001  the same for all
    """Everything as it comes with aim="regret", since regret is what the paper measures."""
    return {"acquisition": UCB()}


UNIFORM = Method("uniform", "Uniform", partial(on_surrogate, Grid(near=False)))
UNIFORM_FIXED = Method("uniform_fixed", "Uniform, 100 points", partial(on_surrogate, Grid(near=False, size=Fixed(100))))
L_BFGS_B = Method("lbfgsb", "L-BFGS-B", partial(restarts, "L-BFGS-B"))
NELDER_MEAD = Method("nelder_mead", "NM", partial(restarts, "Nelder-Mead"))
CONJUGATE = Method("cg", "CG", partial(restarts, "CG"))
ENOUGH = Method("enough", "Enough", partial(on_surrogate, Enough()))
UNSHIFTED = Method("uniform_plain", "Uniform, f* unknown", partial(on_surrogate, Grid(near=False)), shifted=False)
RANDOM = Method("random", "Random search", partial(on_surrogate, Grid(near=False, size=Fixed(1))))
SUFFICE = Method("suffice", "suffice", for_regret, native=True)

AUTHORS = (UNIFORM, L_BFGS_B, NELDER_MEAD, CONJUGATE)
