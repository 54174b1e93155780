"""The probability of success: learned where failures have a place, flat where they have none."""

import numpy as np
import pytest

from suffice.belief import MOST, kept, success

RNG = np.random.default_rng(5)
SQUARE = RNG.random((40, 2))
CORNERS = np.array([[0.1, 0.5], [0.3, 0.2], [0.7, 0.8], [0.95, 0.4]])
ELL = np.array([0.5, 0.8])
COLUMNS = [slice(0, 1), slice(1, 2)]


def split(X, fails):
    failed = np.array([fails(x) for x in X])
    return X[~failed], X[failed]


def half(x):
    return x[0] > 0.5


@pytest.fixture
def by_place():
    return success(*split(SQUARE, half), ELL, COLUMNS)


def test_a_half_that_fails_is_learned(by_place):
    inside, outside = by_place(CORNERS[:2]), by_place(CORNERS[2:])
    assert np.all(inside > 0.9)
    assert np.all(outside < 0.1)


@pytest.mark.parametrize("rate", [0.1, 0.2, 0.4])
def test_failures_without_a_place_leave_it_flat(rate):
    failed = np.random.default_rng(1).random(len(SQUARE)) < rate
    P = success(SQUARE[~failed], SQUARE[failed], ELL, COLUMNS)
    values = P(np.random.default_rng(2).random((500, 2)))
    assert np.ptp(np.log(values)) < 0.35
    assert np.mean(values) == pytest.approx(np.mean(~failed), abs=0.1)


def test_a_success_right_beside_a_failure_says_that_it_was_chance():
    apart = success(SQUARE, np.array([[2.0, 2.0]]), ELL, COLUMNS)
    beside = success(SQUARE, SQUARE[:1] + 1e-4, ELL, COLUMNS)
    assert beside(SQUARE[:1])[0] > 0.8
    assert 1 - beside.share > 1 - apart.share


def test_three_failures_in_one_place_say_that_it_was_not():
    once, thrice = (success(SQUARE[1:], np.repeat(SQUARE[:1], n, axis=0), ELL, COLUMNS) for n in (1, 3))
    assert thrice(SQUARE[:1])[0] < once(SQUARE[:1])[0]


def test_what_the_objective_ignores_can_make_evaluations_fail():
    X = np.random.default_rng(3).random((40, 3))
    P = success(*split(X, lambda x: x[2] > 0.5), np.array([0.2, 0.2, 50.0]), [*COLUMNS, slice(2, 3)])
    assert P(np.array([[0.5, 0.5, 0.1]]))[0] > 4 * P(np.array([[0.5, 0.5, 0.9]]))[0]


def test_an_option_that_always_fails_is_learned():
    option = np.eye(3)[np.arange(30) % 3]
    X = np.column_stack([np.random.default_rng(4).random(30), option])
    P = success(X[option[:, 0] < 1], X[option[:, 0] == 1], np.array([0.5, 9.0, 9.0, 9.0]), [slice(0, 1), slice(1, 4)])
    values = P(np.column_stack([np.full(3, 0.5), np.eye(3)]))
    assert values[0] < 0.1
    assert np.all(values[1:] > 0.9)


def test_it_is_a_probability_and_never_zero(by_place):
    values = by_place(np.random.default_rng(2).random((500, 2)))
    assert np.all((values > 0) & (values <= 1))


def test_the_gradient_is_that_of_the_value(by_place):
    X, step = np.random.default_rng(7).uniform(0.05, 0.95, (25, 2)), 1e-6
    value, gradient = by_place.value_and_grad(X)
    differences = [(by_place(X + e) - by_place(X - e)) / (2 * step) for e in step * np.eye(2)]
    assert value == pytest.approx(by_place(X))
    assert gradient == pytest.approx(np.column_stack(differences), rel=1e-4, abs=1e-6)


def test_no_value_in_a_box_is_above_the_bound(by_place):
    rng = np.random.default_rng(0)
    ends = np.sort(rng.random((2, 50, 2)), axis=0)
    limits = by_place.bound(*ends)
    for share in rng.random((40, 50, 2)):
        assert np.all(by_place(ends[0] + share * (ends[1] - ends[0])) <= limits)
    assert np.all(by_place(ends[0]) <= by_place.bound(ends[0], ends[0]))
    assert np.median(limits) < 1.0


def test_the_order_of_the_points_does_not_matter(by_place):
    good, bad = split(SQUARE, half)
    assert success(good[::-1], bad[::-1], ELL, COLUMNS)(CORNERS) == pytest.approx(by_place(CORNERS))


def test_it_exists_before_anything_succeeded():
    assert 0 < success(np.empty((0, 2)), SQUARE[:5], ELL, COLUMNS)(CORNERS).max() < 1


def test_of_many_points_a_bounded_number_counts_the_latest_failures_among_them():
    many = np.random.default_rng(1).random((5000, 2))
    good, bad = kept(many, many[::-1], ELL)
    assert len(good) == len(bad) == MOST
    assert np.array_equal(bad[-MOST // 2 :], many[::-1][-MOST // 2 :])
    assert np.array_equal(bad[0], many[-1])  # and the first one, among the earlier ones
    assert {row.tobytes() for row in bad} <= {row.tobytes() for row in good}  # the nearest: at the same places
