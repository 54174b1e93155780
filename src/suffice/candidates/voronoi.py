"""Candidates from the geometry of the design: its Voronoi diagram and its Delaunay triangulation.

Voronoi candidates are walks that end on the boundary of a cell.

D  (k, d)  distinct design points, best first
X  (n, d)  where the walks start
p  (n,)    row of D nearest to each start: X[i] lies in the cell of D[p[i]]
U  (n, d)  unit directions, zero in the columns that are not smooth
t  (n,)    lengths of the walks

A point as far from one observed point as from the next lies in a gap, where the model knows little. The diagram is
never built. On the walk x + t u, the point q is as near as p where ‖x + t u − q‖² = ‖x + t u − p‖²:

    t_q = (‖x − q‖² − ‖x − p‖²) / (2 u·(q − p)),

and the cell ends at the smallest t_q over the q with u·(q − p) > 0. From x = p this is ‖q − p‖² / (2 u·(q − p)).

Delaunay candidates are the middles of the gaps between observed points, and the fringe around them.

s      int          smooth columns
P      (k, s)       distinct design points in the smooth columns, the incumbent first
cells  (c, s + 1)   rows of P: the simplices of the Delaunay triangulation
facets (f, s)       rows of P: the facets of the convex hull
normals (f, s)      their outward unit normals
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from suffice.checks import RESOLUTION
from suffice.space import Shaped, free_columns
from suffice.space.domain import CACHE
from suffice.types import Array, Domain, Indices, smooth_columns


@dataclass(frozen=True)
class Voronoi:
    """Walks from the design to the boundaries of its Voronoi cells (Wycoff, Smith, Booth and Gramacy 2024).

    Walks of the first kind start at the design points in turn, best first, and follow one smooth column up or down. The
    others start at a uniform point of the domain and run straight away from its nearest design point: their cells come
    up as often as they are large, and their discrete coordinates are uniform. The paper alternates between these two
    kinds from step to step; one set holds both. Walks move smooth columns only, so a candidate has the discrete
    coordinates of its start and is still equidistant in the whole cube.

    A walk may meet a face of the cube first. Some end there, because acquisition functions often peak on faces; the
    others stop half way from their start, as in the paper's experiments. Uniform where there is no geometry: no design,
    or no smooth column.

    Parameters
    ----------
    aligned : float, default: 0.5
        The fraction of walks of the first kind.
    on_face : float, default: 0.5
        The fraction of walks meeting a face that end there.
    """

    aligned: float = 0.5
    on_face: float = 0.5

    def __post_init__(self) -> None:
        if not (0 <= self.aligned <= 1 and 0 <= self.on_face <= 1):
            raise ValueError(f"aligned and on_face are fractions in [0, 1], got {self.aligned} and {self.on_face}")

    def __call__(self, n: int, domain: Domain, *, design: Array, rng: Generator) -> Array:
        columns = np.flatnonzero(smooth_columns(domain))
        if n == 0 or len(design) == 0 or len(columns) == 0:
            return domain.sample(n, rng)
        D = design[distinct(design)]
        along = round(self.aligned * n)
        walks = [_along_columns(along, D, columns, rng), _away(domain.sample(n - along, rng), D, columns)]
        X, p, U = (np.concatenate(parts) for parts in zip(*walks, strict=True))
        if not domain.product:
            U = _turned(X, U, free_columns(domain, X))
        t, faces = exits(X, p, U, D), room(X, U)
        stop = np.where(rng.random(n) < self.on_face, faces, faces / 2)
        ends = _tidy(X + np.where(U.any(axis=1), np.where(t < faces, t, stop), 0.0)[:, None] * U)
        return domain.towards(ends, X) if isinstance(domain, Shaped) and not domain.product else domain.snap(ends)


voronoi = Voronoi()


def distinct(X: Array) -> Indices:
    """Rows of X that are not repeats of an earlier row, in order: walks between two equal points have no length."""
    _, first = np.unique(np.round(X / RESOLUTION), axis=0, return_index=True)
    return np.sort(first)


def room(X: Array, U: Array) -> Array:
    """How far each x can go along u before it leaves the cube, (n,); infinite for u = 0."""
    t = np.full(X.shape, np.inf)
    np.divide((U > 0) - X, U, out=t, where=np.abs(U) > 1e-12)  # a smaller component does not leave within √d
    nearest: Array = t.min(axis=1)
    return np.maximum(nearest, 0.0)


def exits(X: Array, p: Indices, U: Array, D: Array) -> Array:
    """How far each x, in the cell of D[p], can go along u before another design point is as near as D[p], (n,)."""
    from scipy.spatial.distance import cdist

    t = np.full(len(X), np.inf)
    for rows in _blocks(len(X), len(D)):
        here = p[rows, None]
        ahead = cdist(X[rows], D, "sqeuclidean")
        ahead -= np.take_along_axis(ahead, here, axis=1)
        slope = U[rows] @ D.T
        slope -= np.take_along_axis(slope, here, axis=1)
        # The smallest positive t_q is the largest 1/t_q: a quotient without cases, 0 for q = p.
        rate = (slope / np.maximum(ahead, 1e-300)).max(axis=1)
        np.divide(0.5, rate, out=t[rows], where=rate > 1e-12)  # a longer walk has left the cube
    return t


def _along_columns(n: int, D: Array, columns: Indices, rng: Generator) -> tuple[Array, Indices, Array]:
    """Starts, their cells and directions of n walks along single columns."""
    p = np.arange(n) % len(D)
    column = rng.choice(columns, size=n)
    sign = rng.choice([-1.0, 1.0], size=n)
    start = D[p, column]
    sign = np.where((start == 0.0) | (start == 1.0), 1.0 - 2.0 * start, sign)  # on a face: turn inwards
    U = np.zeros((n, D.shape[1]))
    U[np.arange(n), column] = sign
    return D[p], p, U


def _away(X: Array, D: Array, columns: Indices) -> tuple[Array, Indices, Array]:
    """Starts X, their cells and the directions away from the design points in them."""
    from scipy.spatial.distance import cdist

    p = np.empty(len(X), dtype=np.intp)
    for rows in _blocks(len(X), len(D)):
        p[rows] = cdist(X[rows], D, "sqeuclidean").argmin(axis=1)
    U = np.zeros_like(X)
    U[:, columns] = (X - D[p])[:, columns]
    length = np.linalg.norm(U, axis=1, keepdims=True)
    np.divide(U, length, out=U, where=length > 0)
    there = np.flatnonzero(length[:, 0] == 0)  # the start is a design point: away from it is any way that has room
    U[there, columns[0]] = np.where(X[there, columns[0]] < 0.5, 1.0, -1.0)
    return X, p, U


def _turned(X: Array, U: Array, free: NDArray[np.bool_]) -> Array:
    """The directions in the free columns of each start; one that has no other goes along the first, if there is any."""
    U = np.where(free, U, 0.0)
    rows = np.flatnonzero(free.any(axis=1) & ~U.any(axis=1))
    first = free[rows].argmax(axis=1)
    U[rows, first] = np.where(X[rows, first] < 0.5, 1.0, -1.0)
    return U


def _blocks(n: int, k: int) -> Iterator[slice]:
    """Slices of n rows such that rows × k stays below CACHE."""
    step = max(1, CACHE // k)
    return (slice(start, min(start + step, n)) for start in range(0, n, step))


def _tidy(X: Array) -> Array:
    """X with rounding removed at the faces, so that a walk to a face ends on it."""
    face = np.round(X)
    return np.where(np.abs(X - face) < 1e-12, face, X)


# ---------------------------------------------------------------------- the Delaunay triangulation


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
