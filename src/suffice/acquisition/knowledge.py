"""Knowledge gradient: how much the largest posterior mean is expected to rise by observing x.

A      (k, d)     points whose means are compared, fixed at binding; x itself joins them
a      (m, k+1)   posterior means, one row for each x
b      (m, k+1)   slopes cov(f(a), f(x))/sqrt(var f(x) + noise variance): the new mean at a is a + b Z, Z ~ N(0, 1)
c      (m, k+1)   where in z a line becomes the upper envelope of a + b z
h(u)   φ(u) + u Φ(u)

    KG(x) = E max_i (a_i + b_i Z) − max_i a_i = Σ over envelope (b_{i+1} − b_i) h(−|c_{i+1}|)

Frazier, Powell and Dayanik (2009), Algorithm 1; with x in its own set: Scott, Frazier and Powell (2011).
"""

from dataclasses import dataclass, field

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from suffice.acquisition.marginal import FLOOR
from suffice.acquisition.normal import expected_excess
from suffice.acquisition.points import cover, distinct
from suffice.belief import Beliefs
from suffice.checks import as_count
from suffice.gp.posterior import Posterior
from suffice.types import Array, Domain, Score, Step

DRAWS_PER_POINT = 16  # the means of so many draws are compared for each point of A
ROWS = 2048  # rows of X worked on at once, so that memory does not grow with a large grid


@dataclass(frozen=True)
class KG:
    """Knowledge gradient: try the point after which the best prediction is expected to be best.

    It values what is learned about other points, too, which suits noisy objectives: there the point to recommend need
    not be the last one measured. It has no gradient and takes much longer than the other acquisitions; choose it only
    where an evaluation takes minutes.

    Predictions are compared on `points` points, half of them with the largest means and half at random, and at x.
    """

    points: int = 64

    def __post_init__(self) -> None:
        as_count(self.points, "points, the size of the compared set,", 1)

    def __call__(self, beliefs: Beliefs, domain: Domain, *, step: Step, rng: Generator) -> "KGScore":  # noqa: ARG002
        posterior = beliefs.objective
        pool = distinct(np.vstack([posterior.X, cover(domain, DRAWS_PER_POINT * self.points, rng)]))
        mean = posterior.mean(pool)
        ranked = np.argsort(-mean, kind="stable")
        best, rest = np.split(ranked, [(self.points + 1) // 2])
        chosen = np.concatenate([best, rng.permutation(rest)[: self.points - len(best)]])
        return KGScore(posterior, pool[chosen], mean[chosen])


@dataclass(frozen=True, eq=False)
class KGScore(Score):
    """KG(x) over a fixed set and x itself; never negative."""

    posterior: Posterior
    points: Array = field(repr=False)
    means: Array = field(repr=False)

    def __call__(self, X: Array) -> Array:
        blocks = [self._block(X[i : i + ROWS]) for i in range(0, len(X), ROWS)]
        return np.concatenate([np.empty(0), *blocks])

    def shift(self, _n: int) -> float:
        return 0.0

    def _block(self, X: Array) -> Array:
        mean, std = self.posterior.predict(X)
        variance = np.maximum(std, FLOOR * self.posterior.scale) ** 2
        noise = self.posterior.tau * self.posterior.scale**2
        observed = np.sqrt(variance + noise)[:, None]  # deviation of the output to come
        covariance = np.column_stack([self.posterior.covariance(X, self.points), variance])
        intercepts = np.column_stack([np.broadcast_to(self.means, (len(X), len(self.means))), mean])
        return expected_rise(intercepts, covariance / observed)


def expected_rise(a: Array, b: Array) -> Array:
    """E max_i (a_i + b_i Z) − max_i a_i for each row of a and b, (m, k) -> (m,), exactly."""
    b = b + 0.0  # −0.0 becomes 0.0: the sign of a zero difference of slopes would decide which way to infinity
    order = np.argsort(b, axis=1)
    b, c, size = _envelope(np.take_along_axis(a, order, axis=1), np.take_along_axis(b, order, axis=1))
    inner = np.arange(1, b.shape[1]) < size[:, None]
    rises = np.zeros(inner.shape)
    rises[inner] = np.diff(b, axis=1)[inner] * expected_excess(-np.abs(c[:, 1:][inner]))
    return np.asarray(rises.sum(axis=1))


def _envelope(a: Array, b: Array) -> tuple[Array, Array, NDArray[np.intp]]:
    """Slopes and left ends of the lines on the upper envelope, (m, k) each, and how many, (m,).

    The lines come in order of slope. Each new line drops the last ones of the envelope as long as it overtakes them
    before they began; all rows take this step together.
    """
    rows = np.arange(len(a))
    A, B, C = np.zeros((3, *a.shape))
    size = np.zeros(len(a), dtype=np.intp)
    for j in range(a.shape[1]):
        start = np.full(len(a), -np.inf)
        open_rows = rows[size > 0]
        while len(open_rows):
            last = size[open_rows] - 1
            # Parallel lines meet at −∞ if the new one is higher (the old one is dropped), at +∞ if it is lower (it
            # never shows); the same line twice gives NaN, and either of the two may stay.
            with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
                crossing = (A[open_rows, last] - a[open_rows, j]) / (b[open_rows, j] - B[open_rows, last])
            keep = crossing > C[open_rows, last]
            start[open_rows[keep]] = crossing[keep]
            dropping = open_rows[~keep]
            size[dropping] -= 1
            open_rows = dropping[size[dropping] > 0]
        A[rows, size], B[rows, size], C[rows, size] = a[:, j], b[:, j], start
        size += 1
    return B, C, size
