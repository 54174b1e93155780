"""suffice's solver with the functions of BoTorch's optimizers: `suffice.botorch`."""

from importlib.util import find_spec

from suffice.errors import MissingExtra

if find_spec("botorch") is None:
    raise MissingExtra("", "botorch", "suffice.botorch")

from suffice.integrations.botorch.optimize import (
    everywhere,
    optimize_acqf,
    optimize_acqf_mixed,
    optimize_acqf_mixed_alternating,
)

__all__ = ["everywhere", "optimize_acqf", "optimize_acqf_mixed", "optimize_acqf_mixed_alternating"]
