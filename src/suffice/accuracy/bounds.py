"""The right-hand sides of the paper's four theorems as numbers, with the assumptions they rest on.

1 inexact GP-UCB, 2 inexact GP-TS, 3 random-grid GP-UCB, 4 random-grid GP-TS, in the order of the paper.

T     int    model-based steps                     R_T   float  cumulative regret over them, Σ (f* − f(x_t))
B     float  bound of the norm of f − m under the unit-variance kernel, model units
s     float  prior standard deviation              τ     float  noise variance / signal variance
β_T   float  the largest β_t                       σ     (T,)   deviations σ_{t−1}(x_t), model units, never above s
g     (T,)   α*_t − α_t(x_t)                       h     (T,)   fill distances of the grids
γ_T   float  maximum information gain              M_T   float  accumulated inaccuracy, Σ(1 − η_t)
C     float  the largest max(B, |μ − m|_k) over the steps: the shift of α − m
L_k   float  |f(x) − f(y)| ≤ B L_k |x − y| for every f of norm B

The paper's kernels have k(x, x) ≤ 1. In model units σ ≤ s takes the place of σ ≤ 1, hence the factors s.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from suffice.gp.kernels import RBF, Matern, Stationary
from suffice.types import Array

Numbers: TypeAlias = Sequence[float] | Array  # one for each step
Check: TypeAlias = tuple[str, tuple[str, ...]]  # an assumption, and how the setting breaks it

OPTIMISM = 1 / (4 * math.e * math.sqrt(math.pi))  # p: the least probability that a sample at x exceeds f(x)
EARLY = 4  # 1/(p − 1/t²) ≤ 5/p needs t ≥ 5


@dataclass(frozen=True)
class Setting:
    """What a bound has to know about the model; `beta_broken` is what the β schedule says about itself."""

    kernel: Stationary
    tau: float  # the largest, where it differs between observations
    dimension: int
    scale: float = 1.0  # s
    B: float | None = None
    R: float | None = None
    delta: float = 0.1
    fitted: bool = False  # hyper-parameters or prior mean were estimated from the data
    warped: bool = False  # outputs were transformed by a warp chosen from the data
    beta_broken: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if not 0 < self.delta < 1:
            raise ValueError(f"delta is a probability strictly between 0 and 1, got {self.delta!r}; 0.1 is usual")


@dataclass(frozen=True)
class Bound:
    """R_T ≤ value with probability at least 1 − δ, as far as the assumptions hold."""

    value: float | None  # None: the theorem states a rate only, or a constant is unknown
    rate: str
    assumptions: tuple[str, ...]  # all it rests on
    broken: tuple[str, ...]  # those that the setting is known to break, as sentences


def deviation_sum(steps: int, gamma: float, scale: float = 1.0) -> float:
    """Σσ ≤ s sqrt(4 (T + 2) γ_T), for τ ≤ 1 + 2/T [Chowdhury and Gopalan 2017, Lemma 4]."""
    return scale * math.sqrt(4 * (steps + 2) * gamma)


def squared_deviation_sum(gain: float, tau: float, scale: float = 1.0) -> float:
    """Σσ² ≤ 2 s² Γ / log(1 + 1/τ), Γ the realised gain; sharper, and for any τ.

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


def theorem1(setting: Setting, *, steps: int, inaccuracy: float, beta: float, gamma: float, shift: float) -> Bound:
    """Inexact GP-UCB: R_T ≤ (B + C + 2sβ_T) M_T + 4sβ_T sqrt((T + 2) γ_T).

    From R_T ≤ Σ(1 − η_t)(α*_t − m + C) + 2β_T Σσ and α* − m ≤ max f − m + 2sβ_T ≤ B + 2sβ_T. `shift` is C. As `gamma`
    any number will do that the realised gain of the T steps does not exceed, that gain itself included.
    """
    s = setting.scale
    value = None
    if setting.B is not None:
        value = (setting.B + shift + 2 * s * beta) * inaccuracy + 2 * beta * deviation_sum(steps, gamma, s)
    checks = (*_model(setting), _smooth_kernel(setting), _small_tau(setting, steps), LARGEST_BETA)
    return _bound(value, "O(γ_T √T + M_T √γ_T)", checks)


def theorem1_observed(setting: Setting, *, gaps: Numbers, betas: Numbers, deviations: Numbers) -> Bound:
    """Inexact GP-UCB before the last relaxations: R_T ≤ Σ g_t + 2 Σ β_t σ_{t−1}(x_t). Every term is observed."""
    g, beta, sigma = _columns(gaps=gaps, betas=betas, deviations=deviations)
    checks = (*_model(setting), ("no gap α* − α(x_t) is larger than stated", ()))
    return _bound(float(g.sum() + 2 * beta @ sigma), "O(γ_T √T + Σ g_t)", checks)


def theorem2(setting: Setting) -> Bound:
    """Inexact GP-TS: the paper omits the proof, so there is no constant to compute."""
    checks = (*_model(setting), _smooth_kernel(setting), ("the sampling deviation is β_t σ + (1/η̃_t − 1) B", ()))
    return _bound(None, "O(γ_T √(T log T) + M_T √(γ_T log T))", checks)


