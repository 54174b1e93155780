"""What to do where the accuracy of a run is not what it should be: findings, each with its remedy."""

import numpy as np
from scipy.special import bdtrc

from suffice.accuracy.calibration import LEVEL, calibration
from suffice.accuracy.series import Accuracy
from suffice.accuracy.verdict import exact_enough, exceeded
from suffice.markup import visible
from suffice.solvers import Enough
from suffice.study.finding import Finding
from suffice.study.settings import Settings
from suffice.types import Status

# Of the steps. Searches that are all a little inexact have not been seen to cost regret; a few that are do not matter.
FEW = 0.1


def remedies(settings: Settings, accuracy: Accuracy) -> tuple[Finding, ...]:
    """What is wrong with the search or with the model's predictions; nothing where nothing is."""
    outputs = (accuracy.objective, *accuracy.others)
    predictions = (_predictions(accuracy, name, len(outputs) > 1) for name in outputs)
    found = (_search(settings, accuracy), _limits(accuracy), *predictions)
    return tuple(finding for finding in found if finding is not None)


def surprised(accuracy: Accuracy) -> frozenset[str]:
    """The outputs by which the model was surprised too often until the end, of which the user is told."""
    outputs = (accuracy.objective, *accuracy.others)
    found = ((name, _predictions(accuracy, name, several=True)) for name in outputs)
    return frozenset(name for name, finding in found if finding is not None and finding.severity == "warning")


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


def _predictions(accuracy: Accuracy, name: str, several: bool) -> Finding | None:
    """A model that was surprised too often; a warning if it still was in the second half of the run.

    Of a model that learns, early surprises are to be expected. Those that go on say that the objective has more to it
    than the model knows, so that the best point may not have been found.
    """
    z, of = accuracy.z_scores_of(name), f" by {visible(name)}" if several else ""
    what = f"The output {visible(name)}" if several else "The objective"
    own = "those of result.predict" if several else "fun_recommended_sd and those behind sf.RegretBelow"
    known = z[~np.isnan(z)]
    found, late = calibration(known), calibration(known[len(known) // 2 :])
    if found is None or late is None or found.judgement != "too sure":
        return None
    out, out_late = (part.n - round(part.within * part.n) for part in (found, late))
    limits = "limits that 10 % should miss"
    if late.judgement != "too sure":
        return Finding(
            "predictions",
            f"The model was surprised too often{of} at first: {out} of {found.n} values lay outside {limits}, but only "
            f"{out_late} of the last {late.n}, which may be chance.",
            f"It has learned since, as far as these can show. Take its own deviations, such as {own}, with care.",
        )
    return Finding(
        "predictions",
        f"The model was surprised too often{of}, until the end: {out} of {found.n} values lay outside {limits}, and "
        f"{out_late} of the last {late.n}.",
        f"{what} has more to it than the model has learned, so that there may be better points: more evaluations or "
        f"narrower bounds would tell. Do not rely on the model's own deviations, such as {own}. A model of rougher "
        "functions, model=sf.GP(kernel=sf.Matern(1.5)), is less sure; known noise is told by sf.GP(noise=…).",
        "warning",
    )
