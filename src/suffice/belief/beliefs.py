"""What an acquisition is given: the posterior of each output, and the points that are being evaluated.

n, p   int     observations, pending points              R  (n + p, n + p)  inverse factor, the observations first
σ, σ'  (m,)    deviation given the n observations, and given all n + p points
I(x)   (m,)    log σ/σ' ≥ 0: the information about f(x), in nats, that the pending points are believed to give

Pending points count as the model's own mean; they are appended to a posterior once, when it is asked for. Failed points
are not among them: a score is weighted by the probability of success (success.py).
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import NamedTuple, Self

import numpy as np

from suffice.gp.posterior import Posterior, column_blocks
from suffice.gp.transform import Outcome
from suffice.types import Array, Indices

VALUE = "value"  # the name of a single objective


class Deviations(NamedTuple):
    """What was last computed, and where."""

    X: Array  # (m, d): the array itself, which says whether it is about the same points
    believed: Array  # σ', (m,)
    observed: Array  # σ, (m,)
    gradient: Array | None  # ∇σ', (m, d); None: not asked for


@dataclass(frozen=True, repr=False)
class Believed(Posterior):
    """f given the observations, and given that the pending points come out at the mean.

    The first n entries of R k(x) are those of the observations alone, so that one product has both deviations.
    """

    observed: Posterior = field(kw_only=True)
    _memo: list[Deviations] = field(default_factory=list, init=False, compare=False)  # one at most

    @classmethod
    def of(cls, posterior: Posterior, X: Array) -> "Believed":
        """The posterior with p pending points, (p, d)."""
        all_of_it = posterior.believe(X)
        return cls(all_of_it.factor, all_of_it.z, all_of_it.scale, all_of_it.constant, observed=posterior)

    @property
    def pending_information(self) -> float:
        """C = ½ log det of the pending points given the observations: what they are believed to tell, in nats.

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
        self._memo[:] = [Deviations(X, std, observed, None)]
        return mean, std

    def predict_grad(self, X: Array) -> tuple[Array, Array, Array, Array]:
        """Mean, standard deviation, (m,) each, and their gradients in X, (m, d) each."""
        K, H = self.kernel.profile_and_slope(self.kernel.squared_distance(self.X, X))
        V = self.factor.half(K)
        std, observed = self._both(V)
        d_mean = self.weighted_gradient(X, self.a[:, None] * H)
        d_std = self.weighted_gradient(X, self.factor.whole(V) * H) * (-(self.scale**2) / std)[:, None]
        self._memo[:] = [Deviations(X, std, observed, d_std)]
        return self.constant + self.a @ K, std, d_mean, d_std

    def information(self, X: Array) -> Array:
        """I(x), (m,)."""
        last = self._known(X)
        information: Array = np.log(last.observed / last.believed)
        return information

    def information_grad(self, X: Array, rows: Indices) -> Array:
        """∇I at some rows of X, (k, d)."""
        last = self._known(X, with_gradient=True)
        assert last.gradient is not None
        _, std, _, d_std = self.observed.predict_grad(X[rows])
        gradient: Array = d_std / std[:, None] - last.gradient[rows] / last.believed[rows, None]
        return gradient

    def _known(self, X: Array, *, with_gradient: bool = False) -> Deviations:
        """What was computed last, if that was about X; a score asks for σ' and then for I at the same points."""
        if not self._memo or self._memo[0].X is not X or (with_gradient and self._memo[0].gradient is None):
            (self.predict_grad if with_gradient else self.predict)(X)
        return self._memo[0]

    def _both(self, V: Array) -> tuple[Array, Array]:
        """σ' and σ for V = R k, (n + p, m)."""
        n = self.observed.n
        head = np.einsum("ij,ij->j", V[:n], V[:n])
        return self._std(head + np.einsum("ij,ij->j", V[n:], V[n:])), self._std(head)


