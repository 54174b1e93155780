"""The normal distribution in its tails, without cancellation.

φ, Φ   density and distribution function of N(0, 1)
v      distance from the mean, v ≥ 0, any shape
λ      hazard φ(v)/Φ(−v), by Laplace's continued fraction v + 1/(v + 2/(v + 3/(v + …)))
K, J   its first two remainders: λ = v + K and K = 1/(v + J)
h(u)   E max(u + Z, 0) = φ(u) + u Φ(u), the expected improvement in units of σ

Written with K and J, differences of nearly equal numbers become products:

    φ(v) − v Φ(−v) = φ(v) K/λ          λ − v = K          1 − vK = KJ
"""

import math

import numpy as np
from scipy.special import erfcx, log_ndtr, ndtr

from suffice.types import Array

LOG_SQRT_2PI = 0.5 * math.log(2 * math.pi)
FAR = 6.0  # from here on 20 terms of the fraction are exact; before, subtracting loses at most three digits
TERMS = 20


def density(u: Array) -> Array:
    """φ(u); zero from |u| = 39 on, where it underflows, so that u² need not overflow."""
    return np.exp(-0.5 * np.minimum(np.abs(u), 39.0) ** 2 - LOG_SQRT_2PI)


def remainders(v: Array) -> tuple[Array, Array]:
    """K and J at v ≥ 0, to about 13 digits at any v."""
    near = np.minimum(v, FAR)
    K = math.sqrt(2 / math.pi) / erfcx(near / math.sqrt(2)) - near
    J = 1 / K - near
    far = v > FAR
    if far.any():
        w = v[far]
        tail = np.zeros_like(w)
        for j in range(TERMS, 1, -1):  # in place: most of the time is that of the calls
            tail += w
            np.divide(j, tail, out=tail)
        J[far] = tail
        K[far] = 1 / (w + tail)
    return K, J


def log_cdf(u: Array) -> tuple[Array, Array]:
    """log Φ(u) and its derivative φ(u)/Φ(u), finite wherever u² is."""
    v = np.maximum(-u, 0.0)
    K, _ = remainders(v)
    right = np.maximum(u, 0.0)
    return log_ndtr(u), np.where(u < 0, v + K, density(right) / ndtr(right))


def expected_excess(u: Array) -> Array:
    """h(u) ≥ 0; far to the left by h(−v) = φ(v) K/λ, to the right by h(u) = u + h(−u)."""
    v = np.abs(u)
    K, _ = remainders(v)
    return np.maximum(u, 0.0) + density(v) * K / (v + K)


def log_expected_excess(u: Array) -> tuple[Array, Array, Array]:
    """log h(u), Φ(u)/h(u) and φ(u)/h(u), finite wherever u² is (the aim of Ament et al. 2023)."""
    return log_excess_and_bend(u)[:3]


def log_excess_and_bend(u: Array) -> tuple[Array, Array, Array, Array]:
    """log h(u), Φ/h, φ/h, and the second derivative of log h, φ/h − (Φ/h)², which is 1 − J/K to the left."""
    v = np.abs(u)
    K, J = remainders(v)
    ratio = K / (v + K)
    log_h = -0.5 * v**2 - LOG_SQRT_2PI + np.log(ratio)
    slope, phi, bend = 1 / K, 1 / ratio, 1 - J / K
    right = u > 0
    if right.any():
        up, at = u[right], density(v[right])
        h = up + at * ratio[right]
        log_h[right], slope[right], phi[right] = np.log(h), ndtr(up) / h, at / h
        bend[right] = phi[right] - slope[right] ** 2
    return log_h, slope, phi, bend
