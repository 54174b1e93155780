"""The maximum from the largest draws: what it is expected to be, the exponent behind it, and the rank of the best draw.

Statistical tests use fixed streams; each states how often it would fail by chance with another stream.
"""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.integrate import quad

from suffice.accuracy.estimate import expected_excess, exponent, faces_near, faces_touched, kept
from suffice.accuracy.report import rank
from suffice.space import Choice, Float, Int, PointSet, Space, UnitCube
from suffice.types import Draws

RUNS, N = 1000, 500


def drawn(values, points=None, n=1000, iid=True):
    values = np.asarray(values, dtype=float)
    return Draws(n, iid, np.zeros((len(values), 1)) if points is None else points, values)


def pivots(k, kappa, runs, seed=0):
    """(α* − a_(1)) / (α* − a_(k)), (runs,): by the theory the smallest of k − 1 uniform numbers, to the power 1/κ."""
    return np.random.default_rng([k, seed]).random((runs, k - 1)).min(axis=1) ** (1 / kappa)


# ------------------------------------------------------------------ the expectation


@pytest.mark.parametrize("k", [3, 5, 10])
@pytest.mark.parametrize("kappa", [0.5, 1.0, 2.5, 10.0])
@pytest.mark.parametrize("above", [0.0, 0.3, 4.0])
def test_the_expectation_is_the_integral_of_the_survival_function(k, kappa, above):
    first, last = 3.0, 1.0

    def survival(u):
        return (1 - ((u - first) / (u - last)) ** kappa) ** (k - 1)

    value = first + above
    near, _ = quad(survival, value, value + 20.0, limit=200)
    far, _ = quad(survival, value + 20.0, math.inf, limit=200)
    found = expected_excess(drawn(np.linspace(first, last, k)), kappa, value)
    assert found == pytest.approx(near + far, rel=2e-3)


@pytest.mark.parametrize("kappa", [0.5, 1.0, 3.0])
@pytest.mark.parametrize("above", [0.0, 0.2])
def test_the_expectation_is_the_mean_of_what_the_pivot_says(kappa, above):
    # (α* − a_(1)) / (a_(1) − a_(k)) = R / (1 − R). 100 000 runs: 4.5 standard errors are seen once in 1e5 streams.
    ratio = pivots(10, kappa, 100_000)
    beyond = np.maximum(ratio / (1 - ratio) - above, 0.0)
    found = expected_excess(drawn(np.linspace(1.0, 0.0, 10)), kappa, 1.0 + above)
    assert found == pytest.approx(beyond.mean(), abs=4.5 * beyond.std() / math.sqrt(len(beyond)))


@given(
    st.lists(st.floats(-5, 5), min_size=3, max_size=10),
    st.floats(0.5, 8),
    st.sampled_from([1e-100, 1e-9, 3.0, 1e100]),
    st.floats(-5, 5),
    st.floats(0, 3),
)
def test_the_expectation_moves_with_units_and_does_not_know_the_level(values, kappa, unit, level, above):
    values = np.sort(np.round(values, 3))[::-1]  # so that adding a level splits no two equal values
    value = values[0] + above
    plain = expected_excess(drawn(values), kappa, value)
    moved = expected_excess(drawn(unit * values), kappa, unit * value)
    assert moved == pytest.approx(unit * plain, rel=1e-9)
    if np.ptp(values) > 0:
        lifted = expected_excess(drawn(values + level), kappa, value + level)
        assert lifted == pytest.approx(plain, rel=1e-9, abs=1e-9)


@given(st.integers(3, 10), st.floats(0.5, 8), st.floats(0.0, 3.0))
def test_a_larger_exponent_raises_it_and_a_higher_value_lowers_it(k, kappa, above):
    def excess(kappa, above):
        return expected_excess(drawn(np.linspace(1.0, 0.0, k)), kappa, 1.0 + above)

    assert excess(2 * kappa, above) > excess(kappa, above) > excess(kappa, above + 0.1) > 0
    # The survival function falls from 1: a step of 0.1 takes at most 0.1 off its integral.
    assert excess(kappa, above) - excess(kappa, above + 0.1) <= 0.1 * (1 + 1e-6)


