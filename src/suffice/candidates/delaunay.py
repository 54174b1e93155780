"""Delaunay candidates: the middles of the gaps between observed points, and the fringe around them.

s      int          smooth columns
P      (k, s)       distinct design points in the smooth columns, the incumbent first
cells  (c, s + 1)   rows of P: the simplices of the Delaunay triangulation
facets (f, s)       rows of P: the facets of the convex hull
normals (f, s)      their outward unit normals
"""

import math
from dataclasses import dataclass

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from suffice.candidates.voronoi import distinct, room, voronoi
from suffice.types import Array, Domain, Indices, smooth_columns


@dataclass(frozen=True)
class Delaunay:
    """Barycentres of the design's Delaunay simplices, and fringe points (Gramacy, Sauer and Wycoff 2022).

    A fringe point starts in the middle of a facet of the convex hull and goes along the outward normal towards the
    cube's face; a facet without room has none. Of more candidates than n, a random subset is kept in which the
    incumbent's neighbours come first; uniform points fill what is missing. Discrete coordinates are copied from a
    random vertex of the simplex or facet; the uniform points bring new ones.

    Beyond len(max_points) smooth columns, and where no triangulation exists (fewer than s + 1 distinct points, all
    points in one plane), the Voronoi candidates stand in.

    Parameters
    ----------
    reach : float, default: 0.5
        The fraction of the way to the face at which a fringe point lies.
    near : float, default: 0.1
        The share of the candidates that the incumbent's neighbours may take.
    max_points : tuple of int
        Points that are triangulated at most, for 1, 2, … smooth columns, since the number of simplices explodes with
        them: those nearest the incumbent (their hull then has its fringe inside the design). The defaults keep one
        triangulation of uniform points below about 0.1 s.
    """

    reach: float = 0.5
    near: float = 0.1
    max_points: tuple[int, ...] = (100_000, 5_000, 2_000, 1_000, 250, 100)

    def __post_init__(self) -> None:
        if not (0 < self.reach <= 1 and 0 <= self.near <= 1):
            raise ValueError(f"reach and near are fractions of at most 1, got {self.reach} and {self.near}")

    def __call__(self, n: int, domain: Domain, *, design: Array, rng: Generator) -> Array:
        columns = np.flatnonzero(smooth_columns(domain))
        rows = self._vertices(design[:, columns])
        mesh = triangulate(design[np.ix_(rows, columns)])
        if mesh is None:
            return voronoi(n, domain, design=design, rng=rng)
        points, parents, adjacent = self._propose(mesh, rng)
        keep = _prefer(adjacent, math.ceil(self.near * n), rng)[:n]
        X = design[rows[parents[keep]]]
        X[:, columns] = points[keep]
        return domain.snap(np.concatenate((X, domain.sample(n - len(X), rng))))

    def _vertices(self, S: Array) -> Indices:
        """Rows of S, the smooth columns of the design, to triangulate: none, or the incumbent first."""
        if not 0 < S.shape[1] <= len(self.max_points) or len(S) == 0:
            return np.empty(0, dtype=np.intp)
        rows = distinct(S)
        distance = np.linalg.norm(S[rows] - S[0], axis=1)
        return rows[np.argsort(distance, kind="stable")][: self.max_points[S.shape[1] - 1]]

    def _propose(self, mesh: "Mesh", rng: Generator) -> tuple[Array, Indices, NDArray[np.bool_]]:
        """All candidates, (m, s), a random vertex of each, and whether each is adjacent to the incumbent, (m,)."""
        middles = mesh.P[mesh.facets].mean(axis=1)
        height = room(middles, mesh.normals)
        outside = height > 1e-6
        fringe = middles[outside] + self.reach * height[outside, None] * mesh.normals[outside]
        points = np.concatenate((mesh.P[mesh.cells].mean(axis=1), fringe))
        sets = (mesh.cells, mesh.facets[outside])
        parents = np.concatenate([rng.permuted(rows, axis=1)[:, 0] for rows in sets])
        adjacent = np.concatenate([(rows == 0).any(axis=1) for rows in sets])
        return points, parents, adjacent


delaunay = Delaunay()


@dataclass(frozen=True)
class Mesh:
    """A Delaunay triangulation of P and its convex hull."""

    P: Array
    cells: Indices
    facets: Indices
    normals: Array


def triangulate(P: Array) -> Mesh | None:
    """The Delaunay triangulation of distinct points, (k, s); None where it does not exist."""
    k, s = P.shape
    if s == 0 or k <= s:
        return None
    if s == 1:  # intervals between neighbours; Qhull starts at two dimensions
        order = np.argsort(P[:, 0])
        ends = order[[0, -1]][:, None]
        return Mesh(P, np.column_stack((order[:-1], order[1:])), ends, np.array([[-1.0], [1.0]]))
    from scipy import spatial

    try:
        cells, hull = spatial.Delaunay(P).simplices, spatial.ConvexHull(P)
    except spatial.QhullError:  # all points in one plane, up to rounding
        return None
    return Mesh(P, cells.astype(np.intp), hull.simplices.astype(np.intp), hull.equations[:, :-1])


def _prefer(adjacent: NDArray[np.bool_], most: int, rng: Generator) -> Indices:
    """All positions in random order, except that up to `most` adjacent ones come first."""
    order = rng.permutation(len(adjacent))
    first = np.flatnonzero(adjacent[order])[:most]
    return np.concatenate((order[first], np.delete(order, first)))
