"""A proven upper bound of α = μ + βσ over boxes: no point of a box has a larger value.

X, a, R, w, m, s   the posterior's (see posterior.py): μ(x) = m + k(x)'a, σ(x) = s sqrt(1 − |v(x)|²), v(x) = R k(x)
c, u   (m, d)      centres and half-widths of the boxes, in length-scales;    t  (m,)  |u|
ξ      (d,)        x − c for a point x of a box, in length-scales: |ξ_j| ≤ u_j
D      (n, m)      squared scaled distance from an observation to a centre; on the box it is in [nearest, farthest]
φ(x)               k(x, ·) as a vector of the kernel's space: |φ(x)| = 1, and f(x) = f·φ(x) ≤ |f| for each f in it
ρ      (m,)        the largest |φ(x) − φ(c) − Σ_j ξ_j ∂_jφ(c)| on a box

1.  A tangent of the concave sqrt(1 − |v|²) turns α into a sum of kernels. For κ in [0, 1], σ0² = 1 − κ²|v(c)|²,
        sqrt(1 − |v(x)|²) ≤ (1 − κ v(c)'v(x)) / σ0    (Cauchy–Schwarz for two vectors of length 1: (κ v(c), σ0) and
    (v(x), sqrt(1 − |v(x)|²))), so with q = R'v(c) and the weights b = a − (κβs/σ0) q
        α(x) ≤ m + βs/σ0 + Σ_i b_i k(X_i, x).
    κ = 1 touches α at c; a smaller κ is better where the deviation is small and the box is not.
2.  A kernel of every dimension is convex and falling in D (Schoenberg 1938): on the box it is below its chord and above
    its tangent at c, both linear in D. With the chord where b_i > 0 and the tangent where b_i < 0 the sum is below
        value + slope'ξ + curvature |ξ|²,    which is maximized over the box coordinate by coordinate.
3.  Weights of observations that nearly meet are huge and cancel, and step 2 adds their sizes. So the mean is split into
    a calm part, with the ridge weights (K + λI)^-1 K a, and a rest r, for which there is only
        r(x) ≤ |r|   and   r(x) ≤ r(c) + ∇r(c)'ξ + |r| ρ.
4.  The last line for the whole sum, which is γ'v(x) with γ = w − (κβs/σ0) v(c), reads
        γ'v(x) ≤ γ'v(c) + (γ'∂v(c))'ξ + |γ| ρ    (|R f(X)| ≤ |f|, because R'R = (K + diag(tau))^-1).
The bound is the least over κ, λ, and steps 2 and 4. If φ is twice differentiable (RBF, Matérn with ν > 2), its excess
over the largest α in the box falls with t². Where φ is not differentiable (ν ≤ 1), steps 3 and 4 do without gradients,
and ρ is the largest |φ(x) − φ(c)|.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from scipy.linalg import solve

from suffice.checks import RESOLUTION
from suffice.gp.kernels import CANCELLED, RBF, Matern, Stationary
from suffice.gp.posterior import VARIANCE_FLOOR, Bent, Posterior, bent, column_blocks
from suffice.types import Array

RIDGES = (1e-4, 1e-3, 1e-2, 1e-1)  # λ; 0, for which all is calm, is tried as well
REACHES = (0.0, 0.3, 1.0)  # κ is such that σ0 is the deviation at c and this fraction of what it can gain in the box
EPSILON = 1e-15  # relative error of a sum of a few terms
SUMMED = 4.5e-16  # relative to the sum of the sizes in a product with R: ten times the largest that was seen
ROUNDING = 1e-12  # of differences of kernel values, and relative of what is made of a bound: a proof must cover it
ARRAYS = 8  # of n rows that are worked on together: a block is so much narrower


class Lines(NamedTuple):
    """Bounds of the kernel values that are linear in D: at + slope (D(x) − D(c)), (n, m) each."""

    at: Array
    slope: Array


class Parabolas(NamedTuple):
    """value + slope'ξ + curvature |ξ|²: L of them for each box."""

    value: Array  # (m, L)
    slope: Array  # (m, L, d)
    curvature: Array  # (m, L)

    def plus(self, times: Array | float, other: "Parabolas") -> "Parabolas":
        """The sum with `times` the other; times: (m,), or one for all."""
        times = np.broadcast_to(times, len(self.value))[:, None]
        return Parabolas(
            self.value + times * other.value,
            self.slope + times[:, :, None] * other.slope,
            self.curvature + times * other.curvature,
        )

    def peak(self, u: Array) -> Array:
        """The largest value on each box, (m, L)."""
        slope, curvature, u = np.abs(self.slope), self.curvature[:, :, None], u[:, None, :]
        inside = slope < -2.0 * curvature * u  # the top of the parabola; else one end of the interval is the highest
        gain = np.where(inside, slope**2 / np.where(inside, -4.0 * curvature, 1.0), (slope + curvature * u) * u)
        return np.asarray(self.value + gain.sum(axis=2))


