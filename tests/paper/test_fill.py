"""The fill distance: known cases, independent ways to one answer, and what must not change it."""

import math
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial import Voronoi, cKDTree

from suffice.lab.plan import Plan, Task
from suffice.paper.fill import fill_bracket, fill_distances


def fill_distance(X):
    """h as the search finds it, with an upper bound that is close in few dimensions."""
    bracket = fill_bracket(X, np.random.default_rng(0))
    assert bracket.lower <= bracket.upper <= 1.1 * bracket.lower
    return bracket.lower


def corners(d):
    return np.array(list(product((0.0, 1.0), repeat=d)))


def lattice(g, d, *, centred):
    axis = (np.arange(g) + 0.5) / g if centred else np.linspace(0, 1, g)
    return np.stack(np.meshgrid(*[axis] * d, indexing="ij"), axis=-1).reshape(-1, d)


def by_mirrors(X):
    """Voronoi vertices of the points and their images in every facet of the cube."""
    d, images = X.shape[1], [X]
    for column, face in product(range(d), (0.0, 1.0)):
        image = X.copy()
        image[:, column] = 2 * face - image[:, column]
        images.append(image)
    vertices = Voronoi(np.unique(np.vstack(images), axis=0)).vertices
    inside = vertices[np.all((vertices >= -1e-9) & (vertices <= 1 + 1e-9), axis=1)]
    return cKDTree(X).query(np.vstack([np.clip(inside, 0, 1), corners(d)]))[0].max()


# ------------------------------------------------------------------ known cases


@pytest.mark.parametrize("d", [1, 2, 3, 4, 5])
def test_one_point_in_the_middle(d):
    assert fill_distance(np.full((1, d), 0.5)) == pytest.approx(math.sqrt(d) / 2)


@pytest.mark.parametrize("d", [1, 2, 3, 4])
@pytest.mark.parametrize("g", [1, 2, 3])
def test_a_lattice_of_cell_centres_leaves_half_a_diagonal(g, d):
    assert fill_distance(lattice(g, d, centred=True)) == pytest.approx(math.sqrt(d) / (2 * g))


@pytest.mark.parametrize("d", [1, 2, 3, 4])
@pytest.mark.parametrize("g", [2, 3])
def test_a_lattice_with_its_border_leaves_half_a_diagonal_of_its_cells(g, d):
    # All corners of a cell lie on one sphere.
    assert fill_distance(lattice(g, d, centred=False)) == pytest.approx(math.sqrt(d) / (2 * (g - 1)))


@pytest.mark.parametrize("d", [1, 2, 3, 4])
def test_one_point_is_farthest_from_a_corner(d):
    x = np.random.default_rng(d).random((1, d))
    assert fill_distance(x) == pytest.approx(np.linalg.norm(corners(d) - x, axis=1).max())


def test_a_maximum_on_an_edge_is_found():
    # (t, 0) is as far from (0, ½) as from (1, ½) at t = ½; the corners are nearer, and so is everything inside.
    points = np.array([[0.0, 0.5], [1.0, 0.5]])
    # Two points have no Voronoi vertex at all: the plain diagram would miss it.
    assert fill_distance(points) == pytest.approx(math.hypot(0.5, 0.5))


def test_no_points_leave_everything_and_no_columns_leave_nothing():
    assert fill_distance(np.empty((0, 3))) == math.inf
    assert fill_distance(np.empty((2, 0))) == 0.0


def test_points_on_a_line():
    assert fill_distance(np.array([[0.1], [0.9], [0.3]])) == pytest.approx(0.3)
    assert fill_distance(np.array([[0.6], [0.9]])) == pytest.approx(0.6)
    assert fill_distance(np.array([[0.1], [0.2]])) == pytest.approx(0.8)


# ------------------------------------------------------------------ other ways to the same answer


@pytest.mark.parametrize(("n", "d"), [(1, 2), (2, 2), (30, 2), (400, 2), (3, 3), (40, 3), (2, 4), (20, 4)])
def test_mirrored_points_give_the_same(n, d):
    X = np.random.default_rng(n).random((n, d))
    assert fill_distance(X) == pytest.approx(by_mirrors(X), rel=1e-7)


@pytest.mark.parametrize(("n", "d", "g"), [(20, 1, 2001), (30, 2, 201), (30, 3, 41), (20, 4, 15)])
def test_a_dense_grid_comes_close_from_below(n, d, g):
    X = np.random.default_rng(d).random((n, d))
    found = cKDTree(X).query(lattice(g, d, centred=False))[0].max()
    assert found <= fill_distance(X) * (1 + 1e-8)
    assert fill_distance(X) <= found + math.sqrt(d) / (2 * (g - 1)) + 1e-8  # the grid's own fill distance


