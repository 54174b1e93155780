"""What an acquisition is given: the posterior of each output, and the points that are being evaluated.

n, p   int     observations, pending points              R  (n + p, n + p)  inverse factor, the observations first
σ, σ'  (m,)    deviation given the n observations, and given all n + p points
I(x)   (m,)    log σ/σ' ≥ 0: the information about f(x), in nats, that the pending points are believed to give

Pending points count as the model's own mean; they are appended to a posterior once, when it is asked for. Failed points
are not among them: a score is weighted by an optimistic probability of success, learned from the failures.

X      (n, d)  points that were evaluated          c  (n,)   +1 where there is a value, −1 where the evaluation failed
P_0    float   the fraction of successes: all there is to know if failures have nothing to do with x
g              a latent Gaussian process, fitted to c by least squares; m(x), v(x) its mean and deviation
P_1    (m,)    Φ(a (m(x) + κ v(x))): what there is to know if they have, optimistic where little is known
w      float   how probable it is, by the labels, that failures have nothing to do with x

    P⁺(x) = w P_0 + (1 − w) P_1(x)

A label is judged by what the other labels say of it, left out (Rasmussen and Williams 2006, section 5.4.2):

    m_i = c_i − [A (c − m)]_i/A_ii,   v_i² = 1/A_ii − τ,   A = (K + τI)^-1,   P_i = Φ(c_i a m_i/sqrt(1 + a² v_i²))

The law is that of a short list with the largest Π P_i, over length-scales, τ and a; then the length-scales of one
parameter after the other are stretched or shortened where that makes Π P_i larger, since what makes evaluations fail is
often one parameter. w compares the mean of Π P_i over the list with what the share of successes alone would say. A
success right beside a failure is improbable under every law of place, so that failures by chance make P⁺ flat, and the
search is that of a run in which some evaluations were lost.

The kernel is rough, exp(−r), whatever the objective's is: along a line its mean leads straight from a success to a
failure, however near they are, so that a sharp boundary is found by halving. A smooth one rounds it off at its
length-scale, and the search would go on failing there (docs/howto/failures.md).
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from operator import attrgetter
from typing import NamedTuple, Self

import numpy as np
from scipy.special import log_ndtr, logsumexp, ndtr

from suffice.gp.box_bounds import ROUNDING, BoxBound
from suffice.gp.kernels import Matern
from suffice.gp.posterior import Factor, Posterior, column_blocks
from suffice.gp.transform import Outcome
from suffice.types import Array, Indices, Score

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


# ---------------------------------------------------------------------- where evaluations succeed

MOST = 128  # points of either kind: one law costs MOST³ operations, and there are a few dozen at every ask
DOUBLINGS = (1.0, 2.0, 4.0, 8.0)  # times the objective's length-scales and half the cube's diagonal; and of a, too


@dataclass(frozen=True, eq=False)
class Success(Score):
    """P⁺(x), an optimistic probability that an evaluation succeeds; w = 1 − share."""

    latent: Posterior = field(repr=False)
    slope: float  # a
    random: float  # w P_0
    share: float  # 1 − w
    kappa: float  # κ
    smooth, bounded = True, True

    @property
    def largest(self) -> float:
        """P⁺ where a law of place would be sure of success."""
        return self.random + self.share

    def __call__(self, X: Array) -> Array:
        mean, std = self.latent.predict(X)
        return self._probability(mean + self.kappa * std)

    def value_and_grad(self, X: Array) -> tuple[Array, Array]:
        mean, std, d_mean, d_std = self.latent.predict_grad(X)
        g = mean + self.kappa * std
        density = self.slope * np.exp(-0.5 * (self.slope * g) ** 2) / math.sqrt(2.0 * math.pi)
        return self._probability(g), self.share * density[:, None] * (d_mean + self.kappa * d_std)

    def bound(self, lower: Array, upper: Array) -> Array:
        """At least P⁺(x) for every x with lower ≤ x ≤ upper, (m,), proven: Φ rises."""
        return np.minimum(1.0, (1.0 + ROUNDING) * self._probability(self._box(lower, upper)))

    def _probability(self, g: Array) -> Array:
        return np.asarray(self.random + self.share * ndtr(self.slope * g))

    @cached_property
    def _box(self) -> BoxBound:
        return BoxBound(self.latent, self.kappa)


class Law(NamedTuple):
    """A law of place, and log Π P_i of the labels under it."""

    score: float
    factor: Factor
    slope: float


@dataclass(frozen=True, eq=False)
class Labels:
    """Points, their labels, and the mean label far from all of them."""

    X: Array
    c: Array
    mean: float

    def laws(self, ell: Array, tau: float) -> Iterator[Law]:
        """The laws of these length-scales, (d,), and this noise."""
        factor = Factor.condition(Matern(0.5, tuple(ell.tolist())), self.X, np.full(len(self.X), tau))
        precision = np.einsum("ij,ij->j", factor.R, factor.R)
        others = self.c - factor.solve(self.c - self.mean) / precision
        variance = np.maximum(1.0 / precision - tau, 0.0)
        for a in DOUBLINGS:
            yield Law(float(log_ndtr(self.c * a * others / np.sqrt(1.0 + a**2 * variance)).sum()), factor, a)

    def stretched(self, law: Law, columns: Sequence[slice]) -> Law:
        """The law with the length-scales of one parameter after the other changed where that makes it better."""
        for column in columns:
            ell, tau = np.array(law.factor.kernel.lengthscale), float(law.factor.tau[0])
            for stretch in (8.0, 0.25):  # a failure may not depend on this parameter at all, or sharply
                ell_j = ell.copy()
                ell_j[column] *= stretch
                law = max(law, *self.laws(ell_j, tau), key=attrgetter("score"))
        return law


def success(good: Array, bad: Array, lengthscales: Array, columns: Sequence[slice], *, kappa: float = 0.0) -> Success:
    """P⁺ from the points that have a value, (k, d), and those where the evaluation failed, (l, d), at least one.

    lengthscales    of the objective, (d,)
    columns         of each parameter of the space
    kappa           κ, how optimistic it is where little is known
    """
    good, bad = kept(good, bad, lengthscales)
    k, n = len(good), len(good) + len(bad)
    share = (k + 0.5) / (n + 1.0)  # never 0 or 1: nothing is certain
    labels = Labels(np.vstack([good, bad]), np.repeat([1.0, -1.0], [k, n - k]), 2.0 * share - 1.0)
    # The objective's length-scales may be wrong: what it ignores can make evaluations fail.
    alike = np.full(len(lengthscales), 0.5 * math.sqrt(len(columns)))
    ells = [reach * scales for scales in (lengthscales, alike) for reach in DOUBLINGS]
    # failures are certain in their place, or less so
    laws = [law for ell in ells for tau in (1e-3, 3e-2, 1.0) for law in labels.laws(ell, tau)]
    by_place = float(logsumexp([law.score for law in laws])) - math.log(len(laws))
    by_chance = sum(m * math.log((m - 0.5) / n) for m in (k, n - k) if m)  # each label by the share of the others
    # No evidence is certain: w is positive, and log P⁺ exists.
    w = float(np.clip(1.0 / (1.0 + math.exp(min(by_place - by_chance, 700.0))), ROUNDING, 1.0))
    best = labels.stretched(max(laws, key=attrgetter("score")), columns)
    latent = Posterior(best.factor, labels.c, constant=labels.mean)
    return Success(latent, best.slope, w * share, 1.0 - w, kappa)


def kept(good: Array, bad: Array, lengthscales: Array) -> tuple[Array, Array]:
    """At most MOST of either: of the failures the latest, and earlier ones evenly; the successes nearest to them."""
    if len(bad) > MOST:
        earlier, latest = bad[: -MOST // 2], bad[-MOST // 2 :]
        evenly = np.linspace(0, len(earlier) - 1, MOST - len(latest)).astype(np.intp)
        bad = np.vstack([earlier[evenly], latest])
    if len(good) > MOST:
        D = Matern(0.5, tuple(lengthscales.tolist())).squared_distance(good, bad).min(axis=1)
        good = good[np.sort(np.argsort(D, kind="stable")[:MOST])]
    return good, bad
