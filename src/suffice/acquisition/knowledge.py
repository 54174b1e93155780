"""Knowledge gradient: how much the largest posterior mean is expected to rise by observing x.

A      (k, d)     points whose means are compared, fixed at binding; x itself joins them
a      (k+1, m)   posterior means, one column for each x
b      (k+1, m)   slopes cov(f(a), f(x))/o: the new mean at a is a + b Z, Z ~ N(0, 1)
o      (m,)       sqrt(var f(x) + noise variance), the deviation of the output to come

    KG(x) = E max_i (a_i + b_i Z) − max_i a_i,      α(x) = log KG(x), see envelope.py

Late in a run KG is millions of times larger beside the best mean than elsewhere: it can be climbed as a logarithm, and
its peaks are found from seeds. The best mean itself is climbed to and in A, so that max_i a_i does not depend on x.

Frazier, Powell and Dayanik (2009), Algorithm 1; with x in its own set: Scott, Frazier and Powell (2011).
"""

import math
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from suffice.acquisition.normal import log_expected_excess
from suffice.acquisition.samples import pool, separate
from suffice.belief import Beliefs
from suffice.checks import as_count
from suffice.gp.posterior import CACHE, VARIANCE_FLOOR, Posterior
from suffice.types import Array, Domain, Indices, Score, Step, largest

#| -- acquisition.envelope: The expected maximum of lines a + b Z, Z ~ N(0, 1): how far it is above the highest line
#| at Z = 0.
#|
#| a, b   (k, m)     intercepts and slopes of k lines, for each of m problems
#| c      (k, m)     where in z a line takes over from the one before it on the upper envelope
#| h(u)   φ(u) + u Φ(u)
#|
#|     E max_i (a_i + b_i Z) − max_i a_i = Σ over the envelope (b_i − b_{i−1}) h(−|c_i|)
#|
#| Each term is the expected improvement of one line on another. Its derivatives are φ(c) in the difference of the
#| slopes
#| and ± Φ(−|c|) in that of the intercepts: where two lines meet, moving c changes nothing (the envelope theorem).
#|
#| Frazier, Powell and Dayanik (2009), Algorithm 1.

SAME_SLOPE = 1e-100  # a smaller difference of slopes is none
FARTHEST = 1e9  # c: beyond, c² says nothing any more …
NOTHING = -1e18  # … and below φ there is the logarithm where no line takes over


def log_expected_rise(a: Array, b: Array) -> tuple[Array, Array, Array]:
    """The logarithm, (m,), and its derivatives in a and in b, (k, m) each; finite where the rise underflows."""
    b = b + 0.0  # −0.0 becomes 0.0: the sign of a zero difference of slopes would decide which way to infinity
    order = np.argsort(b, axis=0, kind="stable")
    a, b = np.take_along_axis(a, order, axis=0), np.take_along_axis(b, order, axis=0)
    before = _before(_shown(a, b))
    step = b - np.take_along_axis(b, before, axis=0)
    meets = step > SAME_SLOPE
    step = np.where(meets, step, 1.0)
    c = np.clip((np.take_along_axis(a, before, axis=0) - a) / step, -FARTHEST, FARTHEST)
    log_h, by_intercept, by_slope = log_expected_excess(-np.abs(c))
    terms = np.where(meets, np.log(step) + log_h, NOTHING)
    highest = terms.max(axis=0)
    shares = np.where(meets, np.exp(terms - highest), 0.0)
    total = shares.sum(axis=0)
    total = np.where(total > 0, total, 1.0)
    weights = shares / total / step
    by_a, by_b = (_by_line(weights * part, before, order) for part in (np.sign(c) * by_intercept, by_slope))
    return highest + np.log(total), by_a, by_b


def _shown(a: Array, b: Array) -> NDArray[np.bool_]:
    """Which lines, in order of slope, are the highest anywhere, (k, m)."""
    start, stop = np.full(a.shape, -np.inf), np.full(a.shape, np.inf)
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        for i in range(1, len(a)):
            # Of parallel lines the lower one never shows; one line that comes twice gives NaN, and both stay.
            crossing = (a[:i] - a[i]) / (b[i] - b[:i])
            np.fmax.reduce(crossing, axis=0, out=start[i], initial=-np.inf)
            np.fmin(stop[:i], crossing, out=stop[:i])
    return start < stop


def _before(shown: NDArray[np.bool_]) -> Indices:
    """The last line before each one that shows, (k, m); the line itself where there is none, or where it is hidden."""
    own = np.broadcast_to(np.arange(len(shown))[:, None], shown.shape)
    last = np.maximum.accumulate(np.where(shown, own, -1), axis=0)
    before = np.where(shown, np.concatenate([np.full((1, shown.shape[1]), -1), last[:-1]]), own)
    return np.where(before < 0, own, before)


def _by_line(terms: Array, before: Indices, order: Indices) -> Array:
    """What the terms are worth to each line, in the order given: its own, less that of the line it gives way to."""
    out, against = np.empty_like(terms), np.zeros_like(terms)
    problems = np.broadcast_to(np.arange(terms.shape[1]), terms.shape)
    np.add.at(against, (before, problems), terms)
    np.put_along_axis(out, order, terms - against, axis=0)
    return out


OUTCOMES = (-3.0, -2.0, -1.0, 1.0, 2.0, 3.0)  # Z by which it is judged who may become the best
RESOLUTION = 1e-12  # of s: a smaller KG is the rounding of covariances


