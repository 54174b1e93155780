"""Which values a model is made of: no gross errors, and of very many those that matter.

A gross error is off by many standard deviations of all values: a sensor that failed, a wrong unit, a solver that did
not converge. One in ten of them spoils the likelihood: the fit takes all values for noise, or the function for a rough
one. A fit that leaves some values out is judged by what it makes of all of them, the values left out included:

    total = log p(y_kept | theta) + log p(theta) + Σ_i (log p(y_i | N(μ_i, r_i²)) − PRICE)    i set aside

y_kept  (n − m,)  the values that the model is made of         μ_i  what it predicts of a value that is set aside
r_i     float     y_i − μ_i: the deviation of an error that explains it best, as in relevance pursuit (Ament et al.
                  2024, arXiv 2410.24222), where every observation may have a variance of its own at a price
z_i     float     (y_i − μ_i) / deviation, model units; larger is better

The total alone is not enough. A value may be set aside only if its nearest neighbour is kept, or is off in the other
direction: values side by side that are all bad, or all good, are a region. A value that is better than the model
expects is what an optimizer looks for, and a narrow basin found by luck looks like an error. So it is set aside only if
several points next to it were measured and contradict it. An optimizer measures there soon.

Of more values than a posterior can hold, a subset is a posterior by itself (`chosen`); so is what a fit is made of
(`by_history`).
"""

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from suffice.gp.posterior import Posterior, leave_one_out
from suffice.gp.transform import Outcome
from suffice.types import Array, Indices

FEWEST_JUDGED = 10  # values: of fewer nothing can be said
MOST = 0.15  # of the values: what is more frequent is a property of the objective
PRICE = 10.0  # nats for each value set aside
CONTRADICTED = 6.0  # |z_i|: of values as the model assumes them, one in half a billion
# Standard deviations of the values that are kept: a smaller error is noise, and hardly bends anything. Functions that
# have no noise are often many, tiny standard deviations off, but hardly ever by so much.
GROSS = 3.0
# Next to a point is what is correlated with it by so much, and no farther away than this part of the cube's
# diagonal: a model without the value may be far too smooth, and the narrow basin between two points would be lost.
BESIDE, WITHIN = 0.95, 0.05
WITNESSES = 2  # points next to one whose value is to be set aside as too good
TOUCHING = 0.01  # of the diagonal: so near, one is enough, since no model resolves a basin that is as narrow
FAR = 5.0  # of z scores, in robust deviations of all of them: a value worth a closer look
ROUNDS = 3  # of looking for values that others had hidden

APART = 0.1  # of the cube's diagonal: the distance of places that count as distinct
PLACES = 5  # distinct places whose neighbours are used
BEST, NEAR = 0.25, 0.5  # fractions of m: the best values, and the neighbours; what is left is spread over the history


class Fit(Protocol):
    """What is judged: a model of the values that are not set aside."""

    @property
    def posterior(self) -> Posterior:
        """Of these."""

    @property
    def outcome(self) -> Outcome:
        """The map to model units, which knows the rows set aside."""


F = TypeVar("F", bound=Fit)


@dataclass(frozen=True)
class Values:
    """All values of an output, and which of them may be judged: those whose noise is not known."""

    X: Array
    y: Array
    open: NDArray[np.bool_]

    @property
    def cap(self) -> int:
        """How many may be set aside."""
        return math.ceil(MOST * len(self.y)) if len(self.y) >= FEWEST_JUDGED else 0


@dataclass(frozen=True)
class Residuals:
    """How far values are from what a model of others says, (m,) each."""

    z: Array  # in deviations of the prediction, noise included
    s: Array  # in robust units of the outcome, in which there is no warp

    @classmethod
    def of(cls, fit: Fit, values: Values, rows: Indices) -> "Residuals":
        """Of values that the model was not made of."""
        posterior, outcome = fit.posterior, fit.outcome
        mean, std = posterior.predict(values.X[rows])
        z = (outcome(values.y[rows]) - mean) / np.hypot(std, posterior.noise)
        return cls(z, _missed(outcome, values.y[rows], mean))


