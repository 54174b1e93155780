"""The right-hand sides of the paper's four theorems as numbers, with the assumptions they rest on.

1 inexact GP-UCB, 2 inexact GP-TS, 3 random-grid GP-UCB, 4 random-grid GP-TS, in the order of the paper.

T     int    model-based steps                     R_T   float  cumulative regret over them, Σ (f* − f(x_t))
B     float  bound of the norm of f − m under the unit-variance kernel, model units
s     float  prior standard deviation              τ     float  noise variance / signal variance
β_T   float  the largest β_t                       σ     (T,)   deviations σ_{t−1}(x_t), model units, never above s
h     (T,)   fill distances of the grids           M_T   float  accumulated inaccuracy, Σ(1 − η_t)
Γ     float  realised information gain of the T steps; γ_T, the largest that T steps can have, is never below it
C     float  the largest max(B, |μ − m|_k) over the steps: the shift of α − m
L_k   float  |f(x) − f(y)| ≤ B L_k |x − y| for every f of norm B

The paper's kernels have k(x, x) ≤ 1. In model units σ ≤ s takes the place of σ ≤ 1, hence the factors s. A constant
that is not known is None; the bound is then without a value and says which one is missing.
"""

import math
from collections.abc import Sequence

import numpy as np

from suffice.accuracy.bounds import Bound, Check, Numbers, Premises, columns, make_bound, model_checks, said_if
from suffice.accuracy.report import SolveReport
from suffice.acquisition import Thompson
from suffice.gp.kernels import RBF, Matern, Stationary
from suffice.solvers import Grid
from suffice.study.result import Result
from suffice.types import Array

OPTIMISM = 1 / (4 * math.e * math.sqrt(math.pi))  # p: the least probability that a sample at x exceeds f(x)
EARLY = 4  # 1/(p − 1/t²) ≤ 5/p needs t ≥ 5


def bounds(result: Result) -> dict[str, Bound]:
    """The paper's bounds of the regret of a run, model units: those about UCB, or those about Thompson sampling.

    Everything comes from the reports of the run. The grids of a run are not stored, so the two theorems about grids
    have no value here. Empty before the first model-based step.
    """
    accuracy, acquisition = result.accuracy, result.settings.acquisition
    premises, observed = accuracy.premises, accuracy.bound
    if premises is None or observed is None:
        return {}
    beta = _largest_beta(accuracy.reports)
    on_grid = isinstance(result.settings.solver, Grid)
    if isinstance(acquisition, Thompson):
        return {"Theorem 2": theorem2(premises), "Theorem 4": theorem4(premises, beta=beta, on_grid=on_grid)}
    first = theorem1(
        premises,
        steps=len(accuracy.reports),
        inaccuracy=accuracy.m_t,
        beta=beta,
        gain=accuracy.gain + 0.5 * math.log1p(1 / premises.tau),  # the last ask did not know its own observation
        shift=_largest_shift(accuracy.reports),
    )
    third = theorem3(premises, beta=beta, on_grid=on_grid)
    return {"Theorem 1, observed": observed, "Theorem 1": first, "Theorem 3": third}


def theorem1(
    premises: Premises, *, steps: int, inaccuracy: float, beta: float | None, gain: float, shift: float | None
) -> Bound:
    """Inexact GP-UCB: R_T ≤ (B + C + 2sβ_T) M_T + 2sβ_T sqrt(2TΓ / log(1 + 1/τ)).

    From R_T ≤ Σ(1 − η_t)(α*_t − m + C) + 2β_T Σσ and α* − m ≤ max f − m + 2sβ_T ≤ B + 2sβ_T. The paper ends with
    4sβ_T sqrt((T + 2) γ_T), which is never smaller for τ ≤ 1 + 2/T, and holds for these τ only. As `gain` any number
    will do that the realised gain of the T steps does not exceed, γ_T included. `shift` is C.
    """
    s, value = premises.scale, None
    if premises.B is not None and beta is not None and shift is not None:
        deviations = math.sqrt(steps * squared_deviation_sum(gain, premises.tau, s))  # Σσ ≤ sqrt(T Σσ²)
        value = (premises.B + shift + 2 * s * beta) * inaccuracy + 2 * beta * deviations
    known = "the shift of no α_t is larger than the given one", said_if(shift is None, "the largest shift is not known")
    checks = (*model_checks(premises), _smooth_kernel(premises), _largest(beta), known)
    return make_bound(value, "O(γ_T √T + M_T √γ_T)", checks)


def theorem2(premises: Premises) -> Bound:
    """Inexact GP-TS: the paper omits the proof, so there is no constant to compute."""
    checks = (
        *model_checks(premises),
        _smooth_kernel(premises),
        ("the sampling deviation is β_t σ + (1/η̃_t − 1) B", ()),
    )
    return make_bound(None, "O(γ_T √(T log T) + M_T √(γ_T log T))", checks)


