"""Upper confidence bound: α_t = μ + β_t σ (paper, Alg. 1)."""

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from suffice.accuracy.eta import ucb_shift
from suffice.acquisition.beta import Beta, Widening, as_beta
from suffice.belief import Beliefs, Believed
from suffice.gp.boxes import BoxBound
from suffice.gp.curvature import bent
from suffice.gp.posterior import Posterior
from suffice.gp.screening import top_ucb
from suffice.gp.sieve import reaching
from suffice.types import Array, Domain, Indices, Score, Step


@dataclass(frozen=True)
class UCB:
    """Upper confidence bound: try the point with the largest value that the model still holds possible.

    This is what aim="regret" takes: it has a regret bound. sf.LogEI() goes more directly for an improvement on the
    best point.

    Parameters
    ----------
    beta : SqrtLog, Widening, Constant, Theory, float or callable, default: Widening()
        How far above the prediction to look, in deviations: a larger one explores more, and 0 goes where the prediction
        is best. A number is an sf.Constant, a function is called with the step and the posterior.

    Notes
    -----
    α_t(x) = μ(x) + β_t σ(x): an upper limit of f(x) as far as ``|f − μ| ≤ β_t σ``.

    Examples
    --------
    >>> import suffice as sf
    >>> sf.UCB(beta=2.0)
    UCB(beta=Constant(value=2.0))
    """

    beta: Beta = field(default_factory=Widening)

    def __post_init__(self) -> None:
        object.__setattr__(self, "beta", as_beta(self.beta))

    def __call__(self, beliefs: Beliefs, domain: Domain, *, step: Step, rng: Generator) -> "UCBScore":  # noqa: ARG002
        return UCBScore(beliefs.objective, self.beta(step, beliefs.objective))


@dataclass(frozen=True, eq=False)
class UCBScore(Score):
    """μ(x) + β σ(x)."""

    posterior: Posterior
    beta: float = field()
    smooth, bounded, ranks, sieves = True, True, True, True

    def __post_init__(self) -> None:
        object.__setattr__(self, "curved", self.posterior.kernel.twice)
        object.__setattr__(self, "believes", isinstance(self.posterior, Believed))
        for word in ("bounded", "sieves"):  # both look at columns one by one
            object.__setattr__(self, word, self.posterior.kernel.euclidean)

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
        """2 β σ(x), (m,): what the regret bound pays for x beside the inaccuracy of the solve."""
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
