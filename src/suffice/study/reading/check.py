"""Everything that is worth a remedy in a run, under one roof.

What the record alone tells is printed with a result (`stated`). What needs the model of all values, which takes a fit,
and what is true of many short runs, is for those who ask (`check`): everything that is printed is in it.
"""

from suffice.accuracy.series import Accuracy
from suffice.study.coverage import coverage
from suffice.study.failures import where_it_fails
from suffice.study.finding import Finding, Findings
from suffice.study.history import History
from suffice.study.reading.fitness import judged
from suffice.study.reading.limits import idle, infeasible
from suffice.study.reading.values import budget, constant, failed, far_off
from suffice.study.remedies import remedies, surprised


def stated(history: History, accuracy: Accuracy) -> Findings:
    """What the record alone tells, in the order in which it is printed."""
    return Findings((*infeasible(history), *_told(history, accuracy)))


def check(history: History, accuracy: Accuracy) -> Findings:
    """All findings, warnings first."""
    found: tuple[Finding, ...] = (
        *failed(history),
        *infeasible(history, prove=True),
        *_told(history, accuracy),
        *idle(history),
        *far_off(history),
        *judged(history, surprised(accuracy)),
        *budget(history),
    )
    return Findings(sorted(found, key=lambda finding: finding.severity != "warning"))


def _told(history: History, accuracy: Accuracy) -> tuple[Finding, ...]:
    search = remedies(history.settings, accuracy) if accuracy.verdict else ()
    return (*search, *constant(history), *where_it_fails(history), *coverage(history))
