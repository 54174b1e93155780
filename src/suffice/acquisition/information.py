"""The information of an observation: about the maximum f* (MES), or about the largest posterior mean (KG).

Max-value entropy search (Wang and Jegelka 2017), f*_k one of K samples of the maximum, γ = (f*_k − μ)/σ, λ = φ(γ)/Φ(γ):

    α(x) = log of the mean over k of  g(γ) = γ λ/2 − log Φ(γ),      g'(γ) = −(λ/2)(1 + γ (γ + λ))

Knowledge gradient: how much the largest posterior mean is expected to rise by observing x. Frazier, Powell and Dayanik
(2009), Algorithm 1; with x in its own set: Scott, Frazier and Powell (2011).

A      (k, d)     points whose means are compared, fixed at binding; x itself joins them
a      (k+1, m)   posterior means, one column for each x: intercepts of lines a + b Z, Z ~ N(0, 1)
b      (k+1, m)   slopes cov(f(a), f(x))/o: the new mean at a is a + b Z
o      (m,)       sqrt(var f(x) + noise variance), the standard deviation of the next output
c      (k+1, m)   where in z a line takes over from the one before it on the upper envelope
h(u)              φ(u) + u Φ(u)

    α(x) = log KG(x),   KG(x) = E max_i (a_i + b_i Z) − max_i a_i = Σ over the envelope (b_i − b_{i−1}) h(−|c_i|)

Each term is the expected improvement of one line on another. Its derivatives are φ(c) in the difference of the slopes
and ± Φ(−|c|) in that of the intercepts: where two lines meet, moving c changes nothing (the envelope theorem). Late in
a run KG is millions of times larger beside the best mean than elsewhere: it can be climbed as a logarithm, and its
peaks are found from seeds. The best mean itself is climbed to and in A, so that max_i a_i does not depend on x.

Both need finite stand-ins for the domain, fixed at binding: a pool of draws, data and their surroundings.

Over the members of an ensemble the averages of MES and KG are taken before the logarithm. Each member has its own
sampled maxima, from marginals at draws that all share, and its own A, which must hold the best of its own means.
"""

import math
from dataclasses import dataclass, field, replace
from functools import cached_property, partial

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray
from scipy.optimize import minimize
from scipy.special import log_ndtr, ndtr, ndtri

from suffice.acquisition.marginal import LOG_SQRT_2PI, BoundedScore, density, log_expected_excess, remainders
from suffice.acquisition.wrappers import Average, over_members
from suffice.belief import Beliefs
from suffice.checks import RESOLUTION, as_count
from suffice.gp.box_bounds import ROUNDING
from suffice.gp.posterior import VARIANCE_FLOOR, Posterior
from suffice.space import Shaped, free_columns
from suffice.space.domain import CACHE
from suffice.types import Array, Domain, Indices, Score, Step, largest, smooth_columns

CLEARANCE = 5.0  # standard deviations; the authors keep every sampled maximum 5 noise sd above the best output
POOL = 256  # uniform draws, as many points around the best ones, and half as many of the best observed points
REACHES = (0.01, 0.03, 0.1, 0.3, 1.0)  # length-scales from the best: late in a run KG is largest 0.02 to 0.4 from it
SEEDS = 10  # few, because each costs a solver a local run
SAME = 0.95  # correlation above which two points are in one place: a quarter of a length-scale


