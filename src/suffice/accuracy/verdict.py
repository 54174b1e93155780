"""A summary of the reports of a run in sentences for its user.

v, U    float  α_t at the point, and the upper bound of its maximum     w_t   float  2 β_t σ_{t−1}(x_t), the width
spread         α* − median of α_t over uniform draws; gaps are fractions of it

The regret bound is Σ g_t + Σ w_t, so that inexactness adds at most Σ (U − v) / Σ w_t to that of an exact search. Of a
score that is never negative, and of one given by its logarithm, 1 − v/U is the fraction that was lost.
"""

import math
import re
import statistics
import textwrap
from collections.abc import Mapping, Sequence
from typing import TypeAlias

from suffice.accuracy.calibration import Calibration
from suffice.accuracy.estimate import LOCAL, relative_gap
from suffice.accuracy.report import SolveReport

# Of the spread, of a score given by its logarithm or of a hypervolume: what a search or a run may leave.
ENOUGH = 0.01
WIDTH = 100  # characters of a line: sentences are read, and a terminal is rarely narrower

Reports: TypeAlias = Sequence[SolveReport]


def verdict(
    reports: Reports, calibrated: Mapping[str, Calibration | None], evaluation_seconds: float | None
) -> tuple[str, ...]:
    """How exact the search was and what its inexactness cost, what deciding took, whether the models were right.

    calibrated    by the name of the output
    """
    free = [report for report in reports if not report.taken]
    taken = _taken(len(reports) - len(free))
    found = (_search(free), taken, _audit(free), _time(reports, evaluation_seconds), *_predicted(calibrated))
    return tuple(sentence for sentence in found if sentence is not None)


def paragraph(text: str, indent: str = "") -> str:
    """Text in lines, all but the first of them indented; a number and its unit stay together."""
    held = re.sub(r"(?<=\d) (?=(%|ms|s|min|h)(\W|$))", "\u00a0", text)
    lines = textwrap.fill(held, WIDTH, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False)
    return lines.replace("\u00a0", " ")


# ---------------------------------------------------------------------- one step


def gap_to(report: SolveReport, maximum: float | None) -> float | None:
    """The relative gap, if α* were `maximum`."""
    if maximum is None or report.median is None:
        return None
    return relative_gap(report.value, maximum, report.median)


def audited_gap(report: SolveReport) -> float | None:
    """The relative gap that the audit of the step found."""
    return gap_to(report, report.audited)


def exact_enough(report: SolveReport) -> bool | None:
    """Whether what was missed, by the audit of the step or else by its report, is allowed or negligible.

    None where that is not known, or where the best point had been evaluated before: the next best new one is worse,
    however exact the search was.
    """
    gap, relative = report.inaccuracy, report.relative_gap
    if report.audited is not None:
        gap, relative = max(0.0, report.audited - report.value), audited_gap(report)
    if report.taken or (gap is None and relative is None):
        return None
    if gap is not None and report.allowance is not None and gap <= report.allowance:
        return True
    if gap is not None and _is_logarithm(report):
        return -math.expm1(-gap) <= ENOUGH
    return relative is not None and relative <= ENOUGH


def _is_logarithm(report: SolveReport) -> bool:
    """Only a logarithm has a ratio η without a shift; its differences are ratios, whatever their spread."""
    return report.eta is not None and report.shift is None


def exceeded(report: SolveReport) -> bool | None:
    """Whether the audit found more than the report's upper bound; None without an audit or a bound."""
    if report.audited is None or report.upper is None:
        return None
    scale = abs(report.audited) if report.median is None else report.audited - report.median
    return report.audited > report.upper + LOCAL * scale  # what a run leaves is no better point


# ---------------------------------------------------------------------- all steps


def _search(reports: Reports) -> str | None:
    judged = [enough for enough in map(exact_enough, reports) if enough is not None]
    clauses = [clause for clause in (_judged(judged, len(reports)), *_costs(reports)) if clause is not None]
    if not any(report.upper is not None for report in reports):
        clauses += [clause for clause in (_rank(reports),) if clause is not None]
    text = "; ".join(clauses)
    return f"{text[0].upper()}{text[1:]}." if text else None


def _judged(judged: Sequence[bool], n: int) -> str | None:
    if not judged:
        return None
    of = f"{len(judged)} steps" if len(judged) == n else f"the {len(judged)} steps that can be judged"
    return f"acquisition maximization was accurate enough in {sum(judged)} of {of}"


def _costs(reports: Reports) -> list[str | None]:
    """What inexactness cost at most, for each kind of score that a run may have."""
    improving = [report for report in reports if report.kind == "improve"]
    shares = [report for report in reports if report.shift == 0.0 and report.kind != "improve"]
    return [
        _regret([report for report in reports if report.width is not None], len(reports)),
        _lost(improving, len(reports), "the expected improvement", "that seek an improvement"),
        _lost(shares, len(reports), "the best acquisition value", "with such an acquisition"),
    ]


def _regret(reports: Reports, n: int) -> str | None:
    known = [report for report in reports if report.upper is not None]
    widths = math.fsum(report.width or 0.0 for report in known)
    if not widths > 0.0:
        return None
    estimate = math.fsum(report.inaccuracy or 0.0 for report in known) / widths
    limit = math.fsum((report.upper or 0.0) - report.value for report in known) / widths
    gaps = [report.gap for report in known if report.gap is not None]
    units = f" (in no step more than {max(gaps):.2g}, in the objective's units)" if any(gaps) else ""
    if not math.isfinite(limit):
        return None
    added = f"inexactness adds {_at_most(estimate, limit)} to the regret bound{units}"
    return _of(len(known), n, "with an upper bound") + added


