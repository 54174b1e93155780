"""The paper's ratio, its shifts, and the relative gap."""

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from suffice.accuracy.estimate import (
    accumulated,
    eta,
    log_eta,
    relative_gap,
    thompson_shift,
    ucb_shift,
)
from suffice.gp.kernels import RBF, Matern
from suffice.gp.posterior import Posterior, sample_path

level = st.floats(-1e3, 1e3)


@st.composite
def posteriors(draw):
    """Random kernels, noise, scales and prior means; outputs that fit the prior mean, and some that do not."""
    d, n = draw(st.integers(1, 4)), draw(st.integers(0, 15))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    kernel = draw(st.sampled_from([RBF(0.3), Matern(0.5, 0.2), Matern(2.5, 0.5), Matern(1.5, 2.0)]))
    scale, m = draw(st.sampled_from([1e-3, 1.0, 40.0])), draw(st.sampled_from([0.0, -3.0, 700.0]))
    z = m + scale * draw(st.sampled_from([0.1, 1.0, 10.0])) * rng.standard_normal(n) + draw(st.sampled_from([0.0, 5.0]))
    tau = draw(st.sampled_from([1e-6, 1e-2, 1.0]))
    return Posterior.condition(kernel, rng.random((n, d)), z, tau, scale=scale, constant=m)


@settings(max_examples=100)
@given(posteriors(), st.sampled_from([0.0, 0.5, 5.0]), st.sampled_from([None, 0.0, 2.0, 100.0]))
def test_a_shifted_upper_confidence_bound_is_never_negative(posterior, beta, B):
    X = np.vstack([np.random.default_rng(0).random((500, posterior.X.shape[1])), posterior.X])
    mean, std = posterior.predict(X)
    C = ucb_shift(posterior, B)
    assert np.min(mean + beta * std + C) >= -1e-9 * (posterior.rkhs_norm + abs(posterior.constant))
    assert C + posterior.constant >= (B or 0.0) - 1e-9 * abs(posterior.constant)


def test_the_shift_is_attained():
    # One observation far below the prior mean, no noise to speak of: μ − m = −|μ − m|_k right there.
    posterior = Posterior.condition(RBF(0.2), np.array([[0.5]]), np.array([-4.0]), 1e-12, constant=1.0)
    assert posterior.mean(np.array([[0.5]]))[0] + ucb_shift(posterior) == pytest.approx(0.0, abs=1e-9)


@settings(max_examples=30)
@given(posteriors(), st.floats(-1e3, 1e3))
def test_eta_does_not_change_when_the_outputs_move(posterior, by):
    moved = replace(posterior, z=posterior.z + by, constant=posterior.constant + by)
    X = np.random.default_rng(1).random((50, posterior.X.shape[1]))
    ours, theirs = (p.predict(X)[0] + p.predict(X)[1] for p in (posterior, moved))
    first = eta(ours[0], ours.max(), ucb_shift(posterior, 1.0))
    second = eta(theirs[0], theirs.max(), ucb_shift(moved, 1.0))
    # The sum α + C is of the size of B = 1 at least, the level up to 2000: cancellation costs four digits.
    assert first == pytest.approx(second, abs=1e-9)


def test_the_thompson_shift_is_the_papers():
    posterior = Posterior.condition(RBF(0.2), np.array([[0.5]]), np.array([2.0]), 0.1, scale=3.0, constant=0.7)
    shift = thompson_shift(posterior, 1.5, 400, delta=0.05, B=2.0, widening=0.3)
    # βs + ṽ = 4.8, and a standard normal number is below 4.239622 but for a density of δ/N of that at 0.
    assert shift == pytest.approx(2.0 + 4.8 + 4.239622 * 4.8 - 0.7, abs=1e-5)
    without_B = thompson_shift(posterior, 1.5, 400, delta=0.05, widening=0.3)
    assert without_B == pytest.approx(1.3 / 1.1 + 4.239622 * 4.8 - 0.7, abs=1e-5)  # |μ − m|_k = (2 − m)/(1 + τ)


