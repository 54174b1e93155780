"""Bounds of the cumulative regret, and the assumptions that they rest on.

g     (T,)   α*_t − α_t(x_t)                       R_T   float  cumulative regret over T model-based steps
β     (T,)   factors of σ                          σ     (T,)   deviations σ_{t−1}(x_t), model units
B     float  bound of the norm of f − m under the unit-variance kernel, model units; hence |f − m| ≤ B
s     float  prior standard deviation              τ     float  noise variance / signal variance

No step costs more than 2B, the distance of the largest from the smallest value that f can have. The bound that a run
states about itself is in regret.py; the paper's own forms, Theorems 1 to 4, are in suffice.paper.theorems.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

import numpy as np

from suffice.gp.kernels import Stationary
from suffice.types import Array

Numbers: TypeAlias = Sequence[float] | Array  # one for each step
Check: TypeAlias = tuple[str, tuple[str, ...]]  # an assumption, and how the premises break it

OWN = "the objective's"
FITTED = "the hyper-parameters were fitted to the same data: the model may be too sure of itself"
WARPED = "the outputs are warped by a map fitted to the data: a norm B would be that of the warped objective"
NO_FACTOR = (
    "the map from the objective's values to the model's changed from step to step, or is a warp: the number is in "
    "model units, which no factor turns into the objective's"
)
OBSERVED_RATE = "O(γ_T √T + Σ g_t)"
REGRET = "the cumulative regret of the points that the model proposed"
WITHIN = f"{REGRET}, against the best point within all limits,"


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
    ucb: bool = True  # steps that have a width maximized μ + βσ, which Theorem 1 is about
    failed: int = 0  # trials that count as the worst value seen
    left_out: int = 0  # observations that the model does not use
    objectives: int = 1
    limited: tuple[str, ...] = ()  # the names of outputs with a limit
    within: int | None = None  # trials that are within all limits; None: there are none to keep
    lacking: int = 0  # trials with values of some outputs and not of others

    def __post_init__(self) -> None:
        if not 0 < self.delta < 1:
            raise ValueError(f"delta is a probability strictly between 0 and 1, got {self.delta!r}; 0.1 is usual")

    @property
    def probability(self) -> float:
        """With which every output is within its band at least, each being out of it with probability δ at most."""
        return max(0.0, 1.0 - self.delta * (self.objectives + len(self.limited)))


@dataclass(frozen=True, repr=False)
class Bound:
    """R_T ≤ value with the stated probability, if every assumption holds; `print` it for the whole statement.

    The regret of a step is how much worse the objective is at its point than at the best point there is, and R_T is
    the sum over the points that the model proposed. As soon as `broken` has a sentence in it, the number is what the
    sum would be at most if the assumption held: a yardstick, which the regret may exceed.

    Attributes
    ----------
    value : float or None
        In the objective's units; None: a constant or a step is not known, `broken` says which.
    rate : str
        How it grows with T, in the paper's notation.
    assumptions : tuple of str
        All it rests on.
    broken : tuple of str
        Those that are known to fail or not known to hold, as sentences.
    value_model : float or None
        The same in model units, those of the transformed outputs.
    probability : float
        With which it holds at least, if nothing is broken.
    violations : dict or None
        What the violations of each limit, constraints={...}, add up to at most over the same points, in its own units;
        None: there are no limits, or a step does not tell.
    about : str
        What is bounded.
    """

    value: float | None
    rate: str
    assumptions: tuple[str, ...]
    broken: tuple[str, ...]
    value_model: float | None = None
    probability: float = 0.9
    violations: dict[str, float] | None = None
    about: str = REGRET

    @property
    def statement(self) -> str:
        """The number and its units."""
        return f"R_T ≤ {self._amount}" if self._is_known else "no number"

    def __repr__(self) -> str:
        """The number, its units, and how much is broken."""
        fails = f"{len(self.broken)} of its assumptions fail" if self.broken else "no assumption is known to fail"
        return f"<Bound: {self.statement}; {fails}>"

    def __str__(self) -> str:
        """Sentences: what is bounded, by what, and what it rests on."""
        about, verb = self.about, "is" if not self.broken else "would be"
        if not self._is_known:
            if not self.broken:
                return f"There is no number for {about}: only its rate is known, {self.rate}."
            first = f"There is no bound of {about.rstrip(',')}. What it lacks, and what it would rest on in vain:"
            return "\n".join([first, *(f"  - {sentence}" for sentence in self.broken)])
        number = f"{about[0].upper()}{about[1:]} {verb} at most {self._amount}{self._beyond}"
        if not self.broken:
            return f"{number}, with a probability of at least {self.probability:g}."
        first = (
            f"{number}, if all assumptions held. It is a yardstick and not a bound, because these fail or are not "
            "known to hold:"
        )
        return "\n".join([first, *(f"  - {sentence}" for sentence in self.broken)])

    @property
    def _is_known(self) -> bool:
        return self.value is not None or self.value_model is not None

    @property
    def _amount(self) -> str:
        own = self.value is not None
        return f"{self.value if own else self.value_model:.4g} in {OWN if own else 'model'} units"

    @property
    def _beyond(self) -> str:
        """What the violations come to, as the rest of a sentence; "" without limits."""
        if not self.violations:
            return ""
        verb = "add" if not self.broken else "would add"
        return f", and the violations {verb} up to at most " + " and ".join(
            f"{most:.4g} in {name}" for name, most in self.violations.items()
        )

    def of(self, about: str) -> "Bound":
        """The same about something else than the regret."""
        return replace(self, about=about)

    def in_units(self, factor: float | None) -> "Bound":
        """With `value` in the objective's units, `factor` of which are one model unit; None: no factor turns them."""
        if self.value_model is None or factor is not None:
            return replace(
                self, value=None if self.value_model is None or factor is None else factor * self.value_model
            )
        return replace(self, value=None, broken=(*self.broken, NO_FACTOR))


