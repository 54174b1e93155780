"""What a pruned trial would have come to, by the trials that went on: as for trials that this library stops early.

Its best intermediate value, plus what completed trials gained on average from that step on, with the variance of such a
gain (suffice/study/early/outlook.py). Only trials count that were complete when it was pruned: so what it teaches never
changes, whoever reads the study and whenever.
"""

from bisect import bisect_right
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from suffice.study.early.curves import best
from suffice.study.early.outlook import Outlook

if TYPE_CHECKING:
    from suffice.integrations.optuna.lessons import Read


def outlooks(reads: Sequence["Read"]) -> dict[int, Outlook]:
    """By number, for pruned trials of one objective, larger being better; not for those with too few before them."""
    complete = [read for read in reads if read.values is not None and read.feasible and read.ended and read.curve.steps]
    complete.sort(key=_ended)
    times = [_ended(read) for read in complete]
    found: dict[int, Outlook] = {}
    for read in reads:
        if read.last is None or not read.ended or read.limited:
            continue
        count = bisect_right(times, _ended(read))
        if count not in read.memo:
            read.memo.clear()  # a trial came late into this storage
            read.memo[count] = _outlook(read, complete[:count])
        outlook = read.memo[count]
        if outlook is not None:
            found[read.number] = outlook
    return found


def _outlook(read: "Read", before: Sequence["Read"]) -> Outlook | None:
    step = read.curve.steps[-1]
    pairs = [(best(upto), other.curve.final) for other in before if (upto := other.curve.upto(step))]
    known = np.array([pair for pair in pairs if np.isfinite(pair[0])], dtype=float).reshape(-1, 2)
    return Outlook.of(best(read.curve.values), known[:, 0], known[:, 1])


def _ended(read: "Read") -> Any:
    return read.ended