@dataclass(frozen=True)
class MES:
    """Max-value entropy search: try the point whose value gives most information about the optimum.

    It balances exploration and exploitation without a parameter to set; choose it as a second opinion beside sf.UCB()
    and sf.LogEI(). It takes about twice as long, with several members of the model four times, and has no regret bound.
    Its values are logarithms, which can be maximized where the information itself underflows to zero.

    Parameters
    ----------
    samples : int, default: 10
        The number of sampled values of the optimum over which the information is averaged.
    points : int, default: 1000
        The approximate number of points to which the distribution of the optimum (a Gumbel law) is fitted.
    """

    samples: int = 10
    points: int = 1000

    def __post_init__(self) -> None:
        as_count(self.samples, "samples, the number of sampled maxima,", 1)
        as_count(self.points, "points, the number of fitted marginals,", 1)

    def __call__(self, beliefs: Beliefs, domain: Domain, *, step: Step, rng: Generator) -> Score:  # noqa: ARG002
        anywhere = cover(domain, self.points, rng)

        def score(member: Beliefs) -> EntropyScore:
            posterior = member.objective
            mean, std = posterior.predict(distinct(np.vstack([posterior.X, anywhere])))
            loc, scale = gumbel_fit(mean, np.maximum(std, RESOLUTION * posterior.scale))
            maxima = np.maximum(rng.gumbel(loc, scale, self.samples), least_maximum(posterior))
            alone = EntropyScore(posterior, LogEntropyGain(tuple(maxima.tolist())), logarithmic=True)
            X = pool(posterior, domain, rng)
            return replace(alone, starts=separate(X, alone(X), posterior))

        return over_members(beliefs.members, score, partial(AverageInformation, posterior=beliefs.objective))


@dataclass(frozen=True)
class LogEntropyGain:
    """The logarithm of the mean over k of g((f*_k − μ)/σ), with its derivatives in μ and in σ."""

    maxima: tuple[float, ...]

    def __call__(self, mean: Array, std: Array, /) -> tuple[Array, Array, Array]:
        total, by_mean, by_std = np.zeros((3, *mean.shape))
        for k, maximum in enumerate(self.maxima):  # one at a time: memory stays that of one column
            gamma = (maximum - mean) / std
            log_g, slope = log_entropy_drop(gamma)
            total = np.logaddexp(total, log_g) if k else log_g
            share = np.exp(log_g - total)  # of g_k in the sum so far; the derivatives are means with these weights
            by_mean += share * (-slope / std - by_mean)
            by_std += share * (-slope * gamma / std - by_std)
        return total - math.log(len(self.maxima)), by_mean, by_std

    def highest(self, mean: Array, std: Array) -> Array:
        """The logarithm of the mean over k of the largest g of any row, (corners, m) -> (m,)."""
        total = np.full(mean.shape[1], -np.inf)
        for maximum in self.maxima:
            total = np.logaddexp(total, log_entropy_drop((maximum - mean) / std)[0].max(axis=0))
        return total - math.log(len(self.maxima))


@dataclass(frozen=True, eq=False)
class EntropyScore(BoundedScore):
    """MES with a bound over boxes: each g falls with γ, which rises or falls all along a line of (μ, σ).

    A mean of functions that have no peak inside a line may have one, the mean of their largest values has not.
    """

    gain: LogEntropyGain
    starts: Array | None = field(default=None, repr=False)
    sieves = False  # a gain of many terms costs as much as the standard deviation it saves
    believes = False  # another point has other samples of the maximum

    @property
    def seeds(self) -> Array | None:
        return self.starts

    def _highest(self, mean: Array, std: Array) -> Array:
        return self.gain.highest(mean, std)


def log_entropy_drop(gamma: Array) -> tuple[Array, Array]:
    """log g(γ) and its derivative g'/g; g is the entropy a normal loses when cut off at γ standard deviations."""
    left = gamma < 0
    v = np.abs(gamma)
    K, J = remainders(v)
    hazard = v + K  # φ(v)/Φ(−v)
    # Left of the mean the two terms of g grow like γ² and cancel; with λ = v + K, γ = −v they are:
    g_left = LOG_SQRT_2PI + np.log(hazard) - 0.5 * v * K
    slope_left = -0.5 * hazard * K * J / g_left
    # To the right both are multiples of φ, which underflows: g = φ (γ/(2Φ) + ρ/hazard), ρ = −log(1 − q)/q, q = Φ(−γ)
    mass, q = ndtr(v), np.maximum(ndtr(-v), np.finfo(float).tiny)
    g_right = 0.5 * v / mass - np.log1p(-q) / q / hazard
    slope_right = -0.5 * (1 + v * (v + density(v) / mass)) / mass / g_right
    log_g = np.where(left, np.log(g_left), np.log(g_right) - 0.5 * v**2 - LOG_SQRT_2PI)
    return log_g, np.where(left, slope_left, slope_right)