def test_a_shifted_sample_path_is_rarely_negative():
    # At 300 points, with probability at most 0.1 for each of 100 paths; 20 or more would be seen once in 500 streams
    # if the bound were sharp, and it is not: a union over points, and σ ≤ s.
    rng = np.random.default_rng(3)
    X = rng.random((8, 2))
    posterior = Posterior.condition(Matern(2.5, 0.3), X, np.sin(9 * X).sum(axis=1) + 5, 1e-3, constant=5.0)
    points = rng.random((300, 2))
    shift = thompson_shift(posterior, 1.0, 300, delta=0.1)
    below = [np.min(sample_path(posterior, rng, 256)(points)) + shift < 0 for _ in range(100)]
    assert np.sum(below) < 20
    # And without the prior mean in the shift, every path of level −5 would be.
    low = replace(posterior, z=posterior.z - 10, constant=-5.0)
    assert np.min(sample_path(low, rng, 256)(points)) + shift < 0


@given(st.lists(st.floats(0, 1e3), min_size=3, max_size=3), st.floats(0, 1e3), level)
def test_ratios_multiply_and_the_shift_moves_the_zero(values, more, by):
    low, middle, high = sorted(values)
    ratio = eta(low, high, more)
    assert ratio == pytest.approx(eta(low, middle, more) * eta(middle, high, more), abs=1e-9)
    if high + more > 1e-3:  # below, the level is all that is left of the sum
        assert ratio == pytest.approx(eta(low + by, high + by, more - by), abs=1e-9)
        assert ratio == pytest.approx(eta(low + more, high + more), abs=1e-9)


@given(st.floats(0, 10), st.floats(0, 10), st.floats(0, 10))
def test_a_higher_maximum_lowers_eta_and_a_larger_shift_raises_it(value, above, more):
    ratio, rounding = eta(value, value + above), 1e-15  # 1 − gap/total is rounded where total is far above value
    assert eta(value, value + above + 1) <= ratio + rounding
    assert eta(value, value + above, more) >= ratio - rounding


def test_eta_at_its_ends():
    assert eta(2.0, 2.0) == eta(3.0, 2.0) == 1.0
    assert eta(0.0, 0.0) == 1.0  # expected improvement that is 0 everywhere
    assert eta(0.0, 1.0) == 0.0
    assert eta(1.0, 4.0) == 0.25
    assert eta(1.0, math.inf) == eta(-math.inf, 1.0) == eta(math.nan, 1.0) == 0.0
    assert eta(-3.0, -1.0) == eta(-3.0, 1.0, 1.0) == 0.0  # a shift that is too small


def test_a_logarithm_has_the_ratio_of_what_it_stands_for():
    assert log_eta(math.log(0.3), math.log(0.6)) == pytest.approx(eta(0.3, 0.6)) == pytest.approx(0.5)
    assert log_eta(-1000.0, -999.0) == pytest.approx(math.exp(-1))
    assert log_eta(1.0, 0.5) == log_eta(-math.inf, -math.inf) == 1.0
    assert log_eta(-math.inf, 0.0) == log_eta(0.0, math.inf) == 0.0


@given(level, level, level, st.sampled_from([1e-6, 1.0, 1e6]), level)
def test_the_relative_gap_has_no_units(value, maximum, median, unit, by):
    gap = relative_gap(value, maximum, median)
    moved = relative_gap(*(unit * (each + by) for each in (value, maximum, median)))
    if min(abs(maximum - value), abs(maximum - median)) > 1e-3:
        assert moved == pytest.approx(gap, abs=1e-8)


def test_the_relative_gap_at_its_ends():
    assert relative_gap(3.0, 5.0, 1.0) == 0.5
    assert relative_gap(5.0, 5.0, 1.0) == relative_gap(6.0, 5.0, 1.0) == 0.0
    assert relative_gap(1.0, 5.0, 1.0) == relative_gap(-9.0, 5.0, 1.0) == 1.0
    assert relative_gap(2.0, 2.0, 2.0) == 0.0  # flat
    assert relative_gap(1.0, 2.0, 2.0) == relative_gap(1.0, 2.0, 3.0) == 1.0  # worse than a flat rest
    assert relative_gap(1.0, math.inf, 0.0) == relative_gap(math.nan, 1.0, 0.0) == 1.0


def test_inaccuracy_adds_up_what_is_missing():
    assert accumulated([]) == accumulated([1.0, 1.0]) == 0.0
    assert accumulated([0.9, 0.5, 1.0]) == pytest.approx(0.6)
    assert accumulated(1.0 - 1e-17 for _ in range(10)) == 0.0
    assert accumulated([0.1] * 10) == pytest.approx(9.0, abs=1e-15)
