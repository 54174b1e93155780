"""What the theorems are made of, as a run had it: information gain, deviations, β and the holes of the grids.

T     int    model-based steps                     σ     (T,)   deviations σ_{t−1}(x_t), model units, never above s
s     float  prior standard deviation              τ     float  noise variance / signal variance, the largest
Γ     float  realised information gain of the T steps, ½ Σ log(1 + σ²/s²τ); γ_T, the most that T steps can gain, is
             never below it
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from suffice.accuracy.bounds import Numbers, Premises
from suffice.accuracy.report import SolveReport
from suffice.paper.grids import GridFills, grid_fills
from suffice.solvers import Grid
from suffice.study.result import Result


@dataclass(frozen=True)
class Quantities:
    """Numbers of a run that the theorems take; None where a step does not tell."""

    steps: int  # T
    gain: float  # of all observations that the last step knew, those of the initial design included
    gain_of_steps: float | None  # Γ
    betas: tuple[float, ...] | None
    deviations: tuple[float, ...] | None
    deviation_limit: float | None  # what Γ says about Σσ: at most sqrt(T Σσ²)
    on_grid: bool  # whether the solver was Grid
    grids: GridFills | None  # None: not measured

    @property
    def beta(self) -> float | None:
        """β_T, the largest β_t."""
        return None if self.betas is None else max(self.betas, default=0.0)

    def __str__(self) -> str:
        """A line for each that is known."""
        lines = [f"information gain {self.gain:.4g}, the initial design included"]
        if self.gain_of_steps is not None and self.deviations is not None and self.deviation_limit is not None:
            lines[0] += f"; {self.gain_of_steps:.4g} of the {self.steps} steps"
            limit = f"by the gain at most {self.deviation_limit:.4g}"
            lines.append(f"sum of the deviations σ(x_t) {sum(self.deviations):.4g} in model units, {limit}")
        return "\n".join([*lines, *([] if self.grids is None else [str(self.grids)])])


def quantities(result: Result, *, grids: bool = True) -> Quantities:
    """What the theorems need of a run; its grids are drawn again and measured, unless told otherwise."""
    accuracy, reports = result.accuracy, result.accuracy.reports
    on_grid = isinstance(result.settings.solver, Grid)
    sigma, gain, limit = known([deviation(report) for report in reports]), None, None
    if sigma is not None and accuracy.premises is not None:
        gain = gain_of(sigma, accuracy.premises)
        squares = squared_deviation_sum(gain, accuracy.premises.tau, accuracy.premises.scale)
        limit = math.sqrt(len(sigma) * squares)
    return Quantities(
        steps=len(reports),
        gain=accuracy.gain,
        gain_of_steps=gain,
        betas=known([report.beta for report in reports]),
        deviations=sigma,
        deviation_limit=limit,
        on_grid=on_grid,
        grids=grid_fills(result) if on_grid and grids else None,
    )


def deviation(report: SolveReport) -> float | None:
    """σ_{t−1}(x_t), model units, from the width 2βσ; None if the score has none, or looked at the mean alone."""
    return report.width / (2 * report.beta) if report.width is not None and report.beta else None


def gain_of(deviations: Numbers, premises: Premises) -> float:
    """Γ, what T steps with these deviations gained on what was known before them."""
    return 0.5 * float(np.log1p(np.square(deviations) / (premises.scale**2 * premises.tau)).sum())


def squared_deviation_sum(gain: float, tau: float, scale: float = 1.0) -> float:
    """Σσ² ≤ 2 s² Γ / log(1 + 1/τ), Γ the realised gain, for any τ.

    Because u ≤ log(1 + u/τ) / log(1 + 1/τ) for u in [0, 1], and Γ = ½ Σ log(1 + σ²/s²τ).
    """
    if not tau > 0:
        raise ValueError(f"tau, noise variance over signal variance, must be positive, got {tau!r}")
    return scale**2 * 2 * gain / math.log1p(1 / tau)


def known(values: Sequence[float | None]) -> tuple[float, ...] | None:
    """The values, if every step has one."""
    found = tuple(value for value in values if value is not None)
    return found if len(found) == len(values) else None
