"""A posterior with points under way at the mean, which tells apart what was observed and what is only believed.

n, p   int     observations, points under way           R  (n + p, n + p)  inverse factor, the observations first
σ, σ'  (m,)    deviation given the n observations, and given all n + p points
I(x)   (m,)    log σ/σ' ≥ 0: the information about f(x), in nats, that the points under way are believed to give

The first n entries of R k(x) are those of the observations alone, so that one product has both deviations. A score that
asks for σ' and then for I at the same points has them both for the price of the first.
"""

from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from suffice.gp.posterior import Posterior, column_blocks
from suffice.types import Array, Indices


class Deviations(NamedTuple):
    """What was last computed, and where."""

    X: Array  # (m, d): the array itself, which says whether it is about the same points
    believed: Array  # σ', (m,)
    observed: Array  # σ, (m,)
    gradient: Array | None  # ∇σ', (m, d); None: not asked for


@dataclass(frozen=True, repr=False)
class Believed(Posterior):
    """f given the observations, and given that the points under way come out at the mean."""

    observed: Posterior = field(kw_only=True)

    @classmethod
    def of(cls, posterior: Posterior, X: Array) -> "Believed":
        """The posterior with p points under way, (p, d)."""
        all_of_it = posterior.believe(X)
        return cls(all_of_it.factor, all_of_it.z, all_of_it.scale, all_of_it.constant, observed=posterior)

    @property
    def hallucinated(self) -> float:
        """C = ½ log det of the points under way given the observations: what they are believed to tell, in nats.

        No I(x) is larger.
        """
        return max(0.0, self.gain - self.observed.gain)

    def predict(self, X: Array) -> tuple[Array, Array]:
        """Mean and standard deviation of f, (m,) each."""
        mean, std, observed = np.empty(len(X)), np.empty(len(X)), np.empty(len(X))
        for i, j in column_blocks(len(X), self.n):
            K = self.kernel(self.X, X[i:j])
            mean[i:j] = self.constant + self.a @ K
            std[i:j], observed[i:j] = self._both(self.factor.half(K))
        self._remember(Deviations(X, std, observed, None))
        return mean, std

    def predict_grad(self, X: Array) -> tuple[Array, Array, Array, Array]:
        """Mean, standard deviation, (m,) each, and their gradients in X, (m, d) each."""
        K, H = self.kernel.profile_and_slope(self.kernel.squared_distance(self.X, X))
        V = self.factor.half(K)
        std, observed = self._both(V)
        d_mean = self.weighted_gradient(X, self.a[:, None] * H)
        d_std = self.weighted_gradient(X, self.factor.whole(V) * H) * (-(self.scale**2) / std)[:, None]
        self._remember(Deviations(X, std, observed, d_std))
        return self.constant + self.a @ K, std, d_mean, d_std

    def told(self, X: Array) -> Array:
        """I(x), (m,)."""
        last = self._last
        if last is None or last.X is not X:
            self.predict(X)
            last = self._last
        assert last is not None
        told: Array = np.log(last.observed / last.believed)
        return told

    def told_grad(self, X: Array, rows: Indices) -> Array:
        """∇I at some rows of X, (k, d)."""
        last = self._last
        if last is None or last.X is not X or last.gradient is None:
            self.predict_grad(X)
            last = self._last
        assert last is not None
        assert last.gradient is not None
        _, std, _, d_std = self.observed.predict_grad(X[rows])
        gradient: Array = d_std / std[:, None] - last.gradient[rows] / last.believed[rows, None]
        return gradient

    def _both(self, V: Array) -> tuple[Array, Array]:
        """σ' and σ for V = R k, (n + p, m)."""
        n = self.observed.n
        head = np.einsum("ij,ij->j", V[:n], V[:n])
        return self._std(head + np.einsum("ij,ij->j", V[n:], V[n:])), self._std(head)

    @property
    def _last(self) -> Deviations | None:
        return self.__dict__.get("_deviations")

    def _remember(self, found: Deviations) -> None:
        self.__dict__["_deviations"] = found