@st.composite
def awkward_points(draw):
    """Few points on lattices, on faces, on lines, and twice, up to the last digits."""
    d, n = draw(st.integers(2, 4)), draw(st.integers(1, 12))
    X = np.random.default_rng(draw(st.integers(0, 2**32 - 1))).random((n, d))
    kind = draw(st.sampled_from(["any", "lattice", "face", "line", "twice", "lattice twice"]))
    if kind.startswith("lattice"):
        X = np.round(3 * X) / 3
    if kind == "face":
        X[:, 0] = draw(st.sampled_from([0.0, 0.5, 1.0]))
    elif kind == "line":
        X = X[:, :1] * np.ones(d) + draw(st.sampled_from([0.0, 1e-15, 1e-11, 1e-7])) * (X - 0.5)
    elif kind.endswith("twice"):
        X = np.vstack([X, X + draw(st.sampled_from([0.0, 1e-16, 1e-12, 1e-9, 1e-7])) * (X - 0.5)])
    return np.clip(X, 0.0, 1.0)


@pytest.mark.parametrize(("n", "d"), [(50, 5), (20, 6)])
def test_five_and_six_columns_are_close(n, d):
    bracket = fill_bracket(np.random.default_rng(d).random((n, d)), np.random.default_rng(0))
    assert bracket.lower <= bracket.upper < bracket.lower * 1.001


def test_many_columns_have_a_bracket():
    # The middle of d columns: √d/2 away from every corner.
    for d in (8, 12):
        bracket = fill_bracket(np.full((1, d), 0.5), np.random.default_rng(0))
        assert bracket.lower == pytest.approx(math.sqrt(d) / 2)
        assert bracket.upper == pytest.approx(math.sqrt(d) / 2)
    bracket = fill_bracket(np.random.default_rng(1).random((100, 20)), np.random.default_rng(0), boxes=2000)
    assert 1.5 < bracket.lower < bracket.upper < math.sqrt(20)


def test_more_boxes_close_the_bracket():
    X = np.random.default_rng(2).random((100, 8))
    widths = []
    for boxes in (10, 300, 10_000):
        bracket = fill_bracket(X, np.random.default_rng(0), boxes=boxes)
        widths.append(bracket.upper - bracket.lower)
    assert widths[0] > 2 * widths[1] > 4 * widths[2]


# ------------------------------------------------------------------ invariance


@settings(max_examples=20)
@given(awkward_points(), st.data())
def test_symmetries_of_the_cube_change_nothing(X, data):
    d = X.shape[1]
    flip = np.array(data.draw(st.lists(st.booleans(), min_size=d, max_size=d)))
    turned = np.where(flip, 1.0 - X, X)[:, data.draw(st.permutations(range(d)))]
    one, other = (fill_bracket(Z, np.random.default_rng(0), boxes=5000) for Z in (X, turned[::-1]))
    assert one.lower <= other.upper * (1 + 1e-9)
    assert other.lower <= one.upper * (1 + 1e-9)


@settings(max_examples=20)
@given(awkward_points())
def test_more_points_never_leave_more(X):
    more = np.vstack([X, np.full((1, X.shape[1]), 0.25)])
    one, other = (fill_bracket(Z, np.random.default_rng(0), boxes=5000) for Z in (X, more))
    assert other.lower <= one.upper * (1 + 1e-9)


def test_impossible_questions_are_refused():
    for X in (np.array([[1.1, 0.0]]), np.array([[math.nan]]), np.zeros(3)):
        with pytest.raises(ValueError, match="inside the unit cube"):
            fill_bracket(X, np.random.default_rng(0))


# ------------------------------------------------------------------ the holes of a plan's grids


def toy(*tasks):
    return Plan("toy", "Toy", "…", tuple(Task(problem, 4, iterations) for problem, iterations in tasks), ())


def test_on_a_line_the_largest_hole_is_half_the_largest_gap_or_an_end():
    ((d, n, h),) = fill_distances(toy(("levy1", 2)), seed=3)
    x = np.sort(np.random.default_rng([3, 1]).random(200))
    assert (d, n) == (1, 200)
    assert h == pytest.approx(max(x[0], 1 - x[-1], *(np.diff(x) / 2)), rel=1e-8)


def test_holes_shrink_as_the_grid_grows():
    """The draws of a smaller grid are the first ones of a larger, so that no hole can get larger."""
    for problem in ("levy2", "levy3"):
        rows = [fill_distances(toy((problem, iterations)))[0] for iterations in (1, 2, 5)]
        assert [n for _, n, _ in rows] == [100, 200, 500]
        sizes = [h for *_, h in rows]
        assert sizes == sorted(sizes, reverse=True)
        assert sizes[0] > 1.2 * sizes[-1]


def test_holes_of_as_many_points_grow_with_the_dimension():
    rows = fill_distances(toy(*((f"levy{d}", 1) for d in (1, 2, 3, 4, 7))))
    sizes = [h for *_, h in rows]
    assert [(d, n) for d, n, _ in rows] == [(1, 100), (2, 100), (3, 100), (4, 100), (7, 100)]
    assert sizes == sorted(sizes)
    for d, n, h in rows[:-1]:
        ball = math.pi ** (d / 2) / math.gamma(d / 2 + 1)
        assert n * ball * h**d >= 1  # balls of this radius cover the cube


def test_the_seed_decides():
    one, again, other = (fill_distances(toy(("levy2", 1)), seed=seed) for seed in (0, 0, 1))
    assert one == again != other
