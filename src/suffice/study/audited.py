"""What an audit found: the audited steps, their totals, and a table of both.

v      float  α_t at the suggested point                 α*   float  the reference: the largest α_t that was found
g_t    float  α* − v, the true inaccuracy; ĝ_t the estimate in the report
w_t    float  2 β_t σ_{t−1}(x_t), the width that the regret bound pays for x_t in any case
η_t    float  (v + C) / (α* + C), with the shift C of the report; M_T = Σ(1 − η_t)
"""

import math
from dataclasses import dataclass, fields, replace
from typing import Any

from suffice.accuracy.eta import accumulated
from suffice.accuracy.report import SolveReport
from suffice.accuracy.series import Accuracy

MOVED = 0.01  # in the unit cube: closer is the same suggestion

TOTALS = (
    *("m_audited", "m_estimated", "m_t"),
    *("inaccuracy", "inaccuracy_estimated", "inaccuracy_allowed"),
    *("coverage", "changed", "seconds"),
)
REPORTED = ("relative_gap", "eta", "eta_lower", "upper", "inaccuracy", "width", "n_evals", "seconds")
HEADER = (
    f"{'t':>4} {'trial':>5} {'value':>9} {'max':>9}  {'gap':>7} {'est.':>7}  {'rel.gap':>7} {'est.':>7}"
    f"  {'1-eta':>7} {'est.':>7} {'at most':>7}  {'limit':<5} place"
)


@dataclass(frozen=True)
class AuditedStep:
    """One suggestion: what is true about it, beside `report`, what was said about it.

    All that follows `report` is None if α_t could not be rebuilt.

    Attributes
    ----------
    t : int
        The step.
    number : int
        That of the trial.
    report : SolveReport
        What was said about it.
    value : float or None
        α_t at the point, rebuilt.
    reference : float or None
        α*, the largest α_t that was found.
    relative_gap : float or None
        (α* − value) / (α* − median of α_t over uniform draws); None: no median is known.
    eta : float or None
        The paper's ratio; None for a draw on a finite set, which has no shift.
    distance : float or None
        In the unit cube, to the best point that could have been proposed; 0: none is better.
    changed : bool or None
        Whether that is another suggestion, further away than 0.01.
    covered : bool or None
        Whether α* ≤ report.upper.
    reason : str or None
        Why α_t was not rebuilt.
    """

    t: int
    number: int
    report: SolveReport
    value: float | None = None
    reference: float | None = None
    relative_gap: float | None = None
    eta: float | None = None
    distance: float | None = None
    changed: bool | None = None
    covered: bool | None = None
    reason: str | None = None

    @property
    def inaccuracy(self) -> float | None:
        """The true inaccuracy g_t = α* − value, model units."""
        return None if self.reference is None or self.value is None else self.reference - self.value


@dataclass(frozen=True, repr=False)
class Audit:
    """The audited steps of a run: print it for a table.

    Totals are over the rebuilt steps, the reported ones too.

    Attributes
    ----------
    steps : tuple of AuditedStep
        The steps that were looked at.
    share : float or None
        Of Σ w_t that the solver may leave, if it was Enough.
    """

    steps: tuple[AuditedStep, ...]
    share: float | None = None

    @property
    def rebuilt(self) -> tuple[AuditedStep, ...]:
        """The steps whose α_t could be rebuilt."""
        return tuple(step for step in self.steps if step.reason is None)

    @property
    def m_audited(self) -> float:
        """M_T from the audited η_t; nan if a step has none."""
        return accumulated(math.nan if step.eta is None else step.eta for step in self.rebuilt)

    @property
    def m_t(self) -> float:
        """M_T from the reports' lower limits, the worst case; a step without one adds 1."""
        return accumulated(step.report.eta_lower or 0.0 for step in self.rebuilt)

    @property
    def m_estimated(self) -> float:
        """M_T from the reports' point estimates; nan if a step has none."""
        return accumulated(math.nan if step.report.eta is None else step.report.eta for step in self.rebuilt)

    @property
    def inaccuracy(self) -> float:
        """Σ g_t, model units."""
        return math.fsum(step.inaccuracy or 0.0 for step in self.rebuilt)

    @property
    def inaccuracy_estimated(self) -> float:
        """Σ ĝ_t, model units; a step without an estimate adds nothing."""
        return math.fsum(step.report.inaccuracy or 0.0 for step in self.rebuilt)

    @property
    def inaccuracy_allowed(self) -> float | None:
        """What `Enough` may leave, share · Σ w_t, model units; None for other solvers and scores without a width."""
        widths = [step.report.width for step in self.rebuilt]
        if self.share is None or None in widths:
            return None
        return self.share * math.fsum(width or 0.0 for width in widths)

    @property
    def coverage(self) -> float | None:
        """The share of the reported upper limits that the reference does not exceed; None without limits."""
        covered = [step.covered for step in self.rebuilt if step.covered is not None]
        return sum(covered) / len(covered) if covered else None

    @property
    def changed(self) -> int:
        """How many suggestions a perfect solver would have placed elsewhere."""
        return sum(step.changed is True for step in self.rebuilt)

    @property
    def seconds(self) -> dict[str, float]:
        """Where the time of the suggestions went, by phase; all steps count."""
        phases = dict.fromkeys(phase for step in self.steps for phase in step.report.seconds)
        return {phase: math.fsum(step.report.seconds.get(phase, 0.0) for step in self.steps) for phase in phases}

    def __repr__(self) -> str:
        return f"Audit({len(self.rebuilt)} of {len(self.steps)} steps rebuilt, Σ inaccuracy {self.inaccuracy:.3g})"

    def __str__(self) -> str:
        return "\n".join([HEADER, *map(_row, self.steps), "", *_totals(self)])

    def plain(self) -> dict[str, Any]:
        """Steps and totals in what JSON has; null where a number is unknown."""
        totals = {name: getattr(self, name) for name in TOTALS}
        numbers = {name: None if _unknown(value) else value for name, value in totals.items()}
        return {"steps": [_plain(step) for step in self.steps], "totals": {"rebuilt": len(self.rebuilt), **numbers}}


