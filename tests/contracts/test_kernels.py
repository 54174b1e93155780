"""Every kernel of the registry keeps the contract."""

import pytest

from suffice.gp import KERNELS
from suffice.testing import KernelContract


class TestKernels(KernelContract):
    @pytest.fixture(params=KERNELS)
    def kernel(self, request):
        return KERNELS[request.param]()
