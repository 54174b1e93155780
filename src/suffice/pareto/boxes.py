"""Where a front can be improved, as boxes that do not overlap, and by how much a point improves it.

Y             (n, m)  points, every objective maximized        r  (m,)  the reference point
lower, upper  (K, m)  boxes [lower, upper): together all that is above r and not below a point; upper may be infinite
U             (N, m)  candidates: vectors of objectives, finite
f_kj          (K, N)  the part of box k that is below u in objective j: (min(u_j, upper_kj) − lower_kj)₊

    gain(u)       Σ_k Π_j f_kj, the volume that u adds to that of the front
    shortfall(u)  min_c max_j (c_j − u_j)₊ over the corners c: how much u lacks in every objective to reach the region

In the region the shortfall is zero, elsewhere the gain is, and at its border both. They are continuous and monotone in
each u_j; the gain is smooth but for kinks where u_j is an edge of a box: there its derivative is the one to the right.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from suffice.pareto.corners import Corners, Ranks
from suffice.pareto.expected import Strips, but_one, part_of_normal, part_of_normal_and_grad
from suffice.pareto.front import counted, nondominated
from suffice.pareto.shortfall import blocks, shortfall, shortfall_and_grad
from suffice.types import Array


class Graded(NamedTuple):
    """Values of expected gains and their derivatives."""

    value: Array  # (N,)
    by_mean: Array  # (N, m)
    by_std: Array  # (N, m)


@dataclass(frozen=True, eq=False)
class Improving:
    """What a front leaves to be improved. The boxes are as few as there can be, if no two points share a coordinate."""

    lower: Array  # (K, m)
    upper: Array  # (K, m)
    reference: Array  # (m,)

    @classmethod
    def of(cls, Y: Array, r: Array) -> "Improving":
        """The boxes that points leave above r; points that are dominated or not above r leave them as they are.

        K is n + 1 for m = 2, at most 2n + 1 for m = 3, O(n²) for m = 4 and 5 (corners.py).
        """
        Y, r = np.asarray(Y, dtype=float), np.asarray(r, dtype=float)
        Y = Y[counted(Y, r)]
        ranks = Ranks.of(Y[nondominated(Y, distinct=True)], r)
        corners = Corners.of_nothing(*ranks.rows.shape)
        for y in ranks.rows:
            corners = corners.after(y, corners.below(y))
        lower, upper = ranks.at(corners.corner), ranks.at(corners.upper())
        some = (lower < upper).all(axis=1)
        return cls(lower[some], upper[some], r.copy())

    @property
    def corners(self) -> Array:
        """The smallest points of the region, (L, m), L ≤ K: every other point of it is above one of them."""
        return self.lower[nondominated(-self.lower, distinct=True)]

    @cached_property
    def strips(self) -> tuple[Strips, ...]:
        """The sides of the boxes, by objective."""
        return tuple(Strips.of(low, high) for low, high in zip(self.lower.T, self.upper.T, strict=True))

    def gain(self, U: Array) -> Array:
        """The volume that each candidate alone adds to that of the front, (N,)."""
        out = np.empty(len(U))
        for block in self._blocks(len(U)):
            product = self._part(U[block], 0)
            for j in range(1, U.shape[1]):
                product *= self._part(U[block], j)
            out[block] = product.sum(axis=0)
        return out

    def gain_and_grad(self, U: Array) -> tuple[Array, Array]:
        """The gain and its derivatives, (N,) and (N, m): ∂/∂u_j = Σ_k [lower_kj ≤ u_j < upper_kj] Π_{i≠j} f_ki."""
        out, grad = np.empty(len(U)), np.empty(U.shape)
        for block in self._blocks(len(U)):
            parts = [self._part(U[block], j) for j in range(U.shape[1])]
            for j, others in enumerate(but_one(parts)):
                if j == 0:
                    out[block] = (parts[0] * others).sum(axis=0)
                u = U[block, j]
                others *= (self.lower[:, j, None] <= u) & (u < self.upper[:, j, None])
                grad[block, j] = others.sum(axis=0)
        return out, grad

    def shortfall(self, U: Array) -> Array:
        """How much each candidate lacks in every objective to be at the border of the region, (N,)."""
        return shortfall(self.lower, U)  # a box that begins above a corner is never nearer

    def shortfall_and_grad(self, U: Array) -> tuple[Array, Array]:
        """The shortfall and its derivatives, (N,) and (N, m): −1 in the objective that lacks most, 0 in the region."""
        return shortfall_and_grad(self.lower, U)

    def expected_gain(self, mean: Array, std: Array) -> Array:
        """E gain(u) for independent u_j ~ N(mean_j, std_j²), (N,): Σ_k Π_j E f_kj; mean and std: (N, m)."""
        out = np.empty(len(mean))
        for block in self._blocks(len(mean)):
            product = part_of_normal(self.strips[0], mean[block, 0], std[block, 0])
            for j in range(1, mean.shape[1]):
                product *= part_of_normal(self.strips[j], mean[block, j], std[block, j])
            out[block] = product.sum(axis=0)
        return out

    def expected_gain_and_grad(self, mean: Array, std: Array) -> Graded:
        """The expected gain and its derivatives in mean and std."""
        out = Graded(np.empty(len(mean)), np.empty(mean.shape), np.empty(mean.shape))
        for block in self._blocks(len(mean)):
            parts = [
                part_of_normal_and_grad(strips, mean[block, j], std[block, j]) for j, strips in enumerate(self.strips)
            ]
            for j, others in enumerate(but_one([part.value for part in parts])):
                if j == 0:
                    out.value[block] = (parts[0].value * others).sum(axis=0)
                out.by_mean[block, j] = np.einsum("kn,kn->n", others, parts[j].by_mean)
                out.by_std[block, j] = np.einsum("kn,kn->n", others, parts[j].by_std)
        return out

    def _part(self, U: Array, j: int) -> Array:
        """f_kj for all boxes and some candidates, (K, N)."""
        low = self.lower[:, j, None]
        part = np.minimum(U[:, j], self.upper[:, j, None])
        part -= low
        return np.maximum(part, 0.0, out=part)

    def _blocks(self, n: int) -> Iterator[slice]:
        return blocks(n, len(self.lower))