class Sums(NamedTuple):
    """Weighted sums of lines over the observations, as parabolas in ξ: D(x) − D(c) = 2 (c − X_i)'ξ + |ξ|²."""

    X: Array  # (n, d), in length-scales
    c: Array  # (m, d)

    def same(self, W: Array, lines: Lines) -> Parabolas:
        """With the same weights for every box, (L, n)."""
        n, d = self.X.shape
        weighted = W.T[:, :, None] * np.column_stack([np.ones(n), self.X])[:, None, :]
        slopes = lines.slope.T @ weighted.reshape(n, len(W) * (d + 1))
        return self._parabolas((W @ lines.at).T, slopes.reshape(len(self.c), len(W), d + 1))

    def own(self, W: Array, lines: Lines) -> Parabolas:
        """With each box's own weights, (n, m)."""
        slope = W * lines.slope
        slopes = np.column_stack([slope.sum(axis=0), slope.T @ self.X])
        return self._parabolas(np.einsum("ij,ij->j", W, lines.at)[:, None], slopes[:, None, :])

    def _parabolas(self, value: Array, slopes: Array) -> Parabolas:
        return Parabolas(value, 2.0 * (self.c[:, None] * slopes[:, :, :1] - slopes[:, :, 1:]), slopes[:, :, 0])


@dataclass(frozen=True, eq=False)
class BoxBound:
    """The bound for one posterior and one β."""

    posterior: Posterior
    beta: float

    def __call__(self, lower: Array, upper: Array) -> Array:
        """At least μ(x) + βσ(x) for every x with lower ≤ x ≤ upper, (m,); lower and upper: (m, d)."""
        p, out = self.posterior, np.empty(len(lower))
        for i, j in column_blocks(len(lower), ARRAYS * p.n):
            out[i:j] = self._block(lower[i:j], upper[i:j])
        return out + RESOLUTION * (p.rkhs_norm + self.beta * p.scale)  # for rounding

    @cached_property
    def _parts(self) -> tuple[Array, Array]:
        """Weights of the calm part, (L, n), and the norm of the rest, (L,), for λ = 0 and every ridge (step 3)."""
        p = self.posterior
        K = p.kernel(p.X, p.X)
        ridges = RIDGES if p.n else ()
        calm = np.array([p.a, *(solve(K + ridge * np.eye(p.n), K @ p.a, assume_a="pos") for ridge in ridges)])
        rest = p.a - calm
        squared = np.einsum("li,li->l", rest @ K, rest)
        return calm, np.sqrt(np.maximum(squared, 0.0) + EPSILON * np.abs(rest).sum(axis=1) ** 2)

    def _block(self, lower: Array, upper: Array) -> Array:
        p, ell = self.posterior, np.asarray(self.posterior.kernel.lengthscale)
        c, u = 0.5 * (lower + upper) / ell, 0.5 * (upper - lower) / ell
        sums = Sums(p.X / ell, c)
        gain, rho, smooth = _expansion(p.kernel, np.sqrt(np.einsum("ij,ij->i", u, u)))
        centre, below, above = _lines(p.kernel, sums.X, c, u, smooth)
        V = p.factor.half(centre.at)
        q, explained = p.factor.whole(V), np.einsum("ij,ij->j", V, V)
        sigma = np.sqrt(np.maximum(1.0 + VARIANCE_FLOOR - explained, VARIANCE_FLOOR))

        mean = self._mean(sums, u, rho, smooth, (centre, below, above))
        bounds = (np.where(q > 0, low, high) for low, high in zip(below, above, strict=True))
        deviation = sums.own(-q, Lines(*bounds))
        whole = _first_order(sums.same(p.a[None], centre), smooth)
        pull = _first_order(sums.own(-q, centre), smooth)

        spread, squared = self.beta * p.scale, float(p.w @ p.w)
        limits = []
        for constant, weight in _tangents(explained, sigma, gain):
            times = spread * weight
            gamma = squared - times * (2.0 * whole.value[:, 0] - times * explained)  # |γ|²
            norm = np.sqrt(np.maximum(gamma, 0.0) + EPSILON * squared)
            by_lines = mean.plus(times, deviation).peak(u).min(axis=1)
            by_expansion = whole.plus(times, pull).peak(u)[:, 0] + norm * rho
            limits.append(spread * constant + np.minimum(by_lines, by_expansion))
        # dμ/dk = a and dσ/dk = −s q/σ: what the rounding of the kernel values does to α, as it is computed
        steepness = np.abs(p.a).sum() + spread * np.abs(q).sum(axis=0) / sigma
        return np.asarray(p.constant + np.minimum.reduce(limits) + _rounding(p.kernel, c.shape[1]) * steepness)

    def _mean(self, sums: Sums, u: Array, rho: Array, smooth: bool, lines: tuple[Lines, Lines, Lines]) -> Parabolas:
        """Bounds of Σ_i a_i k(X_i, x), one for every split into calm and rest (steps 2 and 3)."""
        centre, below, above = lines
        calm, norm = self._parts
        rest = _first_order(sums.same(self.posterior.a - calm, centre), smooth)
        rest = rest._replace(value=rest.value + norm * rho[:, None])
        expand = rest.peak(u) < norm  # else |r| alone is the better bound
        rest = rest._replace(value=np.where(expand, rest.value, norm), slope=rest.slope * expand[:, :, None])
        rest = rest.plus(1.0, sums.same(np.maximum(calm, 0.0), above))
        return rest.plus(1.0, sums.same(np.minimum(calm, 0.0), below))


