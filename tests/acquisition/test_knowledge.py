"""Knowledge gradient: the expected maximum of lines, and that the lines are the right ones."""

import math

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from suffice.acquisition import KG
from suffice.acquisition.knowledge import KGScore, expected_rise
from suffice.testing.acquisitions import bind

FINE, COARSE = 100_001, 10_001


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
    assert expected_rise(np.array([[0.0, -d]]), np.array([[0.0, s]]))[0] == pytest.approx(expected, rel=1e-14)


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
@settings(deadline=None, max_examples=100)
def test_ties_and_parallel_lines_change_nothing(lines):
    a, b = lines
    rise = expected_rise(a, b)
    assert np.all(rise >= 0)
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


def score_with(posterior, points):
    return KGScore(posterior, points, posterior.mean(points))


@pytest.mark.parametrize("scale", [1.0, 20.0])
def test_the_value_is_that_of_observing_the_point(gp, scale):
    # By the definition: append each possible output to the posterior and look at the new largest mean. The new means
    # are linear in the output, so two outputs give every line.
    posterior, rng = gp(scale=scale, tau=0.05), np.random.default_rng(4)
    points, X = rng.random((9, 2)), rng.random((5, 2))
    expected = []
    for x in X:
        here = np.vstack([points, x])
        mean, std = posterior.predict(x[None])
        spread = math.sqrt(std[0] ** 2 + 0.05 * scale**2)
        up, down = (posterior.append(x[None], mean + sign * spread).mean(here) for sign in (1, -1))
        assert (up + down) / 2 == pytest.approx(posterior.mean(here), abs=1e-9 * scale)
        expected.append(rise_by_quadrature(posterior.mean(here), (up - down) / 2))
    assert score_with(posterior, points)(X) == pytest.approx(expected, abs=1e-7 * scale)


def test_a_point_that_tells_nothing_is_worth_nothing(gp):
    posterior = gp(n=20, tau=1e-12)
    alpha = bind(KG(), posterior, rng=np.random.default_rng(0))
    # At an observed point σ is at its floor of 1e-7: the rise is at most that.
    assert np.max(alpha(posterior.X)) < 1e-7
    assert np.max(alpha(np.random.default_rng(1).random((200, 2)))) > 1e-3


def test_noise_lowers_the_value(gp):
    posterior, X = gp(tau=1e-3), np.random.default_rng(1).random((30, 2))
    points = np.random.default_rng(2).random((20, 2))
    quieter = posterior.append(np.array([[50.0, 50.0]]), np.zeros(1), tau=1e-9)  # far away: it only lowers tau
    assert quieter.tau < posterior.tau
    assert np.all(score_with(posterior, points)(X) < score_with(quieter, points)(X))


def test_more_points_to_choose_from_are_worth_more_if_their_means_are_no_better(gp):
    # A line below the best intercept can only raise the expected maximum and leaves max a as it is.
    posterior, X = gp(), np.random.default_rng(1).random((30, 2))
    points = np.vstack([posterior.X, np.random.default_rng(2).random((30, 2))])
    points = points[np.argsort(-posterior.mean(points))]
    few, many = score_with(posterior, points[:5])(X), score_with(posterior, points)(X)
    assert np.all(many >= few - 1e-14)
    assert np.any(many > few + 1e-6)


def test_the_compared_set_holds_the_best_means_and_others(gp):
    posterior = gp(n=30)
    alpha = bind(KG(points=20), posterior, rng=np.random.default_rng(0))
    assert alpha.points.shape == (20, 2)
    assert len(np.unique(alpha.points, axis=0)) == 20
    assert alpha.means.max() >= posterior.mean(posterior.X).max()
    # Half of them are drawn at random: that none is below the median would happen in one of 1000 streams.
    assert alpha.means.min() < np.median(posterior.mean(np.random.default_rng(1).random((500, 2))))
    assert alpha.means == pytest.approx(posterior.mean(alpha.points), rel=1e-12)


def test_many_rows_are_worked_on_in_blocks(gp):
    alpha = bind(KG(points=5), gp(), rng=np.random.default_rng(0))
    X = np.random.default_rng(1).random((5000, 2))
    assert alpha(X) == pytest.approx(np.concatenate([alpha(X[:1000]), alpha(X[1000:])]), rel=1e-9)
    assert alpha(X[:0]).shape == (0,)


@pytest.mark.parametrize(("scale", "shift"), [(1.0, -40.0), (0.01, 0.0), (300.0, 7.0)])
def test_the_value_is_in_the_units_of_the_outputs(scale, shift, gp):
    X = np.random.default_rng(2).random((40, 2))
    here, there = (bind(KG(points=16), p, rng=np.random.default_rng(5)) for p in (gp(), gp(scale=scale, shift=shift)))
    assert there(X) == pytest.approx(scale * here(X), rel=1e-7, abs=1e-12 * scale)


def test_an_empty_set_is_refused():
    with pytest.raises(ValueError, match="points"):
        KG(points=0)
