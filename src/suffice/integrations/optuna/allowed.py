"""Constraints that are known after an evaluation: how probable it is that a point satisfies them.

c_j     (n,)   constraint j at the points where it was measured; > 0 is violated
μ, σ    (m,)   mean and deviation of the Gaussian process of −c_j, in its own units, in which 0 is at z_j
P       (m,)   Π_j Φ((μ_j − z_j)/σ_j), the probability that all constraints hold, taken as independent

The score of an acquisition is multiplied by P, or log P is added to one that is a logarithm: the expected improvement
times the probability of being allowed (Schonlau, Welch and Jones 1998; Gardner et al. 2014). The objective's model
knows the values of feasible trials alone, so that its best value is one that is allowed.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.random import Generator
from scipy.special import log_ndtr

from suffice.acquisition import Acquisition, LogWeighted, Weighted
from suffice.acquisition.normal import log_cdf
from suffice.belief import Beliefs
from suffice.gp.model import GP, Observations
from suffice.gp.posterior import Posterior
from suffice.integrations.optuna.lessons import Read
from suffice.integrations.optuna.record import Rows
from suffice.types import Array, Domain, Score, Step, as_score

MOST = 128  # points of the model of a constraint, which is fitted at every ask: those nearest to the edge, and others
SURROGATE = GP(warp=False)
LEAST = -30.0  # of log P: what is hardly allowed is hardly worth less than what is never


@dataclass(frozen=True, eq=False)
class Allowance(Score):
    """P(x), and its logarithm's gradient."""

    models: tuple[tuple[Posterior, float], ...] = field(repr=False)  # of each constraint, and where it holds from, z_j
    smooth = True

    def __call__(self, X: Array) -> Array:
        total = np.zeros(len(X))
        for posterior, edge in self.models:
            mean, std = posterior.predict(X)
            total += log_ndtr((mean - edge) / std)
        return np.exp(np.maximum(total, LEAST))

    def value_and_grad(self, X: Array) -> tuple[Array, Array]:
        total, slope = np.zeros(len(X)), np.zeros(X.shape)
        for posterior, edge in self.models:
            mean, std, d_mean, d_std = posterior.predict_grad(X)
            u = (mean - edge) / std
            log_p, hazard = log_cdf(u)
            total += log_p
            slope += (hazard / std)[:, None] * (d_mean - u[:, None] * d_std)
        p = np.exp(np.maximum(total, LEAST))
        return p, np.where(total[:, None] > LEAST, p[:, None] * slope, 0.0)


@dataclass(frozen=True, eq=False)
class Allowed:
    """An acquisition that counts as far as a point is probably allowed."""

    inner: Acquisition
    allowance: Allowance

    def __call__(self, beliefs: Beliefs, domain: Domain, *, step: Step, rng: Generator) -> Score:
        alpha = as_score(self.inner(beliefs, domain, step=step, rng=rng))
        if alpha.logarithmic:
            return LogWeighted(alpha, self.allowance)
        return Weighted(alpha, self.allowance, float(beliefs.observed.z.min(initial=0.0)))


def allowance(reads: Sequence[Read], rows: Rows, space: Domain) -> Allowance | None:
    """The probability of being allowed, by every constraint that was violated once; None if none was."""
    violated = sorted({name for read in reads for name, c in read.violations.items() if c > 0.0 and not read.under_way})
    models = []
    for name in violated:
        known = [(rows.at(read), read.violations[name]) for read in reads if name in read.violations]
        kept = [(row, c) for row, c in known if row is not None and np.isfinite(c)]
        if kept:
            X, c = np.array([row for row, _ in kept]), np.array([c for _, c in kept])
            models.append(_model(X, c, space))
    return Allowance(tuple(models)) if models else None


def _model(X: Array, c: Array, space: Domain) -> tuple[Posterior, float]:
    rows = _nearest_the_edge(c)
    fitted = SURROGATE(Observations(X[rows], -c[rows], np.full(len(rows), np.nan)), space)
    return fitted.posterior, float(fitted.outcome(np.zeros(1))[0])


def _nearest_the_edge(c: Array) -> Any:
    """At most MOST rows: the half of them nearest to the edge, and the others evenly over the trials."""
    if len(c) <= MOST:
        return np.arange(len(c))
    order = np.argsort(np.abs(c), kind="stable")
    near, far = order[: MOST // 2], np.sort(order[MOST // 2 :])
    evenly = far[np.linspace(0, len(far) - 1, MOST - len(near)).astype(np.intp)]
    return np.sort(np.concatenate([near, evenly]))
