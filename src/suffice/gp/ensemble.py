"""Members of an ensemble: hyper-parameters drawn from their posterior, with an exact Gaussian process for each.

One fit is one theta; with 20 to 100 observations many are nearly as probable, and they disagree about where there is
something to gain. So statements and decisions are averages over K members theta_k with weights w_k.

theta  (K, p)  [log ell_g, log s², log tau] of each member; the warp is that of the fit, shared by all
w      (K,)    weights, which add up to 1               M  (p,)  deviations of the prior, crossed in a unit of time
D_g    (n, n)  squared distances in the columns of length-scale g      ε  the step of the integrator, in these widths

    w_k ∝ w_k p(y_new | x_new, theta_k, D)      Bayes' rule at every value observed: exact, O(n²) each
    theta_k → HMC(theta_k; p(theta | D))        a move, which leaves the posterior invariant

So the members are a sequential Monte Carlo sampler of the posterior (Chopin 2002; Gramacy and Polson 2011).
Observations change the weights. Where these say that few members are left (1/Σw² < K/2), or the data have grown, the
members are resampled by their weights and moved by Hamiltonian Monte Carlo with the analytic gradient (Neal 2011). A
Gaussian around the mode would be cheaper. It sees neither the skewness of this posterior nor its second mode, noise or
none, and decisions with it were no better than with one fit.
"""

import math
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray
from scipy.linalg.lapack import dpotrf, dpotri
from scipy.special import ndtr

from suffice.gp.fit import TAU_FLOOR, Evidence, Hyper, LogNormal
from suffice.gp.posterior import Posterior
from suffice.types import Array

SETTLE = 12  # moves of members that all start from the fit
LEAPS = (2, 6)  # steps of the integrator in a move, sampled for each: equal ones may walk in circles
FIRST_STEP = 0.5  # ε at first: half a deviation of the prior


@dataclass(frozen=True)
class Chains:
    """What a record keeps of the members: where they are, what they weigh, when and how they moved last."""

    hypers: tuple[Hyper, ...]
    weights: tuple[float, ...]
    n_moved: int  # observations known at the last move
    step: float  # ε

    def __len__(self) -> int:
        return len(self.hypers)

    @property
    def effective(self) -> float:
        """1/Σw²: how many members of equal weight these are worth."""
        return 1.0 / math.fsum(w * w for w in self.weights)


@dataclass(frozen=True)
class Ensemble:
    """The members with their posteriors."""

    chains: Chains
    posteriors: tuple[Posterior, ...] = field(repr=False)

    def observed(self, X: Array, z: Array, taus: tuple[Array, ...]) -> "Ensemble":
        """With m more values, (m, d) and (m,), and their noise by member, (m,) each: Bayes' rule for the weights."""
        logs, posteriors = [], []
        for w, posterior, tau in zip(self.chains.weights, self.posteriors, taus, strict=True):
            log_w = math.log(max(w, 1e-300))
            for i in range(len(z)):
                mean, std = posterior.predict(X[i : i + 1])
                variance = float(std[0]) ** 2 + posterior.scale**2 * float(tau[i])
                log_w -= 0.5 * ((float(z[i]) - float(mean[0])) ** 2 / variance + math.log(variance))
                posterior = posterior.append(X[i : i + 1], z[i : i + 1], tau[i : i + 1])
            logs.append(log_w)
            posteriors.append(posterior)
        weights = np.exp(np.array(logs) - max(logs))
        return Ensemble(replace(self.chains, weights=tuple((weights / weights.sum()).tolist())), tuple(posteriors))