def test_a_value_below_the_best_draw_counts_as_the_best_draw():
    draws = drawn([1.0, 0.9, 0.5])
    assert expected_excess(draws, 1.0, 0.2) == expected_excess(draws, 1.0, 1.0)


def test_only_the_largest_few_values_count_and_their_order_does_not():
    values = np.sort(np.random.default_rng(0).random(10))[::-1]

    def excess(values, n):
        return expected_excess(drawn(values, n=n), 1.0, 1.0)

    assert excess(values, 100) == excess(values[: kept(100)], 100) == excess(values[::-1], 100)
    assert excess(values, 100) != excess(values, 1000)


def test_how_many_values_are_used():
    assert [kept(n) for n in (0, 1, 2, 3, 30, 79, 80, 100, 200, 10**6)] == [0, 1, 2, 3, 3, 3, 4, 5, 10, 10]


def test_where_nothing_follows_the_expectation_is_infinite():
    for values in ([], [1.0], [1.0, 0.5], [1.0, 0.9, -math.inf, math.nan], [math.inf, 1.0, 0.5]):
        assert expected_excess(drawn(values), 1.0, 1.0) == math.inf
    assert expected_excess(drawn([1.0, 0.5, 0.2], iid=False), 1.0, 1.0) == math.inf
    assert expected_excess(drawn([1.0, 0.5, 0.2]), 0.0, 1.0) == math.inf


def test_values_that_are_not_numbers_are_left_out():
    assert expected_excess(drawn([2.0, 1.0, 0.5, -math.inf, math.nan]), 1.5, 2.0) == expected_excess(
        drawn([2.0, 1.0, 0.5]), 1.5, 2.0
    )


def test_equal_values_leave_nothing_to_extrapolate():
    for kappa in (0.0, 1.5):
        assert expected_excess(drawn([0.7, 0.7, 0.7]), kappa, 0.7) == 0.0


def test_impossible_questions_are_refused():
    for delta in (0.0, 1.0, math.nan):
        with pytest.raises(ValueError, match="delta"):
            rank(10, delta)
    with pytest.raises(ValueError, match="looks"):
        rank(10, 0.1, looks=0)


# ------------------------------------------------------------------ on surfaces with a known maximum


def peaks(d, j, rng):
    """RUNS quadratic peaks of maximum 0 at random places, j columns at a bound, and the draws of each."""
    for _ in range(RUNS):
        top = np.concatenate([rng.integers(2, size=j), rng.uniform(0.25, 0.75, d - j)])
        slope, curve = np.exp(rng.normal(0, 0.7, j)), np.exp(rng.normal(0, 0.7, d - j))
        X = rng.random((N, d))
        away = np.abs(X - top)
        values = -away[:, :j] @ slope - away[:, j:] ** 2 @ curve
        best = np.argsort(-values)[:10]
        yield top, Draws(N, True, X[best], values[best])


@pytest.mark.parametrize(("d", "j"), [(1, 0), (1, 1), (2, 0), (2, 1), (3, 0), (3, 3), (4, 2), (6, 0)])
def test_on_quadratic_peaks_the_mean_of_the_estimates_is_not_below_what_is_missing(d, j):
    # The pivot R does not depend on α* − a_(k), so in the mean (a_(1) − a_(k)) E[R/(1−R)] is (1 − E R) E[R/(1−R)] / E R
    # times what is missing: 1.13 at κ = 1 and 1.18 at κ = 3. At 500 draws the cube cuts the level sets of some peaks,
    # for which there is a twelfth of room, beside 4.5 standard errors of 1000 runs, which one of 1e5 streams exceeds.
    cube, stated, missing = UnitCube(d), [], []
    for top, draws in peaks(d, j, np.random.default_rng(10 * d + j)):
        kappa = exponent(draws, cube.coordinates, faces_touched(top, cube))
        assert kappa == (d + j) / 2
        stated.append(expected_excess(draws, kappa, draws.values[0]))
        missing.append(-draws.values[0])
    ratio = pivots(10, (d + j) / 2, 100_000)
    by_theory = (1 - ratio.mean()) * np.mean(ratio / (1 - ratio)) / ratio.mean()
    error = np.std(stated / np.mean(stated) - missing / np.mean(missing)) / math.sqrt(RUNS)
    assert np.mean(stated) / np.mean(missing) == pytest.approx(by_theory, rel=4.5 * error + 1 / 12)


