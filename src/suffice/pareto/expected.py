"""How much of an interval lies below a normal variable, on average, without cancellation.

l, u   edges of an interval, l < u ≤ ∞        μ, σ  (N,)  mean and deviation of Y
F      E (min(Y, u) − l)₊ = ψ(l) − ψ(u), ψ(e) = E (Y − e)₊;    ∂F/∂μ = Φ(a) − Φ(b),    ∂F/∂σ = φ(a) − φ(b)
a, b   (μ − l)/σ and (μ − u)/σ                δ     a − b, the width of the interval in deviations
t(v)   φ(v) − v Φ(−v) = E (Z − v)₊ for v ≥ 0: by how much ψ is above what it is without deviation, in deviations

Since ψ(e) = (μ − e)₊ + σ t(|μ − e|/σ), what is certain and what comes from the deviation can be told apart:

    F = (min(μ, u) − l)₊ + σ (t(|a|) − t(|b|)),

which is exact for σ → 0 and loses digits only where the interval is narrow. There, with c the middle of a and b,

    F = (u − l) (Φ(c) + φ'(c) δ²/24 + …),  ∂F/∂μ = δ (φ(c) + φ''(c) δ²/24 + …),  ∂F/∂σ = δ (φ'(c) + φ'''(c) δ²/24 + …).
"""

import math
from typing import NamedTuple

import numpy as np
from scipy.special import erfcx, ndtr

from suffice.types import Array, Indices

FAR = 39.0  # from here on the density is zero in float64, and its square need not overflow
NARROW = 3e-3  # δ max(1, −a): above, differences lose three digits at most; below, the series has an error of 1e-13
TINY = 1e-300  # a deviation of zero: it divides


class Strips(NamedTuple):
    """The intervals of K boxes in one objective; they share edges, so that far fewer than 2K have to be looked at."""

    edges: Array  # (E,)
    low: Indices  # (K,): which edge
    high: Indices  # (K,)

    @classmethod
    def of(cls, lower: Array, upper: Array) -> "Strips":
        """From their edges, (K,) each."""
        edges, places = np.unique(np.concatenate([lower, upper]), return_inverse=True)
        return cls(edges, places[: len(lower)], places[len(lower) :])


class Part(NamedTuple):
    """F and its derivatives, (K, N) each."""

    value: Array
    by_mean: Array
    by_std: Array


def part_of_normal(strips: Strips, mean: Array, std: Array) -> Array:
    """F for K intervals and N variables, (K, N)."""
    return _parts(strips, mean, std, graded=False)[0]


def part_of_normal_and_grad(strips: Strips, mean: Array, std: Array) -> Part:
    """F with its derivatives in mean and std."""
    return Part(*_parts(strips, mean, std, graded=True))


def but_one(parts: list[Array]) -> list[Array]:
    """For each of m arrays of one shape the product of the others, as arrays of their own."""
    before = [np.ones_like(parts[0])]
    for part in parts[:-1]:
        before.append(before[-1] * part)
    after = parts[-1]
    for j in range(len(parts) - 2, -1, -1):
        before[j] *= after
        after = after * parts[j]
    return before


def _parts(strips: Strips, mean: Array, std: Array, *, graded: bool) -> list[Array]:
    """F and, if wanted, its derivatives."""
    edges, low, high = strips
    std = np.maximum(std, TINY)
    with np.errstate(over="ignore"):  # without deviation everything is far away
        z = (mean - edges[:, None]) / std
    v = np.minimum(np.abs(z), FAR)
    density = np.exp(-0.5 * v**2) / math.sqrt(2 * math.pi)
    mills = math.sqrt(math.pi / 2) * erfcx(v / math.sqrt(2))  # Φ(−v)/φ(v)
    spread = std * density * (1.0 - v * mills)
    below, above = edges[low, None], edges[high, None]
    value = np.minimum(mean, above)
    value -= below
    np.maximum(value, 0.0, out=value)
    value += spread[low]
    value -= spread[high]
    parts = [value]
    if graded:
        beyond = density * mills
        cdf = np.where(z < 0, beyond, 1.0 - beyond)
        parts += [cdf[low] - cdf[high], density[low] - density[high]]
    k, n = narrow(strips, z, std)
    if len(k):
        series = _narrow(edges[low[k]], edges[high[k]], mean[n], std[n])
        for part, exact in zip(parts, series, strict=False):
            part[k, n] = exact
    return parts


def narrow(strips: Strips, z: Array, std: Array) -> tuple[Indices, Indices]:
    """Which intervals are narrow for which variables; z: (μ − e)/σ at every edge e, (E, N)."""
    width = strips.edges[strips.high] - strips.edges[strips.low]
    some = np.flatnonzero(width < NARROW * std.max(initial=0.0))  # mostly none
    k, n = np.nonzero(width[some, None] * np.maximum(1.0, -z[strips.low[some]]) < NARROW * std)
    return some[k], n


def _narrow(below: Array, above: Array, mean: Array, std: Array) -> tuple[Array, Array, Array]:
    """F and its derivatives for narrow intervals, of one shape, by the series."""
    width = above - below
    delta = width / std
    c = (mean - below - 0.5 * width) / std
    density = np.exp(-0.5 * np.minimum(np.abs(c), FAR) ** 2) / math.sqrt(2 * math.pi)
    square = delta**2 / 24
    return (
        width * (ndtr(c) - c * density * square),
        delta * density * (1.0 + (c**2 - 1.0) * square),
        -delta * c * density * (1.0 + (c**2 - 3.0) * square),
    )