@dataclass(frozen=True)
class KG:
    """Knowledge gradient: try the point after which the best prediction is expected to be best.

    It values what is learned about other points, too, which suits noisy objectives: there the point to recommend need
    not be the last one measured. A suggestion takes about a tenth of a second, two or three times as long as with the
    other acquisitions. It has no regret bound.

    Parameters
    ----------
    points : int, default: 32
        Predictions are compared at x and on so many points: those that one more observation may make the best.

    Notes
    -----
    α(x) = log (E max μ' − max μ), μ' the predictions after observing x    (Frazier et al. 2009; Scott et al. 2011)
    """

    points: int = (
        32  # what is chosen is worth 2 % less than with all points; with 64 it is 2 %, too, and with 8 it is 8 %
    )

    def __post_init__(self) -> None:
        as_count(self.points, "points, the size of the compared set,", 1)

    def __call__(self, beliefs: Beliefs, domain: Domain, *, step: Step, rng: Generator) -> "KGScore":  # noqa: ARG002
        posterior = beliefs.objective
        X = pool(posterior, domain, rng)
        mean = posterior.mean(X)
        rows = _promising(posterior, X, mean, self.points)
        score = KGScore(posterior, X[rows], mean[rows])
        return replace(score, starts=separate(X, score(X), posterior))


def _promising(posterior: Posterior, X: Array, mean: Array, k: int) -> Indices:
    """The k rows of X that observing another one may raise farthest above the largest mean, that one first."""
    covariance = posterior.covariance(X, X)
    variance = np.maximum(np.diagonal(covariance), VARIANCE_FLOOR * posterior.scale**2)
    slopes = covariance / np.sqrt(variance + posterior.tau * posterior.scale**2)
    gain = np.zeros(len(X))
    gain[np.argmax(mean)] = np.inf
    for z in OUTCOMES:
        after = mean[:, None] + slopes * z
        best = after.argmax(axis=0)
        np.maximum.at(gain, best, np.exp(-0.5 * z**2) * (after.max(axis=0) - mean.max()))
    return largest(gain, k)


@dataclass(frozen=True, eq=False)
class KGScore(Score):
    """log KG(x) over a fixed set and x itself."""

    posterior: Posterior
    points: Array = field(repr=False)
    means: Array = field(repr=False)
    starts: Array | None = field(default=None, repr=False)
    smooth, logarithmic = True, True

    def __call__(self, X: Array) -> Array:
        return np.concatenate([np.empty(0), *(self._value(rows) for rows in self._blocks(X))])

    def value_and_grad(self, X: Array) -> tuple[Array, Array]:
        parts = [self._value_and_grad(rows) for rows in self._blocks(X)]
        if not parts:
            return np.empty(0), np.empty_like(X)
        return np.concatenate([value for value, _ in parts]), np.concatenate([gradient for _, gradient in parts])

    @property
    def seeds(self) -> Array | None:
        return self.starts

    def _value(self, X: Array) -> Array:
        p = self.posterior
        mean, std = p.predict(X)
        covariance = self._covariance(p.factor.half(p.kernel(p.X, X)), p.kernel(self.points, X))
        return np.logaddexp(log_expected_rise(*self._lines(mean, std, covariance)[:2])[0], self._floor)

    def _value_and_grad(self, X: Array) -> tuple[Array, Array]:
        p = self.posterior
        mean, std, d_mean, d_std = p.predict_grad(X)
        K, H_data = p.kernel.profile_and_slope(p.kernel.squared_distance(p.X, X))
        K_set, H_set = p.kernel.profile_and_slope(p.kernel.squared_distance(self.points, X))
        a, b, observed = self._lines(mean, std, self._covariance(p.factor.half(K), K_set))
        rise, by_a, by_b = log_expected_rise(a, b)
        value = np.logaddexp(rise, self._floor)
        # b = cov/o and o² = var + noise, so db = dcov/o − (b/o) do, do = σ dσ/o; for x itself dcov = 2σ dσ
        by_cov = by_b / observed
        by_std = std * (2.0 * by_cov[-1] - np.einsum("ij,ij->j", by_cov, b) / observed)
        gradient = by_a[-1, :, None] * d_mean + by_std[:, None] * d_std
        # cov = s² (k(A, x) − k(A, X) (K + diag(tau))^-1 k(X, x))
        by_kernel = p.scale**2 * by_cov[:-1]
        gradient -= p.weighted_gradient(X, (self._whole @ by_kernel) * H_data)
        W = by_kernel * H_set
        gradient += (X * W.sum(axis=0)[:, None] - W.T @ self.points) * (2.0 / p.lengthscales**2)
        return value, np.exp(rise - value)[:, None] * gradient

    @property
    def _floor(self) -> float:
        return math.log(RESOLUTION * self.posterior.scale)

    def _lines(self, mean: Array, std: Array, covariance: Array) -> tuple[Array, Array, Array]:
        """a and b, (k+1, m) each, and o."""
        observed = np.sqrt(std**2 + self.posterior.tau * self.posterior.scale**2)
        a = np.vstack([np.broadcast_to(self.means[:, None], covariance.shape), mean])
        return a, np.vstack([covariance, std**2]) / observed, observed

    def _covariance(self, V: Array, K_set: Array) -> Array:
        """cov(f(A), f(x)), (k, m)."""
        return self.posterior.scale**2 * (K_set - self._half.T @ V)

    @cached_property
    def _half(self) -> Array:
        """R k(X, A), (n, k)."""
        p = self.posterior
        return p.factor.half(p.kernel(p.X, self.points))

    @cached_property
    def _whole(self) -> Array:
        """(K + diag(tau))^-1 k(X, A), (n, k)."""
        return self.posterior.factor.whole(self._half)

    def _blocks(self, X: Array) -> list[Array]:
        size = max(1, CACHE // (1 + len(self.points)))
        return [X[i : i + size] for i in range(0, len(X), size)]
