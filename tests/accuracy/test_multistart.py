"""What local runs leave unseen: how probable a miss is, what it is expected to cost, and how many runs that takes.

Statistical tests use fixed streams; each states how often it would fail by chance with another stream.
"""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from suffice.accuracy.estimate import (
    MISS,
    MOST_RUNS,
    after_climbing,
    chance_of_a_miss,
    runs_for,
    unseen_share,
)
from suffice.types import Starts


@pytest.mark.parametrize(("m", "w"), [(3, 1), (10, 1), (10, 4), (25, 10)])
def test_the_share_is_the_posterior_mean_of_its_derivation(m, w):
    # K basins with every K equally likely, their sizes uniform on the simplex. Given K, w of m draws' basins are
    # different with probability C(K, w) C(m−1, w−1) / C(m+K−1, m), and the unseen share is then (K − w)/(K + m).
    total = weighted = 0.0
    for K in range(w, 40_000):
        log_weight = math.lgamma(K + 1) - math.lgamma(K - w + 1) + math.lgamma(K) - math.lgamma(m + K)
        weight = math.exp(log_weight)
        total += weight
        weighted += weight * (K - w) / (K + m)
    assert weighted / total == pytest.approx(unseen_share(m, w), rel=1e-3)


def test_shares_known_by_hand():
    assert unseen_share(5, 1) == pytest.approx(0.1)
    assert unseen_share(10, 1) == pytest.approx(2 / 90)
    assert unseen_share(10, 8) == pytest.approx(72 / 90)


@pytest.mark.parametrize("w", [1, 3, 12])
def test_of_hills_whose_height_says_nothing_about_their_width_one_of_w_plus_one_unseen_ones_is_the_highest(w):
    # 20 000 draws of w + 1 heights in any order: a deviation of 4.5 standard errors is seen once in 1e5 streams.
    heights = np.random.default_rng(w).random((20_000, w + 1))
    higher, share = np.mean(heights[:, -1] > heights[:, :-1].max(axis=1)), 1 / (w + 1)
    assert higher == pytest.approx(share, abs=4.5 * math.sqrt(share * (1 - share) / 20_000))
    assert chance_of_a_miss(30, w) == pytest.approx(unseen_share(30, w) * share)


def test_too_few_searches_have_seen_nothing():
    for m, w in [(0, 0), (1, 1), (2, 1), (2, 2), (10, 9), (10, 10), (10, 0)]:
        assert unseen_share(m, w) == chance_of_a_miss(m, w) == 1.0


@given(st.integers(3, 200), st.data())
def test_more_searches_see_more_and_more_hills_hide_more(m, data):
    w = data.draw(st.integers(1, m - 2))
    assert 0 < unseen_share(m + 1, w) < unseen_share(m, w) < unseen_share(m, w + 1) <= 1
    assert 0 < chance_of_a_miss(m + 1, w) < chance_of_a_miss(m, w) < chance_of_a_miss(m, w + 1) <= 1


# ------------------------------------------------------------------ the expectation and the limit


@pytest.mark.parametrize(("m", "w"), [(2, 1), (5, 2), (6, 2), (10, 2), (30, 20), (64, 1)])
@pytest.mark.parametrize("delta", [0.02, 0.1, 0.5])
def test_under_its_own_model_the_estimate_is_the_mean_and_the_limit_covers(m, w, delta):
    # The highest hill is missed with probability p, by an amount that is exponential with mean MISS · spread. With
    # 40 000 runs a deviation of 4.5 standard errors is seen once in 1e5 streams.
    rng, runs, value, spread = np.random.default_rng([m, w]), 40_000, -3.0, 7.0
    answer = after_climbing(value, spread, Starts(m, w), delta=delta)
    missed = rng.random(runs) < answer.share
    maximum = value + np.where(missed, rng.exponential(MISS * spread, runs), 0.0)
    error = maximum.std() / math.sqrt(runs)
    assert answer.gap == pytest.approx(np.mean(maximum - value), abs=4.5 * error)
    covered = np.mean(maximum <= answer.upper)
    assert covered >= 1 - delta - 4.5 * math.sqrt(delta * (1 - delta) / runs)
    if answer.upper > value + answer.gap:  # the limit is no further away than the confidence asks for
        assert covered == pytest.approx(1 - delta, abs=4.5 * math.sqrt(delta * (1 - delta) / runs))


