"""How far a solve is from the maximum: from draws alone, after local runs, of an enumeration, and with a proof."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from suffice.accuracy.certificate import Certificate
from suffice.accuracy.estimate import (
    LOCAL,
    Estimate,
    after_climbing,
    chance_of_a_miss,
    estimate,
    expected_excess,
    is_best,
    with_proof,
)
from suffice.solvers.record import enumerated, ranked
from suffice.space import Choice, Float, Int, Space, UnitCube
from suffice.types import Draws, Starts

SQUARE = UnitCube(2)
INSIDE = np.array([0.5, 0.5])
# Three draws around the middle of the square, far from its faces: κ = 2/2 = 1 and k = 3 of 60.
VALUES = (1.0, 0.9, 0.8)
POINTS = np.array([[0.5, 0.5], [0.51, 0.49], [0.49, 0.52]])


def drawn(values=VALUES, points=POINTS, n=60, iid=True):
    return Draws(n, iid, np.asarray(points, dtype=float), np.asarray(values, dtype=float), 0.0)


def climbed(value, m, w, *, values=VALUES, x=INSIDE):
    return estimate(drawn(values), Starts(m, w), x, value, SQUARE)


# ------------------------------------------------------------------ known by hand


def test_draws_alone_give_an_expectation_and_no_limit():
    found = estimate(drawn(), None, INSIDE, 1.0, SQUARE)
    assert (found.upper, found.kind, found.unseen) == (None, None, 1.0)
    # κ = 1 and k = 3: the integral of (1 − u/(u + 1))² = 1/(u + 1)² is 1, in units of a_(1) − a_(3) = 0.2
    assert found.gap(1.0) == pytest.approx(0.2, rel=1e-6)


def test_a_point_above_all_draws_leaves_less_than_the_best_draw():
    # Without local runs a point may come from elsewhere, such as the surroundings of the best observed points.
    found = estimate(drawn(), None, np.array([0.3, 0.3]), 1.2, SQUARE)
    assert found.gap(1.2) == pytest.approx(0.2 / 2, rel=1e-6)  # the same integral from 1 on
    assert found.best < 1.0 + 0.2 + 0.2


def test_after_local_runs_the_estimate_is_that_of_the_runs_and_of_what_each_run_leaves():
    for m, w in [(10, 2), (5, 2), (10, 9)]:
        found, runs = climbed(1.1, m, w), after_climbing(1.1, 1.1, Starts(m, w))  # the median is 0
        assert (found.kind, found.unseen) == ("multistart", chance_of_a_miss(m, w))
        assert found.gap(1.1) == pytest.approx(runs.gap + LOCAL * 0.1)
        assert found.upper - 1.1 == pytest.approx(runs.upper - 1.1 + LOCAL * 0.1)


def test_after_local_runs_the_draws_and_their_faces_no_longer_matter():
    for x in (INSIDE, np.array([0.0, 0.5]), np.array([0.0, 1.0])):
        for values in (VALUES, (1.0, 0.1, 0.0)):
            assert climbed(1.1, 5, 2, values=values, x=x) == climbed(1.1, 5, 2)


@given(st.integers(2, 64), st.data())
def test_more_runs_into_as_many_hills_leave_less(m, data):
    w = data.draw(st.integers(1, m))
    assert climbed(1.1, m + 1, w).gap(1.1) <= climbed(1.1, m, w).gap(1.1)
    assert climbed(1.1, m, w).unseen == chance_of_a_miss(m, w)


# ------------------------------------------------------------------ finite domains


def test_after_an_enumeration_nothing_is_left():
    space = Space(depth=Int(1, 9), loss=Choice("a", "b"))
    solution = enumerated(lambda X: X.sum(axis=1), space)
    found = estimate(solution.draws, None, solution.x, solution.value, space)
    assert found == Estimate(solution.value, solution.value, "enumerated", 0.0)
    assert found.gap(solution.value) == 0.0


def test_draws_with_repetitions_are_no_enumeration_however_many():
    space = Space(depth=Int(1, 200))
    X = space.sample(200, np.random.default_rng(0))
    assert len(np.unique(X)) < 200  # the best point may be among those that were missed
    draws = ranked(X, X[:, 0], iid=True)
    found = estimate(draws, None, draws.points[0], draws.values[0], space)
    assert found.kind is None
    assert found.best > draws.values[0]


def test_where_the_best_point_was_taken_its_replacement_has_a_gap():
    space = Space(depth=Int(1, 8))  # at 1/16, 3/16, … 15/16
    solution = enumerated(lambda X: X[:, 0], space)
    found = estimate(solution.draws, None, solution.draws.points[1], 13 / 16, space)
    assert (found.upper, found.gap(13 / 16)) == (15 / 16, 2 / 16)
    for starts in (None, Starts(20, 1)):
        found = estimate(drawn(), starts, np.array([0.4, 0.6]), 0.7, SQUARE)
        assert found.best >= 1.0
        assert found.gap(0.7) >= 0.3


def test_a_lattice_without_smooth_coordinates_has_an_expectation_too():
    space = Space(depth=Int(0, 10**6), width=Int(0, 10**6), loss=Choice("a", "b"))
    X = space.sample(400, np.random.default_rng(0))
    draws = ranked(X, -((X[:, :2] - 0.5) ** 2).sum(axis=1), iid=True)
    found = estimate(draws, None, draws.points[0], draws.values[0], space)
    assert found.upper is None
    assert draws.values[0] < found.best < 0.1  # the maximum is 0


def test_draws_that_agree_in_everything_leave_nothing_to_extrapolate():
    space = Space(loss=Choice(*map(str, range(3000))))
    draws = Draws(4000, True, np.tile(np.eye(1, 3000), (10, 1)), np.full(10, 2.0), 0.0)
    assert estimate(draws, None, draws.points[0], 2.0, space).best == 2.0


def test_a_flat_score_has_no_gap():
    for starts in (None, Starts(10, 8)):
        draws = Draws(60, True, POINTS, np.full(3, 0.3), 0.3)
        assert estimate(draws, starts, INSIDE, 0.3, SQUARE).gap(0.3) == 0.0


def test_in_a_mixed_space_the_settled_coordinates_do_not_count():
    space = Space(rate=Float(0.0, 1.0), depth=Int(1, 5), loss=Choice("a", "b", "c"))
    settled = np.array([[0.5, 0.5, 1.0, 0.0, 0.0], [0.51, 0.5, 1.0, 0.0, 0.0], [0.48, 0.5, 1.0, 0.0, 0.0]])
    split = settled.copy()
    split[2, 2:] = 0.0, 1.0, 0.0
    for points, kappa in ((settled, 0.5), (split, 1.5)):
        found = estimate(drawn(points=points), None, settled[0], 1.0, space)
        assert found.best == 1.0 + expected_excess(drawn(points=points), kappa, 1.0)


# ------------------------------------------------------------------ where nothing follows


@pytest.mark.parametrize("starts", [None, Starts(10, 2)])
def test_without_independent_draws_there_is_no_estimate(starts):
    assert estimate(None, starts, INSIDE, 1.0, SQUARE) is None
    assert estimate(drawn(iid=False, n=10**9), starts, INSIDE, 1.0, SQUARE) is None
    assert estimate(drawn(values=[], points=np.empty((0, 2)), n=0), starts, INSIDE, 1.0, SQUARE) is None


@pytest.mark.parametrize("starts", [None, Starts(10, 2)])
@pytest.mark.parametrize("value", [math.nan, -math.inf, math.inf])
def test_without_a_number_there_is_no_estimate(starts, value):
    assert estimate(drawn(), starts, INSIDE, value, SQUARE) is None
    assert estimate(drawn(values=[value, math.nan, math.nan]), starts, INSIDE, 1.0, SQUARE) is None
    everything = drawn(values=[value] * 3, points=np.eye(3)[:, :1], n=3, iid=False)
    assert estimate(everything, starts, INSIDE, value, Space(depth=Int(1, 3))) is None


def test_one_draw_with_a_value_determines_nothing():
    assert estimate(drawn(values=[1.0, math.nan, math.nan]), None, INSIDE, 1.0, SQUARE) is None


def test_runs_that_ended_nowhere_or_draws_without_a_median_determine_nothing():
    assert climbed(1.0, 0, 0) is None
    no_median = Draws(60, True, POINTS, np.array(VALUES), None)
    assert estimate(no_median, Starts(10, 2), INSIDE, 1.0, SQUARE) is None


# ------------------------------------------------------------------ order and invariance


@st.composite
def solves(draw):
    """The facts of a solve in the square: draws, perhaps runs, the point and its value."""
    values = np.sort(draw(st.lists(st.floats(-5, 5), min_size=3, max_size=12)))[::-1]
    rng = np.random.default_rng(draw(st.integers(0, 999)))
    points = rng.random((len(values), 2))
    n = draw(st.integers(len(values), 2000))
    gained = draw(st.sampled_from([-1.0, 0.0, 1e-9, 0.1, 10.0]))
    m = draw(st.integers(1, 64))
    starts = Starts(m, draw(st.integers(1, m))) if draw(st.booleans()) else None
    x = np.round(points[0]) if gained < 0 or draw(st.booleans()) else points[0]
    return Draws(n, True, points, values, float(values[-1])), starts, x, float(values[0]) + gained


@settings(deadline=None)
@given(solves())
def test_the_limit_is_not_below_the_estimate_and_the_estimate_not_below_the_value(solve):
    draws, starts, x, value = solve
    found = estimate(draws, starts, x, value, SQUARE)
    assert found.best >= max(value, draws.values[0])
    assert (found.upper is None) == (starts is None)
    assert found.upper is None or found.upper >= found.best


@settings(deadline=None)
@given(solves(), st.sampled_from([2.0**-30, 1.0, 2.0**30]), st.floats(-5, 5))
def test_the_estimate_moves_with_units_and_level(solve, unit, level):
    draws, starts, x, value = solve
    plain = estimate(draws, starts, x, value, SQUARE)
    lifted = Draws(draws.n, True, draws.points, unit * (draws.values + level), unit * (draws.median + level))
    moved = estimate(lifted, starts, x, unit * (value + level), SQUARE)
    # Adding a level rounds the values to 1e-15, and the tail extrapolates their difference; equal values may split.
    close = {"rel": 1e-9, "abs": 1e-9 * unit * (1.0 + plain.best - draws.values[0])}
    assert (moved.kind, moved.unseen) == (plain.kind, plain.unseen)
    assert moved.best == pytest.approx(unit * (plain.best + level), **close)
    if plain.upper is not None:
        assert moved.upper == pytest.approx(unit * (plain.upper + level), **close)


def test_the_best_draw_is_best_also_where_it_rounds_below_itself():
    below = math.nextafter(1.0, 0.0)
    for starts in (None, Starts(20, 1)):
        found = estimate(drawn(), starts, INSIDE, below, SQUARE)
        assert found.best >= below
    everything = drawn(n=3, points=np.eye(3)[:, :1], iid=False)
    found = estimate(everything, None, everything.points[0], below, Space(depth=Int(1, 3)))
    assert found.gap(below) == 0.0
    assert is_best(everything, everything.points[0], below)
    assert not is_best(everything, everything.points[1], below)


# ------------------------------------------------------------------ with a proof


def proof(value, upper):
    return Certificate(upper, value, None, nodes=9, open_boxes=0, seconds=0.0, finished=True)


@st.composite
def proved(draw):
    """An estimate, or none, and what was proved besides; the two may contradict each other."""
    level = st.floats(-5, 5)
    low, high = sorted((draw(level), draw(level)))
    found = draw(st.sampled_from(["none", "draws", "runs"]))
    if found == "none":
        return None, proof(low, high)
    best, upper = sorted((draw(level), draw(level)))
    limits = (None, None) if found == "draws" else (upper, "multistart")
    return Estimate(best, *limits, 0.3), proof(low, high)


@given(proved())
def test_with_a_proof_attained_value_estimate_limit_and_proven_limit_are_in_order(case):
    found, proven = case
    answer = with_proof(found, proven)
    assert proven.value <= answer.best <= answer.upper <= proven.upper


@given(proved())
def test_a_proof_keeps_what_it_does_not_contradict_and_says_whose_the_limit_is(case):
    found, proven = case
    answer = with_proof(found, proven)
    if found is None or found.upper is None or not proven.value <= found.upper < proven.upper:
        assert (answer.upper, answer.kind) == (proven.upper, "certified")
    else:
        assert (answer.upper, answer.kind) == (found.upper, "multistart")
    if found is not None and proven.value <= found.best <= proven.upper:
        assert answer.best == found.best
    assert with_proof(answer, proven) == answer


@given(proved(), st.floats(0, 3))
def test_a_better_proof_is_never_a_higher_limit(case, better):
    found, proven = case
    closer = proof(proven.value, max(proven.value, proven.upper - better))
    assert with_proof(found, closer).upper <= with_proof(found, proven).upper
    assert with_proof(found, closer).best <= with_proof(found, proven).best


def test_after_an_enumeration_a_proof_adds_nothing():
    everything = Estimate(2.0, 2.0, "enumerated", 0.0)
    assert with_proof(everything, proof(2.0, 2.5)) == everything
    assert with_proof(everything, proof(2.0, 2.0)).upper == 2.0
