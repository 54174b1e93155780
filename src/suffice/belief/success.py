"""Where evaluations succeed: an optimistic probability, learned from those that failed.

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
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from operator import attrgetter
from typing import NamedTuple

import numpy as np
from scipy.special import log_ndtr, logsumexp, ndtr

from suffice.gp.box_bounds import ROUNDING, BoxBound
from suffice.gp.factor import Factor
from suffice.gp.kernels import Matern
from suffice.gp.posterior import Posterior
from suffice.types import Array, Score

MOST = 128  # points of either kind: one law costs MOST³ operations, and there are a few dozen at every ask
DOUBLINGS = (1.0, 2.0, 4.0, 8.0)  # times the objective's length-scales and half the cube's diagonal; and of a, too
NOISES = (1e-3, 3e-2, 1.0)  # τ: failures are certain in their place, or less so
STRETCHES = (8.0, 0.25)  # of one parameter's length-scales: a failure may not depend on it at all, or sharply


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
            for stretch in STRETCHES:
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
    laws = [law for ell in ells for tau in NOISES for law in labels.laws(ell, tau)]
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
