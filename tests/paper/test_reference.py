"""SciPy's L-BFGS-B as a solver keeps the promises of the library's own."""

import pytest

from suffice.paper.restarts import SciPyLBFGSB
from suffice.testing import SolverContract


class TestSciPyLBFGSB(SolverContract):
    @pytest.fixture
    def solver(self):
        return SciPyLBFGSB()
