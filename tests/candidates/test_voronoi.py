import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.distance import cdist

from suffice.candidates import Voronoi, voronoi
from suffice.candidates.voronoi import distinct, exits, room
from suffice.space import UnitCube


def propose(rule, n, domain, design, seed=0):
    return rule(n, domain, design=design, rng=np.random.default_rng(seed))


def two_nearest(X, design):
    return np.sort(cdist(X, design), axis=1)[:, :2].T


def on_a_face(X):
    return ((X == 0.0) | (X == 1.0)).any(axis=1)


@settings(deadline=None, max_examples=60)
@given(d=st.integers(1, 8), k=st.integers(2, 40), seed=st.integers(0, 2**32 - 1), aligned=st.sampled_from([0, 0.5, 1]))
def test_a_candidate_off_the_faces_is_equidistant_to_its_two_nearest_design_points(d, k, seed, aligned):
    design = np.random.default_rng(seed).random((k, d))
    X = propose(Voronoi(aligned=aligned, on_face=1.0), 200, UnitCube(d), design, seed + 1)
    nearest, second = two_nearest(X[~on_a_face(X)], design)
    assert second == pytest.approx(nearest, abs=1e-9)


def test_equidistance_holds_in_the_whole_cube_of_a_mixed_domain(mixed):
    design = mixed.sample(40, np.random.default_rng(3))
    X = propose(Voronoi(on_face=1.0), 500, mixed, design)
    off = ~np.isin(X[:, 0], [0.0, 1.0])
    nearest, second = two_nearest(X[off], design)
    assert off.sum() > 50
    assert second == pytest.approx(nearest, abs=1e-9)


@pytest.mark.parametrize("d", [1, 2, 6])
def test_the_formula_for_the_exit_finds_what_bisection_finds(d):
    rng = np.random.default_rng(d)
    D, X = rng.random((15, d)), rng.random((50, d))
    U = rng.standard_normal((50, d))
    U /= np.linalg.norm(U, axis=1, keepdims=True)
    p = cdist(X, D).argmin(axis=1)
    formula = exits(X, p, U, D)
    low, high = np.zeros(50), np.full(50, 10.0)  # a cell is convex: once left, it is left for good
    for _ in range(60):
        middle = (low + high) / 2
        inside = cdist(X + middle[:, None] * U, D).argmin(axis=1) == p
        low, high = np.where(inside, middle, low), np.where(inside, high, middle)
    bounded = formula < 10.0
    assert bounded.sum() > 10
    assert formula[bounded] == pytest.approx(low[bounded], abs=1e-9)
    assert np.all(high[~bounded] == 10.0)


def test_the_room_in_a_direction_ends_at_the_first_face():
    X = np.array([[0.5, 0.5], [0.5, 0.75], [0.2, 0.4], [0.3, 0.3]])
    U = np.array([[1.0, 0.0], [0.6, 0.8], [-0.6, -0.8], [0.0, 0.0]])
    assert room(X, U) == pytest.approx([0.5, 0.3125, 1 / 3, np.inf])


def test_a_single_design_point_sends_its_walks_to_the_faces_or_half_way():
    design = np.full((1, 3), 0.5)
    assert np.all(on_a_face(propose(Voronoi(on_face=1.0), 100, UnitCube(3), design)))
    half = propose(Voronoi(aligned=1.0, on_face=0.0), 100, UnitCube(3), design)
    assert np.array_equal(np.sort(np.abs(half - 0.5), axis=1), np.tile([0.0, 0.0, 0.25], (100, 1)))


def test_the_design_points_take_turns_and_the_incumbent_is_first():
    design = np.random.default_rng(0).random((7, 4))
    X = propose(Voronoi(aligned=1.0), 7 * 10 + 1, UnitCube(4), design)
    kept = (X[:, None, :] == design).sum(axis=2) == 3  # all columns of the start but one
    assert kept.sum(axis=0).tolist() == [11] + [10] * 6


def test_a_walk_from_a_face_does_not_end_where_it_starts():
    corners = np.array([[0.0, 0.0], [1.0, 1.0], [0.0, 1.0], [1.0, 0.0]])
    X = propose(Voronoi(aligned=1.0), 40, UnitCube(2), corners)
    assert cdist(X, corners).min() == pytest.approx(0.5)


def test_a_uniform_point_that_hits_a_design_point_still_walks():
    design = np.random.default_rng(0).random((8, 2))  # the stream below draws the same points first
    X = propose(Voronoi(aligned=0.0), 8, UnitCube(2), design)
    assert cdist(X, design).min() > 1e-3


def test_repeated_design_points_change_nothing():
    design = np.random.default_rng(0).random((6, 3))
    repeated = design[[0, 0, 1, 2, 1, 3, 4, 5, 0]]
    repeated[4] += 1e-13
    assert distinct(repeated).tolist() == [0, 2, 3, 5, 6, 7]
    assert np.array_equal(propose(voronoi, 50, UnitCube(3), repeated), propose(voronoi, 50, UnitCube(3), design))


def test_the_size_of_the_blocks_does_not_show(monkeypatch):
    design = np.random.default_rng(0).random((20, 3))
    whole = propose(voronoi, 100, UnitCube(3), design)
    monkeypatch.setattr(sys.modules["suffice.candidates.voronoi"], "CACHE", 64)  # the package's `voronoi` is the rule
    assert propose(voronoi, 100, UnitCube(3), design) == pytest.approx(whole, abs=1e-12)


@pytest.mark.parametrize("share", [-0.1, 1.1, np.nan])
def test_impossible_shares_of_walks_are_refused(share):
    with pytest.raises(ValueError, match=r"fractions in \[0, 1\]"):
        Voronoi(aligned=share)
    with pytest.raises(ValueError, match=r"fractions in \[0, 1\]"):
        Voronoi(on_face=share)


def test_large_cells_receive_more_of_the_walks_away_from_the_design():
    design = np.array([[0.01], [0.02], [0.03], [0.8]])
    X = propose(Voronoi(aligned=0.0, on_face=1.0), 2000, UnitCube(1), design)
    # The last two cells are [.025, .415] and [.415, 1]. Starts above 0.8 end at 1; starts between 0.03 and 0.415 and
    # between 0.415 and 0.8 meet at 0.415. The tolerance is five standard deviations of a binomial share.
    assert np.mean(X == 1.0) == pytest.approx(0.2, abs=0.05)
    assert np.mean(np.isclose(X, 0.415)) == pytest.approx(0.385 + 0.385, abs=0.05)
