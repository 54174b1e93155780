"""Every rule of the registry keeps the contract."""

import pytest

from suffice.candidates import CANDIDATES, Local
from suffice.testing import CandidatesContract


class TestCandidates(CandidatesContract):
    @pytest.fixture(params=CANDIDATES)
    def candidates(self, request):
        return CANDIDATES[request.param]

    @pytest.fixture
    def everywhere(self, candidates):
        return not isinstance(candidates, Local)
