"""Improvement over the incumbent: integrals by quadrature, both tails, no deviation, moved units."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.integrate import quad

from suffice.acquisition import EI, PI, LogEI
from suffice.acquisition.improvement import ExpectedGain, LogExpectedGain, LogGainProbability, incumbent
from suffice.belief import Beliefs
from suffice.testing.acquisitions import bind

ALL = [EI(), LogEI(), PI()]
MOMENTS = np.array([[0.7, 0.3], [-0.4, 0.5], [0.2, 0.01], [0.2, 2.0], [-1.5, 0.4], [3.0, 0.2]])


def normal(z):
    return math.exp(-z * z / 2) / math.sqrt(2 * math.pi)


def expected_improvement_by_quadrature(mean, std, threshold):
    start = (threshold - mean) / std  # below it nothing is gained
    return quad(lambda z: (mean + std * z - threshold) * normal(z), start, max(start, 0) + 12, epsabs=1e-14)[0]


def probability_by_quadrature(mean, std, threshold):
    start = (threshold - mean) / std
    return quad(normal, start, max(start, 0) + 12, epsabs=1e-14)[0]


def test_expected_improvement_is_an_integral(dial):
    values = bind(EI(xi=0.1), dial(best=0.2))(MOMENTS)
    assert values == pytest.approx([expected_improvement_by_quadrature(m, s, 0.3) for m, s in MOMENTS], abs=1e-12)


def test_probability_of_improvement_is_an_integral(dial):
    values = np.exp(bind(PI(xi=0.1), dial(best=0.2))(MOMENTS))
    assert values == pytest.approx([probability_by_quadrature(m, s, 0.3) for m, s in MOMENTS], abs=1e-12)


def test_expected_improvement_of_a_standard_normal(dial):
    assert bind(EI(), dial())(np.array([[0.0, 1.0]])) == pytest.approx(1 / math.sqrt(2 * math.pi), rel=1e-15)


@given(mean=st.floats(-30, 30), std=st.floats(1e-3, 1e3), threshold=st.floats(-5, 5))
@settings(deadline=None, max_examples=200)
def test_log_expected_improvement_is_the_logarithm_where_there_is_one(mean, std, threshold):
    plain = ExpectedGain(threshold)(np.array([mean]), np.array([std]))[0]
    logarithm = LogExpectedGain(threshold)(np.array([mean]), np.array([std]))[0]
    if plain[0] > 1e-290:
        assert logarithm == pytest.approx(np.log(plain), rel=1e-12, abs=1e-12)
    else:
        assert np.isfinite(logarithm[0])
        assert logarithm[0] < -660


@pytest.mark.parametrize("u", [-40.0, -1e3, -1e8])
def test_log_expected_improvement_lives_where_the_plain_one_is_dead(u, dial):
    point = np.array([[u, 1.0]])
    plain, logarithm = (bind(acq, dial()).value_and_grad(point) for acq in (EI(), LogEI()))
    assert plain[0] == 0.0
    # h(u) = φ(u)/u² (1 + O(1/u²)), so the gradient of its logarithm is −u in the mean and u² in the deviation.
    expected = -0.5 * u**2 - 0.5 * math.log(2 * math.pi) - 2 * math.log(-u)
    assert logarithm[0] == pytest.approx(expected, rel=1e-5)
    assert logarithm[1][0] == pytest.approx([-u, u**2], rel=3e-3)


@pytest.mark.parametrize("u", [-40.0, -1e3, -1e8])
def test_the_probability_keeps_a_slope_where_it_underflows(u, dial):
    (value,), (gradient,) = bind(PI(xi=0.0), dial()).value_and_grad(np.array([[u, 1.0]]))
    assert math.exp(value) == 0.0
    # Φ(u) = φ(u)/|u| (1 + O(1/u²)), so the gradient of its logarithm is −u in the mean and u² in the deviation.
    assert value == pytest.approx(-0.5 * u**2 - 0.5 * math.log(2 * math.pi) - math.log(-u), rel=1e-5)
    assert gradient == pytest.approx([-u, u**2], rel=3e-3)


@given(st.floats(-3, 3), st.floats(1e-6, 1.0), st.floats(-3, 3), st.floats(1e-6, 1.0), st.floats(-1, 3))
@settings(deadline=None, max_examples=200)
def test_on_a_line_of_moments_no_value_is_above_both_ends(mean, std, other_mean, other_std, threshold):
    share = np.linspace(0, 1, 33)
    for gain in (ExpectedGain, LogExpectedGain, LogGainProbability):
        values = gain(threshold)((1 - share) * mean + share * other_mean, (1 - share) * std + share * other_std)[0]
        highest = max(values[0], values[-1])
        assert np.max(values) <= highest + 1e-9 * (1e-9 + abs(highest))


@pytest.mark.parametrize("acquisition", ALL)
def test_the_gradient_is_that_of_the_value_for_every_mean_and_deviation(acquisition, dial, central_difference):
    alpha = bind(acquisition, dial(best=0.2))
    value, gradient = alpha.value_and_grad(MOMENTS)
    assert np.array_equal(value, alpha(MOMENTS))
    assert gradient == pytest.approx(central_difference(alpha, MOMENTS), rel=1e-6, abs=1e-8)


@pytest.mark.parametrize("acquisition", ALL)
def test_the_gradient_follows_the_posterior(acquisition, gp, central_difference):
    X = np.random.default_rng(3).uniform(0.1, 0.9, (20, 2))
    alpha = bind(acquisition, gp())
    assert alpha.value_and_grad(X)[1] == pytest.approx(central_difference(alpha, X), rel=1e-5, abs=1e-7)


def test_without_deviation_the_improvement_is_known(dial):
    points = np.array([[0.8, 0.0], [0.2, 0.0], [-3.0, 0.0]])
    assert bind(EI(), dial(best=0.3))(points) == pytest.approx([0.5, 0.0, 0.0], abs=1e-12)
    assert np.exp(bind(PI(xi=0.0), dial(best=0.3))(points)) == pytest.approx([1.0, 0.0, 0.0], abs=1e-12)
    assert bind(LogEI(), dial(best=0.3))(points[:1]) == pytest.approx(math.log(0.5), abs=1e-12)


@pytest.mark.parametrize("acquisition", ALL)
def test_without_deviation_nothing_becomes_infinite_even_if_its_gradient_is(acquisition, dial):
    class Kinked(type(dial())):
        def predict_grad(self, X):
            mean, std, d_mean, d_std = super().predict_grad(X)
            return mean, std, d_mean, np.where(std[:, None] > 0, d_std, np.inf)

    value, gradient = bind(acquisition, Kinked(best=0.3)).value_and_grad(np.array([[0.8, 0.0], [-3.0, 0.0]]))
    assert np.all(np.isfinite(value))
    assert np.all(np.isfinite(gradient))


def test_the_incumbent_is_the_best_mean_not_the_luckiest_output(gp):
    noisy = gp(tau=0.5)
    assert incumbent(Beliefs.of(noisy)) == pytest.approx(noisy.predict(noisy.X)[0].max(), rel=1e-9)
    assert incumbent(Beliefs.of(noisy)) < noisy.z.max()


def test_without_observations_the_incumbent_is_the_prior_mean(gp):
    posterior = gp(n=0, shift=2.5, scale=0.1)
    assert incumbent(Beliefs.of(posterior)) == 2.5
    assert bind(EI(), posterior)(np.array([[0.3, 0.3]])) == pytest.approx(0.1 / math.sqrt(2 * math.pi))


@pytest.mark.parametrize("shift", [-50.0, 3.0])
@pytest.mark.parametrize("scale", [0.01, 1.0, 200.0])
def test_improvement_moves_with_the_units_of_the_outputs(shift, scale, gp):
    X = np.random.default_rng(2).random((40, 2))
    here = {acq: bind(acq, gp())(X) for acq in (EI(), LogEI(), PI(xi=0.0))}
    there = {acq: bind(acq, gp(scale=scale, shift=shift))(X) for acq in here}
    # A mean of 50 carries rounding of 1e-14, which is 1e-12 of a scale of 0.01.
    assert there[EI()] == pytest.approx(scale * here[EI()], rel=1e-8, abs=1e-12 * scale)
    assert there[LogEI()] == pytest.approx(np.log(scale) + here[LogEI()], rel=1e-8)
    assert there[PI(xi=0.0)] == pytest.approx(here[PI(xi=0.0)], rel=1e-8, abs=1e-10)


def test_a_margin_asks_for_more(dial):
    point = np.array([[0.3, 0.5]])
    for part in (EI, LogEI, PI):
        assert bind(part(xi=0.5), dial())(point) < bind(part(xi=0.0), dial())(point)


@given(mean=st.floats(-1e3, 1e3), std=st.floats(1e-9, 1e3), more=st.floats(0, 10))
@settings(deadline=None, max_examples=200)
def test_more_mean_is_never_worse_and_more_deviation_never_lowers_the_expectation(mean, std, more):
    def value(gain, m, s):
        return float(gain(0.0)(np.array([m]), np.array([s]))[0][0])

    for gain in (ExpectedGain, LogExpectedGain, LogGainProbability):
        at = value(gain, mean, std)
        assert value(gain, mean + more, std) >= at - 1e-12 * abs(at)
    at = value(ExpectedGain, mean, std)
    assert value(ExpectedGain, mean, std + more) >= at - 1e-12 * abs(at)


@pytest.mark.parametrize("part", [EI, LogEI, PI])
@pytest.mark.parametrize("xi", [-0.1, math.nan, math.inf])
def test_an_impossible_margin_is_refused(part, xi):
    with pytest.raises(ValueError, match="xi"):
        part(xi=xi)