def gumbel_fit(mean: Array, std: Array) -> tuple[float, float]:
    """Location and scale of the Gumbel law whose quartiles are those of the maximum of independent N(mean, std²)."""
    lower, upper = (maximum_quantile(mean, std, q) for q in (0.25, 0.75))
    # F(y) = exp(−exp(−(y − loc)/scale)), so the q-quantile is loc − scale·log(−log q).
    scale = max(0.0, upper - lower) / (math.log(math.log(4)) - math.log(math.log(4 / 3)))
    return lower + scale * math.log(math.log(4)), scale


def maximum_quantile(mean: Array, std: Array, q: float) -> float:
    """y with Π_i Φ((y − mean_i)/std_i) = q, by bisection."""
    # Below: one factor alone is q. Above: every factor is at least q^(1/N).
    low = float(np.max(mean + std * ndtri(q)))
    high = float(np.max(mean + std * ndtri(q ** (1 / len(mean)))))
    for _ in range(50):
        middle = 0.5 * (low + high)
        if log_ndtr((middle - mean) / std).sum() < math.log(q):
            low = middle
        else:
            high = middle
    return 0.5 * (low + high)


def least_maximum(posterior: Posterior) -> float:
    """A sampled maximum below a well-known point would make that point look informative, however small its σ is."""
    if posterior.n == 0:
        return -math.inf
    mean, std = posterior.predict(posterior.X)
    return float(np.max(mean + CLEARANCE * std))


@dataclass(frozen=True)
class KG:
    """Knowledge gradient: try the point after which the best prediction is expected to be best.

    It also values the information of an observation about other points, which suits noisy objectives: there the
    recommended point need not be one that was measured. A suggestion takes about a tenth of a second for each member of
    the model, several times as long as with other acquisitions. It has no regret bound.

    Parameters
    ----------
    points : int, default: 32
        Predictions are compared at x and at this many points: those that one more observation may make the best.

    Notes
    -----
    α(x) = log (E max μ' − max μ), μ' the predictions after observing x    (Frazier et al. 2009; Scott et al. 2011)
    """

    points: int = 32  # what is chosen is worth 2 % less than with all points, as with 64; with 8 it is 8 %

    def __post_init__(self) -> None:
        as_count(self.points, "points, the number of compared points,", 1)

    def __call__(self, beliefs: Beliefs, domain: Domain, *, step: Step, rng: Generator) -> Score:  # noqa: ARG002
        def score(member: Beliefs) -> KGScore:
            posterior = member.objective
            X = pool(posterior, domain, rng)
            mean = posterior.mean(X)
            rows = _promising(posterior, X, mean, self.points)
            alone = KGScore(posterior, X[rows], mean[rows])
            return replace(alone, starts=separate(X, alone(X), posterior))

        return over_members(beliefs.members, score, partial(AverageInformation, posterior=beliefs.objective))


def _promising(posterior: Posterior, X: Array, mean: Array, k: int) -> Indices:
    """The k rows of X that observing another one may raise farthest above the largest mean, that one first.

    Computed from outputs up to three standard deviations from the prediction.
    """
    covariance = posterior.covariance(X, X)
    variance = np.maximum(np.diagonal(covariance), VARIANCE_FLOOR * posterior.scale**2)
    slopes = covariance / np.sqrt(variance + posterior.tau * posterior.scale**2)
    gain = np.zeros(len(X))
    gain[np.argmax(mean)] = np.inf
    for z in range(-3, 4):
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
        """A smaller log KG is the rounding of covariances."""
        return math.log(ROUNDING * self.posterior.scale)

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


@dataclass(frozen=True, eq=False)
class AverageInformation(Average):
    """The average information of an observation over the members, with seeds chosen from those of all of them."""

    posterior: Posterior  # of the fit, which says what is one place

    @cached_property
    def seeds(self) -> Array:
        X = np.vstack([seeds for _, part in self.parts if (seeds := part.seeds) is not None])
        return separate(X, self(X), self.posterior)


