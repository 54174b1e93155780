"""How far a solve is from the maximum: the estimate from draws alone, after polishing, and of an enumeration."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from suffice.accuracy.estimate import Estimate, estimate, is_best
from suffice.accuracy.multistart import unseen_share
from suffice.solvers.drawing import enumerated, ranked
from suffice.space import Choice, Float, Int, Space, UnitCube
from suffice.types import Draws, Starts

SQUARE = UnitCube(2)
INSIDE = np.array([0.5, 0.5])
# Three draws around the middle of the square, far from its faces: κ = 2/2 = 1 and k = 3 of 60.
VALUES = (1.0, 0.9, 0.8)
POINTS = np.array([[0.5, 0.5], [0.51, 0.49], [0.49, 0.52]])
UPPER = 1.0 + 0.2 * (1 / math.sqrt(0.1) - 1)  # 1/((1 − √δ)⁻¹ − 1) = 1/√δ − 1
MEDIAN = 1.0 + 0.2 * (1 / math.sqrt(0.5) - 1)


def drawn(values=VALUES, points=POINTS, n=60, iid=True):
    return Draws(n, iid, np.asarray(points, dtype=float), np.asarray(values, dtype=float), 0.0)


def polished(value, m, w, *, values=VALUES, x=INSIDE):
    return estimate(drawn(values), Starts(m, w, 0.01), x, value, SQUARE)


# ------------------------------------------------------------------ known by hand


def test_draws_alone_give_the_tail_limit_and_its_median():
    found = estimate(drawn(), None, INSIDE, 1.0, SQUARE)
    assert (found.kind, found.unseen) == ("tail", 1.0)
    assert found.upper == pytest.approx(UPPER, rel=1e-12)
    assert found.best == pytest.approx(MEDIAN, rel=1e-12)
    assert found.gap(1.0) == pytest.approx(MEDIAN - 1.0, rel=1e-12)


def test_polishing_leaves_the_unseen_share_of_the_tail_as_far_as_an_unseen_maximum_is_the_highest():
    found = polished(1.1, 10, 2)
    p = 2 * 3 / (10 * 9)
    assert (found.kind, found.unseen) == ("multistart", pytest.approx(p))
    assert found.gap(1.1) == pytest.approx(p * (UPPER - 1.1) / 3, rel=1e-12)
    assert found.upper == found.best  # p ≤ δ


def test_as_long_as_unseen_basins_are_likely_the_tail_remains_the_upper_limit():
    found = polished(1.1, 5, 2)
    assert found.unseen == pytest.approx(0.3)
    assert found.upper == pytest.approx(UPPER, rel=1e-12)
    assert found.best == pytest.approx(1.1 + 0.3 * (UPPER - 1.1) / 3, rel=1e-12)


def test_where_nearly_every_run_found_another_maximum_nothing_is_known_beyond_the_tail():
    found = polished(1.1, 10, 9)
    assert found.unseen == 1.0
    assert found.upper == pytest.approx(UPPER, rel=1e-12)
    assert found.gap(1.1) == pytest.approx((UPPER - 1.1) / 10, rel=1e-12)


def test_a_tail_limit_below_the_polished_value_gives_way_to_the_gain_of_polishing():
    found = polished(2.0, 5, 2)
    assert found.upper == pytest.approx(3.0)  # v + (v − a_(1))
    assert found.best == pytest.approx(2.0 + 0.3 * 1.0 / 3, rel=1e-12)


def test_a_polished_point_on_a_face_raises_the_exponent():
    def at(*x):
        return polished(1.1, 5, 2, x=np.array(x)).upper

    assert at(0.5, 0.5) < at(0.0, 0.5) == at(0.5, 1.0) < at(0.0, 1.0)
    kappa = 1.5
    assert at(0.0, 0.5) == pytest.approx(1.0 + 0.2 / ((1 - 0.1**0.5) ** (-1 / kappa) - 1), rel=1e-12)


@given(st.integers(2, 64), st.data())
def test_more_runs_into_as_many_maxima_leave_less(m, data):
    w = data.draw(st.integers(1, m))
    assert polished(1.1, m + 1, w).gap(1.1) <= polished(1.1, m, w).gap(1.1)
    assert polished(1.1, m, w).unseen == unseen_share(m, w)


# ------------------------------------------------------------------ finite domains


def test_after_an_enumeration_nothing_is_left():
    space = Space(depth=Int(1, 9), loss=Choice("a", "b"))
    solution = enumerated(lambda X: X.sum(axis=1), space)
    found = estimate(solution.draws, None, solution.x, solution.value, space)
    assert found == Estimate(solution.value, "enumerated", solution.value, 0.0)
    assert found.gap(solution.value) == 0.0


def test_draws_with_repetitions_are_no_enumeration_however_many():
    space = Space(depth=Int(1, 200))
    X = space.sample(200, np.random.default_rng(0))
    assert len(np.unique(X)) < 200  # the best point may be among those that were missed
    draws = ranked(X, X[:, 0], iid=True)
    found = estimate(draws, None, draws.points[0], draws.values[0], space)
    assert found.kind == "tail"
    assert found.upper > draws.values[0]


def test_where_the_best_point_was_taken_its_replacement_has_a_gap():
    space = Space(depth=Int(1, 8))  # at 1/16, 3/16, … 15/16
    solution = enumerated(lambda X: X[:, 0], space)
    found = estimate(solution.draws, None, solution.draws.points[1], 13 / 16, space)
    assert (found.upper, found.gap(13 / 16)) == (15 / 16, 2 / 16)
    for starts in (None, Starts(20, 1, 0.01)):
        found = estimate(drawn(), starts, np.array([0.4, 0.6]), 0.7, SQUARE)
        assert found.upper >= found.best >= 1.0
        assert found.gap(0.7) >= 0.3


def test_a_lattice_without_smooth_coordinates_has_a_tail_too():
    space = Space(depth=Int(0, 10**6), width=Int(0, 10**6), loss=Choice("a", "b"))
    rng = np.random.default_rng(0)
    X = space.sample(400, rng)
    draws = ranked(X, -((X[:, :2] - 0.5) ** 2).sum(axis=1), iid=True)
    found = estimate(draws, None, draws.points[0], draws.values[0], space)
    assert found.kind == "tail"
    assert draws.values[0] < found.best < found.upper < 0.1  # the maximum is 0


def test_draws_that_agree_in_everything_leave_nothing_to_extrapolate():
    space = Space(loss=Choice(*map(str, range(3000))))
    draws = Draws(4000, True, np.tile(np.eye(1, 3000), (10, 1)), np.full(10, 2.0), 0.0)
    found = estimate(draws, None, draws.points[0], 2.0, space)
    assert (found.upper, found.best) == (2.0, 2.0)


def test_a_flat_score_has_no_gap():
    for starts in (None, Starts(10, 8, 0.01)):
        found = estimate(drawn(values=[0.3, 0.3, 0.3]), starts, INSIDE, 0.3, SQUARE)
        assert (found.upper, found.best, found.gap(0.3)) == (0.3, 0.3, 0.0)


# ------------------------------------------------------------------ where nothing follows


@pytest.mark.parametrize("starts", [None, Starts(10, 2, 0.01)])
def test_without_independent_draws_there_is_no_estimate(starts):
    assert estimate(None, starts, INSIDE, 1.0, SQUARE) is None
    assert estimate(drawn(iid=False, n=10**9), starts, INSIDE, 1.0, SQUARE) is None
    assert estimate(drawn(values=[], points=np.empty((0, 2)), n=0), starts, INSIDE, 1.0, SQUARE) is None


@pytest.mark.parametrize("starts", [None, Starts(10, 2, 0.01)])
@pytest.mark.parametrize("value", [math.nan, -math.inf, math.inf])
def test_without_a_number_there_is_no_estimate(starts, value):
    assert estimate(drawn(), starts, INSIDE, value, SQUARE) is None
    assert estimate(drawn(values=[value, math.nan, math.nan]), starts, INSIDE, 1.0, SQUARE) is None
    everything = drawn(values=[value] * 3, points=np.eye(3)[:, :1], n=3, iid=False)
    assert estimate(everything, starts, INSIDE, value, Space(depth=Int(1, 3))) is None


def test_one_draw_with_a_value_determines_nothing():
    assert estimate(drawn(values=[1.0, math.nan, math.nan]), None, INSIDE, 1.0, SQUARE) is None
    assert estimate(drawn(values=[1.0, -math.inf, -math.inf]), Starts(1, 1, 0.01), INSIDE, 1.0, SQUARE) is None


# ------------------------------------------------------------------ order and invariance


@st.composite
def solves(draw):
    """The facts of a solve in the square: draws, perhaps runs, the point and its value."""
    values = np.sort(draw(st.lists(st.floats(-5, 5), min_size=2, max_size=12)))[::-1]
    rng = np.random.default_rng(draw(st.integers(0, 999)))
    points = rng.random((len(values), 2))
    n = draw(st.integers(len(values), 2000))
    gained = draw(st.sampled_from([-1.0, 0.0, 1e-9, 0.1, 10.0]))
    m = draw(st.integers(0, 64))
    starts = Starts(m, draw(st.integers(0, m)), 0.01) if draw(st.booleans()) else None
    x = np.round(points[0]) if gained < 0 or draw(st.booleans()) else points[0]
    return Draws(n, True, points, values, float(values[-1])), starts, x, float(values[0]) + gained


@settings(deadline=None)
@given(solves())
def test_the_upper_limit_is_above_the_estimate_and_the_estimate_above_the_value(solve):
    draws, starts, x, value = solve
    found = estimate(draws, starts, x, value, SQUARE)
    assert found.upper >= found.best >= max(value, draws.values[0])


@settings(deadline=None)
@given(solves(), st.sampled_from([1e-9, 3.0, 1e9]), st.floats(-5, 5))
def test_the_estimate_moves_with_units_and_level(solve, unit, level):
    draws, starts, x, value = solve
    plain = estimate(draws, starts, x, value, SQUARE)
    lifted = Draws(draws.n, True, draws.points, unit * (draws.values + level), unit * (draws.median + level))
    moved = estimate(lifted, starts, x, unit * (value + level), SQUARE)
    # Adding a level rounds the values to 1e-15, and the tail extrapolates their difference; equal values may split.
    close = {"rel": 1e-9, "abs": 1e-9 * unit * (1.0 + plain.upper - draws.values[0])}
    assert moved.kind == plain.kind
    assert moved.unseen == plain.unseen
    assert moved.best == pytest.approx(unit * (plain.best + level), **close)
    assert moved.upper == pytest.approx(unit * (plain.upper + level), **close)


def test_in_a_mixed_space_the_settled_coordinates_do_not_count():
    space = Space(rate=Float(0.0, 1.0), depth=Int(1, 5), loss=Choice("a", "b", "c"))
    settled = np.array([[0.5, 0.5, 1.0, 0.0, 0.0], [0.51, 0.5, 1.0, 0.0, 0.0], [0.48, 0.5, 1.0, 0.0, 0.0]])
    split = settled.copy()
    split[2, 2:] = 0.0, 1.0, 0.0
    starts = Starts(4, 2, 0.01)
    limits = [estimate(drawn(points=points), starts, settled[0], 1.0, space).upper for points in (settled, split)]
    assert limits[0] == pytest.approx(1.0 + 0.2 / ((1 - 0.1**0.5) ** (-1 / 0.5) - 1), rel=1e-12)
    assert limits[1] == pytest.approx(1.0 + 0.2 / ((1 - 0.1**0.5) ** (-1 / 1.5) - 1), rel=1e-12)


def test_the_best_draw_is_best_also_where_it_rounds_below_itself():
    below = math.nextafter(1.0, 0.0)
    for starts in (None, Starts(20, 1, 0.01)):
        found = estimate(drawn(), starts, INSIDE, below, SQUARE)
        assert found.upper >= found.best >= below
    everything = drawn(n=3, points=np.eye(3)[:, :1], iid=False)
    found = estimate(everything, None, everything.points[0], below, Space(depth=Int(1, 3)))
    assert found.gap(below) == 0.0
    assert is_best(everything, everything.points[0], below)
    assert not is_best(everything, everything.points[1], below)
