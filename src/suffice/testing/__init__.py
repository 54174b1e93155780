"""What every part promises, as pytest classes: for the parts of this library and for those of others.

class TestMySolver(SolverContract):
    @pytest.fixture
    def solver(self):
        return MySolver()

The fixture of an `AcquisitionContract`, and of a `FrontAcquisitionContract` for several objectives, is `acquisition`,
of a `KernelContract` `kernel`, of a `CandidatesContract` `candidates`, of a `DomainContract` `domain`, of an
`OwnSpaceContract` `space`, and of an `OwnKernelContract` `kernel` and `space`. The scores with known answers are here
for the tests that a part has besides.
"""

import pytest

# A failing contract then shows the values that were compared, as in a test file. This has to come before the imports.
for _module in ("acquisitions", "candidates", "domains", "fakes", "kernels", "solvers"):
    pytest.register_assert_rewrite(f"{__name__}.{_module}")

from suffice.testing.acquisitions import AcquisitionContract, FrontAcquisitionContract  # noqa: E402
from suffice.testing.domains import CandidatesContract, DomainContract, OwnKernelContract, OwnSpaceContract  # noqa: E402
from suffice.testing.fakes import Counted, HalfKnown, Peak, ValuesOnly, peak_in  # noqa: E402
from suffice.testing.kernels import KernelContract  # noqa: E402
from suffice.testing.solvers import SolverContract, solve  # noqa: E402

__all__ = [
    "AcquisitionContract",
    "CandidatesContract",
    "Counted",
    "DomainContract",
    "FrontAcquisitionContract",
    "HalfKnown",
    "KernelContract",
    "OwnKernelContract",
    "OwnSpaceContract",
    "Peak",
    "SolverContract",
    "ValuesOnly",
    "peak_in",
    "solve",
]