@dataclass(frozen=True)
class Mixture:
    """Σ_k w_k N(μ_k, σ_k²) at m points: what the members predict together. One fit is a mixture of one."""

    weights: Array  # (K,)
    means: Array  # (K, m)
    stds: Array  # (K, m)

    @property
    def mean(self) -> Array:
        """(m,)."""
        mean: Array = self.weights @ self.means
        return mean

    @property
    def std(self) -> Array:
        """(m,): the members' variances, and how far they are apart."""
        std: Array = np.sqrt(self.weights @ (self.stds**2 + (self.means - self.mean) ** 2))
        return std

    def quantile(self, u: float) -> Array:
        """Below which the probability is Φ(u), (m,), by bisection between the members' own quantiles."""
        ends: Array = self.means + u * self.stds
        low: Array = ends.min(axis=0)
        high: Array = ends.max(axis=0)
        level = float(ndtr(u))
        for _ in range(50):  # what is left of the interval is rounding
            middle = 0.5 * (low + high)
            below: NDArray[np.bool_] = self.weights @ ndtr((middle - self.means) / self.stds) < level
            low, high = np.where(below, middle, low), np.where(below, high, middle)
        return 0.5 * (low + high)


@dataclass(frozen=True)
class Density:
    """log p(theta | D) of several members at once, with its gradient: `Evidence` with a fixed warp, side by side."""

    evidence: Evidence
    z: Array
    squares: Array = field(repr=False)  # (g, n, n): D_g

    @classmethod
    def of(cls, evidence: Evidence) -> "Density":
        X, kernel = evidence.X, evidence.kernel
        g = int(evidence.groups.max(initial=-1)) + 1
        if not kernel.euclidean:
            squares = kernel.squared_distance(X, X)[None]
        else:
            squares = np.zeros((g, len(X), len(X)))
            for column, group in enumerate(evidence.groups):
                squares[group] += np.subtract.outer(X[:, column], X[:, column]) ** 2
        return cls(replace(evidence, free_lam=False), evidence.outcome(evidence.y), squares)

    def __call__(self, theta: Array, fixed: Hyper) -> tuple[Array, Array]:
        """Values, (K,), and gradients, (K, p); −inf where there is no factor."""
        K, g, n = len(theta), len(fixed.lengthscale), len(self.z)
        e = self.evidence
        free = iter(range(g, theta.shape[1]))
        s2 = np.exp(theta[:, next(free)]) if e.free_variance else np.full(K, fixed.variance)
        tau = np.exp(theta[:, next(free)]) if e.free_tau else np.full(K, fixed.tau)
        inverse_squares = np.exp(-2.0 * theta[:, :g])
        D = (inverse_squares @ self.squares.reshape(len(self.squares), n * n)).reshape(K, n, n)
        kernels, slopes = e.kernel.profile_and_slope(D)
        values, gradients = np.full(K, -np.inf), np.zeros(theta.shape)
        known = np.isfinite(e.noise)
        rounding = np.where(known, 0.0, e.outcome.rounding(e.y))
        slope_sums = np.zeros((K, n, n))
        for k in range(K):
            scaled = known & (e.noise > TAU_FLOOR * s2[k])
            taus = np.where(known, np.maximum(e.noise / s2[k], TAU_FLOOR), tau[k] + rounding / s2[k])
            moving = np.where(scaled, taus, rounding / s2[k])
            Kt = kernels[k]
            np.fill_diagonal(Kt, 1.0 + taus)
            L, info = dpotrf(Kt.T, lower=1)
            if info != 0:
                continue
            log_det = 2.0 * float(np.log(np.diagonal(L)).sum())
            lower = np.tril(dpotri(L, lower=1, overwrite_c=1)[0])
            diagonal = np.diagonal(lower).copy()
            inverse = lower + lower.T
            np.fill_diagonal(inverse, diagonal)
            ones = inverse.sum(axis=0)
            m = float(ones @ self.z) / (float(ones.sum()) + s2[k]) if e.standardize else 0.0
            r = self.z - m
            a = inverse @ r
            quadratic = float(r @ a) / s2[k]
            values[k] = -0.5 * (quadratic + log_det + n * math.log(s2[k])) - 0.5 * m * m
            np.multiply.outer(a / s2[k], a, out=slope_sums[k])
            slope_sums[k] -= inverse
            trace = 0.5 * (a * a / s2[k] - diagonal)
            column = g
            if e.free_variance:
                gradients[k, column] = 0.5 * (quadratic - n) - float(trace @ moving)
                column += 1
            if e.free_tau:
                gradients[k, column] = tau[k] * float(trace[~known].sum())
        slope_sums *= slopes
        by_square = slope_sums.reshape(K, n * n) @ self.squares.reshape(len(self.squares), n * n).T
        gradients[:, :g] = -by_square * inverse_squares
        gradients[~np.isfinite(values)] = 0.0
        return self._with_prior(theta, g, values, gradients)

    def _with_prior(self, theta: Array, g: int, values: Array, gradients: Array) -> tuple[Array, Array]:
        for j, density in enumerate(self._densities(g)):
            if density is not None:
                u = (theta[:, j] - math.log(density.centre)) / density.sd
                values = values - 0.5 * u * u
                gradients[:, j] -= u / density.sd
        return values, gradients

    def _densities(self, g: int) -> list[LogNormal | None]:
        e, prior = self.evidence, self.evidence.prior
        ell = prior.lengthscale
        if ell is not None:
            ell = LogNormal(ell.centre * math.sqrt(max(1, len(e.groups))), ell.sd)
        return [ell] * g + [prior.scale] * e.free_variance + [prior.tau] * e.free_tau

    def widths(self, g: int) -> Array:
        """M, (p,); 1 of a flat prior."""
        return np.array([1.0 if density is None else density.sd for density in self._densities(g)])