def with_audit(accuracy: Accuracy, found: Audit) -> Accuracy:
    """The accuracy of the audited run, as if its steps had been audited when they were taken."""
    references = {step.t: step.reference for step in found.rebuilt}
    reports = (
        report if report.binding is None else replace(report, audited=references.get(report.binding.t, report.audited))
        for report in accuracy.reports
    )
    return replace(accuracy, reports=tuple(reports))


def _row(step: AuditedStep) -> str:
    if step.reason is not None:
        return f"{step.t:>4} {step.number:>5}  not rebuilt: {step.reason}"
    report = step.report
    short = [step.inaccuracy, report.inaccuracy], [step.relative_gap, report.relative_gap]
    etas = [None if eta is None else 1.0 - eta for eta in (step.eta, report.eta, report.eta_lower)]
    cells = "  ".join(" ".join(map(_number, group)) for group in (*short, etas))
    limit = {True: "holds", False: "below", None: "-"}[step.covered]
    place = "other" if step.changed else "same"
    return f"{step.t:>4} {step.number:>5} {step.value:>9.4g} {step.reference:>9.4g}  {cells}  {limit:<5} {place}"


def _totals(found: Audit) -> list[str]:
    allowed = found.inaccuracy_allowed
    limits = [step for step in found.rebuilt if step.covered is not None]
    held = sum(step.covered is True for step in limits)
    return [
        f"{len(found.rebuilt)} of {len(found.steps)} steps rebuilt",
        f"M_T      {_number(found.m_audited)} audited {_number(found.m_estimated)} estimated"
        f" {_number(found.m_t)} at most",
        f"sum gap  {_number(found.inaccuracy)} audited {_number(found.inaccuracy_estimated)} estimated"
        + (f" {_number(allowed)} allowed, {found.share:g} of the widths" if allowed is not None else ""),
        f"limits   {held} of {len(limits)} hold" + (f", nominally {limits[0].report.confidence:g}" if limits else ""),
        f"places   {found.changed} of {len(found.rebuilt)} suggestions would be elsewhere, by more than {MOVED:g}",
        "seconds  " + ("  ".join(f"{phase} {seconds:.3g}" for phase, seconds in found.seconds.items()) or "none"),
    ]


def _number(value: float | None) -> str:
    return f"{'-':>7}" if _unknown(value) else f"{value:>7.2g}"


def _unknown(value: object) -> bool:
    return value is None or (isinstance(value, float) and not math.isfinite(value))


def _plain(step: AuditedStep) -> dict[str, Any]:
    audited = {field.name: getattr(step, field.name) for field in fields(step) if field.name != "report"}
    reported = {name: getattr(step.report, name) for name in REPORTED}
    groups = {**audited, "inaccuracy": step.inaccuracy}, reported
    known, said = ({name: None if _unknown(value) else value for name, value in group.items()} for group in groups)
    return {**known, "reported": said}
