"""Upper confidence bounds: how far above the mean to look, β_t, and the scores made with it (paper, Alg. 1).

t      int    1 + the number of model-based asks before this one
n      int    observations, initial ones included
s      float  prior standard deviation of f, so k(x, x) = s²
τ      float  noise variance / signal variance
Γ_n    float  realised information gain, 1/2 log det(I + K_n/τ), K_n the kernel matrix of unit variance
μ, σ   (m,)   posterior mean and standard deviation in model units, σ = s times that of the unit-variance kernel

    UCBScore      α_t(x) = μ(x) + β_t σ(x)
    Lead          μ(x) − μ(r) + β sqrt(Var[f(x) − f(r)]), how far x may be ahead of a point r
"""

import math
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from numbers import Real
from typing import Literal, get_args

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from suffice.accuracy.estimate import ucb_shift
from suffice.belief import Beliefs, Believed
from suffice.checks import as_real
from suffice.gp.box_bounds import BoxBound
from suffice.gp.fit import TAU_FLOOR
from suffice.gp.posterior import Posterior, bent
from suffice.gp.screening import reaching, top_ucb
from suffice.types import Array, Domain, Indices, Score, Step, derived

Form = Literal["general", "paper"]


class Beta(ABC):
    """A schedule: β_t > 0 multiplies σ, never σ² and never as a square root."""

    @abstractmethod
    def __call__(self, step: Step, posterior: Posterior, /) -> float:
        """β_t."""

    @abstractmethod
    def broken(self, posterior: Posterior, /) -> tuple[str, ...]:
        """The assumptions of |f − μ| ≤ β_t σ that are known to fail, as sentences; empty if none is."""


@dataclass(frozen=True)
class SqrtLog(Beta):
    """Grow slowly with the step: β_t = scale · sqrt(log(t + 1)), the schedule of the paper's experiments.

    The paper counts t from 0 and writes t + 2.

    Parameters
    ----------
    scale : float, default: 1.0
        A larger one explores more.
    """

    scale: float = 1.0

    def __post_init__(self) -> None:
        _check_number("scale", self.scale)

    def __call__(self, step: Step, _posterior: Posterior, /) -> float:
        return self.scale * math.sqrt(math.log(step.t + 1))

    def broken(self, _posterior: Posterior, /) -> tuple[str, ...]:
        return ("beta = scale*sqrt(log(t + 1)) is a rule of thumb, not a confidence bound; Theory(B, R, delta) is one",)


@dataclass(frozen=True)
class Widening(Beta):
    """Explore little, and more after a step that had nothing left to gain.

    β_t = scale · sqrt(log(t + 1)), or `factor` times that. Half the paper's β spends fewer evaluations on regions that
    are probably bad, but runs may settle in a local optimum. A settled run can be detected: if w_{t−1} = 2 β_{t−1}
    σ(x_{t−1}) is below `resolution`, the value was predictable before the evaluation. The next step then uses the
    paper's β, and leaves the basin only if the model expects more elsewhere; widening breaks no bound that the smaller
    β keeps. With noise σ rarely gets so small, and β stays at half. See measurements/defaults.md.

    Parameters
    ----------
    scale : float, default: 0.5
        The fraction of the paper's β.
    factor : float, default: 2.0
        How much larger β is in a step that explores more.
    resolution : float, default: 0.001
        Widths below it count as nothing left to gain, in model units: standardised outputs have standard deviation 1.
    """

    scale: float = 0.5
    factor: float = 2.0
    resolution: float = 1e-3

    def __post_init__(self) -> None:
        _check_number("scale", self.scale)
        _check_number("resolution", self.resolution)
        if not 1 <= as_real(self.factor, "factor") < math.inf:
            raise ValueError(f"factor widens β: it must be finite and at least 1, got {self.factor!r}")

    def __call__(self, step: Step, posterior: Posterior, /) -> float:
        width = None if step.last is None else step.last.width
        settled = width is not None and width < self.resolution
        return SqrtLog(self.scale * (self.factor if settled else 1.0))(step, posterior)

    def broken(self, posterior: Posterior, /) -> tuple[str, ...]:
        return SqrtLog(self.scale).broken(posterior)


