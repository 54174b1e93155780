"""What the limits of a run did: that no point satisfies them all, or that one of them never mattered.

margin  (n,)  how far each value of a limited output is inside its limit, in its units; negative beyond it
spread  float the largest − the smallest of these values
"""

from collections.abc import Iterator

import numpy as np

from suffice.errors import SufficeError
from suffice.markup import visible
from suffice.study.finding import Finding
from suffice.study.history import History
from suffice.study.reading.feasibility import feasibility, satisfied

FEWEST = 10  # values from which one can tell that a limit is far away everywhere


def infeasible(history: History, prove: bool = False) -> Iterator[Finding]:
    """That no trial is within all limits; prove: whether the models hold one possible, which takes fits."""
    if not history.settings.constraints or history.feasible or not history.done:
        return
    said, impossible = _counted(history), False
    if prove:
        try:
            found = feasibility(history)
        except (SufficeError, TypeError):  # a model that the file could only describe
            pass
        else:
            said, impossible = str(found), found.impossible
    relax = "elax the limit that is satisfied the least often, or widen the space."
    where = "" if prove else "; result.check() says whether the models hold one possible"
    remedy = f"R{relax}" if impossible else f"More evaluations look for such a point first{where}. Else r{relax}"
    yield Finding("infeasible", said, remedy, "warning")


def _counted(history: History) -> str:
    counts = ", ".join(f"{visible(name)} in {n}" for name, n in satisfied(history).items())
    return f"None of the {len(history.done)} evaluated points is within all limits ({counts})."


def idle(history: History) -> Iterator[Finding]:
    """Limits that were never near."""
    for name, limit in history.settings.constraints.items():
        y = history.observations(name).y / 2  # larger is better, and the largest of floats have a finite spread
        if len(y) < FEWEST:
            continue
        margin = float(y.min()) - limit.sign * limit.limit / 2
        if margin >= 0.0 and margin >= float(np.ptp(y)):
            yield Finding(
                "limit",
                f"The limit of {visible(name)}, {limit}, is far away: all {len(y)} values are inside it, by more than "
                "they differ from each other.",
                "If that is true of the whole space, leave the constraint out, and the runs decide faster.",
            )