def moved(
    density: Density, hypers: tuple[Hyper, ...], step: float, rng: Generator, times: int = 1
) -> tuple[tuple[Hyper, ...], float]:
    """The members after so many transitions of Hamiltonian Monte Carlo, side by side, and the next ε."""
    first = hypers[0]
    g = len(first.lengthscale)
    low, high = np.transpose(density.evidence.bounds(g))
    widths = density.widths(g)
    theta = np.clip([density.evidence.pack(hyper) for hyper in hypers], low, high)
    if not theta.shape[1]:
        return hypers, step
    value, gradient = density(theta, first)
    for _ in range(times):
        momentum = rng.standard_normal(theta.shape)
        epsilon = step * rng.uniform(0.8, 1.2) * widths
        new, new_value, new_gradient = theta, value, gradient
        p = momentum
        for _ in range(int(rng.integers(LEAPS[0], LEAPS[1] + 1))):
            p = p + 0.5 * epsilon * new_gradient
            new = new + epsilon * p
            below, above = new < low, new > high  # bounds reflect
            new = np.clip(np.where(below, 2 * low - new, np.where(above, 2 * high - new, new)), low, high)
            p = np.where(below | above, -p, p)
            new_value, new_gradient = density(new, first)
            p = p + 0.5 * epsilon * new_gradient
        with np.errstate(over="ignore", invalid="ignore"):
            log_ratio = new_value - value + 0.5 * ((momentum**2).sum(axis=1) - (p**2).sum(axis=1))
        log_ratio = np.where(np.isfinite(log_ratio), log_ratio, -np.inf)
        accepted = np.log(rng.uniform(size=len(theta))) < log_ratio
        theta = np.where(accepted[:, None], new, theta)
        value = np.where(accepted, new_value, value)
        gradient = np.where(accepted[:, None], new_gradient, gradient)
        rate = float(np.minimum(1.0, np.exp(np.minimum(log_ratio, 0.0))).mean())
        # of the moves, at the best step of the integrator (Neal 2011: 0.65 to 0.9)
        step *= math.exp(0.5 * (rate - 0.75))
    return tuple(density.evidence.unpack(row, first) for row in theta), step


def resampled(chains: Chains, rng: Generator) -> tuple[Hyper, ...]:
    """Members in proportion to their weights: systematic resampling, so that equal weights change nothing."""
    K = len(chains)
    edges = np.cumsum(chains.weights)
    rows: NDArray[np.intp] = np.searchsorted(edges / edges[-1], (np.arange(K) + rng.uniform()) / K)
    return tuple(chains.hypers[min(int(row), K - 1)] for row in rows)
