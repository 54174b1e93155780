"""Every solver of the registry keeps the contract."""

import pickle
from dataclasses import FrozenInstanceError, fields

import pytest

from suffice.solvers import SOLVERS, Polished
from suffice.testing import SolverContract


class TestSolvers(SolverContract):
    @pytest.fixture(params=SOLVERS)
    def solver(self, request):
        return SOLVERS[request.param]()

    @pytest.fixture
    def records(self, solver):
        return 2 if isinstance(solver, Polished) else 1

    def test_the_solver_is_a_value(self, solver):
        assert pickle.loads(pickle.dumps(solver)) == solver
        with pytest.raises(FrozenInstanceError):
            setattr(solver, fields(solver)[0].name, None)
