"""suffice's solver under the names of BoTorch: `from suffice.botorch import optimize_acqf` in place of theirs."""

from suffice.integrations.botorch import everywhere, optimize_acqf, optimize_acqf_mixed, optimize_acqf_mixed_alternating

__all__ = ["everywhere", "optimize_acqf", "optimize_acqf_mixed", "optimize_acqf_mixed_alternating"]
