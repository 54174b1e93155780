"""Methods of our own experiments: one part exchanged, everything else as it comes.

t  int  step, from 1        d  int  dimension        q  float  how fast the accuracy grows (degraded.py)
"""

from dataclasses import replace
from functools import partial
from typing import Any

from suffice.acquisition import UCB, SqrtLog, Thompson
from suffice.gp import GP, RBF, Matern, Prior
from suffice.lab.plan import Method
from suffice.paper.degraded import Degraded
from suffice.paper.methods import ACQUISITION
from suffice.paper.reference import SciPyLBFGSB
from suffice.paper.restarts import Restarts
from suffice.problems import Problem
from suffice.solvers import SOLVERS, Enough, Fixed, Grid, Growth, Heavy, Linear, Power
from suffice.types import Solver

LARGEST = 10**7  # points of a grid: never reached, 100·30³ is the largest


def exchanged(problem: Problem, **parts: Any) -> dict[str, Any]:  # noqa: ARG001  the same for all
    """These parts, on every problem."""
    return parts


def restarts(method: Any, problem: Problem) -> dict[str, Any]:
    """The paper's restarts, in the problem's own units, on the default surrogate."""
    return {"acquisition": ACQUISITION, "solver": Restarts(method, problem.bounds)}


PAPER_GRID = Grid(near=False)  # as in the paper, which looks at nothing but the grid


def _variant(name: str, label: str, **parts: Any) -> Method:
    return Method(name, label, partial(exchanged, **{"acquisition": ACQUISITION, **parts}))


def _growth(name: str, label: str, size: Growth) -> Method:
    return _variant(name, label, solver=Grid(near=False, size=size))


GROWTHS = (
    _growth("fixed", "100", Fixed(100)),
    _growth("linear", "100 t", Linear(100)),
    _growth("square", "100 t²", Power(100, 2.0, LARGEST)),
    _growth("volume", "100 t^d", Power(100, None, LARGEST)),
)

KERNELS = (
    _variant("rbf", "RBF", model=GP(kernel=RBF()), solver=PAPER_GRID),
    _variant("matern32", "Matérn 3/2", model=GP(kernel=Matern(1.5)), solver=PAPER_GRID),
    _variant("matern52", "Matérn 5/2", model=GP(kernel=Matern(2.5)), solver=PAPER_GRID),
)

NORM = 10.0  # B in standardised outputs: the fitted means have norms of 4 to 7, seldom more than 10
GRID_ETA = 0.95  # η̃: of a grid of 100 t points on a path, in up to three dimensions, η is rarely smaller

THOMPSON = Thompson(SqrtLog())  # with their β, whatever the default is
WIDENED = replace(THOMPSON, B=NORM, eta=GRID_ETA)
THOMPSONS = (
    _variant("ts_grid", "TS, grid", acquisition=THOMPSON, solver=PAPER_GRID),
    _variant("ts_wide_grid", "TS widened, grid", acquisition=WIDENED, solver=PAPER_GRID),
    _variant(
        "ts_joint",
        "TS, joint draw",
        acquisition=replace(THOMPSON, exact=True, points=1000),
        solver=Grid(near=False, size=Fixed(1000)),
    ),
    _variant("ts_enough", "TS, Enough", acquisition=THOMPSON, solver=Enough()),
    _variant("ts_wide_enough", "TS widened, Enough", acquisition=replace(THOMPSON, B=NORM), solver=Enough()),
    _variant("ucb_grid", "UCB, grid", solver=PAPER_GRID),
)

EVERY_SOLVER = (
    *(_variant(name, type(make()).__name__, solver=make()) for name, make in SOLVERS.items() if name != "heavy"),
    _variant("scipy_lbfgsb", "SciPyLBFGSB", solver=SciPyLBFGSB()),
    Method("restarts_lbfgsb", "L-BFGS-B restarts", partial(restarts, "L-BFGS-B")),
    Method("restarts_nm", "NM restarts", partial(restarts, "Nelder-Mead")),
    Method("restarts_cg", "CG restarts", partial(restarts, "CG")),
)

GRID = _variant("grid", "Grid", solver=PAPER_GRID)
ENOUGH = _variant("enough", "Enough", solver=Enough())

# Outputs in their own units and prior mean 0, as the theory has it, so that regret, Σ g_t and Σ w_t can be compared;
# their variance is whatever the objective makes it.
PLAIN = GP(standardize=False, warp=False, prior=Prior(scale=None, scale_bounds=(1e-2, 1e6)))
WIDE = UCB(SqrtLog(2.0))  # with scale 1 the objective leaves μ ± βσ now and then, and with it the bound its reason


def _inexact(name: str, label: str, solver: Solver) -> Method:
    return _variant(name, label, model=PLAIN, acquisition=WIDE, solver=solver)


# Enough stops where its share of w_t is reached, and w_t is large while the variance is being learned.
INEXACT = (
    _inexact("constant", "gap ½", Degraded(0.5, q=0.0, inner=Heavy())),
    _inexact("root", "gap ½ t^(−½)", Degraded(0.5, q=0.5, inner=Heavy())),
    _inexact("inverse", "gap ½ t^(−1)", Degraded(0.5, q=1.0, inner=Heavy())),
    _inexact("exact", "exact", Heavy()),
)