@dataclass(frozen=True, eq=False)
class Beliefs:
    """Posteriors by the name of their output, and the pending points."""

    posteriors: Mapping[str, Posterior]
    pending: Array = field(repr=False)  #: (p, d)
    ensembles: Mapping[str, tuple[tuple[float, Posterior], ...]] = field(default_factory=dict, repr=False)  #: by output
    outcomes: Mapping[str, Outcome] = field(default_factory=dict, repr=False)  #: larger-is-better units to the model's
    levels: Mapping[str, float] = field(default_factory=dict)  #: what a constrained output must reach, model units
    feasible: Array | None = field(default=None, repr=False)  #: (k, d): the feasible observations; None: all are
    reference: Array | None = field(default=None, repr=False)  #: (m,), larger-is-better units, where the user gave it

    @classmethod
    def of(cls, posteriors: Posterior | Mapping[str, Posterior], *, pending: Array | None = None) -> Self:
        """The beliefs about one objective, or about outputs by name."""
        named = posteriors if isinstance(posteriors, Mapping) else {VALUE: posteriors}
        nowhere = np.empty((0, next(iter(named.values())).X.shape[1]))
        return cls(named, nowhere if pending is None else pending, outcomes=dict.fromkeys(named, Outcome()))

    @property
    def objectives(self) -> tuple[str, ...]:
        """The names of what is to be improved, in the user's order."""
        return tuple(name for name in self.posteriors if name not in self.levels)

    @property
    def observed(self) -> Posterior:
        """The objective's posterior without the pending points.

        It is for a random acquisition, which explores by itself: conditioned on its mean it would only be greedy.
        """
        return self.posteriors[self._only]

    @property
    def objective(self) -> Posterior:
        """The objective's posterior with the pending points at the mean."""
        return self.believed[self._only]

    @cached_property
    def believed(self) -> Mapping[str, Posterior]:
        """The posteriors with the pending points at the mean."""
        if not len(self.pending):
            return self.posteriors
        return {name: Believed.of(posterior, self.pending) for name, posterior in self.posteriors.items()}

    @property
    def members(self) -> tuple[tuple[float, "Beliefs"], ...]:
        """What each member of the objective's ensemble believes, with its weight; without an ensemble all of it."""
        return self.members_of(self._only)

    def members_of(self, name: str) -> tuple[tuple[float, "Beliefs"], ...]:
        """What each member of an output's ensemble believes, with its weight."""
        if name not in self._members:
            made = ((w, self._with_posterior(name, member)) for w, member in self.ensembles.get(name, ()))
            self._members[name] = tuple(made) or ((1.0, self),)
        return self._members[name]

    @cached_property
    def _members(self) -> dict[str, tuple[tuple[float, "Beliefs"], ...]]:
        return {}

    def _with_posterior(self, name: str, member: Posterior) -> "Beliefs":
        return replace(self, posteriors={**self.posteriors, name: member}, ensembles={})

    @property
    def pending_information(self) -> float:
        """What the pending points are believed to tell about the objective, in nats; the most of any of several."""
        believed = (self.believed[name] for name in self.objectives)
        return max((found.pending_information for found in believed if isinstance(found, Believed)), default=0.0)

    def with_pending(self, X: Array) -> "Beliefs":
        """The same with m more pending points, (m, d): what is believed of the others is extended, not made again."""
        more = replace(self, pending=np.vstack([self.pending, X]))
        if len(self.pending) and len(X):
            believed = {name: posterior.believe(X) for name, posterior in self.believed.items()}
            vars(more)["believed"] = believed  # where `cached_property` keeps it
            vars(more)["_members"] = {
                name: tuple((w, member.with_pending(X) if self.ensembles.get(name) else more) for w, member in members)
                for name, members in self._members.items()
            }
        return more

    @property
    def aims(self) -> Mapping[str, Posterior]:
        """The posteriors of the objectives by name, with the pending points at the mean."""
        return {name: self.believed[name] for name in self.objectives}

    @cached_property
    def standing(self) -> Array:
        """The points whose values count as found, (k, d): without constraints all that the posteriors know.

        Of the pending ones those that are expected to be feasible.
        """
        if self.feasible is None:
            return self.believed[self.objectives[0]].X
        return np.vstack([self.feasible, self.pending[self.violation(self.pending) == 0.0]])

    @property
    def known(self) -> Array:
        """The observed points, (n, d): those of the output that has been observed most often."""
        return max(self.posteriors.values(), key=lambda posterior: posterior.n).X

    def violation(self, X: Array) -> Array:
        """How far the constrained outputs are expected to be from their levels, in deviations, added up, (m,)."""
        total = np.zeros(len(X))
        for name, level in self.levels.items():
            posterior = self.posteriors[name]
            total += np.maximum(0.0, level - posterior.mean(X)) / posterior.scale
        return total

    @property
    def _only(self) -> str:
        names = self.objectives
        if len(names) > 1:
            raise TypeError(
                f"this acquisition is for one objective, and the study has {len(names)}: {', '.join(names)}; leave "
                "acquisition= out, or use sf.acquisition.Hypervolume()"
            )
        return names[0]