def test_the_exponent_matters():
    # At the corner of three columns κ = 3; with the exponent of a maximum inside, 1.5, the mean is far too low.
    corners = [draws for _, draws in peaks(3, 3, np.random.default_rng(5))]
    missing = np.mean([-draws.values[0] for draws in corners])
    assert np.mean([expected_excess(draws, 1.5, draws.values[0]) for draws in corners]) < 0.7 * missing
    assert np.mean([expected_excess(draws, 3.0, draws.values[0]) for draws in corners]) > missing


@pytest.mark.parametrize(("d", "j"), [(1, 0), (1, 1), (2, 1), (3, 0), (3, 3), (6, 3)])
def test_bounds_found_from_the_draws_do_not_lower_the_estimates(d, j):
    # The rule errs in favour of a bound, so nothing holds from above. Standard errors as before.
    cube, stated, missing = UnitCube(d), [], []
    for _, draws in peaks(d, j, np.random.default_rng(100 * d + j)):
        kappa = exponent(draws, cube.coordinates, faces_near(draws))
        stated.append(expected_excess(draws, kappa, draws.values[0]))
        missing.append(-draws.values[0])
    assert np.mean(stated) > 0.9 * np.mean(missing)


def landscape(levels, options, rng):
    """A score of one real number, two integers and one choice, its maximum, and the space."""
    space = Space(x=Float(0, 1), i=Int(1, levels), j=Int(1, levels), c=Choice(*(f"o{o}" for o in range(options))))
    top, curve = rng.uniform(0.25, 0.75, 3), np.exp(rng.normal(0, 0.5, 3))
    worth = -np.abs(rng.normal(size=options)) * math.exp(rng.normal(-2, 1))
    cells = (np.arange(levels) + 0.5) / levels
    best = worth.max() - sum(curve[c] * np.min((cells - top[c]) ** 2) for c in (1, 2))
    return space, lambda X: -((X[:, :3] - top) ** 2) @ curve + X[:, 3:] @ worth, best


@pytest.mark.parametrize(("levels", "options"), [(2, 3), (5, 3), (30, 2), (30, 12), (1000, 3)])
def test_the_estimates_of_mixed_spaces_are_not_below_what_is_missing(levels, options):
    # Counting smooth columns alone is too low as soon as the integers are finer than the draws.
    rng, stated, smooth_only, missing = np.random.default_rng(levels + options), [], [], []
    for _ in range(400):
        space, alpha, best = landscape(levels, options, rng)
        X = space.sample(N, rng)
        values = alpha(X)
        rows = np.argsort(-values)[:10]
        draws = Draws(N, True, X[rows], values[rows])
        kappa = exponent(draws, space.coordinates, np.zeros(space.dim, dtype=bool))
        assert 0.5 <= kappa <= 2.5
        stated.append(expected_excess(draws, kappa, values.max()))
        smooth_only.append(expected_excess(draws, 0.5, values.max()))
        missing.append(best - values.max())
    assert np.mean(stated) > 0.9 * np.mean(missing)
    if levels >= 30:
        assert np.mean(smooth_only) < 0.5 * np.mean(missing)


# ------------------------------------------------------------------ the exponent, one case at a time


