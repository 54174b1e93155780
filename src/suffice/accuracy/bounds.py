"""The regret bound that a run can state about itself, and the assumptions that it rests on.

g     (T,)   α*_t − α_t(x_t)                       R_T   float  cumulative regret over T model-based steps
β     (T,)   factors of σ                          σ     (T,)   deviations σ_{t−1}(x_t), model units
B     float  bound of the norm of f − m under the unit-variance kernel, model units
s     float  prior standard deviation              τ     float  noise variance / signal variance

The paper's own forms, Theorems 1 to 4, need constants that few runs know: suffice.paper.theorems.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from suffice.gp.kernels import Stationary
from suffice.types import Array

Numbers: TypeAlias = Sequence[float] | Array  # one for each step
Check: TypeAlias = tuple[str, tuple[str, ...]]  # an assumption, and how the premises break it


@dataclass(frozen=True)
class Premises:
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
    broken: tuple[str, ...]  # those that the premises are known to break, as sentences


def theorem1_observed(premises: Premises, *, inaccuracies: Numbers, betas: Numbers, deviations: Numbers) -> Bound:
    """Inexact GP-UCB before the last relaxations: R_T ≤ Σ g_t + 2 Σ β_t σ_{t−1}(x_t). Every term is observed."""
    g, beta, sigma = columns(inaccuracies=inaccuracies, betas=betas, deviations=deviations)
    checks = (*model_checks(premises), ("no gap α* − α(x_t) is larger than stated", ()))
    return make_bound(float(g.sum() + 2 * beta @ sigma), "O(γ_T √T + Σ g_t)", checks)


def model_checks(premises: Premises) -> tuple[Check, ...]:
    """What |f − μ| ≤ β_t σ at all x and t rests on."""
    warped = "the outputs are warped: the bound is about the warped objective, and the warp was fitted to the data"
    return (
        ("f − m has a norm of at most B under the kernel", said_if(premises.B is None, "B is not known")),
        ("the noise is conditionally R-sub-Gaussian", said_if(premises.R is None, "R is not known")),
        (
            "kernel, noise and prior mean were fixed before the data",
            said_if(premises.fitted, "the hyper-parameters were fitted to the same data"),
        ),
        ("outputs enter the model as they are, up to a fixed scale", said_if(premises.warped, warped)),
        ("|f − μ| ≤ β_t σ at all x and t, with the stated probability", premises.beta_broken),
    )


def said_if(condition: bool, sentence: str) -> tuple[str, ...]:
    """The sentence, where it is true."""
    return (sentence,) if condition else ()


def make_bound(value: float | None, rate: str, checks: Sequence[Check]) -> Bound:
    """A bound with the assumptions of its checks."""
    broken = tuple(sentence for _, sentences in checks for sentence in sentences)
    return Bound(value, rate, tuple(text for text, _ in checks), broken)


def columns(**sequences: Numbers) -> tuple[Array, ...]:
    """One number for each step, as arrays of one length."""
    arrays = tuple(np.asarray(values, dtype=float) for values in sequences.values())
    if len({array.shape for array in arrays}) != 1 or arrays[0].ndim != 1:
        shapes = ", ".join(f"{name} {array.shape}" for name, array in zip(sequences, arrays, strict=True))
        raise ValueError(f"a bound needs one number for each step in every sequence, got shapes {shapes}")
    return arrays
