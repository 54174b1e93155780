"""suffice's solver under the names of BoTorch: `from suffice.botorch import optimize_acqf` in place of theirs."""

from suffice.integrations.botorch import optimize_acqf, optimize_acqf_mixed, optimize_acqf_mixed_alternating

__all__ = ["optimize_acqf", "optimize_acqf_mixed", "optimize_acqf_mixed_alternating"]
