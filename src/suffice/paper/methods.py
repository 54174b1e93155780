"""The paper's experiments: the authors' surrogate, their four solvers, and ours on the same footing.

Faithful to the authors' code where it differs from their text: Matérn 3/2, one length-scale in the problem's own units
fitted from 1 at every step, prior mean 0 (the optimum, since outputs are shifted by it) and variance 1, noise 1e-4, and
local solvers with SciPy's absolute tolerances. One thing is ours: the grids are independent from run to run, as the
theory needs; the authors seeded them with t alone, so that every run saw the same ones.
"""

from functools import partial
from typing import Any

from suffice.acquisition import UCB, SqrtLog
from suffice.gp import GP, Matern, Prior, Refit
from suffice.lab.plan import Method
from suffice.problems import Problem
from suffice.solvers import Enough, Fixed, Grid
from suffice.solvers.restarts import Restarts
from suffice.types import Solver

ACQUISITION = UCB(SqrtLog())  # with their β, whatever the default is
FLAT = Prior(
    lengthscale=None,
    scale=None,
    tau=None,
    warp=None,
    lengthscale_bounds=(1e-5, 1e5),
    scale_bounds=(1.0, 1.0),
)


def surrogate(problem: Problem) -> GP:
    """The authors' Gaussian process."""
    return GP(
        kernel=Matern(1.5),
        ard=False,
        noise=1e-4,
        warp=False,
        standardize=False,
        sides=tuple(high - low for low, high in problem.bounds),
        prior=FLAT,
        refit=Refit(growth=0.0, memory=False),
    )


def on_surrogate(solver: Solver, problem: Problem) -> dict[str, Any]:
    """A solver on the authors' surrogate, with their β; points may repeat, as theirs did."""
    return {"model": surrogate(problem), "acquisition": ACQUISITION, "solver": solver, "repeat": True}


def restarts(method: Any, problem: Problem) -> dict[str, Any]:
    """Ten restarts of a SciPy minimizer in the problem's own units."""
    return on_surrogate(Restarts(method, problem.bounds), problem)


def defaults(problem: Problem) -> dict[str, Any]:  # noqa: ARG001  a user's choice: none
    """Everything as it comes."""
    return {}


UNIFORM = Method("uniform", "Uniform", partial(on_surrogate, Grid()))
UNIFORM_FIXED = Method("uniform_fixed", "Uniform, 100 points", partial(on_surrogate, Grid(size=Fixed(100))))
L_BFGS_B = Method("lbfgsb", "L-BFGS-B", partial(restarts, "L-BFGS-B"))
NELDER_MEAD = Method("nelder_mead", "NM", partial(restarts, "Nelder-Mead"))
CONJUGATE = Method("cg", "CG", partial(restarts, "CG"))
ENOUGH = Method("enough", "Enough", partial(on_surrogate, Enough()))
UNSHIFTED = Method("uniform_plain", "Uniform, f* unknown", partial(on_surrogate, Grid()), shifted=False)
RANDOM = Method("random", "Random search", partial(on_surrogate, Grid(size=Fixed(1))))
SUFFICE = Method("suffice", "suffice", defaults, native=True)

AUTHORS = (UNIFORM, L_BFGS_B, NELDER_MEAD, CONJUGATE)