def _missed(outcome: Outcome, y: Array, mean: Array) -> Array:
    with np.errstate(over="ignore"):
        missed: Array = outcome.standard(y) - outcome.standard(outcome.inverse(mean))
    return missed


def kept_rows(n: int, aside: Iterable[int]) -> Indices:
    """Of the rows 0 … n − 1, those that are not set aside."""
    kept = np.ones(n, dtype=np.bool_)
    kept[[row for row in aside if row < n]] = False
    return np.flatnonzero(kept)


def judged(
    first: F,
    values: Values,
    made: Callable[[tuple[int, ...]], F],
    evidence: Callable[[F], float],
    surprises: tuple[int, ...] = (),
) -> F:
    """The fit with the values set aside that it has to do without, `first` where there are none.

    made         the fit to all values but these
    evidence     log p(y_kept | theta) + log p(theta) of a fit, y in the user's units
    surprises    rows to check again: they may have distorted the first fit
    """
    best, total = first, math.nan
    for _ in range(ROUNDS if values.cap else 0):
        aside = best.outcome.aside
        wanted = _most(best, values, {*aside, *surprises, *suspects(best, values)})
        other = best if wanted == aside else made(wanted)
        confirmed = contradicted(other, values, wanted)  # a value that others have confirmed since comes back
        if confirmed == aside:
            break
        other = other if confirmed == wanted else made(confirmed)
        total = _total(best, values, evidence) if math.isnan(total) else total
        found = _total(other, values, evidence)
        if not found > total:
            break
        best, total = other, found
    return best


def suspects(fit: Fit, values: Values) -> tuple[int, ...]:
    """The rows of kept values that all others together predict far worse than they do most, O(n²).

    The error may be in the model, too: this costs no more than a closer look.
    """
    rows = kept_rows(len(values.y), fit.outcome.aside)
    if fit.posterior.n != len(rows) or len(rows) < FEWEST_JUDGED:  # a subset: the best, their neighbours, some others
        return ()
    left = leave_one_out(fit.posterior)
    size = np.abs(left.z - np.median(left.z))
    inside = size <= np.quantile(size, 1.0 - MOST)
    s = fit.outcome.standard(values.y[rows])
    gross = np.abs(_missed(fit.outcome, values.y[rows], left.mean)) > GROSS * s[inside].std()
    far = size > FAR * float(np.median(size)) / 0.6745
    return tuple(rows[gross & far & values.open[rows]].tolist())


def surprising(fit: Fit, values: Values, start: int) -> tuple[int, ...]:
    """The rows from `start` on, unknown to the fit, that are far from what it predicts."""
    rows = np.arange(start, len(values.y))
    if not len(rows) or fit.posterior.n < FEWEST_JUDGED - 1:
        return ()
    left = Residuals.of(fit, values, rows)
    kept = kept_rows(start, fit.outcome.aside)
    far = (np.abs(left.z) > CONTRADICTED) & (np.abs(left.s) > GROSS * fit.outcome.standard(values.y[kept]).std())
    return tuple(rows[far & values.open[rows]].tolist())


def contradicted(fit: Fit, values: Values, rows: tuple[int, ...]) -> tuple[int, ...]:
    """Of rows that the fit was not made of, those that it cannot explain."""
    if not rows:
        return ()
    these, kernel = np.array(rows, dtype=np.intp), fit.posterior.kernel
    kept = kept_rows(len(values.y), fit.outcome.aside)
    s, own = fit.outcome.standard(values.y[kept]), fit.outcome.standard(values.y[these])
    gross = GROSS * float(s.std())
    left = Residuals.of(fit, values, these)
    far = (np.abs(left.z) > CONTRADICTED) & (np.abs(left.s) > gross)
    near = kernel(values.X[these], values.X[kept])
    apart = ((values.X[these, None] - values.X[kept]) ** 2).sum(axis=2)
    beside = (near >= BESIDE) & (apart <= WITHIN**2 * values.X.shape[1])
    lower = own[:, None] - s > gross
    touching = beside & (apart <= TOUCHING**2 * values.X.shape[1])
    known = ((beside & lower).sum(axis=1) >= WITNESSES) | np.any(touching & lower, axis=1)
    lucky = ~known | np.any(beside & ~lower, axis=1)
    good = left.z > 0.0
    alike = np.where(np.equal.outer(good, good), kernel(values.X[these], values.X[these]), 0.0)
    np.fill_diagonal(alike, 0.0)
    region = alike.max(axis=1) >= near.max(axis=1)
    return tuple(these[far & ~region & ~(good & lucky)].tolist())