def theorem3(setting: Setting, *, fills: Numbers, beta: float, deviations: Numbers) -> Bound:
    """Random-grid GP-UCB: R_T ≤ B L_k Σh_t + 2β_T Σσ."""
    h, sigma = _columns(fills=fills, deviations=deviations)
    value = _between_grid_points(setting, h)
    if value is not None:
        value += 2 * beta * float(sigma.sum())
    return _bound(value, f"O(γ_T √T) + Õ({_grid_rate(setting)})", _grid_checks(setting))


def theorem4(setting: Setting, *, fills: Numbers, beta: float, deviations: Numbers, grid: float) -> Bound:
    """Random-grid GP-TS with |X_t| = ct, c = `grid`, c_T = β_T (1 + sqrt(6 log T + 2 log c)), p = 1/(4e√π):

    R_T ≤ B L_k Σh_t + (11 c_T/p) Σσ + Bπ²/3 + ((4B + 11 c_T s)/p) sqrt(2T log(3/δ)) + 2B min(T, 4).

    The last term is ours: the proof's 1/(p − 1/t²) ≤ 5/p holds from t = 5 on, before that a step may cost 2B.
    """
    if not grid >= 1:
        raise ValueError(f"grid is c in |X_t| = ct, at least one point at the first step; got {grid!r}")
    h, sigma = _columns(fills=fills, deviations=deviations)
    T, B, p = len(h), setting.B, OPTIMISM
    value = _between_grid_points(setting, h)
    if B is not None and value is not None:
        c = beta * (1 + math.sqrt(6 * math.log(max(T, 1)) + 2 * math.log(grid)))
        value += 11 * c / p * float(sigma.sum()) + B * math.pi**2 / 3
        value += (4 * B + 11 * c * setting.scale) / p * math.sqrt(2 * T * math.log(3 / setting.delta))
        value += 2 * B * min(T, EARLY)
    return _bound(value, f"O(γ_T √(T log T)) + Õ({_grid_rate(setting)})", _grid_checks(setting))


LARGEST_BETA: Check = ("no β_t is larger than the given one", ())


def _model(setting: Setting) -> tuple[Check, ...]:
    """What |f − μ| ≤ β_t σ at all x and t rests on."""
    warped = "the outputs are warped: the bound is about the warped objective, and the warp was fitted to the data"
    return (
        ("f − m has a norm of at most B under the kernel", _if(setting.B is None, "B is not known")),
        ("the noise is conditionally R-sub-Gaussian", _if(setting.R is None, "R is not known")),
        (
            "kernel, noise and prior mean were fixed before the data",
            _if(setting.fitted, "the hyper-parameters were fitted to the same data"),
        ),
        ("outputs enter the model as they are, up to a fixed scale", _if(setting.warped, warped)),
        ("|f − μ| ≤ β_t σ at all x and t, with the stated probability", setting.beta_broken),
    )


def _smooth_kernel(setting: Setting) -> Check:
    kernel = setting.kernel
    if isinstance(kernel, Matern):
        broken = _if(kernel.nu < 2, f"the kernel is Matérn with ν = {kernel.nu:g} < 2")
    else:
        broken = _if(not isinstance(kernel, RBF), f"the kernel is {type(kernel).__name__}")
    return "the kernel is squared exponential, or Matérn with ν ≥ 2", broken


def _small_tau(setting: Setting, steps: int) -> Check:
    largest = 1 + 2 / max(steps, 1)
    return "τ ≤ 1 + 2/T", _if(setting.tau > largest, f"τ = {setting.tau:.3g} is above 1 + 2/T = {largest:.3g}")


def _grid_checks(setting: Setting) -> tuple[Check, ...]:
    return (
        *_model(setting),
        _smooth_kernel(setting),
        LARGEST_BETA,
        ("x_t is the best point of a finite grid X_t", ()),
        ("the fill distance of no grid is larger than stated", ()),
    )


def _grid_rate(setting: Setting) -> str:
    return f"T^({setting.dimension - 1}/{setting.dimension})"


def _between_grid_points(setting: Setting, fills: Array) -> float | None:
    """B L_k Σh; None if B or L_k is not known. Grids without gaps cost nothing, even if L_k is infinite."""
    L, total = lipschitz(setting.kernel), float(fills.sum())
    if setting.B is None or L is None:
        return None
    return L * (setting.B * total) if setting.B * total > 0 else 0.0


def _if(condition: bool, sentence: str) -> tuple[str, ...]:
    return (sentence,) if condition else ()


def _bound(value: float | None, rate: str, checks: Sequence[Check]) -> Bound:
    broken = tuple(sentence for _, sentences in checks for sentence in sentences)
    return Bound(value, rate, tuple(text for text, _ in checks), broken)


def _columns(**sequences: Numbers) -> tuple[Array, ...]:
    """One number for each step, as arrays of one length."""
    arrays = tuple(np.asarray(values, dtype=float) for values in sequences.values())
    if len({array.shape for array in arrays}) != 1 or arrays[0].ndim != 1:
        shapes = ", ".join(f"{name} {array.shape}" for name, array in zip(sequences, arrays, strict=True))
        raise ValueError(f"a bound needs one number for each step in every sequence, got shapes {shapes}")
    return arrays
