"""What to do where the accuracy of a run is not what it should be: findings, each with its remedy."""

from scipy.special import bdtrc

from suffice.accuracy.calibration import LEVEL
from suffice.accuracy.series import Accuracy
from suffice.accuracy.verdict import exact_enough, exceeded
from suffice.solvers import Enough
from suffice.study.finding import Finding
from suffice.study.settings import Settings
from suffice.types import Status

# Of the steps. Searches that are all a little inexact have not been seen to cost regret; a few that are do not matter.
FEW = 0.1


def remedies(settings: Settings, accuracy: Accuracy) -> tuple[Finding, ...]:
    """What is wrong with the search or with the model's predictions; nothing where nothing is."""
    found = (_search(settings, accuracy), _limits(accuracy), _predictions(accuracy))
    return tuple(finding for finding in found if finding is not None)


def _search(settings: Settings, accuracy: Accuracy) -> Finding | None:
    """Steps in which more may have been missed than the solver was allowed."""
    judged = [report for report in accuracy.reports if exact_enough(report) is not None]
    missed = [report for report in judged if not exact_enough(report)]
    if len(missed) <= FEW * len(judged):
        return None
    cut = sum(report.status is Status.BUDGET for report in missed)
    why = f", in {cut} of them because its budget was used up" if cut else ""
    if isinstance(settings.solver, Enough):
        remedy = "A larger cap, solver=sf.Enough(cap=…), and asks without a deadline let it search longer."
    else:
        remedy = "The default, solver=sf.Enough(), searches until it is exact enough."
    doubt = any(report.audited is None for report in missed)
    return Finding(
        "search",
        f"The search for the next point {'may have ' if doubt else ''}stopped too early in {len(missed)} of "
        f"{len(judged)} steps{why}.",
        f"To see what was really missed, look at sf.audit(result). {remedy}" if doubt else remedy,
        "warning",
    )


def _limits(accuracy: Accuracy) -> Finding | None:
    """Upper limits that audits exceed more often than their confidence allows."""
    audited = [report for report in accuracy.reports if exceeded(report) is not None and not report.taken]
    above = sum(map(bool, map(exceeded, audited)))
    if not above:
        return None
    nominal = 1.0 - min(report.confidence or 0.0 for report in audited)
    if float(bdtrc(above - 1, len(audited), nominal)) > LEVEL:
        return None
    return Finding(
        "limits",
        f"In {above} of {len(audited)} audited steps a better point was found than the reports had thought possible.",
        "Do not rely on what they say was missed at most; where it matters, ask for proofs with certify=1.0 or take "
        "solver=sf.Enough().",
        "warning",
    )


def _predictions(accuracy: Accuracy) -> Finding | None:
    """A model that was surprised too often."""
    found = accuracy.calibration
    if found is None or found.judgement != "too sure":
        return None
    return Finding(
        "predictions",
        f"The model was surprised too often: {found.n - round(found.within * found.n)} of {found.n} values lay outside "
        "limits that 10 % should miss.",
        "Do not rely on its own deviations, such as fun_recommended_sd and those behind sf.RegretBelow. A model of "
        "rougher functions, model=sf.GP(kernel=sf.Matern(1.5)), is less sure; known noise is told by sf.GP(noise=…).",
        "warning",
    )
