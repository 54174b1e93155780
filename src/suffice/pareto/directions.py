"""The hypervolume as an average over directions, for more objectives than boxes are good for.

W      (k, m)  directions w, uniform on the positive part of the sphere: every w_j > 0, and |w| = 1
U      (N, m)  candidates, all objectives maximized;    r  (m,)  the reference point
t      (k, N)  reach: how far one can go from r in the direction w and still be below u, min_j (u_j − r_j)/w_j; negative
               below r, and there, too, monotone in every u_j
best   (k,)    how far the front reaches in each direction, max over y of t₊
C      (k, m)  r + best · w: where it ends there

In polar coordinates around r the volume that a set dominates is an integral over directions of the largest reach to the
m-th power (Zhang and Golovin 2020, arXiv 2006.04655):

    hypervolume(Y, r) = c_m · E max over y of t₊^m,    c_m = π^(m/2) / (2^m Γ(m/2 + 1)),

c_m being the volume of the positive part of the unit ball. Along fixed directions

    gain(u) = c_m · mean over w of (t_w(u)^m − best_w^m)₊

has the hypervolume improvement as its mean over directions. It is deterministic once these are drawn, monotone in each
u_j, and positive exactly where u is above an end, which therefore are the corners of its region.
"""

import math
from dataclasses import dataclass

import numpy as np
from numpy.random import Generator

from suffice.pareto.front import blocks, counted, nondominated, shortfall, shortfall_and_grad
from suffice.types import Array

LEAST = 1e-12  # of a coordinate of a direction: it divides; smaller ones have a share of m · 1e-12 at most


def weights(n: int, m: int, rng: Generator) -> Array:
    """n directions, uniform on the positive part of the unit sphere, (n, m)."""
    W = np.maximum(np.abs(rng.standard_normal((n, m))), LEAST)
    return np.asarray(W / np.sqrt(np.einsum("ij,ij->i", W, W))[:, None])


def c_m(m: int) -> float:
    """By what the mean over directions is multiplied to be the hypervolume."""
    return math.exp(0.5 * m * math.log(math.pi / 4) - math.lgamma(0.5 * m + 1))


@dataclass(frozen=True, eq=False)
class Directions:
    """What a front leaves to be improved, along some directions, as `Improving` is without them."""

    weights: Array  # (k, m)
    best: Array  # (k,)
    reference: Array  # (m,)

    @classmethod
    def of(cls, Y: Array, r: Array, W: Array) -> "Directions":
        """The ends of a front above r in the directions W."""
        Y, r = np.asarray(Y, dtype=float), np.asarray(r, dtype=float)
        Y = Y[counted(Y, r)]
        Y = Y[nondominated(Y, distinct=True)]
        best = np.zeros(len(W))
        for block in blocks(len(Y), len(W)):
            best = np.maximum(best, _reaches(Y[block], W, r)[0].max(axis=1))
        return cls(W, best, r.copy())

    @property
    def corners(self) -> Array:
        """The ends, (k, m)."""
        return self.reference + self.best[:, None] * self.weights

    def gain(self, U: Array) -> Array:
        """The volume that each candidate alone adds to that of the front, (N,), as an average over the directions."""
        m, out = U.shape[1], np.empty(len(U))
        for block in blocks(len(U), len(self.weights)):
            t, _ = _reaches(U[block], self.weights, self.reference)
            out[block] = (np.maximum(t, self.best[:, None]) ** m - self.best[:, None] ** m).mean(axis=0)
        return c_m(m) * out

    def gain_and_grad(self, U: Array) -> tuple[Array, Array]:
        """The gain and its derivatives, (N,) and (N, m)."""
        m, out, grad = U.shape[1], np.empty(len(U)), np.empty(U.shape)
        best = self.best[:, None]
        for block in blocks(len(U), len(self.weights)):
            t, limit = _reaches(U[block], self.weights, self.reference)
            slope = np.where(t >= best, m * np.maximum(t, best) ** (m - 1), 0.0)
            out[block] = (np.maximum(t, best) ** m - best**m).mean(axis=0)
            for j in range(m):
                grad[block, j] = (np.where(limit == j, slope, 0.0) / self.weights[:, j, None]).mean(axis=0)
        return c_m(m) * out, c_m(m) * grad

    def shortfall(self, U: Array) -> Array:
        """How much each candidate lacks in every objective to gain something, (N,)."""
        return shortfall(self.corners, U)

    def shortfall_and_grad(self, U: Array) -> tuple[Array, Array]:
        """The shortfall and its derivatives, (N,) and (N, m)."""
        return shortfall_and_grad(self.corners, U)


def _reaches(U: Array, W: Array, r: Array) -> tuple[Array, Array]:
    """t for all directions and candidates, and the objective that limits it, (k, N) each."""
    t = (U[:, 0] - r[0]) / W[:, 0, None]
    limit = np.zeros(t.shape)
    for j in range(1, U.shape[1]):
        other = (U[:, j] - r[j]) / W[:, j, None]
        nearer = other < t
        limit[nearer] = j
        np.minimum(t, other, out=t)
    return t, limit
