"""What polishing leaves unseen."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from suffice.accuracy.multistart import after_polishing, unseen_share
from suffice.types import Starts

number = st.floats(-100, 100)


def starts(m, w):
    return Starts(m, w, 0.01)


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


def test_too_few_searches_have_seen_nothing():
    for m, w in [(0, 0), (1, 1), (2, 1), (2, 2), (10, 9), (10, 10), (10, 0)]:
        assert unseen_share(m, w) == 1.0


@given(st.integers(3, 200), st.data())
def test_more_searches_see_more_and_more_maxima_hide_more(m, data):
    w = data.draw(st.integers(1, m - 2))
    assert 0 < unseen_share(m + 1, w) < unseen_share(m, w) < unseen_share(m, w + 1) <= 1


@given(number, st.floats(0, 10), st.floats(0, 10), st.integers(1, 12), st.integers(1, 12))
def test_the_estimate_is_the_share_of_the_distance_to_the_limit(value, gained, above, m, w):
    tail = value + above
    answer = after_polishing(value, value - gained, tail, starts(m, w), tolerance=1e-6)
    assert answer.share == unseen_share(m, w)
    assert answer.gap == pytest.approx(answer.share * (tail - value))
    assert answer.upper == (tail if answer.share > 0.1 else value + 1e-6)


def test_a_limit_below_the_polished_value_is_replaced_by_what_polishing_gained():
    answer = after_polishing(5.0, 3.0, 4.5, starts(4, 2), tolerance=0.0)
    assert answer.upper == 7.0
    assert answer.gap == pytest.approx(0.5 * 2.0)
    # A value that rounding puts below its own start gained nothing.
    assert after_polishing(5.0, 5.0 + 1e-12, 4.5, starts(4, 2), tolerance=0.0).upper == 5.0


def test_the_limit_of_the_draws_stands_until_unseen_basins_are_unlikely():
    unsure = after_polishing(1.0, 0.0, 2.0, starts(5, 2), tolerance=1e-9, delta=0.29)
    sure = after_polishing(1.0, 0.0, 2.0, starts(5, 2), tolerance=1e-9, delta=0.3)
    assert unsure.share == sure.share == pytest.approx(0.3)
    assert unsure.upper == 2.0
    assert sure.upper == 1.0 + 1e-9


def test_without_a_limit_many_searches_into_one_maximum_still_bound_it():
    answer = after_polishing(1.0, 0.0, math.inf, starts(20, 1), tolerance=1e-9)
    assert answer.upper == 1.0 + 1e-9
    assert answer.gap == math.inf