@dataclass(frozen=True)
class Constant(Beta):
    """The same at every step: β_t = value.

    Parameters
    ----------
    value : float, default: 2.0
        The weight of the standard deviation; 0 is greedy.
    """

    value: float = 2.0

    def __post_init__(self) -> None:
        _check_number("value", self.value)

    def __call__(self, _step: Step, _posterior: Posterior, /) -> float:
        return self.value

    def broken(self, _posterior: Posterior, /) -> tuple[str, ...]:
        return ("a constant beta is a rule of thumb, not a confidence bound; Theory(B, R, delta) is one",)


@dataclass(frozen=True)
class Theory(Beta):
    """The β of the theory: ``|f(x) − μ(x)| ≤ β_t σ(x)`` for all x and t with probability at least 1 − delta/c.

    Parameters
    ----------
    B : float
        A bound of the norm of f under the unit-variance kernel, hence also of ``|f|``, in standardised outputs.
    R : float
        The sub-Gaussian constant of the noise, in standardised outputs.
    delta : float
        The probability that the bound fails is at most delta/c.
    c : float, default: 1.0
        1 for inexact GP-UCB, 2 for inexact GP-TS and random-grid GP-UCB, 3 for random-grid GP-TS.
    form : {'general', 'paper'}, default: 'general'
        Which of the two expressions below.

    Notes
    -----
    ::

        general  s β = B + (R/√τ) sqrt(2 (Γ_n + log(c/δ)))       any τ > 0      [Durand et al. 2018]
        paper    s β = B + R sqrt(2 (Γ_n + 1 + log(c/δ)))        τ ≥ 1 only     [paper, Alg. 1 and 2]

    Divided by s, B and R are those of f/s, whose kernel has k(x, x) = 1, and β does not change when f and σ are
    multiplied by s again. In the paper's form the realised gain stands for the maximum gain γ_{t−1}, which it never
    exceeds; the bound holds with either. Before the first observation there is no noise to bound: the general form is
    B/s.
    """

    B: float
    R: float
    delta: float
    c: float = 1.0
    form: Form = "general"

    def __post_init__(self) -> None:
        _check_number("B", self.B)
        _check_number("R", self.R)
        if not 0 < as_real(self.delta, "delta") < 1:
            raise ValueError(f"delta is a probability strictly between 0 and 1, got {self.delta!r}; 0.05 is usual")
        if not 1 <= as_real(self.c, "c") < math.inf:
            raise ValueError(f"c must be at least 1, got {self.c!r}; it is 1, 2 or 3, see the docstring of Theory")
        if self.form not in get_args(Form):
            raise ValueError(f"form must be one of {', '.join(map(repr, get_args(Form)))}, got {self.form!r}")

    def __call__(self, _step: Step, posterior: Posterior, /) -> float:
        log_term = math.log(self.c / self.delta)
        if self.form == "paper":
            noise = self.R * math.sqrt(2 * (posterior.gain + 1 + log_term))
        elif posterior.n == 0:
            noise = 0.0
        else:
            noise = self.R / math.sqrt(posterior.tau) * math.sqrt(2 * (posterior.gain + log_term))
        return (self.B + noise) / posterior.scale

    def broken(self, posterior: Posterior, /) -> tuple[str, ...]:
        if self.form == "general" or posterior.n == 0 or posterior.tau >= 1:
            return ()
        return (
            f"the paper's form of beta needs tau >= 1, the model has tau = {posterior.tau:.3g}; "
            "Theory(form='general') holds for any tau",
        )


@dataclass(frozen=True)
class Custom(Beta):
    """A custom function as a schedule: β_t = function(step, posterior)."""

    function: Callable[[Step, Posterior], float]

    def __call__(self, step: Step, posterior: Posterior, /) -> float:
        beta = as_real(self.function(step, posterior), "what the function given as beta returns")
        _check_number("what the function given as beta returns", beta)
        return beta

    def broken(self, _posterior: Posterior, /) -> tuple[str, ...]:
        return ("beta is a function, whose assumptions are unknown; Theory(B, R, delta) states them",)