def _most(fit: Fit, values: Values, rows: set[int]) -> tuple[int, ...]:
    """At most as many as may be set aside, those first that the values of all others are farthest from."""
    ordered = sorted(rows)
    if len(ordered) > values.cap:
        s = np.abs(fit.outcome.standard(values.y[ordered]) - fit.outcome.standard(np.array([np.median(values.y)])))
        ordered = sorted(np.array(ordered)[np.argsort(-s, kind="stable")[: values.cap]].tolist())
    return tuple(ordered)


def _total(fit: F, values: Values, evidence: Callable[[F], float]) -> float:
    """What the fit makes of all values, in robust units of its own outcome brought to the user's."""
    aside = np.array(fit.outcome.aside, dtype=np.intp)
    total = evidence(fit)
    if len(aside):
        r = np.maximum(np.abs(Residuals.of(fit, values, aside).s), 1e-300)
        total -= float(np.log(r).sum()) + len(aside) * (
            math.log(fit.outcome.spread) + math.log(fit.outcome.unit) + 0.5 * math.log(2.0 * math.pi) + 0.5 + PRICE
        )
    return total


# ---------------------------------------------------------------------- very many values


def chosen(X: Array, y: Array, m: int) -> Indices:
    """m rows that matter, in the order they were observed.

    A posterior of a subset is valid by itself, and its deviation is never smaller for what is left out. Near the best
    places so far, where the next points will lie, next to nothing is to be given away: so these have all their
    neighbours, the bad ones too.
    """
    n = len(y)
    if n <= m:
        return np.arange(n)
    taken = np.zeros(n, dtype=np.bool_)
    taken[np.argsort(-y, kind="stable")[: int(BEST * m)]] = True
    around = centres(X, y, PLACES)
    for centre in around:
        free = np.flatnonzero(~taken)
        taken[free[neighbours(X[free], X[centre], int(NEAR * m) // len(around))]] = True
    rest = np.flatnonzero(~taken)
    taken[rest[spread(len(rest), m - int(np.count_nonzero(taken)))]] = True
    return np.flatnonzero(taken)


def by_history(y: Array, m: int) -> Indices:
    """m rows: the best half, and the rest evenly over the history; in the order they were observed."""
    order = np.argsort(-y, kind="stable")
    best, rest = order[: m // 2], np.sort(order[m // 2 :])
    return np.sort(np.concatenate([best, rest[spread(len(rest), m - len(best))]]))


def spread(n: int, k: int) -> Indices:
    """k of n, evenly."""
    return np.linspace(0, n - 1, k).astype(np.intp)


def centres(X: Array, y: Array, k: int) -> Indices:
    """The rows of the best points of which none is near another, at most k: the best first."""
    r2, left, found = APART**2 * X.shape[1], np.ones(len(y), dtype=np.bool_), []
    for _ in range(k):
        if not left.any():
            break
        best = int(np.argmax(np.where(left, y, -math.inf)))
        found.append(best)
        left &= ((X - X[best]) ** 2).sum(axis=1) > r2
    return np.array(found, dtype=np.intp)


def neighbours(X: Array, centre: Array, k: int) -> Indices:
    """The k rows nearest to a point, the first of equals."""
    return np.argsort(((X - centre) ** 2).sum(axis=1), kind="stable")[:k]