def least_deviation(posterior: Posterior, lower: Array, upper: Array) -> Array:
    """At most σ(x) for every x with lower ≤ x ≤ upper, (m,).

    σ(x)²/s² is the least of |φ(x) − Σ_i a_i φ(X_i)|² + Σ_i tau_i a_i², so that σ is a seminorm of φ(x), and
    |σ(x) − σ(c)| ≤ s |φ(x) − φ(c)|.
    """
    ell, out = posterior.lengthscales, np.empty(len(lower))
    rounding = _rounding(posterior.kernel, posterior.X.shape[1])
    for i, j in column_blocks(len(lower), ARRAYS * posterior.n):
        centre, u = 0.5 * (lower[i:j] + upper[i:j]), 0.5 * (upper[i:j] - lower[i:j]) / ell
        V = posterior.factor.half(posterior.kernel(posterior.X, centre))
        error = ROUNDING + 4.0 * rounding * np.abs(posterior.factor.whole(V)).sum(axis=0)  # of |v|², with a margin
        sigma = np.sqrt(np.maximum(1.0 - np.einsum("ij,ij->j", V, V) - error, 0.0))
        moved, _, _ = _expansion(posterior.kernel, np.sqrt(np.einsum("ij,ij->i", u, u)))
        out[i:j] = np.sqrt(np.maximum(np.maximum(sigma - moved, 0.0) ** 2 - error, 0.0))
    return posterior.scale * out