def theorem1_observed(premises: Premises, *, inaccuracies: Numbers, betas: Numbers, deviations: Numbers) -> Bound:
    """Inexact GP-UCB before the last relaxations: R_T ≤ Σ min(g_t + 2 β_t σ_{t−1}(x_t), 2B). Every term is observed."""
    g, beta, sigma = columns(inaccuracies=inaccuracies, betas=betas, deviations=deviations)
    most = math.inf if premises.B is None else 2 * premises.B
    value = float(np.minimum(g + 2 * beta * sigma, most).sum())
    checks = (*model_checks(premises), ("no gap α* − α(x_t) is larger than stated", ()))
    return make_bound(value, OBSERVED_RATE, checks, premises)


def model_checks(premises: Premises) -> tuple[Check, ...]:
    """What |f − μ| ≤ β_t σ at all x and t rests on."""
    failed, left_out = premises.failed, premises.left_out
    return (
        (
            "f − m has a norm of at most B under the kernel",
            said_if(premises.B is None, "B is not known: nothing says how wild the objective may be between the data"),
        ),
        (
            "the noise is conditionally R-sub-Gaussian",
            said_if(premises.R is None, "R is not known: nothing says how far a measured value may be off"),
        ),
        ("kernel, noise and prior mean were fixed before the data", said_if(premises.fitted, FITTED)),
        ("outputs enter the model as they are, up to a fixed scale", said_if(premises.warped, WARPED)),
        ("|f − μ| ≤ β_t σ at all x and t, with the stated probability", premises.beta_broken),
        (
            "the model knows what was measured, all of it and nothing else",
            (
                *said_if(failed > 0, f"{failed} failed {_trials(failed)} as the worst value seen, which nobody saw"),
                *said_if(left_out > 0, f"the model leaves out {left_out} of the observations (max_points)"),
            ),
        ),
    )


def _trials(count: int) -> str:
    return "trial counts" if count == 1 else "trials count"


def said_if(condition: bool, sentence: str) -> tuple[str, ...]:
    """The sentence, where it is true."""
    return (sentence,) if condition else ()


def make_bound(value: float | None, rate: str, checks: Sequence[Check], premises: Premises) -> Bound:
    """A bound with the assumptions of its checks; where outputs enter the model as they are, its units are theirs."""
    broken = tuple(sentence for _, sentences in checks for sentence in sentences)
    return Bound(value, rate, tuple(text for text, _ in checks), broken, value, premises.probability)


def at_most(value: float | None, premises: Premises, steps: int) -> float | None:
    """No more than 2BT, which every run keeps."""
    return value if value is None or premises.B is None else min(value, 2 * premises.B * steps)


def columns(**sequences: Numbers) -> tuple[Array, ...]:
    """One number for each step, as arrays of one length."""
    arrays = tuple(np.asarray(values, dtype=float) for values in sequences.values())
    if len({array.shape for array in arrays}) != 1 or arrays[0].ndim != 1:
        shapes = ", ".join(f"{name} {array.shape}" for name, array in zip(sequences, arrays, strict=True))
        raise ValueError(f"a bound needs one number for each step in every sequence, got shapes {shapes}")
    return arrays
