"""The accuracy of a whole run: series over its model-based steps, and their totals.

η_t   the paper's ratio; M_T = Σ(1 − η_t)         g_t   α*_t − α_t(x_t);  w_t = 2 β_t σ_{t−1}(x_t)
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from suffice.accuracy.bounds import Bound, Premises
from suffice.accuracy.eta import accumulated
from suffice.accuracy.regret import observed_bound
from suffice.accuracy.report import SolveReport
from suffice.types import Array, Ledger


@dataclass(frozen=True, repr=False)
class Accuracy:
    """What the reports of a run say together; steps without an estimate are nan in the series."""

    reports: tuple[SolveReport, ...]
    gain: float = 0.0  # realised information gain of the observations that the last ask knew
    premises: Premises | None = None  # what the bound has to know about the model

    def __repr__(self) -> str:
        """The totals, not the reports."""
        gaps = self.gaps[np.isfinite(self.gaps)]
        middle = f", median relative gap {np.median(gaps):.2g}" if len(gaps) else ""
        return (
            f"<Accuracy of {len(self.reports)} steps{middle}, M_T about {self.m_estimated:.2g}, at most {self.m_t:.2g}>"
        )

    @property
    def eta(self) -> Array:
        """Point estimates of η_t, (T,)."""
        return _series([report.eta for report in self.reports])

    @property
    def eta_lower(self) -> Array:
        """Lower limits of η_t, (T,), each at the level of its report; 0 where no limit is known."""
        return np.nan_to_num(_series([report.eta_lower for report in self.reports]), nan=0.0)

    @property
    def gaps(self) -> Array:
        """Shift-free relative gaps, (T,): the series that rules and plots use."""
        return _series([report.relative_gap for report in self.reports])

    @property
    def m_t(self) -> float:
        """M_T from the lower limits: the paper's worst case, pointwise at the level of the reports."""
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
        """What the regret of the model's points is at most, in the objective's units: print it. None before a fit.

        R_T ≤ Σ g_t + Σ w_t (proof of Theorem 1), g_t from the limits of α*, with the assumptions that fail in `broken`;
        without a number as soon as one step lacks its limit or its width.
        """
        return None if self.premises is None else observed_bound(self.premises, self.reports)


def ledger(reports: Sequence[SolveReport]) -> Ledger:
    """The two sums over the steps so far; a step without an estimate adds its width only."""
    return Ledger(
        inaccuracies=math.fsum(report.inaccuracy or 0.0 for report in reports),
        widths=math.fsum(report.width or 0.0 for report in reports),
    )


def _series(values: Sequence[float | None]) -> Array:
    return np.array([math.nan if value is None else value for value in values], dtype=float)
