"""Every solver of the registry keeps the contract, and so do those of the paper."""

import pytest

from suffice.paper.solvers import Restarts, SciPyLBFGSB
from suffice.solvers import SOLVERS, Polished, Region
from suffice.testing import SolverContract


class TestSolvers(SolverContract):
    @pytest.fixture(params=[*SOLVERS.values(), SciPyLBFGSB], ids=[*SOLVERS, "scipy_lbfgsb"])
    def solver(self, request):
        return request.param()

    @pytest.fixture
    def records(self, solver):
        return 2 if isinstance(solver, Polished | Region) else 1


class TestRestarts(SolverContract):
    @pytest.fixture(params=["L-BFGS-B", "Nelder-Mead", "CG"])
    def solver(self, request):
        return Restarts(request.param, tol=1e-7)

    test_the_units_of_the_score_do_not_matter = None  # they do: SciPy's tolerances are absolute
    test_a_point_without_a_value_is_never_chosen = None  # a run that meets one ends there, as in SciPy