@dataclass(frozen=True, eq=False)
class Expansion:
    """Bounds of μ and σ² on small boxes, (m,) each, from both to the second order in ξ; see `expands`.

    φ(x) = A + B + r1 = A + B + Σ_jk ξ_j ξ_k ∂_j∂_kφ(c)/2 + r2, A = φ(c), B = Σ_j ξ_j ∂_jφ(c), |r1| ≤ ρ and |r2| ≤ ρ2.
    So μ is off its second order by at most |f| ρ2. σ/s is a seminorm of φ(x) that is nowhere above the norm (see
    `least_deviation`), and σ²/s² is off its second order by 2⟨A, r2⟩ + 2⟨B, r1⟩ + |r1|² in the product of the seminorm.
    """

    at: Bent
    u: Array  # (m, d): half-widths, in the cube
    least: Array  # no σ² is below it
    margins: tuple[Array, Array]  # of μ and σ²: what is beyond the second order, and rounding

    @classmethod
    def of(cls, posterior: Posterior, lower: Array, upper: Array) -> "Expansion":
        """For rounding of values that are computed for one point alone: others have that of `_rounding`."""
        kernel, ell, s, u = posterior.kernel, posterior.lengthscales, posterior.scale, 0.5 * (upper - lower)
        at = bent(posterior, 0.5 * (lower + upper), np.arange(len(ell)))
        t = np.sqrt(np.einsum("ij,ij->i", u / ell, u / ell))
        _, rho, _ = _expansion(kernel, t)
        rho2, (second, _) = _second_order(kernel, t), _derivatives(kernel)
        norms = np.sqrt(np.maximum(second - np.einsum("nmp,nmp->mp", at.RJ, at.RJ), 0.0) + ROUNDING)  # of the ∂_jφ(c)
        A, B = at.std / s, np.einsum("mp,mp->m", norms, u / ell)
        error = EPSILON * (1.0 + 5.0 * t) ** 2  # a derivative of the kernel is at most 5 times the one before
        of_mean = posterior.rkhs_norm * rho2 + error * np.abs(posterior.a).sum()
        sums = np.abs(posterior.factor.R).sum(axis=1) @ np.abs(at.V)
        rounded = 2.0 * s**2 * (error * (1.0 + np.abs(at.q / at.lean).sum(axis=0)) + SUMMED * (1.0 + t) * sums)
        of_variance = s**2 * (2.0 * A * rho2 + 2.0 * B * rho + rho**2) + rounded
        return cls(at, u, (s * np.maximum(A - B - rho, 0.0)) ** 2 - rounded, (of_mean, of_variance))

    def highest(self, by_mean: Array, by_variance: Array) -> Array:
        """At least by_mean (μ(x) − μ(c)) + by_variance (σ²(x) − σ²(c)) for every x in the box; both weights are ≥ 0."""
        at, u, by_std = self.at, self.u, 2.0 * by_variance * self.at.std
        slope = np.abs(by_mean[:, None] * at.d_mean + by_std[:, None] * at.d_std) * u
        H = at.hessian(by_mean, by_std)
        H += (2.0 * by_variance)[:, None, None] * (at.d_std[:, :, None] * at.d_std[:, None])
        H *= u[:, :, None] * u[:, None]
        own = np.einsum("mjj->mj", H)
        bend = own + np.abs(H).sum(axis=2) - np.abs(own)  # 2 |ξ_j ξ_k| ≤ ξ_j² u_k/u_j + ξ_k² u_j/u_k
        inside = slope < -bend
        gain = np.where(inside, slope**2 / np.where(inside, -2.0 * bend, 1.0), slope + 0.5 * bend)
        of_mean, of_variance = self.margins
        return np.asarray(gain.sum(axis=1) + by_mean * of_mean + by_variance * of_variance)


def expands(kernel: Stationary) -> bool:
    """Whether there is an `Expansion` under this kernel."""
    return isinstance(kernel, RBF) or (isinstance(kernel, Matern) and kernel.nu == 2.5)


def _second_order(kernel: Stationary, t: Array) -> Array:
    """ρ2 on boxes of size t, (m,), from |φ''(t) − φ''(0)|² = 2 k(0) − 2 k(t) along a line, integrated twice.

    This is at most 15 t² for RBF. For Matérn 5/2, with v = √5 t, it is 50 (1 − (1 − 5v/3 + v²/3) e^−v) ≤ 50 · 8v/3.
    """
    if isinstance(kernel, RBF):
        return math.sqrt(15.0) / 6.0 * t**3
    rho2: Array = math.sqrt(50.0 * 8.0 / 3.0 * math.sqrt(5.0)) * (4.0 / 15.0) * t**2.5
    return rho2


def _first_order(parabolas: Parabolas, smooth: bool) -> Parabolas:
    """Value and, if it exists, gradient at the centre."""
    return Parabolas(parabolas.value, parabolas.slope * smooth, 0.0 * parabolas.curvature)


def _tangents(explained: Array, sigma: Array, gain: Array) -> Iterator[tuple[Array, Array]]:
    """1/σ0 and κ/σ0, (m,) each, for every reach (step 1); explained is |v(c)|², sigma the deviation at c."""
    one = 1.0 + VARIANCE_FLOOR  # in place of 1: σ is computed as s sqrt(max(1 − |v|², VARIANCE_FLOOR))
    for reach in REACHES:
        wanted = np.minimum(sigma + reach * gain, 1.0)
        squared = np.clip((one - wanted**2) / np.maximum(explained, np.finfo(float).tiny), 0.0, 1.0)  # κ²
        sigma0 = np.sqrt(np.maximum(one - squared * explained, VARIANCE_FLOOR))
        yield one / sigma0, np.sqrt(squared) / sigma0