def log_expected_rise(a: Array, b: Array) -> tuple[Array, Array, Array]:
    """The logarithm, (m,), and its derivatives in a and in b, (k, m) each; finite where the rise underflows."""
    b = b + 0.0  # −0.0 becomes 0.0: the sign of a zero difference of slopes would decide which way to infinity
    order = np.argsort(b, axis=0, kind="stable")
    a, b = np.take_along_axis(a, order, axis=0), np.take_along_axis(b, order, axis=0)
    before = _before(_shown(a, b))
    step = b - np.take_along_axis(b, before, axis=0)
    meets = step > 1e-100  # a smaller difference of slopes is none
    step = np.where(meets, step, 1.0)
    farthest = 1.0 / RESOLUTION  # beyond, c² says nothing any more
    c = np.clip((np.take_along_axis(a, before, axis=0) - a) / step, -farthest, farthest)
    log_h, by_intercept, by_slope = log_expected_excess(-np.abs(c))
    terms = np.where(meets, np.log(step) + log_h, -(farthest**2))  # below any log φ(c): no line takes over
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


def cover(domain: Domain, n: int, rng: Generator) -> Array:
    """At most n distinct points, (≤ n, d): the whole domain if it is that small, else uniform draws."""
    return distinct(domain.enumerate() if domain.size <= n else domain.sample(n, rng))


def distinct(X: Array) -> Array:
    """The rows of X without repetitions, in order of first appearance."""
    if X.shape[1] == 0:  # a domain without columns has one point
        return X[:1]
    first = np.unique(X, axis=0, return_index=True)[1]
    return X[np.sort(first)]


def pool(posterior: Posterior, domain: Domain, rng: Generator) -> Array:
    """Distinct members of the domain: peaks of μ, the best observed points, their surroundings and uniform draws."""
    observed = domain.snap(posterior.X[largest(posterior.mean(posterior.X), POOL // 2)])
    known = np.vstack([observed, cover(domain, POOL, rng)])
    tops = peaks(posterior, domain, known[largest(posterior.mean(known), 4)])  # μ is climbed from the best of these
    tops = separate(tops, posterior.mean(tops), posterior)
    centres = np.vstack([tops[:1], observed[:1]])
    width = float(np.median(np.minimum(posterior.lengthscales, 1.0))) if domain.dim else 1.0
    scales = tuple(width * reach for reach in REACHES)
    around = [domain.near(centre, POOL // len(centres), rng, scales) for centre in centres]
    return distinct(np.vstack([tops, known, *around]))


def peaks(posterior: Posterior, domain: Domain, starts: Array) -> Array:
    """Where μ is highest near each start, (k, d), by climbing in the smooth columns."""
    if not smooth_columns(domain).any():
        return starts
    ends = starts.copy()
    for end, free in zip(ends, free_columns(domain, starts), strict=True):
        if not free.any():
            continue

        def descent(u: Array, x: Array = end, free: NDArray[np.bool_] = free) -> tuple[float, Array]:
            x[free] = u
            height, gradient = _height(posterior, x[None])
            return -height[0], -gradient[0, free]

        bounds = [(0.0, 1.0)] * int(free.sum())
        # fine, since what is left to learn late in a run may be 1e-5 of s
        found = minimize(descent, end[free], jac=True, method="L-BFGS-B", bounds=bounds, options={"ftol": 1e-13})
        end[free] = found.x
    ends = domain.towards(ends, starts) if isinstance(domain, Shaped) else domain.snap(ends)
    return np.where((posterior.mean(ends) > posterior.mean(starts))[:, None], ends, starts)


def _height(posterior: Posterior, X: Array) -> tuple[Array, Array]:
    """(μ − m)/s, (m,), which has no units, and its gradient in X, (m, d)."""
    K, H = posterior.kernel.profile_and_slope(posterior.kernel.squared_distance(posterior.X, X))
    weights = posterior.a / posterior.scale
    return weights @ K, posterior.weighted_gradient(X, weights[:, None] * H)


def separate(X: Array, values: Array, posterior: Posterior) -> Array:
    """The points of the largest values, at most SEEDS, no two of them in one place, largest first."""
    chosen: list[int] = []
    left = np.argsort(-values, kind="stable")
    while len(chosen) < SEEDS and len(left):
        chosen.append(int(left[0]))
        left = left[posterior.kernel(X[left], X[left[:1]])[:, 0] <= SAME]
    return X[chosen]
