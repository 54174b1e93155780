"""What every part promises, as pytest classes: for the parts of this library and for those of others.

class TestMySolver(SolverContract):
    @pytest.fixture
    def solver(self):
        return MySolver()

The fixture of an `AcquisitionContract` is `acquisition`, of a `KernelContract` `kernel`, of a `CandidatesContract`
`candidates`, and of a `DomainContract` `domain`. The scores with known answers are here for the tests that a part has
besides.
"""

import pytest

# A broken promise then shows the values that were compared, as in a test file; it has to be said before the imports.
pytest.register_assert_rewrite(
    *(f"{__name__}.{module}" for module in ("acquisitions", "candidates", "domains", "kernels", "solvers", "values"))
)

from suffice.testing.acquisitions import AcquisitionContract  # noqa: E402
from suffice.testing.candidates import CandidatesContract  # noqa: E402
from suffice.testing.domains import DomainContract  # noqa: E402
from suffice.testing.fakes import Counted, HalfKnown, Peak, ValuesOnly, peak_in  # noqa: E402
from suffice.testing.kernels import KernelContract  # noqa: E402
from suffice.testing.solvers import SolverContract, solve  # noqa: E402

__all__ = [
    "AcquisitionContract",
    "CandidatesContract",
    "Counted",
    "DomainContract",
    "HalfKnown",
    "KernelContract",
    "Peak",
    "SolverContract",
    "ValuesOnly",
    "peak_in",
    "solve",
]