def _expansion(kernel: Stationary, t: Array) -> tuple[Array, Array, bool]:
    """The largest |φ(x) − φ(c)| and ρ on boxes of size t, (m,) each, and whether φ has a gradient.

    |φ(x) − φ(c)|² = 2 − 2k,  ρ² = 2 − 2k + t² (4h − k''(0)),  ρ ≤ t² sqrt(k''''(0)) / 2;  k and h at D = t². Both grow
    with t: k falls, and the derivative of ρ² is 2t (k''(t) − k''(0)), where |k''| is largest at 0.
    """
    second, fourth = _derivatives(kernel)
    k, h = kernel.profile_and_slope(t**2)
    moved = np.maximum(2.0 - 2.0 * k, 0.0)
    if math.isinf(second):
        gain = np.where(t > 0, np.sqrt(moved + ROUNDING), 0.0)
        return gain, gain, False
    gain = np.minimum(np.sqrt(moved + ROUNDING), math.sqrt(second) * t)
    rho = np.sqrt(np.maximum(moved + t**2 * (second + 4.0 * h), 0.0) + ROUNDING)
    limit = 0.5 * math.sqrt(fourth) * t**2 if math.isfinite(fourth) else 2.0 * math.sqrt(second) * t
    return gain, np.minimum(rho, limit), True


def _derivatives(kernel: Stationary) -> tuple[float, float]:
    """−k''(0) and k''''(0) in the scaled distance; infinite where they do not exist or are not known."""
    if isinstance(kernel, RBF):
        return 1.0, 3.0
    if isinstance(kernel, Matern) and kernel.nu > 1:
        nu = kernel.nu
        return nu / (nu - 1), 3 * nu**2 / ((nu - 1) * (nu - 2)) if nu > 2 else math.inf
    return math.inf, math.inf


def _rounding(kernel: Stationary, d: int) -> float:
    """The error of a computed kernel value, its own and what comes from the error of D.

    Bessel functions of order ν come from logarithms as large as ν. D comes from a matrix product, with an error in
    proportion to the squared size of the cube, unless it is CANCELLED times smaller.
    """
    own = EPSILON
    if isinstance(kernel, Matern) and kernel.nu not in (0.5, 1.5, 2.5):
        own *= 1.0 + 4.0 * kernel.nu
    size = float(np.sum(np.broadcast_to(kernel.lengthscale, d) ** -2.0))
    _, steepest = kernel.profile_and_slope(np.array([CANCELLED * size]))
    return own + float(np.finfo(float).eps) * size * abs(float(steepest[0]))


def _lines(kernel: Stationary, X: Array, c: Array, u: Array, smooth: bool) -> tuple[Lines, Lines, Lines]:
    """The kernel at the centres with its slope, and its bounds from below and above on the boxes (step 2)."""
    D, nearest, farthest = _squared_distances(X, c, u)
    centre = Lines(*kernel.profile_and_slope(D.copy()))
    high, low = np.asarray(kernel.profile(nearest.copy())), np.asarray(kernel.profile(farthest.copy()))
    chord = (low - high) / np.maximum(farthest - nearest, np.finfo(float).tiny)
    above = Lines(high + chord * (D - nearest), chord)
    if smooth:
        return centre, centre, above
    steep = D < farthest / 16  # there the tangent of a rough kernel falls without limit; its least value does not
    return centre, Lines(np.where(steep, low, centre.at), np.where(steep, 0.0, centre.slope)), above


def _squared_distances(X: Array, c: Array, u: Array) -> tuple[Array, Array, Array]:
    """From each observation to the centre, the nearest and the farthest point of each box, (n, m) each."""
    D, nearest, along, gap, work = (np.zeros((len(X), len(c))) for _ in range(5))
    for j in range(X.shape[1]):
        np.subtract(X[:, j, None], c[:, j], out=gap)
        np.abs(gap, out=gap)
        D += np.multiply(gap, gap, out=work)
        along += np.multiply(gap, u[:, j], out=work)
        gap -= u[:, j]
        np.maximum(gap, 0.0, out=gap)
        gap *= gap
        nearest += gap
    along *= 2.0
    along += D
    along += np.einsum("ij,ij->i", u, u)  # (gap + u)² = gap² + 2 gap u + u²
    return D, nearest, along
