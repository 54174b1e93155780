"""The accuracy of a whole run: series over its model-based steps, and their totals.

η_t   the paper's ratio; M_T = Σ(1 − η_t)         g_t   α*_t − α_t(x_t);  w_t = 2 β_t σ_{t−1}(x_t)

Printed, it is the verdict for the user (verdict.py); the numbers for the researcher are attributes.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from suffice.accuracy.calibration import Calibration, calibration
from suffice.accuracy.estimate import accumulated
from suffice.accuracy.regret import Bound, Premises, front_bound, observed_bound
from suffice.accuracy.report import SolveReport
from suffice.accuracy.verdict import audited_gap, gap_to, paragraph, verdict
from suffice.types import Array, Ledger


@dataclass(frozen=True, repr=False)
class Accuracy:
    """The accuracy of all steps of a run: print it for a summary.

    Each series has one number for each step of the model, (T,), nan where there is no estimate.

    Attributes
    ----------
    reports : tuple of SolveReport
        The reports of the steps, in order.
    gain : float
        The information gain of the observations known to the last ask.
    premises : Premises or None
        The facts about the model that the bound depends on.
    outputs : tuple of float or None
        The observed value at each step, larger is better; None without a value.
    evaluation_seconds : float or None
        The total time of all evaluations, if known.
    objective : str
        The name of the first objective, to which `outputs` belongs.
    others : dict
        The observed values of further outputs by name.
    """

    reports: tuple[SolveReport, ...]
    gain: float = 0.0
    premises: Premises | None = None
    outputs: tuple[float | None, ...] = ()
    evaluation_seconds: float | None = None
    objective: str = "value"
    others: Mapping[str, tuple[float | None, ...]] = field(default_factory=dict)

    def __repr__(self) -> str:
        """The verdict, not the numbers."""
        return (
            paragraph(" ".join(self.verdict)) or "No point was chosen by the model, so there is no accuracy to report."
        )

    @property
    def verdict(self) -> tuple[str, ...]:
        """A summary of the numbers in sentences."""
        return verdict(self.reports, self.calibrations, self.evaluation_seconds)

    @property
    def z_scores(self) -> Array:
        """(value − predicted mean) / predicted standard deviation, (T,), in the units of the model that predicted it.

        Of several outputs, those of the first objective; `z_scores_of` has the others.
        """
        return self.z_scores_of(self.objective)

    def z_scores_of(self, name: str) -> Array:
        """The z-scores of one output.

        Parameters
        ----------
        name : str
            The first objective, or one of `others`.

        Returns
        -------
        ndarray
            One for each step, (T,); nan where there is none.
        """
        first = name == self.objective
        outputs = (self.outputs if first else self.others[name]) or (None,) * len(self.reports)
        own = None if first else name
        return _series([z_score(report, y, own) for report, y in zip(self.reports, outputs, strict=True)])

    @property
    def calibration(self) -> Calibration | None:
        """How well the model's one-step predictions were calibrated; None if no value can be compared.

        Of several outputs, those of the first objective.
        """
        return calibration(self.z_scores)

    @property
    def calibrations(self) -> dict[str, Calibration | None]:
        """The calibration of every output by name, the first objective first."""
        return {name: calibration(self.z_scores_of(name)) for name in (self.objective, *self.others)}

    @property
    def eta(self) -> Array:
        """Point estimates of η_t, (T,)."""
        return _series([report.eta for report in self.reports])

    @property
    def eta_lower(self) -> Array:
        """Lower bounds of η_t, (T,), each at the level of its report; 0 if unknown."""
        return np.nan_to_num(_series([report.eta_lower for report in self.reports]), nan=0.0)

    @property
    def gaps(self) -> Array:
        """Relative gaps without a shift, (T,): the series that rules and plots use."""
        return _series([report.relative_gap for report in self.reports])

    @property
    def limits(self) -> Array:
        """Upper bounds of the relative gaps by the reports, (T,)."""
        return _series([gap_to(report, report.upper) for report in self.reports])

    @property
    def certified(self) -> Array:
        """Upper bounds of the relative gaps by the proofs of `Diagnostics`, (T,)."""
        return _series([gap_to(report, report.upper_certified) for report in self.reports])

    @property
    def audited(self) -> Array:
        """Relative gaps in the steps that `Diagnostics` audits, (T,)."""
        return _series([audited_gap(report) for report in self.reports])

    @property
    def m_t(self) -> float:
        """M_T from the lower bounds: the paper's worst case, pointwise at the level of the reports."""
        return accumulated(self.eta_lower.tolist())

    @property
    def m_estimated(self) -> float:
        """M_T from the point estimates; nan if a step has none."""
        return accumulated(self.eta.tolist())

    @property
    def ledger(self) -> Ledger:
        """Σ ĝ_t and Σ w_t, model units: the two sums of the regret bound."""
        return ledger(self.reports)

    @property
    def bound(self) -> Bound | None:
        """A bound on the regret of the model's points, in the objective's units: print it. None before a fit.

        R_T ≤ Σ g_t + Σ w_t (proof of Theorem 1), g_t from the limits of α*, with the assumptions that fail in `broken`;
        without a number if a step lacks its upper bound or its width. Several objectives have none, only
        the reasons.
        """
        if self.premises is None:
            return None
        bounded = observed_bound if self.premises.objectives == 1 else front_bound
        return bounded(self.premises, self.reports)


def ledger(reports: Sequence[SolveReport]) -> Ledger:
    """The two sums over the steps so far; a step without an estimate adds its width only."""
    return Ledger(
        inaccuracies=math.fsum(report.missed or 0.0 for report in reports),
        widths=math.fsum(report.width or 0.0 for report in reports),
    )


def z_score(report: SolveReport, y: float | None, name: str | None) -> float | None:
    """Of a value, larger being better, against what a report predicted of an output; None where either is unknown."""
    expected = report.expected(name)
    if y is None or expected is None:
        return None
    mean, deviation, outcome = expected
    with np.errstate(all="ignore"):  # a file may hold any numbers
        return (float(outcome(np.array([y]))[0]) - mean) / deviation


def _series(values: Sequence[float | None]) -> Array:
    return np.array([math.nan if value is None else value for value in values], dtype=float)
