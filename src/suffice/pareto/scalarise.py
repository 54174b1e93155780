"""The hypervolume as an average over directions, for more objectives than boxes are good for.

U  (N, m)  vectors of objectives, all maximized        r  (m,)  the reference point
w  (m,)    a direction: every w_j > 0, and |w| = 1     W  (k, m)  several of them
t  (N,)    reach: how far one can go from r in the direction w and still be below u, min_j (u_j − r_j)/w_j; negative
           below r, and there, too, monotone in every u_j

In polar coordinates around r the volume that a set dominates is an integral over directions of the largest reach to the
m-th power (Zhang and Golovin 2020, arXiv 2006.04655):

    hypervolume(Y, r) = c_m · E max over y of t₊^m,    w uniform on the positive part of the sphere,
    c_m = π^(m/2) / (2^m Γ(m/2 + 1)), the volume of the positive part of the unit ball.
"""

import math

import numpy as np
from numpy.random import Generator

from suffice.types import Array

LEAST = 1e-12  # of a coordinate of a direction: it divides; smaller ones have a share of m · 1e-12 at most


def weights(n: int, m: int, rng: Generator) -> Array:
    """n directions, uniform on the positive part of the unit sphere, (n, m)."""
    W = np.maximum(np.abs(rng.standard_normal((n, m))), LEAST)
    return np.asarray(W / np.sqrt(np.einsum("ij,ij->i", W, W))[:, None])


def c_m(m: int) -> float:
    """By what the mean over directions is multiplied to be the hypervolume."""
    return math.exp(0.5 * m * math.log(math.pi / 4) - math.lgamma(0.5 * m + 1))


def reach(U: Array, w: Array, r: Array) -> Array:
    """t, (N,): of either sign, so that nowhere is it flat."""
    return np.asarray(((U - r) / w).min(axis=1))


def reach_and_grad(U: Array, w: Array, r: Array) -> tuple[Array, Array]:
    """t and its derivatives, (N,) and (N, m): 1/w_j in the objective (one, if several are) that is the limit."""
    scaled = (U - r) / w
    rows, limit = np.arange(len(U)), scaled.argmin(axis=1)
    grad = np.zeros(U.shape)
    grad[rows, limit] = 1.0 / w[limit]
    return scaled[rows, limit], grad


def scalarised(U: Array, w: Array, r: Array) -> Array:
    """t₊^m, (N,): zero where u is not above r."""
    return np.asarray(np.maximum(reach(U, w, r), 0.0) ** len(w))


def scalarised_and_grad(U: Array, w: Array, r: Array) -> tuple[Array, Array]:
    """t₊^m and its derivatives, (N,) and (N, m)."""
    t, grad = reach_and_grad(U, w, r)
    t, m = np.maximum(t, 0.0), len(w)
    slope = m * t ** (m - 1) * (t > 0)
    return t**m, slope[:, None] * grad
