"""How many evaluations failed, in a line: for the message of a result and for the log."""

from collections.abc import Sequence

from suffice.study.trial import Trial

LONGEST = 200  # letters of a reason: a line of the log is to be read


def failures(trials: Sequence[Trial]) -> str:
    """Such as "2 of them failed: ValueError: no such rate", with the reason of the last one; "" if none failed."""
    failed = [trial for trial in trials if trial.state == "failed"]
    if not failed:
        return ""
    lines = (failed[-1].reason or "").strip().splitlines()
    calls = [i for i, line in enumerate(lines) if line.startswith(" ")]  # of a traceback; the exception follows them
    reason = " ".join(lines[max(calls, default=-1) + 1 :])
    reason = reason if len(reason) <= LONGEST else reason[: LONGEST - 3] + "..."
    return f"{len(failed)} of them failed: {reason}"