def _lost(reports: Reports, n: int, what: str, which: str) -> str | None:
    known = [
        (report.eta, report.eta_lower) for report in reports if report.eta is not None and report.eta_lower is not None
    ]
    if not known:
        return None
    estimate, limit = (1.0 - statistics.mean(etas) for etas in zip(*known, strict=True))
    return f"{_of(len(known), n, which)}inexactness cost {_at_most(estimate, limit)} of {what}"


def _at_most(estimate: float, limit: float) -> str:
    """The bound, and the estimate as well if they differ much."""
    if not limit > 0.0:
        return "nothing"
    about, most = percent(estimate), percent(limit)
    return f"at most {most}" if limit <= ENOUGH or about == most else f"about {about} and at most {most}"


def _of(known: int, n: int, which: str) -> str:
    return "" if known == n else f"in the {known} steps {which}, "


def _taken(n: int) -> str | None:
    times = "In one step" if n == 1 else f"In {n} steps"
    return f"{times} the best point had been evaluated before, and the best new one was taken." if n else None


def _rank(reports: Reports) -> str | None:
    ranks = [report.rank for report in reports if report.rank is not None]
    if len(ranks) < len(reports) or not ranks:
        return None
    sure = min(report.confidence or 0.0 for report in reports)
    return (
        f"the solver gives no bound of what it missed, but in each step, with {percent(sure)} confidence, at most "
        f"{percent(max(ranks))} of the space has a better acquisition value than the chosen point"
    )


def _audit(reports: Reports) -> str | None:
    gaps = [gap for gap in map(audited_gap, reports) if gap is not None]
    if not gaps:
        return None
    steps = "the one audited step" if len(gaps) == 1 else f"{len(gaps)} audited steps"
    better = f"better by more than {max(gaps):.1g} of the spread of the acquisition"
    text = f"In {steps} a far longer search found nothing {better if max(gaps) > LOCAL else 'better'}"
    above = sum(map(bool, map(exceeded, reports)))
    return f"{text}, but in {above} of them a value above the reported upper bound." if above else f"{text}."


def choosing_seconds(reports: Reports) -> float:
    """What choosing all points took, audits left out."""
    return math.fsum(seconds for report in reports for phase, seconds in report.seconds.items() if phase != "audit")


def _time(reports: Reports, evaluation_seconds: float | None) -> str | None:
    phases = [(phase, seconds) for report in reports for phase, seconds in report.seconds.items()]
    audit = math.fsum(seconds for phase, seconds in phases if phase == "audit")
    deciding = choosing_seconds(reports)
    if not deciding > 0.0:
        return None
    whole = None if evaluation_seconds is None else deciding + audit + evaluation_seconds
    share = "" if whole is None else f", {percent(deciding / whole)} of the run"
    return (
        f"Choosing points took {duration(deciding)}{share}{f', and auditing {duration(audit)}' if audit > 0.0 else ''}."
    )


def _predicted(calibrated: Mapping[str, Calibration | None]) -> list[str]:
    """What the predictions of each output were worth; which of them it is, is said where there are several."""
    known = {name: found for name, found in calibrated.items() if found is not None}
    single = len(calibrated) == 1
    few = {name: found for name, found in known.items() if found.judgement == "too few to tell"}
    sentences = [_judgement(found, "" if single else f" of {name}") for name, found in known.items() if name not in few]
    if few:
        n = min(found.n for found in few.values())
        values = "One value is" if n == 1 else f"{n} values are"
        of = "" if single else f" of {', '.join(few)}"
        sentences.append(f"{values} too few to tell whether the model's one-step predictions{of} were calibrated.")
    return sentences


def _judgement(found: Calibration, of: str) -> str:
    central = (
        f" and {100 * found.central:.0f} % within their 50 % intervals" if found.judgement == "underconfident" else ""
    )
    surprises = ", with exceptions" if found.surprising and found.judgement == "calibrated" else ""
    worst = f"; the worst missed by {found.worst:.2g} standard deviations" if found.surprising else ""
    return (
        f"The model's one-step predictions{of} were {found.judgement}{surprises}: {100 * found.within:.0f} % of "
        f"{found.n} values lay within their 90 % intervals{central} (root mean square z-score {found.rms:.1f}){worst}."
    )


# ---------------------------------------------------------------------- numbers in sentences


def percent(share: float) -> str:
    """ "12 %", "0.31 %": two digits, without an exponent; what is smaller is rounded up to 0.001 %."""
    value = 100.0 * share
    return f"{_two_digits(max(value, 1e-3) if value > 0.0 else 0.0)} %"


def duration(seconds: float) -> str:
    """ "8.2 ms", "3.2 s", "45 s", "12 min", "3.2 h": two digits or more."""
    for unit, size, least in (("h", 3600.0, 7200.0), ("min", 60.0, 120.0), ("s", 1.0, 0.1)):
        if seconds >= least:
            return f"{_two_digits(seconds / size)} {unit}"
    return f"{_two_digits(1000.0 * seconds)} ms"


def _two_digits(number: float) -> str:
    return f"{number:.0f}" if number >= 10.0 else f"{number:.2g}"
