"""How far another point may be ahead of a given one.

r        (d,)   the point that is compared with        c(x)  Cov[f(x), f(r)], (m,)
σ_r      float  the deviation of f(r)                  ρ(x)  c(x)/σ_r², (m,): 1 at r, 0 far from it
μ, σ'    (m,)   mean of f(x), and its deviation once f(r) is known: σ'² = σ² − ρ² σ_r²

    α(x) = μ(x) − μ(r) + β sqrt(Var[f(x) − f(r)]),     Var[f(x) − f(r)] = σ'(x)² + σ_r² (1 − ρ(x))²

Where r was measured without noise it is UCB − f(r). With noise the two limits UCB(x) − LCB(r) would count the same
uncertainty twice: near r both values rise and fall together.
"""

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from suffice.acquisition.ucb import UCBScore
from suffice.gp.fit import TAU_FLOOR
from suffice.gp.posterior import Posterior
from suffice.types import Array, Score


@dataclass(frozen=True, eq=False)
class Lead(Score):
    """μ(x) − μ(r) + β sqrt(Var[f(x) − f(r)]): no f(x) − f(r) is larger, as far as it is within β of its deviations."""

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
        v = μ(r) ∓ βσ_r. They can be limited over boxes, for a proof.
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
