"""How many evaluations failed, in a line: for the message of a result and for the log."""

from collections.abc import Sequence

from suffice.study.trial import Trial


def failures(trials: Sequence[Trial]) -> str:
    """Such as "2 of them failed: ValueError: no such rate", with the reason of the last one; "" if none failed."""
    failed = [trial for trial in trials if trial.state == "failed"]
    if not failed:
        return ""
    return f"{len(failed)} of them failed: {failed[-1].reason}"
