"""Every solver of the registry keeps the contract."""

import pytest

from suffice.solvers import SOLVERS, Polished, Region
from suffice.testing import SolverContract


class TestSolvers(SolverContract):
    @pytest.fixture(params=SOLVERS)
    def solver(self, request):
        return SOLVERS[request.param]()

    @pytest.fixture
    def records(self, solver):
        return 2 if isinstance(solver, Polished | Region) else 1