def theorem3(
    premises: Premises,
    *,
    fills: Numbers | None = None,
    beta: float | None = None,
    deviations: Numbers = (),
    on_grid: bool = True,
) -> Bound:
    """Random-grid GP-UCB: R_T ≤ B L_k Σh_t + 2β_T Σσ."""
    value = None
    if fills is not None and beta is not None:
        h, sigma = columns(fills=fills, deviations=deviations)
        value = _between_grid_points(premises, h)
        if value is not None:
            value += 2 * beta * float(sigma.sum())
    checks = _grid_checks(premises, beta, fills is not None, on_grid)
    return make_bound(value, f"O(γ_T √T) + Õ({_grid_rate(premises)})", checks)


def theorem4(
    premises: Premises,
    *,
    fills: Numbers | None = None,
    beta: float | None = None,
    deviations: Numbers = (),
    grid: float = 1.0,
    on_grid: bool = True,
) -> Bound:
    """Random-grid GP-TS with |X_t| = ct, c = `grid`, c_T = β_T (1 + sqrt(6 log T + 2 log c)), p = 1/(4e√π):

    R_T ≤ B L_k Σh_t + (11 c_T/p) Σσ + Bπ²/3 + ((4B + 11 c_T s)/p) sqrt(2T log(3/δ)) + 2B min(T, 4).

    The last term is ours: the proof's 1/(p − 1/t²) ≤ 5/p holds from t = 5 on, before that a step may cost 2B.
    """
    if not grid >= 1:
        raise ValueError(f"grid is c in |X_t| = ct, at least one point at the first step; got {grid!r}")
    value, B, p = None, premises.B, OPTIMISM
    if fills is not None and beta is not None:
        h, sigma = columns(fills=fills, deviations=deviations)
        T, value = len(h), _between_grid_points(premises, h)
        if B is not None and value is not None:
            c = beta * (1 + math.sqrt(6 * math.log(max(T, 1)) + 2 * math.log(grid)))
            value += 11 * c / p * float(sigma.sum()) + B * math.pi**2 / 3
            value += (4 * B + 11 * c * premises.scale) / p * math.sqrt(2 * T * math.log(3 / premises.delta))
            value += 2 * B * min(T, EARLY)
    checks = _grid_checks(premises, beta, fills is not None, on_grid)
    return make_bound(value, f"O(γ_T √(T log T)) + Õ({_grid_rate(premises)})", checks)


def squared_deviation_sum(gain: float, tau: float, scale: float = 1.0) -> float:
    """Σσ² ≤ 2 s² Γ / log(1 + 1/τ), Γ the realised gain, for any τ.

    Because u ≤ log(1 + u/τ) / log(1 + 1/τ) for u in [0, 1], and Γ = ½ Σ log(1 + σ²/s²τ).
    """
    if not tau > 0:
        raise ValueError(f"tau, noise variance over signal variance, must be positive, got {tau!r}")
    return scale**2 * 2 * gain / math.log1p(1 / tau)


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


# ---------------------------------------------------------------------- what a run knows


def _largest_beta(reports: Sequence[SolveReport]) -> float | None:
    """The largest β_t; None if a step has none, or does not tell."""
    betas = [report.beta for report in reports if report.beta is not None]
    return max(betas) if betas and len(betas) == len(reports) else None


def _largest_shift(reports: Sequence[SolveReport]) -> float | None:
    """C over the steps with 1 − η_t > 0, for it multiplies nothing in the others; None if one of them does not tell."""
    largest = 0.0
    for report in reports:
        if report.eta_lower == 1.0:
            continue
        if report.shift is None or report.binding is None:
            return None
        largest = max(largest, report.shift + report.binding.constant)
    return largest


# ---------------------------------------------------------------------- assumptions


def _largest(beta: float | None) -> Check:
    return "no β_t is larger than the given one", said_if(beta is None, "the largest β_t is not known")


def _smooth_kernel(premises: Premises) -> Check:
    kernel = premises.kernel
    if isinstance(kernel, Matern):
        broken = said_if(kernel.nu < 2, f"the kernel is Matérn with ν = {kernel.nu:g} < 2")
    else:
        broken = said_if(not isinstance(kernel, RBF), f"the kernel is {type(kernel).__name__}")
    return "the kernel is squared exponential, or Matérn with ν ≥ 2", broken


def _grid_checks(premises: Premises, beta: float | None, filled: bool, on_grid: bool) -> tuple[Check, ...]:
    return (
        *model_checks(premises),
        _smooth_kernel(premises),
        _largest(beta),
        ("x_t is the best point of a finite grid X_t", said_if(not on_grid, "the solver was not Grid")),
        (
            "the fill distance of no grid is larger than stated",
            said_if(not filled, "the grids are not stored, so their fill distances are not known"),
        ),
    )


def _grid_rate(premises: Premises) -> str:
    return f"T^({premises.dimension - 1}/{premises.dimension})"


def _between_grid_points(premises: Premises, fills: Array) -> float | None:
    """B L_k Σh; None if B or L_k is not known. Grids without gaps cost nothing, even if L_k is infinite."""
    L, total = lipschitz(premises.kernel), float(fills.sum())
    if premises.B is None or L is None:
        return None
    return L * (premises.B * total) if premises.B * total > 0 else 0.0
