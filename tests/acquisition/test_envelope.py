"""The expected maximum of lines: an integral, two lines, ties, tails, derivatives."""

import math

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from suffice.acquisition.information import log_expected_rise
from suffice.checks import RESOLUTION

FINE, COARSE = 100_001, 10_001


def expected_rise(a, b):
    """For one problem in each row, as it is written by hand."""
    return np.exp(log_expected_rise(np.asarray(a).T, np.asarray(b).T)[0])


def rise_by_quadrature(a, b, nodes=FINE):
    """The integral over z of max_i (a_i + b_i z) − max a, by the trapezoidal rule.

    Its error is at most 0.05 · step² for each unit by which the slope changes along the maximum: 3e-9 with 100 001
    nodes, 3e-7 with 10 001.
    """
    z, step = np.linspace(-12, 12, nodes, retstep=True)
    upper = np.full_like(z, -np.inf)
    for intercept, slope in zip(a, b, strict=True):
        np.maximum(upper, intercept + slope * z, out=upper)
    weight = np.exp(-0.5 * z**2) / math.sqrt(2 * math.pi) * step
    return float(weight @ (upper - np.max(a)))


@pytest.mark.parametrize("k", [1, 2, 3, 10, 60])
def test_the_expected_rise_is_an_integral(k):
    rng = np.random.default_rng(k)
    a, b = rng.normal(5.0, 1.0, (6, k)), rng.normal(0.3, 1.0, (6, k))
    assert expected_rise(a, b) == pytest.approx([rise_by_quadrature(*row) for row in zip(a, b, strict=True)], abs=1e-7)


def test_the_expected_rise_agrees_with_simulation():
    rng = np.random.default_rng(3)
    a, b = rng.normal(0.0, 1.0, (1, 12)), rng.normal(0.0, 1.0, (1, 12))
    rises = (a + b * rng.standard_normal((200_000, 1))).max(axis=1) - a.max()
    # 4.5 standard errors: a false alarm in one of 150 000 streams; this stream is fixed.
    assert abs(expected_rise(a, b)[0] - rises.mean()) < 4.5 * rises.std() / math.sqrt(len(rises))


def test_two_lines_are_expected_improvement():
    # max(0, −d + s Z) is the improvement of N(−d, s²) over 0.
    d, s = 0.7, 1.3
    expected = s * math.exp(-0.5 * (d / s) ** 2) / math.sqrt(2 * math.pi) - d * 0.5 * math.erfc(d / s / math.sqrt(2))
    assert expected_rise([[0.0, -d]], [[0.0, s]])[0] == pytest.approx(expected, rel=1e-14)


@pytest.mark.parametrize("d", [40.0, 1e3, 1e8])
def test_a_rise_that_underflows_keeps_a_logarithm_and_a_slope(d):
    value, by_a, by_b = log_expected_rise(np.array([[0.0], [-d]]), np.array([[0.0], [1.0]]))
    assert math.exp(value[0]) == 0.0
    # h(−d) = φ(d)/d² (1 + O(1/d²))
    assert value[0] == pytest.approx(-0.5 * d**2 - 0.5 * math.log(2 * math.pi) - 2 * math.log(d), rel=1e-5)
    assert by_a[:, 0] == pytest.approx([-d, d], rel=3e-3)
    assert by_b[:, 0] == pytest.approx([-(d**2), d**2], rel=3e-3)


def test_lines_that_are_one_have_nothing_to_expect():
    value, by_a, by_b = log_expected_rise(np.ones((3, 2)), np.full((3, 2), 0.5))
    assert value == pytest.approx(np.full(2, -(RESOLUTION**-2)))
    assert not by_a.any()
    assert not by_b.any()


lines = st.integers(1, 7).flatmap(
    lambda k: st.tuples(
        arrays(float, (3, k), elements=st.floats(-3, 3)),
        arrays(float, (3, k), elements=st.one_of(st.sampled_from([0.0, 1.0, 1.0 + 1e-15, 1e-300]), st.floats(-2, 2))),
    )
)


@given(lines=lines)
@example(lines=(np.array([[0.0, -1.0, 0.0], [-1.0, 0.0, 0.0]]), np.array([[-0.0, 0.0, 1.0], [-0.0, 0.0, 1.0]])))
@example(lines=(np.array([[0.0, -1.0, 0.0], [-1.0, 0.0, 0.0]]), np.array([[0.0, -0.0, 1.0], [0.0, -0.0, 1.0]])))
@example(lines=(np.array([[2.0, 1.0, 0.0, 1.0, 0.0]]), np.array([[0.5, 0.5, 1.0, 1.0, 1.0]])))
@example(lines=(np.array([[0.0, 0.0, 0.0]]), np.array([[-1.0, 0.3, 1.0]])))  # three lines meet in one point
@settings(deadline=None, max_examples=100)
def test_ties_and_parallel_lines_change_nothing(lines):
    a, b = lines
    rise = expected_rise(a, b)
    assert rise == pytest.approx([rise_by_quadrature(*row, COARSE) for row in zip(a, b, strict=True)], abs=2e-6)


@given(lines=lines, seed=st.integers(0, 2**32 - 1), shift=st.floats(-50, 50), scale=st.floats(0.01, 100))
@settings(deadline=None, max_examples=100)
def test_order_repetition_shift_slope_and_units_are_handled(lines, seed, shift, scale):
    a, b = lines
    order = np.random.default_rng(seed).permutation(a.shape[1])
    twice = [np.repeat(part[:, order], 2, axis=1) for part in (a, b)]
    rise = expected_rise(a, b)
    assert expected_rise(*twice) == pytest.approx(rise, abs=1e-12)
    assert expected_rise(a + shift, b + shift) == pytest.approx(rise, abs=1e-12)  # E Z = 0: a common slope is worth 0
    assert expected_rise(scale * a, scale * b) == pytest.approx(scale * rise, abs=1e-12 * scale)
    assert expected_rise(a, -b) == pytest.approx(rise, abs=1e-12)


@pytest.mark.parametrize("k", [2, 3, 20])
def test_the_derivatives_are_those_of_the_value(k):
    rng = np.random.default_rng(k)
    a, b = rng.normal(0.0, 1.0, (k, 8)), rng.normal(0.2, 0.7, (k, 8))
    _, by_a, by_b = log_expected_rise(a, b)
    step = 1e-6
    for i, e in enumerate(step * np.eye(k)[:, :, None]):
        in_a = log_expected_rise(a + e, b)[0] - log_expected_rise(a - e, b)[0]
        in_b = log_expected_rise(a, b + e)[0] - log_expected_rise(a, b - e)[0]
        assert by_a[i] == pytest.approx(in_a / (2 * step), rel=1e-6, abs=1e-7)
        assert by_b[i] == pytest.approx(in_b / (2 * step), rel=1e-6, abs=1e-7)