@given(st.floats(-100, 100), st.floats(0, 50), st.integers(0, 80), st.integers(0, 80))
def test_the_limit_is_never_below_the_expectation_nor_the_expectation_below_the_value(value, spread, m, w):
    answer = after_climbing(value, spread, Starts(m, min(m, w)))
    assert answer.gap >= 0.0
    assert answer.upper >= value + answer.gap


@given(st.floats(0.01, 50), st.integers(3, 80), st.data())
def test_more_runs_and_fewer_hills_bring_estimate_and_limit_down(spread, m, data):
    w = data.draw(st.integers(1, m))
    here, more, fewer = (
        after_climbing(0.0, spread, Starts(*pair)) for pair in ((m, w), (m + 1, w), (m, max(1, w - 1)))
    )
    for better in (more, fewer):
        assert better.gap <= here.gap
        assert better.upper <= here.upper
    assert after_climbing(0.0, 2 * spread, Starts(m, w)).upper == pytest.approx(2 * here.upper)


def test_a_smaller_risk_asks_for_a_higher_limit_until_a_miss_is_less_probable_than_the_risk():
    limits = [after_climbing(0.0, 1.0, Starts(5, 2), delta=delta).upper for delta in (0.01, 0.03, 0.07, 0.1, 0.9)]
    assert limits == sorted(limits, reverse=True)
    assert limits[-1] == limits[-2] == pytest.approx(0.1 * MISS)  # p = 0.1: only the expectation is left
    assert limits[0] > limits[1] > limits[2] > limits[3]


def test_a_flat_score_leaves_nothing():
    answer = after_climbing(2.0, 0.0, Starts(9, 9))
    assert (answer.gap, answer.upper) == (0.0, 2.0)


# ------------------------------------------------------------------ how many runs


@given(st.integers(1, 30), st.floats(1e-4, 10.0), st.floats(1e-3, 100.0))
def test_the_runs_asked_for_are_the_least_that_fit(w, share, spread):
    gap = share * MISS * spread  # from next to nothing to more than a certain miss costs
    m = runs_for(w, gap, spread)
    assert after_climbing(0.0, spread, Starts(m, w)).gap <= gap * (1 + 1e-9)
    if m > w + 2:  # fewer than w + 2 runs into w hills have seen nothing
        assert after_climbing(0.0, spread, Starts(m - 1, w)).gap > gap * (1 - 1e-9)


@given(st.integers(1, 8), st.floats(0.01, 0.9), st.floats(0.1, 10.0))
def test_they_are_those_that_trying_one_after_the_other_finds(w, share, spread):
    gap = share * MISS * spread
    fits = (m for m in range(w + 2, 2000) if after_climbing(0.0, spread, Starts(m, w)).gap <= gap)
    assert abs(runs_for(w, gap, spread) - next(fits)) <= (1 if _borderline(w, share) else 0)


def _borderline(w, share):
    """Whether m (m − 1) is within rounding of what is needed, for some m."""
    need = w / share
    m = round(0.5 + math.sqrt(0.25 + need))
    return math.isclose(m * (m - 1), need, rel_tol=1e-9)


def test_no_number_of_runs_leaves_nothing():
    for gap in (0.0, -1.0, math.nan, 1e-300):
        assert runs_for(2, gap, 1.0) == MOST_RUNS
    assert runs_for(2, 0.1, 0.0) == 4  # a flat score: as soon as anything is known
