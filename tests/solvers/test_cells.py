"""Local searches over all columns: climbs and exchanges together, and what is recorded about their ends."""

import time

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from suffice.solvers.search.gradient import conjugate, lbfgs
from suffice.solvers.search.hills import SAME_HILL, facts
from suffice.solvers.search.mixed import ascend, best_rows, polish
from suffice.space import Choice, Float, Int, PointSet, Space, UnitCube
from suffice.testing import Counted, Peak, peak_in
from suffice.types import Plain, Score

MIXED = Space(rate=Float(0, 1), depth=Int(1, 5), loss=Choice("a", "b", "c"), size=Float(0, 1))
LATTICE = Space(depth=Int(0, 10**6), width=Int(0, 10**4), loss=Choice("a", "b", "c"))


class Cells(Score):
    """A peak in each cell of depth and loss of MIXED, of random height and place."""

    smooth = True

    def __init__(self, seed, sharp=1.0):
        rng = np.random.default_rng(seed)
        self.heights, self.tops, self.sharp = rng.random((5, 3)), rng.random((5, 3, 2)), sharp

    def cell(self, X):
        return np.round(5 * X[:, 1] - 0.5).astype(int), np.argmax(X[:, 2:5], axis=1)

    def __call__(self, X):
        away = X[:, [0, 5]] - self.tops[self.cell(X)]
        return self.heights[self.cell(X)] - self.sharp * (away**2).sum(axis=1)

    def value_and_grad(self, X):
        gradient = np.zeros_like(X)
        gradient[:, [0, 5]] = -2 * self.sharp * (X[:, [0, 5]] - self.tops[self.cell(X)])
        return self(X), gradient


# ------------------------------------------------------------------ against polishing


@pytest.mark.parametrize("search", [lbfgs, conjugate])
@pytest.mark.parametrize("leaders", [0, 1])
def test_on_a_space_of_floats_it_is_polishing(scores, search, leaders):
    alpha, X = scores.Bumps.random(3, np.random.default_rng(0)), np.random.default_rng(1).random((7, 3))
    words = {"search": search, "max_iter": 6, "leaders": leaders}
    one, other = ascend(alpha, UnitCube(3), X, **words), polish(alpha, UnitCube(3), X, **words)
    assert np.array_equal(one.points, other.points)
    assert np.array_equal(one.values, other.values)
    assert np.array_equal(one.cut, other.cut)
    assert one.work == other.work


def test_on_a_set_of_points_it_is_polishing_too():
    points = PointSet(np.random.default_rng(0).random((9, 2)))
    alpha = Plain(lambda X: X.sum(axis=1))
    one, other = (climb(alpha, points, points.points[:4]) for climb in (ascend, polish))
    assert np.array_equal(one.points, other.points)
    assert one.work == other.work


@settings(deadline=None, max_examples=25)
@given(st.integers(0, 10**6), st.sampled_from(["mixed", "lattice"]), st.booleans())
def test_no_run_ends_lower_than_it_began(seed, name, smooth):
    space = MIXED if name == "mixed" else LATTICE
    rng = np.random.default_rng(seed)
    weights, alpha = rng.standard_normal(space.dim), Cells(seed)
    if name == "lattice" or not smooth:
        alpha = Plain(lambda X: np.sin(7 * X @ weights) + X @ weights)
    X = space.sample(5, rng)
    ascent = ascend(alpha, space, X)
    assert np.all(ascent.values >= ascent.initial)
    assert space.contains(ascent.points).all()
    assert ascent.values == pytest.approx(alpha(ascent.points), rel=1e-12)
    assert ascent.initial == pytest.approx(alpha(X), rel=1e-12)


# ------------------------------------------------------------------ what exchanges find


def test_the_best_of_many_cells_is_found_from_few_of_them():
    # 15 cells, each with a hill of its own, the tops far apart: three runs that stay in their cells see three of them.
    found = {ascend: 0, polish: 0}
    for climb, seed in ((climb, seed) for climb in found for seed in range(40)):
        alpha = Cells(seed)
        ascent = climb(alpha, MIXED, MIXED.sample(3, np.random.default_rng(seed)))
        found[climb] += bool(ascent.values.max() > alpha.heights.max() - 1e-6)
    assert found[ascend] >= 30
    assert found[polish] <= 15


def test_an_exchange_that_leads_up_only_after_a_climb_is_found():
    class Twins(Score):
        """A hill at 0.1 for the first option, and a higher one at 0.9 for the second: at 0.1 that one is lower."""

        smooth = True

        def __call__(self, X):
            return self.value_and_grad(X)[0]

        def value_and_grad(self, X):
            second = X[:, 2] == 1.0
            top = np.where(second, 0.9, 0.1)
            gradient = np.zeros_like(X)
            gradient[:, 0] = -2 * (X[:, 0] - top)
            return np.where(second, 0.5, 0.0) - (X[:, 0] - top) ** 2, gradient

    space, alpha = Space(x=Float(0, 1), c=Choice("a", "b")), Twins()
    start, other = (space.to_unit({"x": 0.1, "c": option})[None] for option in "ab")
    assert alpha(other)[0] < alpha(start)[0] == 0.0  # neither a climb alone nor an exchange alone leads up
    assert polish(alpha, space, start).values[0] == 0.0
    assert ascend(alpha, space, start).values[0] == pytest.approx(0.5, abs=1e-6)