def as_beta(beta: Beta | Callable[[Step, Posterior], float] | float) -> Beta:
    """A schedule; a number is a constant one, a function one that promises nothing."""
    if isinstance(beta, Beta):
        return beta
    if isinstance(beta, Real) and not isinstance(beta, bool):
        return Constant(float(beta))
    if isinstance(beta, type) or not callable(beta):
        raise TypeError(f"beta must be a number or a schedule such as SqrtLog(): got {beta!r}")
    return Custom(beta)


class Scheduled:
    """The field `beta` of an acquisition: a number or a function that is passed to it is stored as a schedule."""

    def __init__(self, default: Beta) -> None:
        self.default = default

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    def __get__(self, acquisition: object, owner: type | None = None) -> Beta:
        schedule: Beta = self.default if acquisition is None else vars(acquisition)[self.name]
        return schedule

    def __set__(self, acquisition: object, beta: Beta | Callable[[Step, Posterior], float] | float) -> None:
        vars(acquisition)[self.name] = as_beta(beta)


def _check_number(name: str, value: float) -> None:
    if not 0 <= as_real(value, name) < math.inf:
        raise ValueError(f"{name} must be finite and not negative, got {value!r}")


@dataclass(frozen=True)
class UCB:
    """Upper confidence bound: try the point with the largest value that the model still considers possible.

    aim="regret" uses it, because it has a regret bound. sf.LogEI() aims more directly at improving on the best point.

    Parameters
    ----------
    beta : SqrtLog, Widening, Constant, Theory, float or callable, default: Widening()
        The weight of the standard deviation: a larger value explores more, and 0 goes where the
        prediction is best. A number becomes a Constant; a function is called with the step and the posterior.

    Notes
    -----
    α_t(x) = μ(x) + β_t σ(x), an upper bound of f(x) as long as ``|f − μ| ≤ β_t σ``.

    Examples
    --------
    >>> import suffice as sf
    >>> sf.UCB(beta=2.0)
    UCB(beta=Constant(value=2.0))
    """

    beta: Scheduled = Scheduled(Widening())

    def __call__(self, beliefs: Beliefs, domain: Domain, *, step: Step, rng: Generator) -> "UCBScore":  # noqa: ARG002
        return UCBScore(beliefs.objective, self.beta(step, beliefs.objective))


@dataclass(frozen=True, eq=False)
class UCBScore(Score):
    """μ(x) + β σ(x)."""

    posterior: Posterior
    beta: float = field()
    smooth, ranks = True, True
    curved = derived(lambda self: self.posterior.kernel.twice)
    bounded = derived(lambda self: self.posterior.kernel.euclidean)  # it looks at columns one by one, as does reach
    sieves = derived(lambda self: self.posterior.kernel.euclidean)
    believes = derived(lambda self: isinstance(self.posterior, Believed))

    def __call__(self, X: Array) -> Array:
        mean, std = self.posterior.predict(X)
        return mean + self.beta * std

    def value_and_grad(self, X: Array) -> tuple[Array, Array]:
        mean, std, d_mean, d_std = self.posterior.predict_grad(X)
        return mean + self.beta * std, d_mean + self.beta * d_std

    def with_hessian(self, X: Array, columns: Indices) -> tuple[Array, Array, Array]:
        at = bent(self.posterior, X, columns)
        H = at.hessian(np.ones(len(X)), np.full(len(X), self.beta))
        return at.mean + self.beta * at.std, at.d_mean + self.beta * at.d_std, H

    def top(self, X: Array, k: int) -> tuple[NDArray[np.intp], Array]:
        return top_ucb(self.posterior, X, self.beta, k)

    def reach(self, X: Array, floor: float | Array) -> Indices:
        return reaching(self.posterior, X, lambda mean, std: mean + self.beta * std, floor)

    def shift(self, _n: int) -> float:
        """C with α + C ≥ 0 everywhere."""
        return ucb_shift(self.posterior)

    def width(self, X: Array) -> Array:
        """2 β σ(x), (m,): the cost of x in the regret bound without the inaccuracy of the solve."""
        return 2 * self.beta * self.posterior.predict(X)[1]

    def bound(self, lower: Array, upper: Array) -> Array:
        """At least α(x) for every x with lower ≤ x ≤ upper, (m,), proven."""
        return self._box_bound(lower, upper)

    @property
    def scales(self) -> Array:
        """The length-scales, (d,): α changes about equally much over each."""
        return self.posterior.lengthscales

    @cached_property
    def _box_bound(self) -> BoxBound:
        return BoxBound(self.posterior, self.beta)


