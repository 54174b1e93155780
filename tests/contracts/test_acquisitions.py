"""Every acquisition of the registry keeps the contract."""

import pytest

from suffice.acquisition import ACQUISITIONS
from suffice.testing import AcquisitionContract


class TestAcquisitions(AcquisitionContract):
    @pytest.fixture(params=ACQUISITIONS)
    def acquisition(self, request):
        return ACQUISITIONS[request.param]()