def test_a_parameter_on_which_the_best_draws_agree_adds_nothing():
    space = Space(x=Float(0, 1), i=Int(1, 9), c=Choice("a", "b", "d"))
    rng, none = np.random.default_rng(0), np.zeros(5, dtype=bool)
    points = space.sample(200, rng)
    everything = Draws(200, True, points[:10], np.zeros(10))
    assert exponent(everything, space.coordinates, none) == 0.5 + 0.5 + 1.0
    settled = points[:10].copy()
    settled[:, 1:] = points[0, 1:]
    assert exponent(Draws(200, True, settled, np.zeros(10)), space.coordinates, none) == 0.5
    at_bounds = np.array([True, True, False, False, False])
    assert exponent(everything, space.coordinates, at_bounds) == 1.0 + 1.0 + 1.0
    assert exponent(Draws(0, True, np.empty((0, 5)), np.empty(0)), space.coordinates, none) == 0.0


def test_a_polished_point_touches_a_bound_or_does_not():
    space = Space(x=Float(0, 1), y=Float(0, 1), z=Float(0, 1), i=Int(1, 4), j=Int(1, 4))
    x = np.array([0.0, 1.0, 1e-12, 0.125, 0.375])  # the outermost of four cells is centred at 1/8
    assert faces_touched(x, space).tolist() == [True, True, False, True, False]


def test_a_bound_is_near_if_the_draws_cannot_tell_it_from_the_best_point():
    spread = np.array([[0.0, 0.0], [0.01, 0.01], [-0.01, -0.01], [0.01, -0.01]])
    draws = Draws(1000, True, np.array([0.015, 0.5]) + spread, np.arange(4.0)[::-1])
    assert faces_near(draws).tolist() == [True, False]
    assert faces_near(Draws(1, True, np.array([[0.5, 0.0]]), np.zeros(1))).tolist() == [False, False]


def test_the_ends_of_a_lattice_are_bounds_and_a_set_of_points_has_none():
    space = Space(x=Float(0, 1), i=Int(1, 5), w=Int(1, 10**300, log=True))
    inside = {"x": 0.5, "i": 3, "w": 7}
    for outermost in ({"x": 0.0}, {"x": 1.0}, {"i": 1}, {"i": 5}, {"w": 1}):
        touched = faces_touched(space.to_unit(inside | outermost), space)
        assert touched.tolist() == [name in outermost for name in space.names]
    corners = PointSet(np.array([[0.0, 0.0], [1.0, 1.0]]))
    assert not faces_touched(corners.points[0], corners).any()


# ------------------------------------------------------------------ rank


@given(st.integers(1, 10**6), st.floats(0.01, 0.5), st.integers(1, 20))
def test_the_best_draw_misses_its_share_with_probability_delta(n, delta, looks):
    share = rank(n, delta, looks)
    # All n draws miss a set of this measure with probability (1 − share)^n.
    assert n * math.log1p(-share) == pytest.approx(math.log(delta / looks), rel=1e-6)
    assert rank(n, delta, looks + 1) > share > rank(n + 1, delta, looks)


def test_no_draws_say_nothing():
    assert rank(0) == 1.0


def test_rank_does_not_ask_what_the_score_is():
    # A score with jumps and ridges in a mixed space; the share of better points is counted among 4000 others.
    # Outside 4.5 standard errors once in 1e5 streams; counting adds little to them.
    space, rng = Space(x=Float(0, 1), i=Int(1, 9), c=Choice("a", "b")), np.random.default_rng(8)

    def score(X):
        return np.floor(40 * X[:, 0]) % 7 + np.sin(90 * X[:, 0]) - X[:, 1] + 3 * X[:, 2]

    others, runs, n = np.sort(score(space.sample(4000, rng))), 2000, 30
    best = score(space.sample(runs * n, rng)).reshape(runs, n).max(axis=1)
    better = 1 - np.searchsorted(others, best, side="right") / len(others)
    assert np.mean(better > rank(n, 0.1)) == pytest.approx(0.1, abs=4.5 * math.sqrt(0.09 / runs))