@dataclass(frozen=True, eq=False)
class Lead(Score):
    """μ(x) − μ(r) + β sqrt(Var[f(x) − f(r)]): no f(x) − f(r) is larger, as long as it is within β standard deviations.

    With ρ(x) = Cov[f(x), f(r)]/σ_r², 1 at r and 0 far from it, and σ' the standard deviation of f(x) given f(r),

        Var[f(x) − f(r)] = σ'(x)² + σ_r² (1 − ρ(x))²,     σ'² = σ² − ρ² σ_r²

    Where r was measured without noise this is UCB − f(r). With noise the two bounds UCB(x) − LCB(r) would count the
    same uncertainty twice: near r both values rise and fall together.
    """

    posterior: Posterior
    beta: float = field()
    r: Array = field(repr=False)
    smooth = True

    def __call__(self, X: Array) -> Array:
        mean, known = self._known.predict(X)
        share = self._weights @ self._known.kernel(self._known.X, X)
        return mean - self._mean + self.beta * np.hypot(known, self._std * (1.0 - share))

    def value_and_grad(self, X: Array) -> tuple[Array, Array]:
        mean, known, d_mean, d_known = self._known.predict_grad(X)
        kernel, weights = self._known.kernel, self._weights
        K, H = kernel.profile_and_slope(kernel.squared_distance(self._known.X, X))
        share, d_share = weights @ K, self._known.weighted_gradient(X, weights[:, None] * H)
        rest = self._std * (1.0 - share)
        std = np.hypot(known, rest)
        d_std = (known[:, None] * d_known - (self._std * rest)[:, None] * d_share) / std[:, None]
        return mean - self._mean + self.beta * std, d_mean + self.beta * d_std

    @property
    def sides(self) -> tuple[tuple[UCBScore, float], ...]:
        """Two upper confidence bounds u and values v of f(r): no lead is above the larger of the two u(x) − v.

        By the triangle inequality α ≤ μ − μ(r) + β(σ' + σ_r |1 − ρ|), and u is the bound once f(r) is known to be
        v = μ(r) ∓ βσ_r. They have bounds over boxes, for a proof.
        """
        values = [self._mean + side * self.beta * self._std for side in (-1.0, 1.0)]
        return tuple((UCBScore(self._with(value), self.beta), value) for value in values)

    @cached_property
    def _mean(self) -> float:
        return float(self.posterior.mean(self.r[None])[0])

    @cached_property
    def _known(self) -> Posterior:
        """As if f(r) were known to be its mean, which leaves the mean as it is."""
        return self._with(self._mean)

    def _with(self, value: float) -> Posterior:
        return self.posterior.append(self.r[None], np.array([value]), TAU_FLOOR)

    @cached_property
    def _weights(self) -> Array:
        """ρ(x) = k(X_r, x)'weights, X_r the observed points and r, (n + 1,)."""
        p = self.posterior
        solved = p.factor.solve(p.kernel(p.X, self.r[None])[:, 0])
        return np.append(-solved, 1.0) * (p.scale / self._std) ** 2

    @cached_property
    def _std(self) -> float:
        return float(self.posterior.predict(self.r[None])[1][0])
