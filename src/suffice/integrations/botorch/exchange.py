"""suffice's solver inside libraries that call BoTorch's solver, such as Ax and BayBE."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

from botorch.optim import optimize_acqf as theirs
from botorch.optim.optimize import optimize_acqf_mixed as theirs_mixed
from botorch.optim.optimize_mixed import optimize_acqf_mixed_alternating as theirs_alternating

from suffice.accuracy.report import SolveReport
from suffice.integrations.botorch.optimize import optimize_acqf, optimize_acqf_mixed, optimize_acqf_mixed_alternating

EXCHANGED: tuple[tuple[str, Any, Any], ...] = (
    ("optimize_acqf", theirs, optimize_acqf),
    ("optimize_acqf_mixed", theirs_mixed, optimize_acqf_mixed),
    ("optimize_acqf_mixed_alternating", theirs_alternating, optimize_acqf_mixed_alternating),
)


@contextmanager
def everywhere() -> Iterator[list[SolveReport]]:
    """Inside this context, every library that calls BoTorch's optimize_acqf calls suffice's instead.

    It replaces the function in all imported modules and restores it afterwards. Unsupported arguments, such as equality
    constraints, raise an error.

    Yields
    ------
    list of SolveReport
        One for each solve, in order.
    """
    reports: list[SolveReport] = []
    changed = []
    ours = [(word, before, partial(after, reports=reports)) for word, before, after in EXCHANGED]
    for module in list(sys.modules.values()):
        for word, before, after in ours:
            if getattr(module, "__dict__", {}).get(word) is before:
                setattr(module, word, after)
                changed.append((module, word, before))
    try:
        yield reports
    finally:
        for module, word, before in changed:
            setattr(module, word, before)
