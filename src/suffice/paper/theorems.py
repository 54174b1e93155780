"""The right-hand sides of the paper's four theorems as numbers, with their assumptions.

1 inexact GP-UCB, 2 inexact GP-TS, 3 random-grid GP-UCB, 4 random-grid GP-TS, in the order of the paper.

T     int    model-based steps                     R_T   float  cumulative regret over them, Σ (f* − f(x_t))
B     float  bound of the norm of f − m under the unit-variance kernel, model units
s     float  prior standard deviation              τ     float  noise variance / signal variance
β_T   float  the largest β_t                       σ     (T,)   standard deviations σ_{t−1}(x_t), model units, ≤ s
h     (T,)   fill distances of the grids           M_T   float  accumulated inaccuracy, Σ(1 − η_t)
Γ     float  realised information gain of the T steps, ½ Σ log(1 + σ²/s²τ); at most γ_T, the largest gain of T steps
C     float  the largest max(B, |μ − m|_k) over the steps: the shift of α − m
L_k   float  |f(x) − f(y)| ≤ B L_k |x − y| for every f of norm B
g_t   float  α*_t − α_t(x_t), by audit             w_t   float  2 β_t σ_{t−1}(x_t)

The paper's kernels have k(x, x) ≤ 1. In model units σ ≤ s replaces σ ≤ 1, hence the factors s. An unknown
constant is None; then the bound has no value and names the missing constant.

`quantities` takes the quantities of the theorems from a run, `bounds` states the theorems, and `sides` compares both
sides of Theorem 1 before its last relaxations, R_T ≤ Σ g_t + Σ w_t, over the audited runs of a plan. Regret is in the
objective's units, g and w are in model units. They are comparable only if the model does not transform the outputs, as
in the authors' method; other methods are left out.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from suffice.accuracy.estimate import eta
from suffice.accuracy.regret import (
    Bound,
    Check,
    Numbers,
    Premises,
    at_most,
    columns,
    factor,
    limit,
    limit_checks,
    make_bound,
    model_checks,
    run_checks,
    said_if,
)
from suffice.accuracy.report import SolveReport
from suffice.acquisition import Thompson
from suffice.errors import MissingExtra
from suffice.gp import GP
from suffice.gp.kernels import RBF, Matern, Stationary
from suffice.lab.plan import Method, Plan
from suffice.lab.report import Grouped, mean_and_error, total
from suffice.lab.results import Run
from suffice.paper.fill import GridFills, grid_fills
from suffice.paper.solvers import Surrogate
from suffice.problems import find
from suffice.result.result import Result
from suffice.solvers import Grid
from suffice.types import Array

OPTIMISM = 1 / (4 * math.e * math.sqrt(math.pi))  # p: the least probability that a sample at x exceeds f(x)
EARLY = 4  # 1/(p − 1/t²) ≤ 5/p needs t ≥ 5


@dataclass(frozen=True)
class Quantities:
    """The numbers of a run for the theorems; None if a step lacks them."""

    steps: int  # T
    gain: float  # of all observations before the last step, including the initial design
    gain_of_steps: float | None  # Γ
    betas: tuple[float, ...] | None
    deviations: tuple[float, ...] | None
    deviation_limit: float | None  # the bound of Σσ from Γ: at most sqrt(T Σσ²)
    on_grid: bool  # whether the solver was Grid
    grids: GridFills | None  # None: not measured

    @property
    def beta(self) -> float | None:
        """β_T, the largest β_t."""
        return None if self.betas is None else max(self.betas, default=0.0)

    def __str__(self) -> str:
        """A line for each known number."""
        lines = [f"information gain {self.gain:.4g}, the initial design included"]
        if self.gain_of_steps is not None and self.deviations is not None and self.deviation_limit is not None:
            lines[0] += f"; {self.gain_of_steps:.4g} of the {self.steps} steps"
            limit = f"by the gain at most {self.deviation_limit:.4g}"
            lines.append(f"sum of the standard deviations σ(x_t) {sum(self.deviations):.4g} in model units, {limit}")
        return "\n".join([*lines, *([] if self.grids is None else [str(self.grids)])])


def quantities(result: Result, *, grids: bool = True) -> Quantities:
    """The quantities of a run; by default its grids are drawn again and measured."""
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
    """σ_{t−1}(x_t), model units, from the width 2βσ; None if the score has none, or uses only the mean."""
    return report.width / (2 * report.beta) if report.width is not None and report.beta else None


def gain_of(deviations: Numbers, premises: Premises) -> float:
    """Γ, the information gain of T steps with these standard deviations."""
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


def bounds(result: Result, run: Quantities | None = None) -> dict[str, Bound]:
    """The paper's bounds of the regret of a run, for UCB or for Thompson sampling.

    Everything comes from the record of the run; `run` are quantities that are computed already. Grids are drawn again
    only if B is known, because the theorems need it besides the fill distances. Empty before the first model-based
    step.
    """
    accuracy, reports = result.accuracy, result.accuracy.reports
    premises, observed = accuracy.premises, accuracy.bound
    if premises is None or observed is None:
        return {}
    run = quantities(result, grids=premises.B is not None) if run is None else run
    units, of_run = factor(reports), run_checks(premises, reports)

    def stated(bound: Bound, *checks: Check) -> Bound:
        broken = [sentence for _, sentences in (*of_run, *checks) for sentence in sentences]
        return replace(bound, broken=(*bound.broken, *broken)).in_units(units)

    fills = None if run.grids is None or run.deviations is None else run.grids.fills
    broken = ("the solver was not Grid",) if not run.on_grid else () if run.grids is None else run.grids.notes
    sigma = run.deviations or ()
    if isinstance(result.settings.acquisition, Thompson):
        c = 1.0 if run.grids is None else run.grids.growth
        fourth = theorem4(premises, fills=fills, beta=run.beta, deviations=sigma, grid=c, broken=broken)
        return {"Theorem 2": stated(theorem2(premises)), "Theorem 4": stated(fourth)}
    inaccuracy, shift = _inexactness(reports)
    first = theorem1(
        premises,
        steps=run.steps,
        inaccuracy=inaccuracy,
        beta=run.beta,
        gain=math.inf if run.gain_of_steps is None else run.gain_of_steps,
        shift=shift,
        deviations=run.deviations,
    )
    third = theorem3(premises, fills=fills, betas=run.betas, deviations=sigma, broken=broken)
    return {
        "Theorem 1, observed": observed,
        "Theorem 1": stated(first, *limit_checks(premises, reports)),
        "Theorem 3": stated(third),
    }


def theorem1(
    premises: Premises,
    *,
    steps: int,
    inaccuracy: float,
    beta: float | None,
    gain: float,
    shift: float | None,
    deviations: Numbers | None = None,
) -> Bound:
    """Inexact GP-UCB: R_T ≤ (B + C + 2sβ_T) M_T + 2β_T Σσ, Σσ ≤ s sqrt(2TΓ / log(1 + 1/τ)), and R_T ≤ 2BT.

    From R_T ≤ Σ(1 − η_t)(α*_t − m + C) + 2β_T Σσ and α* − m ≤ max f − m + 2sβ_T ≤ B + 2sβ_T. The paper ends with
    4sβ_T sqrt((T + 2) γ_T), which is never smaller for τ ≤ 1 + 2/T, and holds for these τ only. `gain` may be
    any upper bound of the realised gain of the T steps, such as γ_T. `shift` is C. If the standard deviations were
    observed, their sum is used, which is never larger than its bound from the gain.
    """
    s, value = premises.scale, None
    if premises.B is not None and beta is not None and shift is not None:
        total = math.sqrt(steps * squared_deviation_sum(gain, premises.tau, s))  # Σσ ≤ sqrt(T Σσ²)
        if deviations is not None:
            total = min(total, float(np.sum(deviations)))
        value = (premises.B + shift + 2 * s * beta) * inaccuracy + 2 * beta * total
    known = "no shift of α_t is larger than the given one", said_if(shift is None, "the largest shift is not known")
    checks = (*model_checks(premises), _smooth_kernel(premises), _largest(beta is not None), known)
    return make_bound(at_most(value, premises, steps), "O(γ_T √T + M_T √γ_T)", checks, premises)


def theorem2(premises: Premises) -> Bound:
    """Inexact GP-TS: the paper omits the proof, so there is no constant to compute."""
    checks = (
        *model_checks(premises),
        _smooth_kernel(premises),
        ("the sampling standard deviation is β_t σ + (1/η̃_t − 1) B", ()),
    )
    return make_bound(None, "O(γ_T √(T log T) + M_T √(γ_T log T))", checks, premises)


def theorem3(
    premises: Premises,
    *,
    fills: Numbers | None = None,
    betas: Numbers | None = None,
    deviations: Numbers = (),
    broken: tuple[str, ...] = (),
) -> Bound:
    """Random-grid GP-UCB: R_T ≤ Σ min(B L_k h_t + 2 β_t σ, 2B). An unknown grid has h = ∞ and costs 2B.

    The paper's form, B L_k Σh + 2β_T Σσ, is never smaller: no β_t exceeds β_T, and no step costs more than 2B.
    """
    value = None
    if fills is not None and betas is not None:
        h, beta, sigma = columns(fills=fills, betas=betas, deviations=deviations)
        between = _between_grid_points(premises, h)
        if premises.B is not None and between is not None:
            value = float(np.minimum(between + 2 * beta * sigma, 2 * premises.B).sum())
    checks = _grid_checks(premises, betas is not None, fills is not None, broken)
    return make_bound(value, f"O(γ_T √T) + Õ({_grid_rate(premises)})", checks, premises)


def theorem4(
    premises: Premises,
    *,
    fills: Numbers | None = None,
    beta: float | None = None,
    deviations: Numbers = (),
    grid: float = 1.0,
    broken: tuple[str, ...] = (),
) -> Bound:
    """Random-grid GP-TS with |X_t| = ct, c = `grid`: R_T ≤ `random_grid_sampling`, and R_T ≤ 2BT."""
    value = None
    if fills is not None and beta is not None:
        h, sigma = columns(fills=fills, deviations=deviations)
        value = at_most(random_grid_sampling(premises, h, sigma, beta, grid), premises, len(h))
    checks = _grid_checks(premises, beta is not None, fills is not None, broken)
    return make_bound(value, f"O(γ_T √(T log T)) + Õ({_grid_rate(premises)})", checks, premises)


def random_grid_sampling(
    premises: Premises, fills: Array, deviations: Array, beta: float, grid: float = 1.0
) -> float | None:
    """The right-hand side of Theorem 4, c_T = β_T (1 + sqrt(6 log T + 2 log c)), p = 1/(4e√π); None without B or L_k:

    B L_k Σh_t + (11 c_T/p) Σσ + Bπ²/3 + ((4B + 11 c_T s)/p) sqrt(2T log(3/δ)) + 2B min(T, 4).

    The last term is ours: the proof's 1/(p − 1/t²) ≤ 5/p holds only from t = 5; an earlier step may cost 2B. The
    constants are so large that 2BT is smaller for any realistic number of steps.
    """
    if not grid >= 1:
        raise ValueError(f"grid is c in |X_t| = ct, at least one point at the first step; got {grid!r}")
    B, p, T, between = premises.B, OPTIMISM, len(fills), _between_grid_points(premises, fills)
    if B is None or between is None:
        return None
    c = beta * (1 + math.sqrt(6 * math.log(max(T, 1)) + 2 * math.log(grid)))
    value = float(between.sum()) + 11 * c / p * float(deviations.sum()) + B * math.pi**2 / 3
    value += (4 * B + 11 * c * premises.scale) / p * math.sqrt(2 * T * math.log(3 / premises.delta))
    return value + 2 * B * min(T, EARLY)


def lipschitz(kernel: Stationary, scale: float = 1.0) -> float | None:
    """L_k of the kernel s²k for norms under that kernel: s/ℓ_min (SE), s sqrt(ν/(ν − 1))/ℓ_min (Matérn).

    It is the largest slope of the kernel metric, sqrt(2 − 2k(x, y)) ≤ L_k |x − y|. Infinite for ν ≤ 1, where functions
    of finite norm need not be Lipschitz; None for other kernels. For norms under the unit-variance kernel, scale = 1.
    """
    shortest = float(np.min(kernel.lengthscale))
    if isinstance(kernel, RBF):
        return scale / shortest
    if isinstance(kernel, Matern):
        return scale * math.sqrt(kernel.nu / (kernel.nu - 1)) / shortest if kernel.nu > 1 else math.inf
    return None


def _inexactness(reports: Sequence[SolveReport]) -> tuple[float, float | None]:
    """M_T from the upper bounds of α* as in the observed form, and C; a step without a bound counts as 1, the worst.

    Both cover only the steps with 1 − η_t > 0, because C has no effect in the others; C is None if one lacks it.
    """
    total, largest = 0.0, 0.0
    for report in reports:
        found = limit(report)
        if found is not None and found.upper <= report.value:
            continue
        if report.shift is None or report.binding is None:
            return math.nan, None
        total += 1.0 - (0.0 if found is None else eta(report.value, found.upper, report.shift))
        largest = max(largest, report.shift + report.binding.constant)
    return total, largest


def _largest(known: bool) -> Check:
    return "no β_t is larger than the given one", said_if(not known, "the largest β_t is not known")


def _smooth_kernel(premises: Premises) -> Check:
    kernel = premises.kernel
    if isinstance(kernel, Matern):
        broken = said_if(kernel.nu < 2, f"the kernel is Matérn with ν = {kernel.nu:g} < 2")
    else:
        broken = said_if(not isinstance(kernel, RBF), f"the kernel is {type(kernel).__name__}")
    return "the kernel is squared exponential, or Matérn with ν ≥ 2", broken


def _grid_checks(premises: Premises, widths: bool, filled: bool, broken: tuple[str, ...]) -> tuple[Check, ...]:
    lacking = "the fill distances of the grids are not known"
    if premises.B is None:
        lacking += ", and without B they give no number"
    return (
        *model_checks(premises),
        _smooth_kernel(premises),
        _largest(widths),
        ("x_t is the best point of a finite grid X_t", broken),
        ("no fill distance is larger than stated", said_if(not filled and not broken, lacking)),
    )


def _grid_rate(premises: Premises) -> str:
    return f"T^({premises.dimension - 1}/{premises.dimension})"


def _between_grid_points(premises: Premises, fills: Array) -> Array | None:
    """B L_k h, (T,); None if B or L_k is unknown. Grids without gaps cost nothing, even if L_k is infinite."""
    L = lipschitz(premises.kernel)
    if premises.B is None or L is None:
        return None
    holes = premises.B * fills
    return np.multiply(L, holes, where=holes > 0, out=np.zeros_like(holes))


@dataclass(frozen=True)
class Sides:
    """Means over the audited runs of a method on a problem; steps that were not audited are interpolated."""

    problem: str
    method: str
    runs: int
    regret: float
    regret_se: float
    inaccuracies: float  # Σ g_t
    widths: float  # Σ w_t


def sides(plan: Plan, groups: Grouped) -> dict[tuple[str, str], Sides]:
    """The cells with both sides known."""
    found = {}
    for method in plan.methods:
        for task in plan.tasks:
            runs = [run for run in groups[task.problem, method.name] if _is_complete(run)]
            if runs and keeps_units(method, task.problem):
                found[task.problem, method.name] = _sides(runs)
    return found


def keeps_units(method: Method, problem: str) -> bool:
    """Whether the method's model leaves the outputs untransformed."""
    try:
        model = method.make(find(problem)).get("model")
    except MissingExtra:  # the problem is not available here: its runs were made elsewhere
        return False
    plain = isinstance(model, GP) and not (model.standardize or model.warp)
    return plain or isinstance(model, Surrogate)


def _is_complete(run: Run) -> bool:
    return not (np.isnan(run.columns["audited_inaccuracy"]).all() or np.isnan(run.columns["width"]).all())


def _sides(runs: Sequence[Run]) -> Sides:
    regret, se = mean_and_error(run.cumulative[-1] for run in runs)
    gaps, widths = (
        mean_and_error(total(run.columns[column]) for run in runs)[0] for column in ("audited_inaccuracy", "width")
    )
    return Sides(runs[0].problem, runs[0].method, len(runs), regret, se, gaps, widths)
