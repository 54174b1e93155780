from itertools import combinations

import numpy as np
import pytest
from scipy.spatial import ConvexHull
from scipy.spatial.distance import cdist

from suffice.candidates import Delaunay, delaunay, voronoi
from suffice.candidates.voronoi import triangulate
from suffice.space import UnitCube


def propose(rule, n, domain, design, seed=0):
    return rule(n, domain, design=design, rng=np.random.default_rng(seed))


def cloud(k, d, seed=0):
    return 0.1 + 0.8 * np.random.default_rng(seed).random((k, d))  # off the faces: every facet has a fringe point


def outside(X, design):
    """By how much each point lies outside the convex hull of the design."""
    hull = ConvexHull(design)
    return (X @ hull.equations[:, :-1].T + hull.equations[:, -1]).max(axis=1)


def as_set(X):
    return {tuple(row) for row in np.round(X, 9).tolist()}


def test_a_triangle_has_the_candidates_computed_by_hand():
    triangle = np.array([[0.2, 0.2], [0.8, 0.2], [0.2, 0.8]])
    X = propose(delaunay, 4, UnitCube(2), triangle)
    assert as_set(X) == {(0.4, 0.4), (0.5, 0.1), (0.1, 0.5), (0.75, 0.75)}


def test_intervals_have_the_candidates_computed_by_hand():
    X = propose(delaunay, 4, UnitCube(1), np.array([[0.6], [0.2], [0.9]]))
    assert as_set(X) == {(0.4,), (0.75,), (0.1,), (0.95,)}


@pytest.mark.parametrize("d", [2, 3, 4])
def test_candidates_are_means_of_simplices_in_the_hull_and_fringe_points_out_of_it(d):
    design = cloud(9, d)
    mesh = triangulate(design)
    cells, facets = len(mesh.cells), len(mesh.facets)
    X = propose(delaunay, cells + facets, UnitCube(d), design)
    beyond = outside(X, design)
    inner = X[beyond < 0]
    means = np.array([design[list(rows)].mean(axis=0) for rows in combinations(range(9), d + 1)])
    assert len(inner) == cells
    assert cdist(inner, means).min(axis=1) == pytest.approx(0.0, abs=1e-12)
    assert np.sum(beyond > 1e-3) == facets
    assert len(as_set(X)) == cells + facets


@pytest.mark.parametrize("d", [1, 2, 3, 5])
def test_the_simplices_fill_the_hull_and_no_design_point_lies_in_a_circumsphere(d):
    P = cloud(12, d)
    mesh = triangulate(P)
    edges = P[mesh.cells[:, 1:]] - P[mesh.cells[:, :1]]
    volume = np.abs(np.linalg.det(edges)).sum() / np.prod(np.arange(1, d + 1))
    assert volume == pytest.approx(np.ptp(P) if d == 1 else ConvexHull(P).volume)
    centres = P[mesh.cells[:, 0]] + np.linalg.solve(edges, (edges**2).sum(axis=2)[..., None] / 2)[..., 0]
    radius = np.linalg.norm(centres - P[mesh.cells[:, 0]], axis=1)
    assert np.all(cdist(centres, P).min(axis=1) >= radius * (1 - 1e-9))


@pytest.mark.parametrize("reach", [0.25, 1.0])
def test_fringe_points_go_the_given_share_of_the_way(reach):
    triangle = np.array([[0.2, 0.2], [0.8, 0.2], [0.2, 0.8]])
    X = propose(Delaunay(reach=reach), 4, UnitCube(2), triangle)
    fringe = {(0.5, 0.2 - 0.2 * reach), (0.2 - 0.2 * reach, 0.5), (0.5 + 0.5 * reach, 0.5 + 0.5 * reach)}
    assert as_set(X) == {(0.4, 0.4), *(tuple(np.round(x, 9).tolist()) for x in fringe)}


def test_a_facet_on_a_face_has_no_fringe_point():
    corners = np.array([[0.5, 0.5], [0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])
    X = propose(delaunay, 30, UnitCube(2), corners)
    middles = np.array([[0.5, 0.0], [0.0, 0.5], [0.5, 1.0], [1.0, 0.5]])
    assert cdist(X, middles).min() > 1e-6
    assert as_set(X) >= as_set(middles + (0.5 - middles) / 3)


def test_a_subset_holds_a_tenth_next_to_the_incumbent_and_no_repeats():
    design = np.roll(cloud(300, 2), 1, axis=0)
    mesh = triangulate(design)
    next_to_it = as_set(design[mesh.cells[(mesh.cells == 0).any(axis=1)]].mean(axis=1))
    X = propose(delaunay, 40, UnitCube(2), design)
    assert len(next_to_it) >= 4
    assert len(as_set(X)) == 40
    assert len(as_set(X) & next_to_it) >= 4
    assert len(as_set(propose(Delaunay(near=1.0), 40, UnitCube(2), design)) & next_to_it) == len(next_to_it)


def test_a_large_design_is_triangulated_around_the_incumbent():
    design = cloud(100, 2)
    nearest = design[np.argsort(cdist(design[:1], design)[0])[:10]]
    cells = triangulate(nearest).cells
    X = propose(Delaunay(max_points=(10, 10)), 500, UnitCube(2), design)
    assert as_set(X) >= as_set(nearest[cells].mean(axis=1))


@pytest.mark.parametrize(
    ("d", "design"),
    [
        (7, cloud(30, 7)),  # too many columns
        (3, cloud(3, 3)),  # too few points
        (2, np.linspace([0.1, 0.2], [0.9, 0.6], 8)),  # all on one line
        (3, np.repeat(cloud(3, 3), 3, axis=0)),  # too few distinct points
        (2, cloud(0, 2)),
    ],
)
def test_voronoi_candidates_stand_in_where_there_is_no_triangulation(d, design):
    X = propose(delaunay, 50, UnitCube(d), design)
    assert np.array_equal(X, propose(voronoi, 50, UnitCube(d), design))


@pytest.mark.parametrize("share", [-0.1, 1.1, np.nan])
def test_impossible_shares_of_candidates_are_refused(share):
    with pytest.raises(ValueError, match="at most 1"):
        Delaunay(reach=share)
    with pytest.raises(ValueError, match="at most 1"):
        Delaunay(near=share)


def test_discrete_coordinates_come_from_a_vertex(mixed):
    design = mixed.sample(8, np.random.default_rng(1))
    rates = np.sort(design[:, 0])
    gaps = np.concatenate(([rates[0] / 2], (rates[1:] + rates[:-1]) / 2, [(1 + rates[-1]) / 2]))
    X = propose(delaunay, 9, mixed, design)
    assert np.sort(X[:, 0]) == pytest.approx(gaps)
    ends = np.concatenate(([rates[0]], rates, [rates[-1]]))
    for x in X:
        i = np.abs(gaps - x[0]).argmin()
        vertices = design[np.isin(design[:, 0], ends[[i, i + 1]])]
        assert (vertices[:, 1:] == x[1:]).all(axis=1).any()
