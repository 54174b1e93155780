"""The logarithm of the expected gain in hypervolume, finite however hopeless a point is.

l, u   edges of box k in objective j, l < u ≤ ∞        μ, σ  (N, m)  mean and deviation of each objective
F_kj   E (min(Y_j, u) − l)₊, the part of the box below Y_j (pareto/expected.py);    E gain = Σ_k Π_j F_kj
a, b   (μ − l)/σ and (μ − u)/σ                         δ  a − b, the width of the box in deviations
ρ, R   for v ≥ 0: h(−v) = φ(v) ρ(v) and Φ(−v) = φ(v) R(v), by the remainders of normal.py
q      φ(b)/φ(a) = exp(−δ (|a| + |b|)/2) for b ≤ a ≤ 0: a product, since a difference of squares may have no digits left

    a > 0     F as it is: not small against σ or u − l
    a ≤ 0     F = σ φ(a) (ρ(a) − q ρ(b)),    ∂F/∂μ = φ(a) (R(a) − q R(b)),    ∂F/∂σ = φ(a) (1 − q)
    narrow    F = (u − l) Φ(c) (1 − c λ δ²/24), λ = φ(c)/Φ(c), c the middle of a and b

The sum over boxes is taken in logarithms, too (the aim of Ament et al. 2023, for independent objectives).
"""

import numpy as np
from scipy.special import logsumexp

from suffice.acquisition.normal import LOG_SQRT_2PI, log_cdf, remainders
from suffice.pareto.boxes import Graded, Improving
from suffice.pareto.expected import TINY, Part, Strips, narrow, part_of_normal_and_grad
from suffice.pareto.shortfall import blocks
from suffice.types import Array, Indices


def log_expected_gain(boxes: Improving, mean: Array, std: Array) -> Graded:
    """log E gain(Y) for independent Y_j ~ N(mean_j, std_j²), and its derivatives; mean and std: (N, m)."""
    out = Graded(np.empty(len(mean)), np.empty(mean.shape), np.empty(mean.shape))
    for block in blocks(len(mean), len(boxes.lower)):
        parts = [log_part(strips, mean[block, j], std[block, j]) for j, strips in enumerate(boxes.strips)]
        terms = np.sum([part.value for part in parts], axis=0)
        out.value[block] = logsumexp(terms, axis=0)
        shares = np.exp(terms - out.value[block])
        for j, part in enumerate(parts):
            out.by_mean[block, j] = np.einsum("kn,kn->n", shares, part.by_mean)
            out.by_std[block, j] = np.einsum("kn,kn->n", shares, part.by_std)
    return out


def log_part(strips: Strips, mean: Array, std: Array) -> Part:
    """log F for K intervals and N variables, (K, N), with its derivatives."""
    edges, low, high = strips
    std = np.maximum(std, TINY)
    width = (edges[high] - edges[low])[:, None]
    z = (mean - edges[:, None]) / std
    a = z[low]
    F = part_of_normal_and_grad(strips, mean, std)
    left = _left(z, a, low, high, width / std)
    right = a > 0
    positive = np.where(right, F.value, 1.0)
    parts = [
        np.where(right, np.log(positive), left.value + np.log(std)),
        np.where(right, F.by_mean / positive, left.by_mean / std),
        np.where(right, F.by_std / positive, left.by_std / std),
    ]
    k, n = narrow(strips, z, std)
    if len(k):
        for part, exact in zip(parts, _narrow(edges[low[k]], edges[high[k]], mean[n], std[n]), strict=True):
            part[k, n] = exact
    return Part(*parts)


def _left(z: Array, a: Array, low: Indices, high: Indices, delta: Array) -> Part:
    """log (F/σ) and σ times its derivatives for a ≤ 0; elsewhere something finite."""
    v = np.abs(z)
    K, _ = remainders(v)
    rho, mills = K / (v + K), 1.0 / (v + K)
    exponent = np.where(a > 0, -1.0, -0.5 * delta * (v[low] + v[high]))
    q = np.exp(exponent)
    D = np.where(a > 0, 1.0, rho[low] - q * rho[high])
    return Part(
        np.log(D) - 0.5 * a**2 - LOG_SQRT_2PI,
        (mills[low] - q * mills[high]) / D,
        -np.expm1(exponent) / D,
    )


def _narrow(below: Array, above: Array, mean: Array, std: Array) -> Part:
    """log F and its derivatives for narrow intervals, all of one shape, by the series of pareto/expected.py."""
    width = above - below
    c = (mean - below - 0.5 * width) / std
    square = (width / std) ** 2 / 24
    value, hazard = log_cdf(c)
    correction = 1.0 - c * hazard * square
    return Part(
        np.log(width) + value + np.log(correction),
        hazard * (1.0 + (c**2 - 1.0) * square) / (std * correction),
        -c * hazard * (1.0 + (c**2 - 3.0) * square) / (std * correction),
    )