def test_a_lattice_is_climbed_by_exchanges_alone():
    alpha = peak_in(LATTICE)
    ascent = ascend(alpha, LATTICE, LATTICE.sample(3, np.random.default_rng(0)))
    assert ascent.work.grads == 0
    assert ascent.values == pytest.approx(np.zeros(3), abs=1e-6)


def test_a_run_that_begins_without_a_value_goes_where_there_is_one():
    def alpha(X):
        return np.where(X[:, 2] > 0.5, np.nan, X[:, 0] + 2 * X[:, 3])

    X = MIXED.sample(6, np.random.default_rng(0))
    ascent = ascend(Plain(alpha), MIXED, X)
    finite = np.isfinite(ascent.initial)
    assert finite.any()
    assert not finite.all()
    assert np.all(ascent.points[:, 3] == 1.0)
    assert np.isfinite(ascent.values).all()


# ------------------------------------------------------------------ work and clocks


@pytest.mark.parametrize("domain", [UnitCube(2), MIXED, LATTICE], ids=["cube", "mixed", "lattice"])
@pytest.mark.parametrize("leaders", [0, 1])
def test_every_row_is_counted_once(domain, leaders):
    alpha = Counted(peak_in(domain))
    ascent = ascend(alpha, domain, domain.sample(4, np.random.default_rng(0)), max_iter=3, leaders=leaders)
    assert (ascent.work.values, ascent.work.grads) == (alpha.values, alpha.grads)


def test_after_the_deadline_no_exchange_is_tried():
    alpha = Counted(peak_in(MIXED))
    X = MIXED.sample(4, np.random.default_rng(0))
    ascent = ascend(alpha, MIXED, X, deadline=time.monotonic() - 1.0)
    assert alpha.values == 0
    assert np.array_equal(ascent.points[:, 1:5], X[:, 1:5])


@given(st.lists(st.tuples(st.integers(0, 4), st.integers(-3, 3)), max_size=20))
def test_the_best_row_of_each_owner_has_its_largest_value(pairs):
    owner, values = np.array([p[0] for p in pairs], dtype=int), np.array([p[1] for p in pairs], dtype=float)
    best = best_rows(values, owner, 5)
    for i in range(5):
        if i in owner:
            assert owner[best[i]] == i
            assert values[best[i]] == values[owner == i].max()
        else:
            assert best[i] == -1


# ------------------------------------------------------------------ the record


def test_the_facts_count_runs_that_ended_and_their_hills(scores):
    two = scores.Bumps(np.array([[0.2, 0.2], [0.8, 0.8]]), np.array([1.0, 0.8]), np.array([0.1, 0.1]))
    ends = polish(two, UnitCube(2), np.random.default_rng(0).random((30, 2)))
    starts, work = facts(two, UnitCube(2), ends.points, ends.values, spread=1.0)
    assert (starts.m, starts.distinct) == (30, 2)
    assert work.values > 0


def test_runs_that_ended_nowhere_are_no_runs():
    alpha, cube = Peak(np.full(1, 0.3)), UnitCube(1)
    X = np.array([[0.1], [0.9]])
    for values, counts in (([1.0, -np.inf], (1, 1)), ([np.nan, np.inf], (0, 0)), ([-np.inf] * 2, (0, 0))):
        starts, work = facts(alpha, cube, X, np.array(values), spread=1.0)
        assert (starts.m, starts.distinct) == counts
        assert work.values == 0


def test_a_dip_counts_by_its_share_of_the_spread():
    def alpha(X):
        return -0.01 * np.minimum(np.abs(X[:, 0] - 0.25), np.abs(X[:, 0] - 0.75))

    ends = np.array([[0.25], [0.75]])  # a valley of 0.0025 between them, of which eight points see 0.0022
    for spread, hills in ((0.9 * 0.0022 / SAME_HILL, 2), (1.2 * 0.0025 / SAME_HILL, 1)):
        values = np.array([0.0, -1e-4])  # of one height they would count as one
        assert facts(Plain(alpha), UnitCube(1), ends, values, spread=spread)[0].distinct == hills


def test_hills_of_one_height_and_hills_below_halfway_count_as_one_each(scores):
    tops = np.array([[0.1], [0.3], [0.5], [0.7], [0.9]])
    alpha = scores.Bumps(tops, np.array([1.0, 1.0, 0.8, 0.3, 0.2]), np.full(5, 0.02))
    found = polish(alpha, UnitCube(1), tops)
    assert facts(alpha, UnitCube(1), found.points, found.values, spread=1.0)[0].distinct == 3


def test_of_a_logarithm_hills_of_less_than_a_hundredth_count_as_one():
    class Options(Score):
        logarithmic = True

        def __call__(self, X):
            return -X @ np.array([0.0, 1.0, 4.0, 5.0, 6.0])  # exp(−5) is less than a hundredth

    space = Space(c=Choice(*"abcde"))

    ends = np.eye(5)
    for alpha, hills in ((Options(), 4), (Plain(Options()), 5)):
        assert facts(alpha, space, ends, alpha(ends), spread=100.0)[0].distinct == hills


def test_an_integer_of_many_levels_has_ways_between_its_ends_and_one_of_few_has_none():
    for high, hills in ((10**6, 1), (9, 3)):
        space = Space(n=Int(0, high))
        alpha = Plain(lambda X: -((X[:, 0] - 0.3) ** 2))
        ends = space.snap(np.array([[0.3], [0.5], [0.1]]))
        assert facts(alpha, space, ends, alpha(ends), spread=1.0)[0].distinct == hills
